// The types of an adoption while they are built, and which foreign keys become relations between them.
import type { Enums } from './adopt-enums.ts';
import type { AdoptedField, FieldInput, LeftOut, Note } from './adoption.ts';
import { isLoose, refersToKey, type ChosenTables } from './choose-tables.ts';
import {
  nameKey,
  type ColumnDescription,
  type DatabaseDescription,
  type ForeignKeyDescription,
  type TableDescription,
} from './database-description.ts';
import type { Names } from './inflect.ts';
import type { Sayable } from './sayable.ts';
import { required } from '../present.ts';

/** What all steps of an adoption share. */
export interface AdoptionContext {
  readonly database: DatabaseDescription;
  readonly sayable: Sayable;
  readonly chosen: ChosenTables;
  readonly enums: Enums;
  /** By nameKey of their tables. */
  readonly drafts: Map<string, Draft>;
  readonly leftOut: LeftOut[];
  readonly notes: Note[];
}

/** A type while it is built. */
export interface Draft {
  readonly table: TableDescription;
  readonly keyColumns: readonly string[];
  readonly name: string;
  readonly names: Names;
  /** Columns that are fields → the field. */
  readonly fieldOf: Map<string, string>;
  /** By the place of their column in the table. */
  readonly fields: { readonly at: number; readonly field: AdoptedField }[];
  readonly lists: AdoptedField[];
  key: { field: string; type: string };
}

/** The foreign keys of a table that become relations. No two have the same columns. */
export function relationsOf(context: AdoptionContext, { table }: Draft): readonly ForeignKeyDescription[] {
  const used = new Set<string>();
  return table.foreignKeys.filter((key) => {
    const target = context.chosen.types.get(nameKey(key.target));
    if (target === undefined || !refersToKey(key, target.key) || isLoose(target)) return false;
    const readable = table.columns.every(
      ({ name, readable: may, refused }) => (may && refused === undefined) || !key.columns.includes(name),
    );
    const columns = key.columns.toSorted().join('\n');
    if (!readable || used.has(columns)) return false;
    used.add(columns);
    return true;
  });
}

/** Whether fields of their own write the columns of a relation: it has several, or is the key too. */
export function isShared({ keyColumns }: Draft, { columns }: ForeignKeyDescription): boolean {
  return columns.length > 1 || (keyColumns.length === 1 && columns[0] === keyColumns[0]);
}

/** The columns of a foreign key in the order of the target's key. */
export function columnsInOrder(
  { columns, targetColumns }: ForeignKeyDescription,
  { keyColumns }: Draft,
): readonly string[] {
  return keyColumns.map((column) => required(columns[targetColumns.indexOf(column)], column));
}

/** The type that holds the key of a type. */
export function keyTypeOf({ keyColumns, key }: Draft): string {
  return keyColumns.length > 1 ? 'ID' : key.type;
}

export const keyColumnOf = ({ table, keyColumns }: Draft): ColumnDescription =>
  required(
    table.columns.find(({ name }) => name === keyColumns[0]),
    'the key column',
  );

export function inputOf(type: string, column: ColumnDescription, isKey: boolean): FieldInput {
  return { type, required: !column.nullable && !isFilled(column), isKey };
}

/** Whether the database has a value for a row without one. */
export function isFilled(column: ColumnDescription): boolean {
  return column.default !== undefined || column.counted !== undefined;
}

export function nameList(names: readonly string[]): string {
  return names.length === 1 ? JSON.stringify(names[0]) : `[${names.map((name) => JSON.stringify(name)).join(', ')}]`;
}
