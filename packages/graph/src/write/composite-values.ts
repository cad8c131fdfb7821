// Writes references to keys of several columns: the text of a key becomes a value of each column.
import type { NativeTypes, Storage } from '../schema/model.ts';
import type { SqlValue } from '../store/store.ts';
import { toInteger } from './to-integer.ts';

/** The values of columns, with those of composite references one by one. */
export function storedValues(
  values: ReadonlyMap<string, SqlValue>,
  natives: NativeTypes | undefined,
): ReadonlyMap<string, SqlValue> {
  if (![...values.keys()].some((name) => natives?.get(name)?.columns !== undefined)) return values;
  const stored = new Map<string, SqlValue>();
  for (const [name, value] of values) {
    const columns = natives?.get(name)?.columns;
    if (columns === undefined) stored.set(name, value);
    else for (const [column, part] of partsOf(columns, value)) stored.set(column, part);
  }
  return stored;
}

/** Column → its part of a key's text. */
export function partsOf(
  columns: readonly { readonly name: string; readonly storage: Storage }[],
  key: SqlValue,
): ReadonlyMap<string, SqlValue> {
  const texts = typeof key === 'string' ? key.split(',') : [];
  return new Map(columns.map(({ name, storage }, index) => [name, partOf(texts[index], storage)]));
}

function partOf(text: string | undefined, storage: Storage): SqlValue {
  if (text === undefined) return null;
  const value = text.replaceAll('%2C', ',').replaceAll('%25', '%');
  if (storage === 'integer' && /^-?\d+$/.test(value)) return toInteger(value);
  // SQLite prints booleans as numbers.
  if (storage === 'real' || (storage === 'boolean' && /^[01]$/.test(value))) return Number(value);
  return value;
}
