// Operands of read rules: columns along to-one relations, rows of to-many relations, and bound values of the caller.
// Not here: the predicates on them (lower-rule.ts).
import type { AccessExpression, Expression } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import {
  entityOf,
  type ColumnField,
  type Entity,
  type Model,
  type RelationField,
  type Storage,
  isStoredField,
} from '../schema/model.ts';
import { toStoredDecimal } from '../schema/decimal.ts';
import type { Expr } from '../sql/sql.ts';
import type { SqlValue } from '../store/store.ts';
import { isStorable, toBound, toBoundList, toWhole } from './bound-value.ts';
import { type Aliases, countable, type RelatedRows, relatedRows, type RowScope } from './rows.ts';
import { TRUE } from './three-valued-logic.ts';
import { isList, last } from '../present.ts';

/** A compiled read rule. */
export interface Rule {
  readonly access: AccessExpression;
  readonly entity: Entity;
}

/** The value of a node that is not a truth value. */
export type Operand =
  | { readonly kind: 'column'; readonly expr: Expr; readonly storage: Storage; readonly field: ColumnField | undefined }
  | { readonly kind: 'known'; readonly part: number | undefined; readonly value: unknown }
  /** Rows of a to-many relation at the end of a chain of to-one relations. */
  | {
      readonly kind: 'rows';
      readonly scope: RowScope;
      readonly steps: readonly RelationField[];
      readonly field: RelationField;
    }
  | { readonly kind: 'row'; readonly scope: RowScope; readonly steps: readonly RelationField[] };

/** Creates the operands of one rule. */
export class Operands {
  readonly #model: Pick<Model, 'entities' | 'schema'>;
  readonly #rule: Rule;
  readonly #aliases: Aliases;

  constructor(model: Pick<Model, 'entities' | 'schema'>, rule: Rule, aliases: Aliases) {
    this.#model = model;
    this.#rule = rule;
    this.#aliases = aliases;
  }

