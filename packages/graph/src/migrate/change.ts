// One change of a database, as people read it and as SQL, and the words that such changes share.
import type { Store } from '../store/store.ts';

/** One change, as people read it. */
export interface MigrationStep {
  /** How the step is allowed by name: `drop photos.description`. */
  readonly name: string;
  /** `Drop column description of table photos`. */
  readonly text: string;
  /** What would be lost, or why it cannot be done to the data as it is; undefined when the step is safe. */
  readonly loses: string | undefined;
  /** True when no permission helps: the data must be changed first. */
  readonly blocked: boolean;
  /** Nothing needs it: it is done only when it is named. */
  readonly optional?: boolean;
}

/** A step and what it takes on its table; undefined SQL means the table must be rebuilt. */
export interface Change extends MigrationStep {
  readonly sql: readonly string[] | undefined;
  /** What must be done before any column changes: constraints that would be in the way, and changes of values. */
  readonly first?: readonly string[];
  /** What must wait until every table and column exists (PostgreSQL's foreign keys). */
  readonly last?: readonly string[];
  /** The column whose values would mean something else; what it meant is kept while an optional step waits. */
  readonly holds?: string;
  /** It belongs to another step, and is not shown beside it. */
  readonly isPart?: boolean;
  /** A column that loses values, and the condition on those that it keeps: undefined where it keeps none. */
  readonly empties?: { readonly column: string; readonly keep: string | undefined };
}

/** The table that changes. */
export interface TableFacts {
  readonly store: Store;
  /** Quoted. */
  readonly table: string;
  /** Rows of the table; 0 when its columns stay as they are. */
  readonly rows: number;
  /** Whether optional steps count what they would lose, which reads the whole table. */
  readonly counts: boolean;
  /** Tables of the schema. */
  readonly wanted: ReadonlySet<string>;
  /** Whether somebody else made a column: none of its values is offered for emptying. */
  readonly isForeign: (column: string) => boolean;
}

/** A step that loses nothing. */
export function safe(name: string, text: string): MigrationStep {
  return { name, text, loses: undefined, blocked: false };
}

/** Asks for one number. */
export async function count(store: Store, sql: string): Promise<number> {
  return Number(await store.prepare(sql).text([]));
}

/** `14 values`. */
export function valuesText(values: number): string {
  return values === 1 ? '1 value' : `${values.toLocaleString('en')} values`;
}

/** `14 rows`. */
export function rowsText(rows: number): string {
  return rows === 1 ? '1 row' : `${rows.toLocaleString('en')} rows`;
}
