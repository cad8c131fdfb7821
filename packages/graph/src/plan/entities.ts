// Selects the objects that a gateway of Apollo Federation names by their keys, in its order: one look-up for each in one
// statement. An object that is missing or hidden is null. Not here: which keys there are (schema/federation.ts).
import { isEnumType, isScalarType, type FieldNode } from 'graphql';
import { reasonOf, toText } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { hasMembers, lookUp, required } from '../present.ts';
import type { EntityKey, EntityKeyPart } from '../schema/federation.ts';
import type { ColumnField } from '../schema/model.ts';
import { and, equals, type Expr, type Json } from '../sql/sql.ts';
import type { SqlValue } from '../store/store.ts';
import { asArray } from './argument-path.ts';
import { toBound } from './bound-value.ts';
import { compared } from './operands.ts';
import type { Environment } from './environment.ts';
import type { FieldArguments } from './field-arguments.ts';
import { listOfElements, oneByKey } from './root-field.ts';
import type { RowScope } from './rows.ts';
import { fieldsOf } from './selection.ts';

/** The argument of the field. */
const REPRESENTATIONS = 'representations';

/** The objects of the `representations`. */
export function selectEntities(env: Environment, args: FieldArguments, nodes: readonly FieldNode[]): Json {
  const { keys } = required(env.model.subgraph, 'the subgraph');
  const list = args.parameter(REPRESENTATIONS, 'json', (values) => bindRepresentations(env, values[REPRESENTATIONS]));
  const elements = env.aliases.take();
  const value: Expr = { kind: 'column', from: `${elements}r`, column: 'value' };
  const branches = [...keys].flatMap(([type, variants]) => {
    const entity = lookUp(env.model.entities, type);
    // Of a type that the operation selects nothing of, nobody asks whether there are objects.
    if (fieldsOf(env, entity, nodes).size === 0) return [];
    return variants.map((key, index) => ({
      when: equals(member(value, TAG, 'text'), { kind: 'literal', value: tagOf(type, index) }, 'text'),
      use: oneByKey(env, entity, (row) => isNamed(env, row, key, value), nodes, true),
    }));
  });
  const missing: Json = { kind: 'constant', text: 'null' };
  return listOfElements(
    list,
    'json',
    elements,
    branches.length === 0 ? missing : { kind: 'choose', branches, otherwise: missing },
  );
}

/** The member of a bound representation that says which key of which type it has; values are in `v0`, `v1`, …. */
const TAG = 'key';

function tagOf(type: string, index: number): string {
  return `${type}.${index}`;
}

function member(operand: Expr, name: string, storage: ColumnField['storage']): Expr {
  return { kind: 'member', operand, name, storage };
}

/** Whether a row has the key. What the caller may not read finds nothing, as in filters. */
function isNamed(env: Environment, row: RowScope, key: EntityKey, value: Expr): Expr | undefined {
  return and(
    ...key.map((part, index) => {
      const { operand, target } = compared(env, row, part.field.name);
      return equals(operand, member(value, `v${index}`, target.storage), target.storage);
    }),
  );
}

/** The JSON to bind: an object for each representation. @throws GRAPH_REPRESENTATION_INVALID, GRAPH_PAGE_TOO_LARGE */
function bindRepresentations(env: Environment, given: unknown): string {
  const representations = asArray(given);
  const { length } = representations;
  const limit = env.limits.pageSize;
  if (length > limit)
    throw graphErrors.create('GRAPH_PAGE_TOO_LARGE', { argument: REPRESENTATIONS, value: length, limit });
  return JSON.stringify(representations.map((each, index) => bindOne(env, each, `${REPRESENTATIONS}[${index}]`)));
}

function bindOne(env: Environment, given: unknown, place: string): Readonly<Record<string, SqlValue>> {
  const wrong = (at: string, reason: string): Error =>
    graphErrors.create('GRAPH_REPRESENTATION_INVALID', { place: at, reason });
  if (!hasMembers(given) || typeof given['__typename'] !== 'string') throw wrong(place, 'has no __typename');
  const type = given['__typename'];
  const entity = env.model.entities.get(type);
  const variants = env.model.subgraph?.keys.get(type);
  if (entity === undefined || variants === undefined) throw wrong(place, `names no type with a key here: ${type}`);
  for (const [index, key] of variants.entries()) {
    const values = key.map((part) => valueOf(part, given));
    if (values.some((value) => value === undefined || value === null)) continue;
    const bound: Record<string, SqlValue> = { [TAG]: tagOf(type, index) };
    for (const [at, part] of key.entries())
      bound[`v${at}`] = coerce(env, part, values[at], (reason) => wrong(`${place}.${part.field.name}`, reason));
    return bound;
  }
  throw wrong(place, `has no whole key of ${entity.name}`);
}

function valueOf(part: EntityKeyPart, given: Readonly<Record<string, unknown>>): unknown {
  const value = Object.hasOwn(given, part.field.name) ? given[part.field.name] : undefined;
  if (part.kind === 'column') return value;
  return hasMembers(value) && Object.hasOwn(value, part.of.name) ? value[part.of.name] : undefined;
}

function coerce(env: Environment, part: EntityKeyPart, value: unknown, wrong: (reason: string) => Error): SqlValue {
  const column = part.kind === 'column' ? part.field : part.of;
  const type = env.schema.getType(column.typeName);
  if (!isScalarType(type) && !isEnumType(type)) throw wrong('is no scalar');
  let coerced: unknown;
  try {
    coerced = type.coerceInputValue(value);
  } catch (error) {
    throw wrong(`is no ${column.typeName}: ${reasonOf(error)}`);
  }
  // Of a number in JSON the database makes the stored form itself.
  if (column.storage === 'decimal') return toText(coerced);
  const bound = toBound(env.schema, column, coerced);
  return typeof bound === 'bigint' ? String(bound) : bound;
}
