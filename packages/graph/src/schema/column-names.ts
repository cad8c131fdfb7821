// How the fields of a type are called in its table. Two fields that differ by small and capital letters only, or by how their
// words are joined, are two columns; names that a database keeps for itself, or cuts off, are given others. What a column is
// called depends on the fields before it alone, so that a field added at the end renames nothing.
import { fitName, shortHash, snakeCase } from './names.ts';

/** Columns that PostgreSQL adds to every table; names are those of SQLite too, so that a schema means one on both. */
const SYSTEM_COLUMNS = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']);
/** The ends of the two columns in which a relation to an interface or union is kept. */
export const TYPE_END = '_type';
export const KEY_END = '_key';

/** A field that may have a column. */
export interface NamedField {
  readonly name: string;
  /** It is kept as a type and a key side by side. */
  readonly isPolymorphic: boolean;
}

/**
 * Names the columns of a type's fields.
 *
 * @returns field → column; of a polymorphic one what both its columns begin with
 */
export function nameColumns(fields: readonly NamedField[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const columns = new Map<string, string>();
  for (const { name, isPolymorphic } of fields) {
    const ends = isPolymorphic ? [TYPE_END, KEY_END] : [''];
    const isFree = (base: string): boolean => ends.every((end) => !taken.has(base + end));
    const longest = Math.max(...ends.map((end) => end.length));
    const plain = snakeCase(name);
    const first = SYSTEM_COLUMNS.has(plain) && !isPolymorphic ? `${plain}_` : fitName(plain, longest);
    const base = isFree(first) ? first : fitName(`${plain}_${shortHash(name)}`, longest);
    for (const end of ends) taken.add(base + end);
    columns.set(name, base);
  }
  return columns;
}
