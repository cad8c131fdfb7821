// The outbox of the bench `spot`: a table that others write to, and what moves their changes into the feed by hand.
import { DatabaseSync } from 'node:sqlite';
import type { Graph } from '@lockstitch/graph';
import { Client } from 'pg';
import type { Session } from '../../packages/graph/src/store/store.ts';
import { numbers, openFilled, type Place } from './photo-data.ts';
import { appendFeed } from './spot-writes.ts';

const SDL = /* GraphQL */ `
  type Item @entity(table: "items") @unmanaged @captureChanges {
    id: ID!
    name: String!
    size: Int!
    note: String
  }
  type Query {
    itemCount: Int!
  }
`;
const SCHEMA = 'outbox';
const TABLES = `CREATE TABLE IF NOT EXISTS items (id integer PRIMARY KEY, name text NOT NULL, size integer NOT NULL, note text)`;
const FILL = `INSERT INTO items (id, name, size) SELECT value, 'Item ' || value, 0 FROM ${numbers(1, 1000)}`;
/** What others write each time. */
const CHANGE = 'UPDATE items SET size = size + 1 WHERE id <= 200';
const OUTBOX = 'lockstitch_outbox';

/** A table that is captured, and both ways to move its changes. */
export interface Outbox {
  readonly graph: Graph;
  /** Others change 200 rows. */
  change(): Promise<void>;
  /** Moves their changes into the feed. */
  byHand(): Promise<void>;
  ours(): Promise<void>;
  /** The last entries of the feed, without what differs each time. */
  told(): Promise<string>;
  close(): Promise<void>;
}

/** Opens the table in a place of its own. */
export async function openOutbox(place: Place): Promise<Outbox> {
  const data = {
    file: 'outbox.graphql',
    sdl: SDL,
    tables: TABLES,
    counter: 'itemCount',
    scripts: { sqlite: [FILL], postgres: [FILL] },
  };
  const graph = await openFilled(data, place, SCHEMA);
  const { sequencer, store } = graph;
  await sequencer!.catchUp();
  const others = await openOthers(place);
  const move = store.dialect === 'sqlite' ? moveOnSqlite : moveOnPostgres;
  return {
    graph,
    change: others.change,
    byHand: () => store.transaction(move),
    ours: () => sequencer!.catchUp(),
    async told() {
      const feed = 'SELECT type, key, operation, data FROM lockstitch_feed ORDER BY position DESC LIMIT 200';
      return JSON.stringify(await store.prepare(feed).rows([])).replaceAll(/size\\":\d+/g, 'size');
    },
    async close() {
      await others.close();
      await store.close();
    },
  };
}

async function openOthers(place: Place): Promise<Pick<Outbox, 'change' | 'close'>> {
  if ('file' in place) {
    const database = new DatabaseSync(place.file);
    return { change: () => Promise.resolve(database.exec(CHANGE)), close: () => Promise.resolve(database.close()) };
  }
  const client = new Client({
    connectionString: place.url,
    application_name: 'others',
    options: `-c search_path=${SCHEMA},lockstitch_${SCHEMA}`,
  });
  await client.connect();
  return { change: async () => void (await client.query(CHANGE)), close: () => client.end() };
}

type Item = readonly [id: unknown, name: unknown, size: unknown, note: unknown];

async function append(
  session: Session,
  dialect: 'sqlite' | 'postgres',
  rows: readonly (readonly [before: number, now: Item])[],
) {
  await appendFeed(
    session,
    dialect,
    rows.map(([before, [id, name, size, note]]) => {
      const after = { id: String(id), name, size, note };
      return ['Item', String(id), 'updated', JSON.stringify({ before: { size: before }, after })] as const;
    }),
  );
}

async function moveOnSqlite(session: Session): Promise<void> {
  const rows = await session.prepare(`SELECT id, image FROM ${OUTBOX} ORDER BY id LIMIT +?`).rows([200]);
  const before = rows.map(([, image]) => {
    const [, id, size] = /^"id"=(\d+);.*"size"=(\d+)/.exec(String(image))!;
    return [Number(id), Number(size)] as const;
  });
  const found = await session
    .prepare('SELECT id, name, size, note FROM items WHERE id IN (SELECT value FROM json_each(?))')
    .rows([JSON.stringify(before.map(([id]) => id))]);
  const now = new Map(found.map((row) => [Number(row[0]), row as unknown as Item]));
  await append(
    session,
    'sqlite',
    before.map(([id, size]) => [size, now.get(id)!] as const),
  );
  await session.prepare(`DELETE FROM ${OUTBOX} WHERE id <= ?`).run([Number(rows.at(-1)![0])]);
}

async function moveOnPostgres(session: Session): Promise<void> {
  // The engine's own lock: positions of the feed are given in the order of commits.
  await session.prepare('SELECT pg_advisory_xact_lock(5062871904)').rows([]);
  const rows = await session
    .prepare(
      `SELECT o.id, (o.image::json ->> 'size')::int, i.id, i.name, i.size, i.note FROM ${OUTBOX} o
       JOIN items i ON i.id = (o.image::json ->> 'id')::int ORDER BY o.id LIMIT 200`,
    )
    .rows([]);
  await append(
    session,
    'postgres',
    rows.map(([, size, ...now]) => [Number(size), now as unknown as Item] as const),
  );
  await session.prepare(`DELETE FROM ${OUTBOX} WHERE id <= $1`).run([Number(rows.at(-1)![0])]);
}
