// The two ends of a join table: their columns, and the values of a key in them.
import type { RelationStorage } from '../schema/model.ts';
import { quoteName } from '../schema/table-name.ts';
import type { SqlValue } from '../store/store.ts';
import { partsOf } from './composite-values.ts';

type JoinTable = Extract<RelationStorage, { kind: 'joinTable' }>;

/** One end of a join table. */
export interface JoinEnd {
  /** SQL that reads the key. */
  readonly key: string;
  /** Column → its value for a key. */
  readonly valuesOf: (key: SqlValue) => ReadonlyMap<string, SqlValue>;
}

/** The end that holds the key of this type, or of the other. */
export function joinEnd({ natives, ...storage }: JoinTable, end: 'from' | 'to'): JoinEnd {
  const name = storage[end];
  const { columns, read } = natives?.get(name) ?? {};
  if (columns === undefined) return { key: quoteName(name), valuesOf: (key) => new Map([[name, key]]) };
  return { key: read?.(quoteName(name)) ?? quoteName(name), valuesOf: (key) => partsOf(columns, key) };
}

/** A condition on the columns of one or both ends, with its values. @param place prints the n-th placeholder, from 1 */
export function whereEnds(
  values: Iterable<readonly [string, SqlValue]>,
  place: (index: number) => string,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const given = [...values];
  const conditions = given.map(([column], index) => `${quoteName(column)} = ${place(index + 1)}`);
  return { sql: conditions.join(' AND '), values: given.map(([, value]) => value) };
}
