// Cursors of Relay connections: the sort values and key of a row, printed, read, and compared with other rows. Not here:
// pages (connection.ts).
import { graphErrors } from '../errors.ts';
import { toDecimal, toSortable } from '../schema/decimal.ts';
import type { ColumnField, Storage } from '../schema/model.ts';
import type { Expr, Json, JsonFormat, OrderTerm } from '../sql/sql.ts';
import type { SqlValue } from '../store/store.ts';
import { isStorable, isStorableTime, toWhole } from './bound-value.ts';
import type { ArgumentValues, FieldArguments } from './field-arguments.ts';

/** JSON format of a sort value in a cursor. */
function cursorFormatOf(storage: Storage): JsonFormat {
  switch (storage) {
    case 'integer':
      return 'wholeNumber';
    case 'real':
    case 'decimal':
    case 'boolean':
    case 'timestamp':
      return storage;
    default:
      return 'string';
  }
}

/** The cursor of a row: its sort values and key as one opaque text. */
export function cursorOf(orderBy: readonly OrderTerm[], value: (index: number) => Expr): Json {
  const items = orderBy.map((term, index): Json => ({
    kind: 'value',
    expr: value(index),
    format: cursorFormatOf(term.storage),
    nullable: true,
  }));
  return { kind: 'cursor', items };
}

/** Rows after or before a cursor in the order. Nulls sort as smallest, so each comparison handles them. */
export function beyond(args: FieldArguments, orderBy: readonly OrderTerm[], name: 'after' | 'before'): Expr {
  const bind = (index: number): Expr => {
    const { storage } = orderBy[index]!;
    return args.parameter(`${name}.${index}`, storage, (values) => readCursor(values, name, orderBy)[index]!);
  };
  const alternatives = orderBy.map((term, index): Expr => {
    const same = orderBy.slice(0, index).map((before, place) => isSame(before, () => bind(place)));
    const rising = term.descending === (name === 'before');
    return { kind: 'and', operands: [...same, isPast(term, rising, () => bind(index))] };
  });
  return { kind: 'or', operands: alternatives };
}

function isSame(term: OrderTerm, bound: () => Expr): Expr {
  const equal: Expr = { kind: 'compare', operator: '=', left: term.expr, right: bound(), storage: term.storage };
  if (!term.nullable) return equal;
  const bothNull: Expr = { kind: 'and', operands: [isNull(term.expr), isNull(bound())] };
  return { kind: 'or', operands: [equal, bothNull] };
}

function isPast(term: OrderTerm, rising: boolean, bound: () => Expr): Expr {
  const past: Expr = {
    kind: 'compare',
    operator: rising ? '>' : '<',
    left: term.expr,
    right: bound(),
    storage: term.storage,
  };
  if (!term.nullable) return past;
  const boundNull = isNull(bound());
  const other: Expr = rising
    ? { kind: 'and', operands: [boundNull, { kind: 'isNull', operand: term.expr, negated: true }] }
    : { kind: 'and', operands: [{ kind: 'not', operand: boundNull }, isNull(term.expr)] };
  return { kind: 'or', operands: [past, other] };
}

function isNull(operand: Expr): Expr {
  return { kind: 'isNull', operand, negated: false };
}

/** Decodes a cursor: JSON in hexadecimal. */
export function readCursor(values: ArgumentValues, name: string, orderBy: readonly OrderTerm[]): readonly SqlValue[] {
  const text = values[name];
  const refuse = (): Error => graphErrors.create('GRAPH_CURSOR_INVALID', { argument: name });
  if (typeof text !== 'string' || !/^(?:[0-9A-F]{2})+$/.test(text) || text.length > 10_000) throw refuse();
  let items: unknown;
  try {
    items = JSON.parse(Buffer.from(text, 'hex').toString('utf8'));
  } catch {
    throw refuse();
  }
  if (!Array.isArray(items) || items.length !== orderBy.length) throw refuse();
  return items.map((item: unknown, index) => {
    const term = orderBy[index]!;
    const value = fromCursor(item, term.storage);
    if (value === undefined || (value === null && !term.nullable)) throw refuse();
    return value;
  });
}

function fromCursor(item: unknown, storage: ColumnField['storage']): SqlValue | undefined {
  if (item === null) return null;
  switch (storage) {
    case 'integer':
      if (typeof item === 'number' && !Number.isSafeInteger(item)) return undefined;
      return toWhole(item) ?? undefined;
    case 'real':
      return typeof item === 'number' ? item : undefined;
    case 'boolean':
      return typeof item === 'boolean' ? item : undefined;
    case 'decimal':
      // In the canonical form that cursors contain.
      return typeof item === 'string' && toDecimal(item) === item ? toSortable(item) : undefined;
    case 'timestamp':
      return typeof item === 'string' && isPrintedTime(item) ? item : undefined;
    default:
      return typeof item === 'string' && isStorable(item) ? item : undefined;
  }
}

/** In the canonical form that cursors contain. JavaScript parses other texts as times ("1"); the databases do not. */
function isPrintedTime(text: string): boolean {
  const date = new Date(text);
  return isStorableTime(date) && date.toISOString() === text;
}
