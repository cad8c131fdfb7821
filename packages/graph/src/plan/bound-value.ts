// Converts coerced arguments to the values that are compared with a column.
import { isEnumType, isScalarType, type GraphQLSchema } from 'graphql';
import { toStoredDecimal } from '../schema/decimal.ts';
import { toStored, toStoredText } from '../schema/scalars.ts';
import type { ColumnField } from '../schema/model.ts';
import type { SqlValue } from '../store/store.ts';

/** An integer as JSON and JavaScript print it; no other text equals a stored integer. */
const WHOLE_NUMBER = /^(?:0|-?[1-9]\d{0,18})$/;

/** The column's type, as far as the conversion needs it. */
type BoundType = Pick<ColumnField, 'typeName' | 'storage'>;

/**
 * The value to bind for a comparison with `column`. A value that no row can hold becomes null, which equals nothing.
 */
export function toBound(schema: GraphQLSchema, column: BoundType, value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  const type = schema.getType(column.typeName);
  const stored = isScalarType(type) ? toStored(type, value) : isEnumType(type) ? value : JSON.stringify(value);
  if (column.storage === 'integer') return toWhole(stored);
  if (column.storage === 'json')
    return typeof stored === 'string' && !isScalarType(type) ? stored : JSON.stringify(stored);
  if (column.storage === 'timestamp') return toTimestamp(stored);
  if (column.storage === 'decimal') return toStoredDecimal(stored);
  if (column.storage === 'text' || typeof stored === 'string') {
    const text = toStoredText(stored);
    return isStorable(text) ? text : null;
  }
  return typeof stored === 'number' || typeof stored === 'boolean' || typeof stored === 'bigint' ? stored : null;
}

/** Whether a text can be stored: without U+0000 and lone surrogates. Writes reject others, so no row has one. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Whether a time can be stored: years 1 to 9999. Writes reject others. */
export function isStorableTime(date: Date): boolean {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/** A 64-bit integer in canonical form; null for anything else. */
export function toWhole(value: unknown): SqlValue {
  if (typeof value === 'number') return Number.isInteger(value) ? value : null;
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : null;
  if (typeof value !== 'string' || !WHOLE_NUMBER.test(value)) return null;
  const whole = BigInt(value);
  return BigInt.asIntN(64, whole) === whole ? whole : null;
}

/** Timestamps are ISO 8601 text in UTC with milliseconds. */
function toTimestamp(value: unknown): SqlValue {
  const date = new Date(value as string | number);
  return isStorableTime(date) ? date.toISOString() : null;
}

/** The JSON array to bind for IN; values that no row can hold are left out. */
export function toBoundList(schema: GraphQLSchema, column: BoundType, values: readonly unknown[]): string {
  return toJsonArray(values.map((value) => toBound(schema, column, value)).filter((value) => value !== null));
}

/** The same, but each value keeps its position: null for values that no row can hold. */
export function toBoundInPlace(schema: GraphQLSchema, column: BoundType, values: readonly unknown[]): string {
  return toJsonArray(values.map((value) => toBound(schema, column, value)));
}

/** Values that JSON can hold, with integers of 64 bits as numbers. */
export function toJsonArray(bound: readonly SqlValue[]): string {
  return `[${bound.map((value) => (typeof value === 'bigint' ? value.toString() : JSON.stringify(value))).join(',')}]`;
}

/** The JSON array to bind for a comparison with a stored list; its elements have the stored form. */
export function toBoundElements(schema: GraphQLSchema, typeName: string, values: readonly unknown[]): string {
  const type = schema.getType(typeName);
  const elements = values.map((value) => {
    const stored = isScalarType(type) ? toStored(type, value) : value;
    if (typeof stored === 'bigint') return String(stored);
    // A list of texts never contains a number, so a number replaces a text that cannot be stored.
    return typeof stored === 'string' && !isStorable(stored) ? 0 : stored;
  });
  return JSON.stringify(elements);
}
