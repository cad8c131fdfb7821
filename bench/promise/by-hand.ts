// Lockstitch against what a team would build by hand from graphql-yoga, better-sqlite3, an outbox and MiniSearch: the same
// gallery, the same questions, in one run and in turns. What an answer costs is processor time of the server; what it gives
// away is counted by asking a second server that holds only what the caller may see: whatever differs between the two, the
// caller has learned from rows that are hidden from them.
//   npm run bench -- by-hand [PHOTOS]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPeers } from '../graph/peers/install.ts';
import { type BenchServer, startBenchServer } from '../lib/load.ts';
import { describeRun, toMarkdown, writeSection } from '../lib/report.ts';
import { digits, printTable } from '../lib/table.ts';
import { cutDown, type Gallery, makeGallery, makeQueries } from './gallery.ts';

const PHOTOS = Number(process.argv[2] ?? 20_000);
const USERS = 200;
/** Photos of the galleries in which leaks are counted: each is served five times. */
const SMALL = 2000;
const CALLERS = ['u1', 'u2', 'u3', 'u4'];
const QUESTIONS = 125;
const ROUNDS = 5;
const CONNECTIONS = 16;
const RATE = 200;
const GC = ['--expose-gc'];
/** Not of the project, as what it is made of. */
const BY_HAND = './peers/by-hand-server.mjs';

const versions = installPeers(new URL('peers/', import.meta.url));
process.env['NODE_ENV'] = 'production';
const folder = mkdtempSync(join(tmpdir(), 'bench-by-hand-'));
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** One of the two systems. */
interface System {
  readonly name: string;
  /** Serves what is in the place, filled with the gallery when it is empty. */
  readonly start: (place: string, gallery: string) => Promise<BenchServer>;
  readonly search: (query: string) => Asked;
  readonly suggest: (word: string) => Asked;
  readonly create: (name: string, me: string) => Asked;
  /** What an answer says, part by part. */
  readonly parts: (answer: any) => Readonly<Record<string, unknown>>;
}

interface Asked {
  readonly path: string;
  readonly body: unknown;
}

const CREATE = 'createPhoto(input: $input) { id }';
const newPhoto = (name: string) => ({ name, description: 'bako lomi nura', category: 'night', open: true });

const lockstitch: System = {
  name: 'Lockstitch',
  start(place, gallery) {
    mkdirSync(place, { recursive: true });
    return startBenchServer('lockstitch', new URL('gallery-server.ts', import.meta.url), [place, gallery], GC);
  },
  search: (query) => ({
    path: '/photos/_search',
    body: {
      query: { multi_match: { query, fields: ['name', 'description', 'postedBy.name'], type: 'most_fields' } },
      track_total_hits: true,
      aggs: { categories: { terms: { field: 'category' } } },
    },
  }),
  suggest: (word) => ({
    path: '/photos/_search',
    body: { size: 0, suggest: { s: { text: word, term: { field: 'description', suggest_mode: 'always' } } } },
  }),
  create: (name, postedBy) => ({
    path: '/graphql',
    body: {
      query: `mutation ($input: CreatePhotoInput!) { ${CREATE} }`,
      variables: { input: { ...newPhoto(name), postedBy } },
    },
  }),
  parts: ({ aggregations, hits, suggest }) => ({
    'hits and their order': hits?.hits.map((hit: any) => hit._id),
    totals: hits?.total,
    facets: aggregations,
    scores: hits?.hits.map((hit: any) => [hit._id, hit._score]),
    suggestions: suggest,
  }),
};

const SEARCH = `query ($query: String!) { searchPhotos(query: $query) {
  total categories { key count } hits { score photo { id name description category postedBy { login name } } } } }`;

const byHand: System = {
  name: 'by hand',
  start(place, gallery) {
    return startBenchServer('by hand', new URL(BY_HAND, import.meta.url), [place, gallery], GC);
  },
  search: (query) => ({ path: '/graphql', body: { query: SEARCH, variables: { query } } }),
  suggest: (query) => ({
    path: '/graphql',
    body: { query: 'query ($query: String!) { suggest(query: $query) { text score } }', variables: { query } },
  }),
  create: (name) => ({
    path: '/graphql',
    body: {
      query: `mutation ($input: CreatePhotoInput!) { ${CREATE} }`,
      variables: { input: newPhoto(name) },
    },
  }),
  parts: ({ data: { searchPhotos: found, suggest } }) => ({
    'hits and their order': found?.hits.map((hit: any) => hit.photo.id),
    totals: found?.total,
    facets: found?.categories,
    scores: found?.hits.map((hit: any) => [hit.photo.id, hit.score]),
    suggestions: suggest,
  }),
};
const SYSTEMS = [lockstitch, byHand] as const;

