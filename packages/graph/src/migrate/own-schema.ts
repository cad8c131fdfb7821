// The schema of PostgreSQL that holds the engine's own tables: beside tables of others, it is not the current one.
import type { Store } from '../store/store.ts';
import { SCHEMA_TABLE } from './stored-schema.ts';

/** The schema of PostgreSQL that a new table goes to. */
export function schemaOf(table: string, own: OwnSchema | undefined): string {
  return (table.startsWith('lockstitch_') ? own?.name : own?.current) ?? '';
}

/** The schema of the engine's own tables, and the one that all others go to. */
export interface OwnSchema {
  readonly name: string;
  readonly isCurrent: boolean;
  readonly current: string;
}

/** Where the engine's own tables are or will be; undefined on SQLite, which has no schemas. */
export async function schemaOfOwnTables(store: Store, isBesideOthers: boolean): Promise<OwnSchema | undefined> {
  if (store.dialect === 'sqlite') return undefined;
  const [[found, current] = []] = await store
    .prepare(
      `SELECT (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('${SCHEMA_TABLE}')), current_schema()`,
    )
    .rows([]);
  const fresh = isBesideOthers ? store.ownSchema : undefined;
  const name = String(found ?? fresh ?? current);
  return { name, isCurrent: name === current, current: String(current) };
}
