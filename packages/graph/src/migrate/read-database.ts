// Reads what a database has of the tables of a model, and the schema that it was last migrated to.
import type { Store } from '../store/store.ts';
import { introspect, otherRelations, withoutOthers } from './introspect.ts';
import { renameColumns, type Renaming, withRenamedColumns } from './rename-columns.ts';
import { readStoredSchema, SCHEMA_TABLE, type Stored, type TableMeaning } from './stored-schema.ts';
import type { TableShape } from './table-shape.ts';

/** What a database has of the tables of a model, and what it was made for. */
export interface FoundDatabase {
  readonly renamings: ReadonlyMap<string, Renaming>;
  /** Tables of the model, with the new names of columns. */
  readonly present: ReadonlyMap<string, TableShape>;
  readonly stored: Stored;
  /** The stored schema with the new names; undefined if there is none. */
  readonly before: ReadonlyMap<string, TableMeaning> | undefined;
  /** Tables of the stored schema that the model does not have. */
  readonly gone: readonly string[];
  /** What else has the name of a table of the model. */
  readonly strangers: ReadonlyMap<string, string>;
}

/** Reads the database, under the new names of columns. */
export async function readDatabase(
  store: Store,
  wanted: readonly TableShape[],
  unmanaged: readonly TableShape[],
): Promise<FoundDatabase> {
  const names = wanted.map((table) => table.name);
  const others = unmanaged.map((table) => table.name);
  const found = await introspect(store, names, others);
  const renamings = new Map<string, Renaming>();
  for (const table of wanted) {
    const now = found.get(table.name);
    const renaming = now === undefined ? undefined : renameColumns(table, now, store.dialect);
    if (renaming !== undefined) renamings.set(table.name, renaming);
  }
  const present = new Map([...found].map(([name, now]) => [name, renamings.get(name)?.now ?? now]));
  const stored: Stored = present.has(SCHEMA_TABLE)
    ? await readStoredSchema(store)
    : { tables: new Map(), softDeletes: new Map() };
  const known = new Set([...names, ...others]);
  const former = [...stored.tables.keys()].filter((name) => !known.has(name));
  return {
    renamings,
    present,
    stored,
    before: present.has(SCHEMA_TABLE) ? withRenamedColumns(stored.tables, renamings) : undefined,
    gone: await withoutOthers(store, [...(await introspect(store, former)).keys()], others),
    strangers: names.every((name) => present.has(name)) ? new Map() : await otherRelations(store, new Set(names)),
  };
}