  /** A field of the row at the end of a chain of to-one relations. */
  fieldOf(scope: RowScope, steps: readonly RelationField[], name: string, node: Expression): Operand {
    const entity = steps.length === 0 ? scope.entity : entityOf(this.#model, last(steps).target);
    const field = entity.fields.get(name);
    if (!isStoredField(field)) throw this.unsupported(node);
    if (field.kind === 'relation')
      return field.many ? { kind: 'rows', scope, steps, field } : { kind: 'row', scope, steps: [...steps, field] };
    return { kind: 'column', expr: this.#columnAlong(scope, steps, field), storage: field.storage, field };
  }

  /** A column at the end of a chain: one subquery per step, or the foreign key if it is the column. */
  #columnAlong(scope: RowScope, steps: readonly RelationField[], field: ColumnField): Expr {
    const [step, ...rest] = steps;
    if (step === undefined) return scope.column(field.column);
    const isKept = entityOf(this.#model, step.target).softDelete === undefined;
    if (rest.length === 0 && step.storage.kind === 'foreignKey' && field.isKey && isKept)
      return scope.column(step.storage.column);
    return this.along(scope, [step], (next) => this.#columnAlong(next, rest, field));
  }

  /** Applies `value` to the row at the end of a chain; null if there is none. */
  along(scope: RowScope, steps: readonly RelationField[], value: (scope: RowScope) => Expr): Expr {
    const [step, ...rest] = steps;
    if (step === undefined) return value(scope);
    const rows = relatedRows(scope, step, entityOf(this.#model, step.target), this.#aliases, false);
    return {
      kind: 'select',
      select: {
        columns: [{ expr: this.along(rows.scope, rest, value), as: 'v' }],
        from: rows.from,
        joins: rows.joins,
        where: rows.where,
      },
    };
  }

  /** Whether a chain of to-one relations ends at a row. */
  existsAlong(operand: Extract<Operand, { kind: 'row' }>): Expr {
    const [step, ...rest] = operand.steps;
    if (step === undefined) return TRUE;
    const rows = relatedRows(operand.scope, step, entityOf(this.#model, step.target), this.#aliases, false);
    const inner = rest.length === 0 ? undefined : this.existsAlong({ kind: 'row', scope: rows.scope, steps: rest });
    return { kind: 'exists', select: countable(rows, [inner]) };
  }

  /** Applies `value` to the rows of a to-many relation; null if their owner does not exist. */
  amongRows(target: Extract<Operand, { kind: 'rows' }>, value: (rows: RelatedRows) => Expr): Expr {
    const entity = entityOf(this.#model, target.field.target);
    return this.along(target.scope, target.steps, (scope) =>
      value(relatedRows(scope, target.field, entity, this.#aliases, false)),
    );
  }

  /** Binds a known value; a value of another type than the column's equals nothing. */
  bind(known: Extract<Operand, { kind: 'known' }>, field: ColumnField | undefined, storage: Storage): Expr {
    const convert = (value: unknown): SqlValue => {
      if (value === null || value === undefined) return null;
      if (storage === 'integer' && field?.typeName === 'ID')
        return typeof value === 'string' ? toBound(this.#model.schema, field, value) : null;
      if (storage === 'decimal') return toStoredDecimal(value);
      if (isNumber(storage)) return typeof value === 'number' ? value : null;
      if (storage === 'boolean') return typeof value === 'boolean' ? value : null;
      return typeof value === 'string' && isStorable(value) ? value : null;
    };
    const { part } = known;
    if (part === undefined)
      return { kind: 'parameter', parameter: { kind: 'constant', value: convert(known.value) }, storage };
    return {
      kind: 'parameter',
      parameter: {
        kind: 'input',
        label: `policy ${this.#rule.entity.name}`,
        same: `${part} ${storage} ${field?.typeName === 'ID'}`,
        read: (inputs) => convert(inputs.policy(part)),
      },
      storage,
    };
  }

  /** The items of a known list as JSON text, for IN. */
  listText(value: unknown, column: Extract<Operand, { kind: 'column' }>): string {
    const items = isList(value) ? value : [];
    if (column.field !== undefined && column.storage === 'integer' && column.field.typeName === 'ID')
      return toBoundList(
        this.#model.schema,
        column.field,
        items.filter((item) => typeof item === 'string'),
      );
    if (column.storage === 'decimal') return JSON.stringify(items.map(toStoredDecimal).filter((item) => item !== null));
    const kind = isNumber(column.storage) ? 'number' : column.storage === 'boolean' ? 'boolean' : 'string';
    // No integer equals a fraction.
    const whole = column.storage === 'integer';
    const fits = (item: unknown): boolean =>
      typeof item === kind && !(whole && isFraction(item)) && (typeof item !== 'string' || isStorable(item));
    return JSON.stringify(items.filter(fits));
  }

  /** The error for a part without an exact SQL form. */
  unsupported(node: Expression): Error {
    const { entity, access } = this.#rule;
    const place = entity.location === undefined ? entity.name : `${entity.location.file}:${entity.location.line}`;
    return graphErrors.create('GRAPH_POLICY_UNSUPPORTED', {
      text: access.text,
      part: access.text.slice(node.start, node.end),
      place,
    });
  }
}

/** Whether a value is a text that is not an integer. */
export function isNoNumber(value: unknown): boolean {
  return typeof value === 'string' && toWhole(value) === null;
}

/** Whether a value is a number that no integer column holds. */
export function isFraction(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}

/** Whether a column holds numbers that rules compare as doubles. */
export function isNumber(storage: Storage): boolean {
  return storage === 'integer' || storage === 'real';
}

/** The storage of a list column's items. */
export function storageOfElement(field: ColumnField | undefined): Storage {
  switch (field?.typeName) {
    case 'Int':
      return 'integer';
    case 'Float':
      return 'real';
    case 'Boolean':
      return 'boolean';
    default:
      return 'text';
  }
}
