// The feed from a write to a search, over HTTP: how many changes a second reach the index, how soon a change can be found
// when little and when much is written, what re-indexing ten thousand documents does to those who write meanwhile, and how soon
// another process hears of a change.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createGraph, openSqliteStore, readSchema } from '@lockstitch/graph';

import { startBenchServer } from '../lib/load.ts';
import { digits, printTable } from '../lib/table.ts';
import { WAKE_SCHEMA } from './wake-schema.ts';

const OWNED = 10_000;
const USERS = 200;
const RATE = 5000;
const BATCH = 50;
/** `all`, `rename` or `wake` for one table alone. */
const PART = process.argv[2] ?? 'all';
const SECONDS = 15;
const RENAMES = 12;
/** Writes a second that somebody else makes while documents are written again. */
const WRITERS_RATE = 150;

const server = await startBenchServer('lockstitch', new URL('feed-server.ts', import.meta.url));
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

interface Answered {
  readonly position: number;
  readonly json: { readonly data?: unknown; readonly errors?: unknown };
}

function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request(
      new URL(path, server.url),
      {
        agent,
        method,
        headers: {
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => {
          const answer = Buffer.concat(pieces).toString();
          const json = JSON.parse(answer) as Answered['json'];
          if (response.statusCode !== 200 || json.errors !== undefined) return reject(new Error(answer));
          resolve({ position: Number(response.headers['lockstitch-position'] ?? 0), json });
        });
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // A connection that the server closed for idleness just now.
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(send(method, path, body, headers));
      else reject(error);
    });
    sent.end(text);
  });
}

const graph = (query: string, variables: unknown): Promise<Answered> => send('POST', '/graphql', { query, variables });
/** Resolves once a search sees a position, however long that takes. */
async function searchable(position: number): Promise<void> {
  for (;;) {
    try {
      await send('GET', '/photos/_count', undefined, { 'lockstitch-min-position': String(position) });
      return;
    } catch (error) {
      if (!String(error).includes('SERVER_POSITION_NOT_REACHED')) throw error;
    }
  }
}

let number = 0;
const WORDS = 'harbour dusk river light morning stone bridge winter market window garden street cloud'.split(' ');
const words = (count: number): string =>
  Array.from({ length: count }, (_, place) => WORDS[(number * 7 + place * 3) % WORDS.length]).join(' ');

function photos(count: number, owner?: string) {
  return Array.from({ length: count }, () => {
    number++;
    const postedBy = owner ?? `u${1 + (number % (USERS - 1))}`;
    return { name: `${words(3)} ${number}`, description: words(20), category: WORDS[number % 5], postedBy };
  });
}

const CREATE = 'mutation ($input: [CreatePhotoInput!]!) { createPhotos(input: $input) { id } }';
const UPDATE = 'mutation ($id: ID!, $name: String) { updatePhoto(id: $id, input: { name: $name }) { id } }';
const RENAME = 'mutation ($name: String) { updateUser(githubLogin: "u0", input: { name: $name }) { githubLogin } }';

const quantile = (list: readonly number[], part: number): number =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))]!;

// Everybody, the ten thousand photos of one user, and a thousand of others.
const users = Array.from({ length: USERS }, (_, place) => ({ githubLogin: `u${place}`, name: `User ${place}` }));
await graph('mutation ($input: [CreateUserInput!]!) { createUsers(input: $input) { githubLogin } }', { input: users });
let last = 0;
for (let done = 0; done < OWNED; done += 500) last = (await graph(CREATE, { input: photos(500, 'u0') })).position;
for (let done = 0; done < 1000; done += 500) last = (await graph(CREATE, { input: photos(500) })).position;
await searchable(last);

/** Writes as fast as they are taken, and until all of it is found. */
async function measureThroughput(): Promise<number> {
  const begin = performance.now();
  const total = 40_000;
  let position = 0;
  const writer = async (share: number): Promise<void> => {
    for (let done = 0; done < share; done += 250) {
      position = Math.max(position, (await graph(CREATE, { input: photos(250) })).position);
    }
  };
  await Promise.all([writer(total / 2), writer(total / 2)]);
  await searchable(position);
  return total / ((performance.now() - begin) / 1000);
}

/** From the answer of a write to the answer of the search that finds it, in ms. */
async function measureAtRate(): Promise<{ readonly delays: readonly number[]; readonly rate: number }> {
  const delays: number[] = [];
  const open: Promise<void>[] = [];
  const begin = performance.now();
  const batches = (RATE / BATCH) * SECONDS;
  for (let batch = 0; batch < batches; batch++) {
    const due = begin + (batch * BATCH * 1000) / RATE;
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    open.push(
      graph(CREATE, { input: photos(BATCH) }).then(async ({ position }) => {
        const answered = performance.now();
        // A tenth of them asks: the others are what it has to be found among.
        if (batch % 10 !== 0) return;
        await searchable(position);
        delays.push(performance.now() - answered);
      }),
    );
  }
  await Promise.all(open);
  return { delays, rate: (batches * BATCH) / ((performance.now() - begin) / 1000) };
}

