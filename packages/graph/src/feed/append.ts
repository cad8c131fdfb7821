// Appends to the feed in the transaction of the changes: an entry exists exactly if its change does.
import type { AppendedRow, AttemptSession, Session, Store } from '../store/store.ts';
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

const INSERT_SQLITE_MANY = `${INTO} SELECT value ->> 0, value ->> 1, value ->> 2, ?, ?, value ->> 3 FROM json_each(?) ORDER BY key`;

const appendSqlite: Append = async (session, changes, by) => {
  const [first, ...others] = changes;
  if (first === undefined) return 0;
  if (others.length === 0) {
    const values = [first.type, first.key, first.operation, by.at, by.principal, dataOf(first)];
    return Number(await session.prepare(INSERT_SQLITE).insert(values));
  }
  return Number(await session.prepare(INSERT_SQLITE_MANY).insert([by.at, by.principal, rowsOf(changes)]));
};

/** Changes as a JSON array of rows. */
function rowsOf(changes: readonly NewChange[]): string {
  return JSON.stringify(changes.map((change) => [change.type, change.key, change.operation, dataOf(change)]));
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
  const { before, after, links, quiet } = change;
  return JSON.stringify({ before, after, links, quiet });
}
