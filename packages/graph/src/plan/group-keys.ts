// Reads `groupBy`: which columns, of the rows or of related ones, the rows of a group have in common. A value that the
// caller may not read is null, as in filters and orders, so it forms no group of its own.
import { graphErrors } from '../errors.ts';
import { timeKindOf, type TimeKind, type TimePart } from '../schema/aggregate-types.ts';
import { entityOf, isGuaranteed, type ColumnField, type Entity, type RelationField } from '../schema/model.ts';
import { and, type Expr, type Join } from '../sql/sql.ts';
import { asArray } from './argument-path.ts';
import { guarded, isAlwaysThere, isKeyOpen } from './operands.ts';
import type { Environment } from './environment.ts';
import { limitOfOne, relatedRows, RowScope, type RelatedRows } from './rows.ts';
import { first, membersIn, required } from '../present.ts';

/** A value that the rows of a group have in common. */
export interface GroupKey {
  /** Field names, from the rows down: `['postedBy', 'name']`. */
  readonly path: readonly string[];
  readonly entity: Entity;
  readonly field: ColumnField;
  /** The part of a time; undefined: the value itself. */
  readonly part: { readonly name: TimePart; readonly time: TimeKind } | undefined;
  /** The value of a row. */
  readonly value: Expr;
  /** Name of its column among the groups. */
  readonly as: string;
}

/** The keys, and the related rows that they need. */
export interface GroupKeys {
  readonly keys: readonly GroupKey[];
  readonly joins: readonly Join[];
}

/** Reads the value of a `groupBy` argument. */
export function readGroupKeys(env: Environment, rows: RelatedRows, groupBy: unknown): GroupKeys {
  const keys: GroupKey[] = [];
  const joins: Join[] = [];
  const collect = (
    scope: RowScope,
    value: unknown,
    path: readonly string[],
    /** Makes a value of the related row one of the row. */
    outward: (expr: Expr) => Expr,
    joined: Join[] | undefined,
  ): void => {
    for (const [name, given] of Object.entries(membersIn(value))) {
      if (given === null || given === undefined || given === false) continue;
      const field = scope.entity.fields.get(name);
      const here = [...path, name];
      if (field?.kind === 'column') {
        const own = outward(guarded(env, scope, name, scope.column(field.column)));
        const time = env.model.customScalars.has(field.typeName) ? undefined : timeKindOf(field.typeName);
        const parts = time === undefined ? [undefined] : [...new Set(asArray(given) as readonly TimePart[])];
        for (const part of parts)
          keys.push({
            path: here,
            entity: scope.entity,
            field,
            part: part === undefined || time === undefined ? undefined : { name: part, time },
            value: own,
            as: `key_${keys.length}`,
          });
      } else if (field?.kind === 'relation') {
        const related = relatedScope(env, scope, field, given, joined);
        const inner = (expr: Expr): Expr => outward(related.outward(expr));
        collect(related.scope, given, here, inner, related.joined);
      } else throw new Error(`${scope.entity.name}.${name} forms no groups.`);
    }
  };
  collect(rows.scope, groupBy, [], (expr) => expr, joins);
  return { keys, joins };
}

/** The row that a relation refers to, and how its values become values of the referring row. */
interface RelatedScope {
  readonly scope: RowScope;
  readonly outward: (expr: Expr) => Expr;
  /** Where further rows can be joined; undefined inside of a subquery. */
  readonly joined: Join[] | undefined;
}

function relatedScope(
  env: Environment,
  scope: RowScope,
  field: RelationField,
  given: unknown,
  joined: Join[] | undefined,
): RelatedScope {
  const target = entityOf(env.model, field.target);
  const names = Object.entries(membersIn(given)).flatMap(([name, each]) =>
    each === true ? [name] : each == null ? [] : [''],
  );
  const isKeyOnly = names.every((name) => name === target.key.name) && target.key.parts === undefined;
  if (field.storage.kind === 'foreignKey' && isKeyOnly && isGuaranteed(field, target) && isKeyOpen(env.view, target)) {
    // The foreign key is the target's key.
    const foreignKey = scope.column(field.storage.column);
    const replaced = new RowScope(target, scope.alias, new Map([[target.key.column, foreignKey]]));
    return { scope: replaced, outward: (expr) => guarded(env, scope, field.name, expr), joined: undefined };
  }
  const rows = relatedRows(scope, field, target, env.aliases, false);
  if (joined !== undefined && limitOfOne(target) === undefined && isAlwaysThere(env, scope, field, target)) {
    joined.push({ from: rows.from, on: required(rows.where, 'the link of a relation'), anyOrder: true });
    return { scope: rows.scope, outward: (expr) => expr, joined };
  }
  const outward = (expr: Expr): Expr =>
    guarded(env, scope, field.name, {
      kind: 'select',
      select: {
        columns: [{ expr, as: 'v' }],
        from: rows.from,
        joins: rows.joins,
        where: and(rows.where, env.view.rows(rows.scope)),
        limit: field.storage.kind === 'foreignKey' ? limitOfOne(target) : { kind: 'literal', value: 1 },
      },
    });
  return { scope: rows.scope, outward, joined: undefined };
}

/** The key of a field that `groupBy` names. @throws ProductError GRAPH_GROUP_KEY_MISSING, GRAPH_GROUP_KEY_AMBIGUOUS */
export function keyAt(keys: readonly GroupKey[], path: readonly string[], part: unknown): GroupKey {
  const found = keysAt(keys, path).filter((key) => part == null || key.part?.name === part);
  if (found.length === 0) throw missingKey(path, part);
  const key = first(found);
  if (found.length === 1) return key;
  const parts = found.map((each) => each.part?.name ?? '');
  throw graphErrors.create('GRAPH_GROUP_KEY_AMBIGUOUS', {
    key: path.join('.'),
    parts: parts.join(', '),
    name: key.field.name,
    part: first(parts),
  });
}

/** All keys of a field; several for a time with several parts. */
export function keysAt(keys: readonly GroupKey[], path: readonly string[]): readonly GroupKey[] {
  return keys.filter((key) => key.path.join('.') === path.join('.'));
}

export function missingKey(path: readonly string[], part?: unknown): Error {
  const key = part == null ? path.join('.') : `${path.join('.')}(part: ${part as string})`;
  return graphErrors.create('GRAPH_GROUP_KEY_MISSING', { key });
}
