// Names the columns of a type. Fields that differ only in case or in how their words are joined get different columns;
// names that a database reserves or truncates are changed. A name depends only on the fields before it, so appending a
// field renames no column.
import { fitName, shortHash, snakeCase } from './names.ts';

/** System columns of PostgreSQL. They are avoided on SQLite too, so that a schema has the same columns on both. */
const SYSTEM_COLUMNS = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']);
/** Suffixes of the two columns of a relation to an interface or union. */
export const TYPE_END = '_type';
export const KEY_END = '_key';

/** A field that may have a column. */
export interface NamedField {
  readonly name: string;
  /** Stored as a type column and a key column. */
  readonly isPolymorphic: boolean;
  /** The columns that `@column` names. */
  readonly given?: readonly string[] | undefined;
}

/**
 * Names the columns of a type's fields.
 *
 * @returns field → column; for a polymorphic field, the prefix of its two columns
 */
export function nameColumns(fields: readonly NamedField[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const columns = new Map<string, string>();
  for (const { name, isPolymorphic, given } of fields) {
    if (given?.[0] !== undefined) {
      columns.set(name, given[0]);
      continue;
    }
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