async function measureIdle(): Promise<readonly number[]> {
  const delays: number[] = [];
  for (let round = 0; round < 200; round++) {
    await sleep(50);
    const { position } = await graph(CREATE, { input: photos(1) });
    const answered = performance.now();
    await searchable(position);
    delays.push(performance.now() - answered);
  }
  return delays;
}

/** Latencies of single writes that come steadily until `until` is done. */
async function writeUntil(until: Promise<unknown>): Promise<readonly number[]> {
  let done = false;
  const end = (): void => {
    done = true;
  };
  until.then(end, end);
  const isDone = (): boolean => done;
  const latencies: number[] = [];
  const open: Promise<void>[] = [];
  let due = performance.now();
  while (!isDone()) {
    due += 1000 / WRITERS_RATE;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    const begin = performance.now();
    const id = String(OWNED + 1 + (++number % 1000));
    open.push(graph(UPDATE, { id, name: words(3) }).then(() => void latencies.push(performance.now() - begin)));
  }
  await Promise.all(open);
  return latencies;
}

async function measureRename() {
  const idle: number[] = [];
  const busy: number[] = [];
  const took: number[] = [];
  for (let round = 0; round < RENAMES; round++) {
    idle.push(...(await writeUntil(sleep(1500))));
    const begin = performance.now();
    const renamed = graph(RENAME, { name: `Name ${round}` }).then(({ position }) => searchable(position));
    const during = await writeUntil(renamed);
    took.push(performance.now() - begin);
    if (round > 1) busy.push(...during);
    if (round < 2) idle.length = 0;
  }
  return { idle, busy, took };
}

if (PART === 'all') await tellDelays();
if (PART !== 'wake') await tellRename();
agent.destroy();
await server.close();
if (PART !== 'rename') await tellWake();

async function tellDelays(): Promise<void> {
  const throughput = await measureThroughput();
  await sleep(1000);
  const loaded = await measureAtRate();
  await sleep(1000);
  const idle = await measureIdle();
  printTable(
    'The feed over HTTP, one process for everything, SQLite',
    ['', 'changes/s', 'median ms', 'p99 ms'],
    [
      ['as fast as they are taken, until all are found', digits(throughput), '', ''],
      [
        `found after a write, at ${RATE} changes/s`,
        digits(loaded.rate),
        digits(quantile(loaded.delays, 0.5)),
        digits(quantile(loaded.delays, 0.99)),
      ],
      ['found after a write, idle', '', digits(quantile(idle, 0.5)), digits(quantile(idle, 0.99))],
    ],
  );
}

async function tellRename(): Promise<void> {
  const rename = await measureRename();
  const p99 = [quantile(rename.idle, 0.99), quantile(rename.busy, 0.99)] as const;
  printTable(
    `A user with ${OWNED} photos renames himself while others write (${WRITERS_RATE}/s)`,
    ['', 'median ms', 'p99 ms', 'writes'],
    [
      ['writes, idle', digits(quantile(rename.idle, 0.5)), digits(p99[0]), rename.idle.length],
      ['writes, meanwhile', digits(quantile(rename.busy, 0.5)), digits(p99[1]), rename.busy.length],
      ['ratio', digits(quantile(rename.busy, 0.5) / quantile(rename.idle, 0.5)), digits(p99[1] / p99[0]), ''],
      ['until all are found', digits(quantile(rename.took, 0.5)), '', ''],
    ],
  );
}

/** How long after a commit a reader in another process has the change. */
async function tellWake(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-wake-'));
  const file = join(folder, 'data.sqlite');
  const model = readSchema([{ file: 'schema.graphql', text: WAKE_SCHEMA }]);
  const store = await openSqliteStore({ file });
  const writing = await createGraph({ model, store });
  const reader = fork(new URL('feed-reader.ts', import.meta.url), [file]);
  await once(reader, 'message');
  const delays: number[] = [];
  for (let number = 0; number < 200; number++) {
    // At any moment of the reader's rest.
    await sleep(20 + ((number * 7) % 31));
    const heard = once(reader, 'message') as Promise<[{ readonly seen: number }]>;
    await writing.execute({ query: `mutation { createNote(input: { text: "n${number}" }) { id } }` });
    const committed = performance.timeOrigin + performance.now();
    delays.push((await heard)[0].seen - committed);
  }
  reader.disconnect();
  writing.feed.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
  printTable(
    'A reader of the feed in another process, SQLite',
    ['', 'median ms', 'p99 ms', 'longest ms'],
    [
      [
        'from commit to hand',
        digits(quantile(delays, 0.5)),
        digits(quantile(delays, 0.99)),
        digits(quantile(delays, 1)),
      ],
    ],
  );
}
