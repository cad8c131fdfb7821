// `npm run soak -- verify-postgres [SECONDS [WRITES]]`: an index over PostgreSQL is compared with the data and rebuilt again and
// again while so many writes a second go on. Nothing may be lost, no difference may be named that is none, and searches go on.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createApp } from '../../packages/server/src/app.ts';
import { loadApp } from '../../packages/server/src/app/load-app.ts';
import type { IndexAction, IndexResult } from '../../packages/server/src/sync/index-action.ts';
import { askIndexControl } from '../../packages/server/src/sync/index-control.ts';
import { startPostgres } from '../lib/postgres.ts';

const SECONDS = Number(process.argv[2] ?? 60);
const PER_SECOND = Number(process.argv[3] ?? 500);
const NOTES = 20_000;
const AUTHORS = 200;
const WRITERS = 20;
/** Writes of one request, one after the other. */
const FIELDS = 5;

const SCHEMA = `
  type Note @entity @auth(read: "open or author.login == authentication.name") {
    id: ID!
    title: String! @search
    likes: Int @search
    open: Boolean
    author: Author! @relation(inverse: "notes")
  }
  type Author @entity { login: ID! @id  name: String @search  notes: [Note!]! }
  type Query { notes(first: Int = 10): [Note!]!  totalNotes: Int! }
  input CreateNoteInput { title: String!  likes: Int  open: Boolean  author: ID! }
  input UpdateNoteInput { title: String  likes: Int  open: Boolean  author: ID }
  input UpdateAuthorInput { name: String }
  type Mutation {
    createNote(input: CreateNoteInput!): Note!
    updateNote(id: ID!, input: UpdateNoteInput!): Note
    deleteNote(id: ID!): Note
    updateAuthor(login: ID!, input: UpdateAuthorInput!): Author
  }
`;

const percentile = (values: readonly number[], part: number): string =>
  `${Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0)} ms`;
const say = (line: string): void => void process.stdout.write(`  ${line}\n`);

const postgres = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), 'soak-verify-'));
const data = join(folder, 'data');
try {
  mkdirSync(data);
  writeFileSync(join(folder, 'schema.graphql'), SCHEMA);
  const config = {
    database: { url: postgres.url },
    csrf: { enabled: false },
    rules: [{ any: true, access: 'permitAll' }],
    search: { refreshInterval: 1000 },
  };
  writeFileSync(join(folder, 'lockstitch.config.mjs'), `export default ${JSON.stringify(config)};`);
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
  await postgres.close();
}

