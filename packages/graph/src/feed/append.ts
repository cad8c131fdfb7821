// Appends to the feed in the transaction of the changes: an entry exists exactly if its change does.
import type { AppendedRow, AttemptSession, Session, SqlValue, Store } from '../store/store.ts';
import type { NewChange } from './change.ts';
import { FEED_TABLE } from './feed-tables.ts';

/** Advisory lock of the appending transaction on PostgreSQL. The number is arbitrary but must not change. */
const APPEND_LOCK = 5_062_871_904;

/** Who wrote, and when. */
export interface Authorship {
  readonly principal: string;
  readonly at: string;
}

/** Appends changes as the last statements of a transaction; returns the position of the last one. */
export type Append = (session: Session, changes: readonly NewChange[], by: Authorship) => Promise<number>;

/** Creates the append function of a store. */
export function appendTo(store: Store): Append {
  return store.dialect === 'sqlite' ? appendSqlite : appendPostgres;
}

const INTO = `INSERT INTO ${FEED_TABLE} (type, key, operation, at, principal, data)`;
const INSERT_SQLITE = `${INTO} VALUES (?, ?, ?, ?, ?, ?)`;

/** Most rows of one statement, a power of two so that there are few texts; more cost as much a row. */
const MOST = 8;

/** INSERT by the number of its rows. One of JSON text takes three times as long: it is parsed row by row. */
const INSERTS: readonly string[] = Array.from({ length: MOST + 1 }, (_, rows) =>
  [INSERT_SQLITE, ...new Array<string>(Math.max(0, rows - 1)).fill('(?, ?, ?, ?, ?, ?)')].join(', '),
);

const appendSqlite: Append = async (session, changes, { at, principal }) => {
  let last: number | bigint = 0;
  for (let start = 0; start < changes.length;) {
    const count = Math.min(MOST, 2 ** (31 - Math.clz32(changes.length - start)));
    const values: SqlValue[] = [];
    for (const change of changes.slice(start, start + count))
      values.push(change.type, change.key, change.operation, at, principal, dataOf(change));
    const inserted = session.prepare(INSERTS[count]!).insert(values);
    last = inserted instanceof Promise ? await inserted : inserted;
    start += count;
  }
  return Number(last);
};

/** Changes as a JSON array of rows. */
function rowsOf(changes: readonly NewChange[]): string {
  return JSON.stringify(changes.map((change) => [change.type, change.key, change.operation, shownOf(change)]));
}

/** Makes appending wait until the transaction ends; on SQLite a transaction excludes all others. */
export async function lockAppending({ dialect }: Store, session: Session): Promise<void> {
  if (dialect === 'postgres') await session.prepare(`SELECT pg_advisory_xact_lock(${APPEND_LOCK})`).rows([]);
}

/** Appends one change on a synchronous database. Its position is the key of the row. */
export function appendSync(session: AttemptSession, change: NewChange, by: Authorship): AppendedRow {
  const { type, key, operation } = change;
  const values = [type, key, operation, by.at, by.principal, dataOf(change)];
  if (session.append !== undefined) return session.append(INTO, values);
  return { key: Number(session.prepare(INSERT_SQLITE).insert(values)) };
}

// Without the lock, a transaction could take position 7 and commit after one that took 8: a reader at 8 would never see
// 7. Held until the commit, it makes positions follow the order of commits. It is the last lock taken, so it cannot
// deadlock.
const appendPostgres: Append = async (session, changes, by) => {
  if (changes.length === 0) return 0;
  const last = await session
    .prepare(
      // Joined to the lock, so that positions are generated while it is held.
      `WITH held AS MATERIALIZED (SELECT pg_advisory_xact_lock(${APPEND_LOCK})),
       written AS (
         INSERT INTO ${FEED_TABLE} (type, key, operation, at, principal, data)
         SELECT row ->> 0, row ->> 1, row ->> 2, $2, $3, row ->> 3
         FROM held, json_array_elements($1::json) WITH ORDINALITY AS given(row, n) ORDER BY n
         RETURNING position)
       SELECT max(position) FROM written`,
    )
    .text([rowsOf(changes), by.at, by.principal]);
  return Number(last);
};

function dataOf(change: NewChange): string {
  return JSON.stringify(shownOf(change));
}

function shownOf({ before, after, links, quiet }: NewChange): object {
  return { before, after, links, quiet };
}
