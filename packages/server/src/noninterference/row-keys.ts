// Where a row has its key, and the keys that it refers to: in one column each, or in several columns of a table that the
// engine does not manage. A key of several columns is one text of them, `10248,11`, as in the API.
import type { Entity, RelationField } from '@lockstitch/graph';
import { toText } from '@lockstitch/kernel';

/** The columns that hold the key of a type, in the order of the key. */
export function keyColumns({ key }: Entity): readonly string[] {
  return key.parts ?? [key.column];
}

/** The columns of a to-one relation that hold the key of its target, in the order of the key. */
export function referringColumns(storage: RelationField['storage']): readonly string[] {
  if (storage.kind === 'foreignKey') return storage.parts ?? [storage.column];
  return storage.kind === 'polymorphic' ? [storage.keyColumn] : [];
}

/** The key that values of its columns make; undefined if one of them is null. */
export function keyOf(values: readonly unknown[]): string | undefined {
  if (values.some((value) => value === null || value === undefined)) return undefined;
  if (values.length === 1) return toText(values[0]);
  return values.map((value) => toText(value).replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');
}

/** The values of a key in its columns. */
export function valuesOfKey(key: string, columns: readonly string[]): readonly string[] {
  if (columns.length === 1) return [key];
  return key.split(',').map((part) => part.replaceAll('%2C', ',').replaceAll('%25', '%'));
}

/** A condition on the row of a key, with a placeholder for each of its values. */
export function isRowOf(columns: readonly string[]): string {
  return columns.map((column) => `"${column}" = ?`).join(' AND ');
}
