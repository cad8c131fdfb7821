// What planning triggers takes and gives, the same for both databases.
import type { MigrationStep } from '../migrate/change.ts';
import type { TableShape } from '../migrate/table-shape.ts';

/** Steps and SQL of the triggers. */
export interface CapturePlan {
  readonly steps: readonly MigrationStep[];
  readonly optional: readonly MigrationStep[];
  /** Before any table changes. */
  readonly first: readonly string[];
  /** After all tables have changed. */
  readonly last: readonly string[];
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
}
