// What planning triggers takes and gives, the same for both databases.
import type { MigrationStep } from '../migrate/change.ts';
import { quoteText, type TableShape } from '../migrate/table-shape.ts';

/** Steps and SQL of the triggers. */
export interface CapturePlan {
  readonly steps: readonly MigrationStep[];
  readonly optional: readonly MigrationStep[];
  /** Before any table changes. */
  readonly first: readonly string[];
  /** After all tables have changed. */
  readonly last: readonly string[];
  /** After tables have got the names that the schema gives them (migrate/rename-tables.ts). */
  readonly afterRenaming: readonly string[];
}

/** What the rest of the migration does. */
export interface PlannedTables {
  /** Required shapes, by name. */
  readonly wanted: ReadonlyMap<string, TableShape>;
  /** Existing shapes, by name. */
  readonly present: ReadonlyMap<string, TableShape>;
  /** Names of managed tables that change. */
  readonly changed: ReadonlySet<string>;
  /** Schema of the engine's own tables; undefined on SQLite. */
  readonly schema: string | undefined;
  /** Existing table → its new name. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** What waits in the outbox of tables whose types have a new name. @param outbox the table, in SQL */
export function renameTypesSql(outbox: string, types: ReadonlyMap<string, string>): readonly string[] {
  if (types.size === 0) return [];
  // One statement: types may exchange their names.
  const cases = [...types].map(([former, name]) => `WHEN ${quoteText(former)} THEN ${quoteText(name)}`);
  return [
    `UPDATE ${outbox} SET type = CASE type ${cases.join(' ')} END WHERE type IN (${[...types.keys()].map(quoteText).join(', ')})`,
  ];
}
