// What an operation costs in the process, without HTTP: the engine against a hand-written statement, in turns, medians.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { digits, printTable } from '../lib/table.ts';
import { HAND_WRITTEN, OPERATIONS, type QueryName } from '../product/queries.ts';
import { LOGIN, openPhotoGraph } from './photo-data.ts';

const ROUNDS = 15;
/** Calls before any counts, as the servers of the other benches are warmed up: V8 compiles by how often a path was run. */
const WARM_UP = 15_000;
const folder = await mkdtemp(join(tmpdir(), 'bench-graph-'));
const file = join(folder, 'photos.db');
const graph = await openPhotoGraph({ file });
const database = new DatabaseSync(file, { readOnly: true });
database.exec('PRAGMA mmap_size = 268435456; PRAGMA cache_size = -65536');

/** Microseconds of processor time that this process has used, collections included. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Median microseconds of processor time of one call over rounds of about 50 ms. */
function measure(calls: readonly (() => unknown)[]): number[] {
  const times: number[][] = calls.map(() => []);
  const counts = calls.map((call) => {
    const start = performance.now();
    for (let count = 0; count < WARM_UP; count++) call();
    return Math.max(1, Math.round((50 * WARM_UP) / (performance.now() - start)));
  });
  for (let round = 0; round < ROUNDS; round++) {
    calls.forEach((call, index) => {
      const start = cpu();
      for (let each = 0; each < counts[index]!; each++) call();
      times[index]!.push((cpu() - start) / counts[index]!);
    });
  }
  return times.map((list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!);
}

const rows = (Object.keys(OPERATIONS) as QueryName[]).map((name) => {
  const query = OPERATIONS[name].replace('LOGIN', LOGIN);
  const { sql, bind, limit } = HAND_WRITTEN[name];
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  const value = bind === 'login' ? LOGIN : BigInt(limit!);
  const byHand = (): string => `{"data":${(statement.get(value) as unknown as [string])[0]}}`;
  const request = { query };
  const ours = (): string => (graph.execute(request) as { readonly body: string }).body;
  if (ours() !== byHand())
    throw new Error(`${name}: the answers differ:\n${ours().slice(0, 300)}\n${byHand().slice(0, 300)}`);
  const [limitTime, ourTime] = measure([byHand, ours]) as [number, number];
  return [name.toUpperCase(), digits(limitTime), digits(ourTime), digits(limitTime / ourTime)];
});
printTable('Graph, in process: microseconds of processor time an operation', ['', 'by hand', 'engine', 'ratio'], rows);

// A text the engine has not seen: parse, validate, compile, prepare.
let number = 0;
const [miss] = measure([() => graph.execute({ query: OPERATIONS.q1.replace('{ id', `{ id a${number++}: name`) })]) as [
  number,
];
printTable('A plan that has to be made first (Q1 with a new text)', ['', 'microseconds'], [['miss', digits(miss)]]);

await graph.store.close();
database.close();
await rm(folder, { recursive: true });
