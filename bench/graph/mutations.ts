// What a mutation costs in the process: the engine against hand-written statements in the same transaction shape — insert or
// update, a row in the feed, the answer read back — on the same store, so with the same durability and the same sharing of
// commits. 32 callers at once, in turns, medians.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digits, printTable } from '../lib/table.ts';
import { openPhotoGraph } from './photo-data.ts';
import { MUTATIONS, WRITES } from './writes.ts';

const ROUNDS = 15;
const CALLERS = 32;
const BATCHES = 200;
const folder = await mkdtemp(join(tmpdir(), 'bench-mutations-'));
const graph = await openPhotoGraph({ file: join(folder, 'photos.db') });
const { store } = graph;

let number = 0;

function values() {
  number++;
  return {
    name: `Photo ${number}`,
    url: `https://pictures.example/n/${number}.jpg`,
    description: 'Taken today',
    created: '2026-11-21T08:00:00.000Z',
    category: 'ACTION',
    postedBy: `u${number % 1000}`,
  };
}

const cases = {
  insert: {
    engine: async (): Promise<string> =>
      (await graph.execute({ query: MUTATIONS.insert, variables: { input: values() } })).body,
    byHand: (): Promise<string> => {
      const { name, url, description, created, category, postedBy } = values();
      return store.transaction((session) => {
        const id = String(
          session.prepare(WRITES.insert).insert([name, url, description, created, category, postedBy]) as number,
        );
        const after = { id, name, url, description, created, category, postedBy };
        session.prepare(WRITES.feed).insert([id, 'created', new Date().toISOString(), JSON.stringify({ after })]);
        return `{"data":{"postPhoto":${session.prepare(WRITES.read).text([Number(id)]) as string}}}`;
      });
    },
  },
  update: {
    engine: async (): Promise<string> => {
      const id = String((++number % 20_000) + 1);
      return (await graph.execute({ query: MUTATIONS.update, variables: { id, name: `New ${number}` } })).body;
    },
    byHand: (): Promise<string> => {
      const id = (++number % 20_000) + 1;
      const name = `New ${number}`;
      return store.transaction((session) => {
        const [row] = session.prepare(WRITES.find).rows([id]) as readonly (readonly string[])[];
        const [old, url, description, created, category, postedBy] = row!;
        session.prepare(WRITES.update).run([name, id]);
        const after = { id: String(id), name, url, description, created, category, postedBy };
        const data = JSON.stringify({ before: { name: old }, after });
        session.prepare(WRITES.feed).insert([String(id), 'updated', new Date().toISOString(), data]);
        return `{"data":{"updatePhoto":${session.prepare(WRITES.read).text([id]) as string}}}`;
      });
    },
  },
} as const;

/** Microseconds of processor time a call takes. */
async function round(call: () => Promise<string>): Promise<number> {
  const before = process.cpuUsage();
  for (let batch = 0; batch < BATCHES; batch++) await Promise.all(Array.from({ length: CALLERS }, call));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (BATCHES * CALLERS);
}

const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
const rows: string[][] = [];
for (const [name, { engine, byHand }] of Object.entries(cases)) {
  const shape = (text: string): string => text.replaceAll(/\d+/g, '0').replace(/"category":"\w+"/, '');
  const [ours, theirs] = [shape(await engine()), shape(await byHand())];
  if (ours !== theirs) throw new Error(`${name}: the answers differ:\n${ours}\n${theirs}`);
  for (let warm = 0; warm < 4; warm++) {
    await round(byHand);
    await round(engine);
  }
  const times = { byHand: [] as number[], engine: [] as number[] };
  for (let each = 0; each < ROUNDS; each++) {
    times.byHand.push(await round(byHand));
    times.engine.push(await round(engine));
  }
  const [limit, engineTime] = [median(times.byHand), median(times.engine)];
  rows.push([name, digits(limit), digits(engineTime), digits(limit / engineTime)]);
}
printTable(
  `Mutations, in process, ${CALLERS} callers: microseconds of processor time each`,
  ['', 'by hand', 'engine', 'ratio'],
  rows,
);

await store.close();
await rm(folder, { recursive: true });