async function run(): Promise<boolean> {
  const app = await createApp(await loadApp(folder, {}, { port: 0, data }));
  const { graph } = app;
  await graph.importRows('Author', [
    Array.from({ length: AUTHORS }, (_, at) => ({ login: `a${at}`, name: `Author ${at}` })),
  ]);
  await graph.importRows('Note', [
    Array.from({ length: NOTES }, (_, at) => ({
      title: `note ${at}`,
      likes: at % 9,
      open: true,
      author: `a${at % AUTHORS}`,
    })),
  ]);
  await app.listen();
  const faults: string[] = [];
  const post = async (target: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const response = await app.handle({
      method: 'POST',
      target,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, json: JSON.parse(response.text()) };
  };
  const position = async () => ({ 'lockstitch-min-position': String(await graph.feed.head()) });
  while ((await post('/notes/_count', {}, await position())).status !== 200);

  // Each writer keeps to its share of the rate, or falls behind and says so by the number of writes.
  const stopping = new AbortController();
  const { signal } = stopping;
  let written = 0;
  const waits: number[] = [];
  const field = (at: number): string => {
    const kind = Math.random();
    const id = 1 + Math.floor(Math.random() * NOTES);
    const name = `m${at}`;
    if (kind < 0.1)
      return `${name}: createNote(input: { title: "new ${written + at}", likes: 1, open: true, author: "a${id % AUTHORS}" }) { id }`;
    if (kind < 0.15) return `${name}: deleteNote(id: "${id}") { id }`;
    if (kind < 0.152)
      return `${name}: updateAuthor(login: "a${id % AUTHORS}", input: { name: "Author ${written}" }) { login }`;
    return `${name}: updateNote(id: "${id}", input: { title: "changed ${written + at}", likes: ${id % 9} }) { id }`;
  };
  const write = async (): Promise<void> => {
    const begin = performance.now();
    const fields = Array.from({ length: FIELDS }, (_, at) => field(at));
    const { json } = await post('/graphql', { query: `mutation { ${fields.join(' ')} }` });
    waits.push(performance.now() - begin);
    // Some notes are deleted by then.
    for (const error of json.errors ?? [])
      if (error.extensions.code === 'GRAPH_NOT_FOUND') written--;
      else faults.push(`write: ${JSON.stringify(error)}`);
    written += FIELDS;
  };
  const started = performance.now();
  const writers = Array.from({ length: WRITERS }, async (_, at) => {
    for (let turn = 0; !signal.aborted; turn++) {
      const due = started + ((turn * WRITERS + at) * FIELDS * 1000) / PER_SECOND;
      const early = due - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      await write();
    }
  });
  const searches: number[] = [];
  const searcher = (async () => {
    while (!signal.aborted) {
      const begin = performance.now();
      const { status, json } = await post('/notes/_search', {
        query: { match: { title: 'note changed new' } },
        track_total_hits: true,
      });
      searches.push(performance.now() - begin);
      // As many come as go, a tenth and a twentieth of the writes: never does a successor show less.
      if (status !== 200 || json.hits.total.value < NOTES * 0.8)
        faults.push(`search: ${status}, ${json.hits?.total?.value} documents`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();

  const ask = async (action: IndexAction): Promise<IndexResult> =>
    (await askIndexControl(data, action, () => undefined))!;
  const verify = async (mend: boolean): Promise<void> => {
    const begin = performance.now();
    const result = await ask({ kind: 'verify', indexes: [], mend });
    for (const report of result.kind === 'verify' ? result.reports : []) {
      const { index, documents, differingRanges, ranges, changed, missing, surplus, unsettled, differences } = report;
      const seconds = ((performance.now() - begin) / 1000).toFixed(1);
      say(
        `verify ${index}: ${documents} documents in ${seconds} s, ${differingRanges} of ${ranges} ranges looked at again, ${unsettled} unsettled`,
      );
      if (changed + missing + surplus > 0) faults.push(`verify ${index}: ${JSON.stringify(differences.slice(0, 3))}`);
    }
  };
  let rebuilds = 0;
  while (performance.now() - started < SECONDS * 1000) {
    await verify(rebuilds % 2 === 0);
    const begin = performance.now();
    const result = await ask({ kind: 'rebuild', indexes: [] });
    rebuilds++;
    say(
      `rebuild in ${((performance.now() - begin) / 1000).toFixed(1)} s: ${result.kind === 'rebuild' ? result.reports.map(({ documents, index }) => `${index} ${documents}`).join(', ') : ''}`,
    );
  }
  stopping.abort();
  const seconds = (performance.now() - started) / 1000;
  const { lag } = await app.status();
  await Promise.all([...writers, searcher]);
  while ((await post('/notes/_count', {}, await position())).status !== 200);
  await verify(false);
  const stored = (await post('/graphql', { query: '{ totalNotes }' })).json.data.totalNotes;
  const found = (await post('/notes/_count', {})).json.count;
  if (stored !== found) faults.push(`${stored} notes are stored, ${found} are found`);
  say(
    `${written} writes in ${seconds.toFixed(0)} s (${Math.round(written / seconds)}/s, median ${percentile(waits, 0.5)}, p99 ${percentile(waits, 0.99)}), ` +
      `${searches.length} searches (median ${percentile(searches, 0.5)}, p99 ${percentile(searches, 0.99)}), ${rebuilds} rebuilds, lag at the end ${lag}, ${stored} notes stored and ${found} found`,
  );
  for (const fault of faults.slice(0, 20)) say(`WRONG ${fault}`);
  await app.close();
  return faults.length === 0;
}