function ask(server: BenchServer, me: string, { body, path }: Asked): Promise<any> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const headers = {
      authorization: `Basic ${Buffer.from(`${me}:p${me.slice(1)}`).toString('base64')}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    const sent = request(new URL(path, server.url), { agent, method: 'POST', headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => {
        const answer = Buffer.concat(pieces).toString();
        const json: any = response.statusCode === 200 ? JSON.parse(answer) : undefined;
        if (json === undefined || json.errors !== undefined) reject(new Error(`${server.name}: ${answer}`));
        else resolve(json);
      });
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // A connection that the server closed for idleness just now.
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(ask(server, me, { body, path }));
      else reject(error);
    });
    sent.end(text);
  });
}

function writeGallery(name: string, gallery: Gallery): string {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(gallery));
  return file;
}

/** Sends so many requests from several connections at once. */
async function sendAll(count: number, send: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await send(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

let probes = 0;
const probeWord = (): string => `probe${process.pid}n${++probes}`;

/** Milliseconds from the answer of a write until a search finds it. */
async function timeUntilFound(system: System, server: BenchServer, pause: number): Promise<number> {
  const word = probeWord();
  await ask(server, 'u7', system.create(word, 'u7'));
  const answered = performance.now();
  for (;;) {
    const { totals } = system.parts(await ask(server, 'u7', system.search(word)));
    const found = typeof totals === 'number' ? totals : (totals as { readonly value: number }).value;
    if (found > 0) return performance.now() - answered;
    await sleep(pause);
  }
}

const quantile = (list: readonly number[], part: number): number =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))]!;
const median = (list: readonly number[]): number => quantile(list, 0.5);

interface Contestant {
  readonly system: System;
  readonly server: BenchServer;
}

/** Microseconds of processor for one of so many requests, after all they set off is done; the median of the rounds in turn. */
async function measureCost(
  contestants: readonly Contestant[],
  count: number,
  send: (contestant: Contestant, number: number) => Promise<unknown>,
  settle: (contestant: Contestant) => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly number[]> {
  const costs = contestants.map((): number[] => []);
  for (let round = -2; round < ROUNDS; round++) {
    for (const [at, contestant] of contestants.entries()) {
      const before = await contestant.server.cpu();
      await sendAll(count, (number) => send(contestant, number));
      await settle(contestant);
      // The first rounds are for V8 to compile what is measured.
      if (round >= 0) costs[at]!.push(((await contestant.server.cpu()) - before) / count);
    }
  }
  return costs.map(median);
}

async function measureDelays({ server, system }: Contestant): Promise<readonly number[]> {
  const delays: number[] = [];
  for (let round = 0; round < 60; round++) {
    await sleep(50 + (round % 7) * 5);
    delays.push(await timeUntilFound(system, server, 1));
  }
  return delays;
}

async function measureDelaysAtRate({ server, system }: Contestant): Promise<readonly number[]> {
  const delays: number[] = [];
  const open: Promise<unknown>[] = [];
  const begin = performance.now();
  for (let number = 0; number < RATE * 10; number++) {
    const early = begin + (number * 1000) / RATE - performance.now();
    if (early > 1) await sleep(early);
    open.push(
      number % 20 === 0
        ? timeUntilFound(system, server, 5).then((delay) => delays.push(delay))
        : ask(server, 'u8', system.create('steady', 'u8')),
    );
  }
  await Promise.all(open);
  return delays;
}

/** How many answers differ from those over what the caller may see, by part. */
async function countLeaks(system: System): Promise<ReadonlyMap<string, number>> {
  const gallery = makeGallery(USERS, SMALL);
  const place = (name: string): string => join(folder, `${system.name}-${name}`);
  const whole = await system.start(place('whole'), writeGallery('whole', gallery));
  const leaks = new Map<string, number>([['answers', 0]]);
  for (const [number, me] of CALLERS.entries()) {
    const own = await system.start(place(me), writeGallery(me, cutDown(gallery, me)));
    const questions = makeQueries(QUESTIONS, number + 1).flatMap((query) => [
      system.search(query),
      // A word that somebody has not finished, or has misspelt.
      system.suggest(query.split(' ')[0]!.slice(0, -1)),
    ]);
    for (const question of questions) {
      const [all, cut] = [whole, own].map((server) => ask(server, me, question).then(system.parts));
      const [a, b] = [await all!, await cut!];
      let differs = false;
      for (const part of Object.keys(a)) {
        const leaked = JSON.stringify(a[part]) !== JSON.stringify(b[part]);
        leaks.set(part, (leaks.get(part) ?? 0) + Number(leaked));
        differs ||= leaked;
      }
      leaks.set('answers', leaks.get('answers')! + Number(differs));
    }
    await own.close();
  }
  await whole.close();
  return leaks;
}

const leaks: ReadonlyMap<string, number>[] = [];
for (const system of SYSTEMS) leaks.push(await countLeaks(system));

const file = writeGallery('gallery', makeGallery(USERS, PHOTOS));
const places = SYSTEMS.map(({ name }) => join(folder, name));
const contestants: Contestant[] = [];
for (const [at, system] of SYSTEMS.entries()) {
  await (await system.start(places[at]!, file)).close();
  contestants.push({ system, server: await system.start(places[at]!, file) });
}
const queries = makeQueries(500, 99);
const searches = await measureCost(contestants, 250, ({ server, system }, number) =>
  ask(server, `u${number % 50}`, system.search(queries[number % queries.length]!)),
);
const heap = await Promise.all(contestants.map(({ server }) => server.heap()));
const memory = await Promise.all(contestants.map(({ server }) => server.memory()));
const writes = await measureCost(
  contestants,
  1000,
  ({ server, system }) => ask(server, 'u9', system.create('steady light', 'u9')),
  ({ server, system }) => timeUntilFound(system, server, 20),
);
const idle: (readonly number[])[] = [];
const loaded: (readonly number[])[] = [];
for (const contestant of contestants) {
  await sleep(3000);
  idle.push(await measureDelays(contestant));
  loaded.push(await measureDelaysAtRate(contestant));
}
for (const { server } of contestants) await server.close();
const starts: number[] = [];
for (const [at, system] of SYSTEMS.entries()) {
  const begin = performance.now();
  const server = await system.start(places[at]!, file);
  starts.push(performance.now() - begin);
  await server.close();
}
agent.destroy();

const compare = (what: string, [ours, theirs]: readonly number[]): readonly string[] => [
  what,
  digits(ours!),
  digits(theirs!),
  digits(theirs! / ours!),
];
const costs = [
  compare('a search with its facets, µs of processor', searches),
  compare('a mutation and its indexing, µs of processor', writes),
  compare('until found, idle: median, ms', idle.map(median)),
  compare(
    'until found, idle: p99, ms',
    idle.map((list) => quantile(list, 0.99)),
  ),
  compare(`until found, at ${RATE} changes a second: median, ms`, loaded.map(median)),
  compare(
    `until found, at ${RATE} changes a second: p99, ms`,
    loaded.map((list) => quantile(list, 0.99)),
  ),
  compare(
    'memory in use after the searches, MB',
    heap.map((bytes) => bytes / 1e6),
  ),
  compare(
    'resident memory then, MB',
    memory.map((bytes) => bytes / 1e6),
  ),
  compare('start over what is there, ms', starts),
];
const asked = CALLERS.length * QUESTIONS;
const counted = [...leaks[0]!.keys()].map((part) => [
  part === 'answers' ? 'answers with any of it' : part,
  part === 'answers' ? 2 * asked : asked,
  leaks[0]!.get(part)!,
  leaks[1]!.get(part)!,
]);
const costHead = ['', 'Lockstitch', 'by hand', 'times Lockstitch'];
const leakHead = ['what tells of hidden rows', 'answers asked', 'Lockstitch', 'by hand'];
const title = `${PHOTOS.toLocaleString('en')} photos`;
printTable(title, costHead, costs);
printTable(`Answers that differ from those over what the caller may see`, leakHead, counted);
const parts = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
writeSection(
  'by-hand',
  `${toMarkdown(costHead, costs)}\n\n${toMarkdown(leakHead, counted)}\n\n${title}; ${describeRun()}; ${parts.join(', ')}.`,
);
