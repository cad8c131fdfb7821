// A database change as a readable step and as SQL, with helpers for wording and counting.
import type { Store } from '../store/store.ts';

/** One change, for display. */
export interface MigrationStep {
  /** Name for permissions: `drop photos.description`. */
  readonly name: string;
  /** `Drop column description of table photos`. */
  readonly text: string;
  /** The data it would lose, or why the existing data prevents it; undefined if the step is safe. */
  readonly loses: string | undefined;
  /** No permission helps: the data must be changed first. */
  readonly blocked: boolean;
  /** The step is optional: applied only if it is named. */
  readonly optional?: boolean;
  /** Servers with the schema before go on beside it: they neither fail nor read or write anything wrong. */
  readonly isRolling?: boolean;
}

/** A step and its SQL for one table; undefined if the table must be rebuilt. */
export interface Change extends MigrationStep {
  readonly sql: readonly string[] | undefined;
  /** Statements before any column changes: dropping constraints, updating values. */
  readonly first?: readonly string[];
  /** Statements after all tables and columns exist (PostgreSQL's foreign keys). */
  readonly last?: readonly string[];
  /** The column whose values change their meaning; the old meaning is stored while an optional step is pending. */
  readonly holds?: string;
  /** Part of another step; not displayed. */
  readonly isPart?: boolean;
  /** A column that loses values, and the condition on the kept ones; undefined if none is kept. */
  readonly empties?: { readonly column: string; readonly keep: string | undefined };
}

/** The changed table. */
export interface TableFacts {
  readonly store: Store;
  /** Quoted. */
  readonly table: string;
  /** Rows of the table; 0 if its columns do not change. */
  readonly rows: number;
  /** Whether optional steps count the data they would lose, which reads the whole table. */
  readonly counts: boolean;
  /** The name that a column has before the migration renames it (`@renamedFrom`). */
  readonly formerName: (column: string) => string;
  /** Tables of the schema. */
  readonly wanted: ReadonlySet<string>;
  /** Whether another application created a column; its values are never set to null. */
  readonly isForeign: (column: string) => boolean;
}

/** A step without data loss. */
export function safe(name: string, text: string): MigrationStep {
  return { name, text, loses: undefined, blocked: false };
}

/** A step without data loss that servers with the schema before do not notice. */
export function rolling(name: string, text: string): MigrationStep {
  return { ...safe(name, text), isRolling: true };
}

/** Runs a query for one number. */
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
