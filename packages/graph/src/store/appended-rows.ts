// Rows that writes of one transaction add to a table which none of them reads, as the feed is: they are kept until the
// transaction has to have them and inserted some at a time. One statement for eight rows takes 0.9 µs a row, one for each 1.4
// and what goes on around it. Not here: when they are inserted, and what becomes of them when a write is undone.
import type { AppendedRow, SqlValue, Statement } from './store.ts';

/** Rows that one statement inserts, a power of two. Sixteen or more cost as much a row as eight. */
const MOST = 8;

interface KeptRow extends AppendedRow {
  key: number;
  readonly into: string;
  readonly values: readonly SqlValue[];
}

/** The rows of the transaction that is open. */
export interface AppendedRows {
  /** How many wait. */
  count(): number;
  /** `into` is an INSERT up to its VALUES; all rows of one give as many values. */
  append(into: string, values: readonly SqlValue[]): AppendedRow;
  /** Forgets those beyond the first ones. */
  keep(count: number): void;
  /** Inserts what waits, in order, and tells the rows their keys. @throws whatever the database throws; they wait on */
  insert(): void;
}

/** Creates it for a connection. */
export function createAppendedRows(prepare: (sql: string) => Statement): AppendedRows {
  const rows: KeptRow[] = [];
  const statements = new Map<string, (Statement | undefined)[]>();

  function statementOf({ into, values }: KeptRow, count: number): Statement {
    let prepared = statements.get(into);
    if (prepared === undefined) statements.set(into, (prepared = []));
    return (prepared[count] ??= prepare(insertText(into, values.length, count)));
  }

  /** How many rows from one on go into one statement. */
  function countFrom(first: number): number {
    let alike = 1;
    while (alike < MOST && rows[first + alike]?.into === rows[first]!.into) alike++;
    return 2 ** (31 - Math.clz32(alike));
  }

  return {
    count: () => rows.length,
    append(into, values) {
      const row = { key: 0, into, values };
      rows.push(row);
      return row;
    },
    keep(count) {
      rows.length = count;
    },
    insert() {
      for (let first = 0; first < rows.length;) {
        const count = countFrom(first);
        const values: SqlValue[] = [];
        for (let index = first; index < first + count; index++) values.push(...rows[index]!.values);
        // Of several rows SQLite tells the last one's; within a statement nobody else is given one.
        const last = Number(statementOf(rows[first]!, count).insert(values));
        for (let index = first; index < first + count; index++) rows[index]!.key = last - (first + count - 1 - index);
        first += count;
      }
      rows.length = 0;
    },
  };
}

/**
 * Whoever has a row refused undoes the whole transaction anyhow. Left to undo its own rows alone, a statement of several would
 * copy each page before it changes it, which takes 0.3 µs a row.
 */
function insertText(into: string, columns: number, rows: number): string {
  const row = `(${new Array(columns).fill('?').join(', ')})`;
  return `${into.replace('INSERT', 'INSERT OR ROLLBACK')} VALUES ${new Array(rows).fill(row).join(', ')}`;
}
