// What @captureChanges costs those who write, and how soon a search finds what they wrote: the same statements on two
// tables of one shape, one of them with the triggers, in turn. The server is in this process; who writes has a connection
// of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';

import { type App, createApp } from '../../packages/server/src/app.ts';
import { loadApp } from '../../packages/server/src/app/load-app.ts';
import { startPostgres } from '../lib/postgres.ts';
import { digits, printTable } from '../lib/table.ts';

const ROUNDS = Number(process.argv[2] ?? 7);
const ROWS = 10_000;
const SINGLE = 300;
const LAGS = 100;
/** Updates before the first that counts. */
const WARM = 10;

const TYPE = (name: string, table: string, captured: string): string =>
  `type ${name} @entity(table: "${table}") @unmanaged ${captured} { id: ID! name: String @search url: String category: String @search(type: "keyword") size: Int note: String }`;
const SCHEMA = `${TYPE('Photo', 'captured', '@captureChanges')} ${TYPE('Other', 'plain', '')} type Query { photo(id: ID!): Photo }`;
const TABLES = ['captured', 'plain']
  .map(
    (table) =>
      `CREATE TABLE ${table} (id integer PRIMARY KEY, name text, url text, category text, size integer, note text)`,
  )
  .join('; ');

/** Somebody else's connection. */
interface Writer {
  readonly run: (sql: string) => Promise<void>;
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >>> 1] ?? 0;
const lateOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;

/** Name → the statements of a round, each a transaction, and how many rows they write. */
function workOf(
  table: string,
  round: number,
  numbers: string,
): ReadonlyMap<string, readonly [readonly string[], number]> {
  const base = 1_000_000 * (round + 1);
  const values = (id: string): string =>
    `${id}, 'name ' || ${id}, 'https://example.com/' || ${id}, 'landscape', ${id}, 'a note of some words'`;
  const singles = Array.from(
    { length: SINGLE },
    (_, n) => `INSERT INTO ${table} SELECT ${values(String(base + 500_000 + n))}`,
  );
  return new Map([
    [`insert of ${ROWS} rows`, [[`INSERT INTO ${table} SELECT ${values(`(${base} + n)`)} FROM ${numbers}`], ROWS]],
    [`update of ${ROWS} rows`, [[`UPDATE ${table} SET size = size + 1 WHERE id > ${base}`], ROWS]],
    [`delete of ${ROWS} rows`, [[`DELETE FROM ${table} WHERE id > ${base}`], ROWS]],
    ['inserts, a transaction each', [singles, SINGLE]],
  ]);
}

async function measureCost(writer: Writer, numbers: string, outbox: string): Promise<readonly (readonly string[])[]> {
  const times = new Map<string, { plain: number[]; captured: number[] }>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const table of round % 2 === 0 ? (['plain', 'captured'] as const) : (['captured', 'plain'] as const)) {
      for (const [name, [statements, rows]] of workOf(table, round, numbers)) {
        const of = times.get(name) ?? { plain: [], captured: [] };
        times.set(name, of);
        const begin = performance.now();
        for (const sql of statements) await writer.run(sql);
        of[table].push(((performance.now() - begin) * 1000) / rows);
      }
      await writer.run(`DELETE FROM ${table}`);
      // The server would empty it.
      await writer.run(`DELETE FROM ${outbox}`);
    }
  }
  return [...times].map(([name, { plain, captured }]) => {
    const [without, withTriggers] = [medianOf(plain), medianOf(captured)];
    return [name, digits(without), digits(withTriggers), digits(withTriggers / without)];
  });
}

async function measureLag(app: App, writer: Writer): Promise<readonly number[]> {
  await writer.run(`INSERT INTO captured (id, name) VALUES (1, 'first')`);
  const lags: number[] = [];
  for (let n = -WARM; n < LAGS; n++) {
    await sleep(30 + 20 * Math.random());
    const begin = performance.now();
    await writer.run(`UPDATE captured SET name = 'word${n + WARM}' WHERE id = 1`);
    for (;;) {
      const { body } = await app.handle({
        method: 'GET',
        target: `/captured/_search?q=name:word${n + WARM}&filter_path=hits.total.value`,
      });
      if (String(body).includes('"value":1')) break;
      await sleep(1);
    }
    if (n >= 0) lags.push(performance.now() - begin);
  }
  return lags;
}

async function measure(name: string, url: string, writer: Writer, numbers: string, outbox: string): Promise<void> {
  await writer.run(TABLES);
  const folder = mkdtempSync(join(tmpdir(), 'bench-capture-'));
  writeFileSync(join(folder, 'schema.graphql'), SCHEMA);
  const config = { database: { url }, csrf: { enabled: false }, rules: [{ any: true, access: 'permitAll' }] };
  writeFileSync(join(folder, 'lockstitch.config.mjs'), `export default ${JSON.stringify(config)};`);
  const app = await createApp(await loadApp(folder, {}, { port: 0, data: ':memory:' }));
  try {
    const lags = await measureLag(app, writer);
    await app.close();
    const rows = await measureCost(writer, numbers, outbox);
    printTable(`${name}: µs a row for the writer, medians of ${ROUNDS} rounds`, ['', 'without', 'with', 'ratio'], rows);
    printTable(
      `${name}: ms from the update to the hit, ${LAGS} times`,
      ['median', 'p99'],
      [[digits(medianOf(lags)), digits(lateOf(lags))]],
    );
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-capture-'));
const file = join(folder, 'shop.db');
const database = new DatabaseSync(file, { timeout: 5000 });
database.exec('PRAGMA journal_mode = WAL');
await measure(
  'SQLite',
  `sqlite:${file}`,
  { run: (sql) => Promise.resolve(database.exec(sql)) },
  `(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${ROWS}) SELECT n FROM s) AS s`,
  'lockstitch_outbox',
);
database.close();
rmSync(folder, { recursive: true, force: true });

const postgres = await startPostgres();
const client = new pg.Client({ connectionString: postgres.url });
await client.connect();
await measure(
  'PostgreSQL',
  postgres.url,
  {
    run: async (sql) => {
      await client.query(sql);
    },
  },
  `generate_series(1, ${ROWS}) AS s (n)`,
  'lockstitch.lockstitch_outbox',
);
await client.end();
await postgres.close();
