// What an update makes of one row of a table, by column positions: the columns that change, the values to write, and what
// the feed shows of both states. Not here: reading, writing and rules.
import type { Snapshot } from '../feed/change.ts';
import type { Row, SqlValue } from '../store/store.ts';
import { isSameShown } from './change-set.ts';
import type { StoredRow, TableColumn } from './entity-table.ts';
import { isSame, nextVersion } from './write-unit.ts';

/** The values that a client gives, by column position; undefined if not given. */
export type GivenValues = readonly (SqlValue | undefined)[];

/** Compares rows of one table with given values. */
export class RowChanges {
  readonly #columns: readonly TableColumn[];
  /** Columns that every update sets, by position. */
  readonly #automatic = new Map<number, 'updatedAt' | 'version'>();
  readonly #readsRow: boolean;

  constructor(columns: readonly TableColumn[]) {
    this.#columns = columns;
    this.#readsRow = columns.some(isPolymorphic);
    for (const [index, { field }] of columns.entries()) {
      const kind = field.kind === 'column' ? field.default?.kind : undefined;
      if (kind === 'updatedAt' || kind === 'version') this.#automatic.set(index, kind);
    }
  }

  /** The positions of the columns to write, in column order; automatic columns included. */
  changed(row: Row, values: GivenValues): readonly number[] {
    const changed: number[] = [];
    let withheld = false;
    for (let index = 0; index < this.#columns.length; index++) {
      const value = values[index];
      if (value === undefined) continue;
      withheld ||= this.#columns[index]!.withheld;
      if (!isSame(row[index]!, value, this.#columns[index]!.storage)) changed.push(index);
    }
    if (this.#automatic.size === 0 || (changed.length === 0 && !withheld)) return changed;
    for (const index of this.#automatic.keys()) if (!changed.includes(index)) changed.push(index);
    return changed.sort((a, b) => a - b);
  }

  /** Sets the changed values in the row, and returns them in order. */
  set(row: SqlValue[], values: GivenValues, changed: readonly number[], at: string): SqlValue[] {
    const bound: SqlValue[] = [];
    for (const index of changed) {
      const kind = this.#automatic.get(index);
      if (kind === 'version') row[index] = nextVersion(row[index]!);
      else row[index] = values[index] ?? (kind === 'updatedAt' && values[index] === undefined ? at : null);
      bound.push(row[index]);
    }
    return bound;
  }

  /** The row as the feed shows it. */
  snapshot(row: Row): Snapshot {
    return snapshotOf(this.#columns, row, this.#readsRow);
  }

  /** The values of some columns as the feed shows them. */
  former(row: Row, changed: readonly number[]): Record<string, unknown> {
    const former: Record<string, unknown> = {};
    for (const index of changed) this.#columns[index]!.show(row[index]!, former, NO_ROW);
    return former;
  }

  /** Deletes former values that are equal in snapshots; returns whether any is left. */
  keepDifferences(former: Record<string, unknown>, after: Snapshot, changed: readonly number[]): boolean {
    let differs = false;
    for (const index of changed) {
      const { name } = this.#columns[index]!.field;
      if (isSameShown(former[name], after[name])) delete former[name];
      else differs = true;
    }
    return differs;
  }
}

/** Whether a column is one of two that hold a relation to an interface or union. */
export function isPolymorphic({ field }: TableColumn): boolean {
  return field.kind === 'relation' && field.storage.kind === 'polymorphic';
}

/** A row as the feed shows it; `readsRow`: some columns are polymorphic. */
export function snapshotOf(columns: readonly TableColumn[], row: Row, readsRow = false): Snapshot {
  const shown: Record<string, unknown> = {};
  const stored = readsRow ? new Map(columns.map(({ name }, index) => [name, row[index] ?? null])) : NO_ROW;
  for (let index = 0; index < columns.length; index++) columns[index]!.show(row[index] ?? null, shown, stored);
  return shown;
}

/** Only polymorphic columns read the row. */
const NO_ROW: StoredRow = new Map();
