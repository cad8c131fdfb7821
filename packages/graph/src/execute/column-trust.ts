// Which columns of SQLite hold only values of their types. Each column is read through once, some rows with each answer that uses it, and
// its answers are checked until that is done. The engine writes nothing else; when another process has written, all are read again. What a
// disk changes later is found by `lockstitch check --integrity`, or after the next start.
import type { ColumnTrust } from '../plan/response-check.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { ValueForm } from '../sql/sql.ts';
import type { Row, SqlValue, Store } from '../store/store.ts';

/** Rows that are read with an answer: a quarter of a millisecond. */
const BATCH = 250;

/** How often other processes' commits are looked for, in milliseconds. */
const LOOK_INTERVAL = 50;

/** Makes it; it reads nothing before it is asked. */
export function createColumnTrust(store: Store, dialect: Dialect): ColumnTrust {
  const columns = new Map<string, ReturnType<typeof createReading>>();
  let looked = performance.now();
  let commits = store.otherCommits?.();
  let generation = 0;
  const look = (): void => {
    const now = performance.now();
    if (now - looked < LOOK_INTERVAL) return;
    looked = now;
    const later = store.otherCommits?.();
    if (later === commits) return;
    commits = later;
    generation++;
    columns.clear();
  };
  return {
    get generation() {
      look();
      return generation;
    },
    holds(form) {
      const name = `${form.table} ${form.column} ${form.pattern}`;
      let reading = columns.get(name);
      if (reading === undefined) columns.set(name, (reading = createReading(store, dialect, form)));
      return reading.goOn();
    },
  };
}

function createReading(store: Store, dialect: Dialect, { column, format, key, pattern, table }: ValueForm) {
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const printed = dialect.json(format, quoted(column), true);
  // Behind a number, its form wants to see what follows it.
  const isRight = new RegExp(`^(?:${pattern}|null)`);
  const select = (where: string): string =>
    `SELECT ${quoted(key)}, concat(${printed}, ',') FROM ${quoted(table)}${where} ORDER BY ${quoted(key)} LIMIT ${BATCH}`;
  let after: SqlValue | undefined;
  let state: 'reading' | 'waiting' | 'sound' | 'damaged' = 'reading';
  const take = (rows: readonly Row[]): void => {
    after = rows.at(-1)?.[0] as SqlValue | undefined;
    const isEnd = rows.length < BATCH;
    state = !rows.every(([, text]) => isRight.test(text as string)) ? 'damaged' : isEnd ? 'sound' : 'reading';
  };
  return {
    /** Reads some rows more, unless it has come to its end; true once all are right. */
    goOn(): boolean {
      if (state !== 'reading') return state === 'sound';
      state = 'waiting';
      try {
        const rows =
          after === undefined
            ? store.prepare(select('')).rows([])
            : store.prepare(select(` WHERE ${quoted(key)} > ?`)).rows([after]);
        if (rows instanceof Promise) void rows.then(take, () => (state = 'damaged'));
        else take(rows);
      } catch {
        // What cannot be read is looked at in each answer.
        state = 'damaged';
      }
      return (state as string) === 'sound';
    },
  };
}
