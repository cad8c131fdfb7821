// Tracks which SQLite columns contain only values of their types. Each column is verified once, some rows with each
// response that uses it; responses are checked until then. The engine writes valid values only; after a commit of
// another process, all columns are verified again. Later damage on disk is found by `lockstitch check --integrity` or
// after a restart.
import type { VerifiedColumns } from '../plan/response-check.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { ValueForm } from '../sql/sql.ts';
import { quoteTable } from '../schema/table-name.ts';
import type { Row, Session, SqlValue, Store } from '../store/store.ts';

/** Rows verified per response: 0.25 ms. */
const BATCH = 250;

/** Characters of a response for which one more row is verified: about what checking the response takes. */
const CHARACTERS_A_ROW = 2000;

/** Interval of looking for other processes' commits, in milliseconds. */
const LOOK_INTERVAL = 50;

/** Creates the tracker; it reads nothing before it is asked. */
export function createVerifiedColumns(store: Store, dialect: Dialect): VerifiedColumns {
  const session = store.background ?? store;
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
    holds(form, length) {
      const name = `${form.table} ${form.column} ${form.pattern}`;
      let reading = columns.get(name);
      if (reading === undefined) columns.set(name, (reading = createReading(session, dialect, form)));
      return reading.goOn(Math.max(BATCH, Math.floor(length / CHARACTERS_A_ROW)));
    },
  };
}

function createReading(session: Session, dialect: Dialect, { column, format, key, pattern, table }: ValueForm) {
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const printed = dialect.json(format, quoted(column), true);
  // The pattern of a number needs a following character.
  const isRight = new RegExp(`^(?:${pattern}|null)`);
  const select = (where: string): string =>
    `SELECT ${quoted(key)}, concat(${printed}, ',') FROM ${dialect.source?.(table) ?? quoteTable(table)}${where} ORDER BY ${quoted(key)} LIMIT +?`;
  let after: SqlValue | undefined;
  let state: 'reading' | 'waiting' | 'sound' | 'damaged' = 'reading';
  const take = (rows: readonly Row[], asked: number): void => {
    after = rows.at(-1)?.[0];
    const isEnd = rows.length < asked;
    state = !rows.every(([, text]) => isRight.test(String(text))) ? 'damaged' : isEnd ? 'sound' : 'reading';
  };
  return {
    /** Verifies more rows; true once all rows of the column are valid. */
    goOn(asked: number): boolean {
      if (state !== 'reading') return state === 'sound';
      state = 'waiting';
      try {
        const rows =
          after === undefined
            ? session.prepare(select('')).rows([asked])
            : session.prepare(select(` WHERE ${quoted(key)} > ?`)).rows([after, asked]);
        if (rows instanceof Promise)
          void rows.then(
            (read) => take(read, asked),
            () => (state = 'damaged'),
          );
        else take(rows, asked);
      } catch {
        // An unreadable column is checked in each response.
        state = 'damaged';
      }
      return (state as string) === 'sound';
    },
  };
}
