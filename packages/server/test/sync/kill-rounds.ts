// Kills a server that writes, indexes and rebuilds, or the command that rebuilds indexes, at random moments; starts the
// server again, and counts the documents that are not as the data says. Documents hold objects two relations away. Ten rounds
// belong to the tests; more: npm run soak -- feed 200, and over PostgreSQL npm run soak -- feed-postgres 30
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { SOURCE_FLAGS } from '../../../kernel/test/source-flags.ts';
import { createApp } from '../../src/app.ts';
import { loadApp } from '../../src/app/load-app.ts';
import { askIndexControl } from '../../src/sync/index-control.ts';
import { NOTES_SCHEMA } from '../start-app.ts';

const CHILD = {
  writer: fileURLToPath(new URL('writing-child.ts', import.meta.url)),
  rebuilder: fileURLToPath(new URL('index-rebuilder-child.ts', import.meta.url)),
} as const;

/** A note holds its author, the author's team, and its tags. The writer needs what NOTES_SCHEMA has, and uses the rest. */
const DEEP_SCHEMA = NOTES_SCHEMA.replace('author: Author!\n', 'author: Author! @search(depth: 2)  tags: [Tag!]!\n')
  .replace('age: Int ', 'age: Int  team: Team ')
  .replace(
    'type Query',
    `type Team @entity { id: ID! @search  name: String @search  people: [Author!]! }
  type Tag @entity { id: ID! @search  word: String @search  notes: [Note!]! }
  type Query`,
  )
  .replace(
    'type Mutation {',
    `type Mutation {
    createTeam(name: String): Team!
    updateTeam(id: ID!, name: String): Team
    createTag(word: String): Tag!
    updateTag(id: ID!, word: String): Tag
    addTags(id: ID!, tags: [ID!]!): Note
    removeTags(id: ID!, tags: [ID!]!): Note
    setTeam(login: ID!, team: ID): Author`,
  );

/** What the rounds found. */
export interface KillReport {
  readonly rounds: number;
  /** How many of the kills hit the command that rebuilds indexes. */
  readonly rebuilds: number;
  /** Documents at the end. */
  readonly documents: number;
  /** Documents that are not, or not only once, as the data says. */
  readonly wrong: number;
}

/** Writes an application of notes that commits its index as often as it can. */
export function writeNotesApp(
  folder: string,
  config: Readonly<Record<string, unknown>> = {},
  schema = NOTES_SCHEMA,
): void {
  const search = { commitInterval: 20, refreshInterval: 20 };
  writeFileSync(join(folder, 'schema.graphql'), schema);
  writeFileSync(
    join(folder, 'lockstitch.config.mjs'),
    `export default ${JSON.stringify({ search, csrf: { enabled: false }, ...config })};`,
  );
}

/** Writes the application that the rounds are run over. */
export function writeDeepApp(folder: string, config: Readonly<Record<string, unknown>> = {}): void {
  writeNotesApp(folder, config, DEEP_SCHEMA);
}

/** Starts a process that works on the application and kills it some milliseconds after it began to. */
export async function workUntilKilled(folder: string, after: number, child: keyof typeof CHILD): Promise<void> {
  const worker = spawn(process.execPath, [...SOURCE_FLAGS, CHILD[child], folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Half of a round is reading the program. A process that is killed keeps nothing of what it compiled.
    env: { NODE_COMPILE_CACHE: join(folder, 'compile-cache'), ...process.env },
  });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const began = await Promise.race([
    new Promise<boolean>((resolve) => worker.stdout.once('data', () => resolve(true))),
    ended.then(() => false),
  ]);
  if (!began) throw new Error(`The ${child} ended before it began.`);
  await sleep(after);
  worker.kill('SIGKILL');
  await ended;
}

/** Runs the rounds over one data folder, which grows older with each. The folder must hold the deep application. */
export async function killRounds(folder: string, rounds: number, seed: number): Promise<KillReport> {
  let random = seed;
  let wrong = 0;
  let documents = 0;
  let rebuilds = 0;
  for (let round = 0; round < rounds; round++) {
    random = (Math.imul(random, 1103515245) + 12345) >>> 0;
    const child = round % 4 === 3 ? 'rebuilder' : 'writer';
    if (child === 'rebuilder') rebuilds++;
    await workUntilKilled(folder, random % 300, child);
    const found = await countWrong(folder);
    wrong += found.wrong;
    documents = found.documents;
  }
  return { rounds, rebuilds, documents, wrong };
}

/** Starts the application and compares what its indexes answer with the data, by sources, by terms, and as `verify` does. */
async function countWrong(folder: string): Promise<{ readonly documents: number; readonly wrong: number }> {
  const app = await createApp(await loadApp(folder, { LOCKSTITCH_USER_PASSWORD: 'x' }, { port: 0 }));
  const headers = {
    authorization: `Basic ${Buffer.from('user:x').toString('base64')}`,
    'content-type': 'application/json',
    'lockstitch-min-position': String(await app.graph.feed.head()),
  };
  let wrong = 0;
  let documents = 0;
  for (const [name, type, facet] of [
    ['notes', 'Note', 'author.team.name'],
    ['authors', 'Author', 'name'],
  ] as const) {
    const asked = { size: 10_000, aggs: { f: { terms: { field: `${facet}.keyword`, size: 10_000 } } } };
    const request = { method: 'POST', target: `/${name}/_search`, headers, body: JSON.stringify(asked) };
    const answer = JSON.parse((await app.handle(request)).text()) as Found;
    const found = new Map(answer.hits.hits.map((hit) => [hit._id, JSON.stringify(hit._source)]));
    const stored = await app.graph.loadDocuments(type, { limit: 10_000 });
    const same = stored.filter(({ key, source }) => found.get(key) === JSON.stringify(JSON.parse(source)));
    wrong += stored.length - same.length + (answer.hits.hits.length - same.length);
    const counts = new Map<string, number>();
    for (const { source } of stored) {
      const value = facet.split('.').reduce<any>((part, step) => part?.[step], JSON.parse(source));
      if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const { buckets } = answer.aggregations.f;
    wrong += buckets.filter((bucket) => counts.get(bucket.key) !== bucket.doc_count).length;
    wrong += Math.max(0, counts.size - buckets.length);
    if (name === 'notes') documents = stored.length;
  }
  const data = join(folder, '.lockstitch');
  const verified = await askIndexControl(data, { kind: 'verify', indexes: [], mend: false }, () => undefined);
  if (verified?.kind !== 'verify') throw new Error('The server does not compare its indexes.');
  for (const { changed, missing, surplus } of verified.reports) wrong += changed + missing + surplus;
  await app.close();
  return { documents, wrong };
}

interface Found {
  readonly hits: { readonly hits: readonly { readonly _id: string; readonly _source: unknown }[] };
  readonly aggregations: {
    readonly f: { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] };
  };
}

/** What the main of a soak does with a report. */
export function tellKills({ rounds, rebuilds, documents, wrong }: KillReport): void {
  console.log(
    `${rounds} kills, ${rebuilds} of them while indexes were rebuilt, ${documents} documents at the end, ${wrong} wrong on the way`,
  );
  if (wrong > 0 || documents === 0) process.exitCode = 1;
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'feed-kill-'));
  writeDeepApp(folder);
  tellKills(await killRounds(folder, Number(process.argv[2] ?? 200), Date.now() >>> 0));
  rmSync(folder, { recursive: true, force: true });
}
