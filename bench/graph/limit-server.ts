// The bar on SQLite: bare node:http and hand-written statements over the bench's tables (file: first argument). `/q1` to `/q4`
// read; `/insert` and `/update` write with the variables of the request, in the engine's own transaction shape: as many
// transactions, by the same rule of who shares one; the object, the same entry in the feed, the same fields read back; nothing
// is answered before the commit. No savepoints: the first statement of each is the one that may fail, and leaves nothing behind
// when it does, so hand-written statements need none, and the engine takes none either. Each entry of the feed is inserted
// as it comes; the engine inserts those that share a commit together. A write looks at what nobody may leave out whose database
// is to hold what the schema says: that JSON was posted (a form on any other site can post the rest), that values are of their
// kinds, and that a time is one and is kept in UTC.
import { createServer, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { serveBench } from '../lib/serve.ts';
import { HAND_WRITTEN } from '../product/queries.ts';
import { LOGIN } from './photo-data.ts';
import { WRITES } from './writes.ts';

const file = process.argv[2]!;
const settings =
  'PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL; PRAGMA mmap_size = 268435456; PRAGMA cache_size = -16384';
const reader = new DatabaseSync(file, { readOnly: true });
reader.exec(settings);
const writer = new DatabaseSync(file, { enableForeignKeyConstraints: true });
writer.exec(`PRAGMA journal_mode = WAL; ${settings}`);

function prepare(database: DatabaseSync, sql: string) {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

const queries = new Map(
  Object.entries(HAND_WRITTEN).map(([name, { sql, bind, limit }]) => {
    const statement = prepare(reader, sql);
    const value = bind === 'login' ? LOGIN : BigInt(limit!);
    return [`/${name}`, () => (statement.get(value) as unknown as [string])[0]];
  }),
);

const [begin, commit] = ['BEGIN IMMEDIATE', 'COMMIT'].map((sql) => writer.prepare(sql));
const [insert, feed, find, update, read] = [WRITES.insert, WRITES.feed, WRITES.find, WRITES.update, WRITES.read].map(
  (sql) => prepare(writer, sql),
);
let waiting: { readonly response: ServerResponse; readonly body: string }[] = [];
let seen = 0;

function write(response: ServerResponse, work: () => string): void {
  if (waiting.length === 0) {
    begin!.run();
    seen = 0;
    setImmediate(finish);
  }
  waiting.push({ response, body: work() });
}

function finish(): void {
  const joined = waiting.length - seen;
  seen = waiting.length;
  if (joined > 1) {
    setImmediate(finish);
    return;
  }
  commit!.run();
  const done = waiting;
  waiting = [];
  for (const { response, body } of done) send(response, body);
}

interface Photo {
  readonly name: string;
  readonly url: string;
  readonly description: string | null;
  readonly created: string;
  readonly category: string;
  readonly postedBy: string;
}

const CATEGORIES: ReadonlySet<unknown> = new Set(['SELFIE', 'PORTRAIT', 'ACTION', 'LANDSCAPE', 'GRAPHIC']);
/** As times are kept; to make a Date of another and print it takes 0.6 µs. */
const TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

function readPhoto(input: Readonly<Record<keyof Photo, unknown>>): Photo | undefined {
  const { name, url, description = null, created, category, postedBy } = input;
  if (typeof name !== 'string' || typeof url !== 'string' || typeof postedBy !== 'string') return undefined;
  if (typeof category !== 'string' || !CATEGORIES.has(category)) return undefined;
  if ((description !== null && typeof description !== 'string') || typeof created !== 'string') return undefined;
  if (TIME.test(created)) return { name, url, description, created, category, postedBy };
  const time = new Date(created);
  if (Number.isNaN(time.getTime())) return undefined;
  return { name, url, description, created: time.toISOString(), category, postedBy };
}

function post({ name, url, description, created, category, postedBy }: Photo): string {
  const id = insert!.run(name, url, description, created, category, postedBy).lastInsertRowid;
  const key = String(id);
  const after = { id: key, name, url, description, created, category, postedBy };
  feed!.run(key, 'created', new Date().toISOString(), JSON.stringify({ after }));
  return `{"data":{"postPhoto":${(read!.get(BigInt(id)) as unknown as [string])[0]}}}`;
}

function rename(key: string, name: string): string {
  const id = BigInt(key);
  const row = find!.get(id) as unknown as [string, string, string, string, string, string] | undefined;
  if (row === undefined) return '{"data":null}';
  const [old, url, description, created, category, postedBy] = row;
  update!.run(name, id);
  const after = { id: key, name, url, description, created, category, postedBy };
  feed!.run(key, 'updated', new Date().toISOString(), JSON.stringify({ before: { name: old }, after }));
  return `{"data":{"updatePhoto":${(read!.get(id) as unknown as [string])[0]}}}`;
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

interface Variables {
  readonly input: Readonly<Record<keyof Photo, unknown>>;
  readonly id: unknown;
  readonly name: unknown;
}

const KEY = /^\d{1,15}$/;

function send(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

serveBench(
  createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // A server of use reads its request; the bar pays for that too.
      const { variables } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly variables: Variables };
      const { url } = request;
      const query = queries.get(url!);
      if (query !== undefined) send(response, `{"data":${query()}}`);
      else if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json')
        refuse(response, 415);
      else if (url === '/insert') {
        const photo = readPhoto(variables.input);
        if (photo === undefined) refuse(response, 400);
        else write(response, () => post(photo));
      } else {
        const { id, name } = variables;
        if (typeof id !== 'string' || !KEY.test(id) || typeof name !== 'string') refuse(response, 400);
        else write(response, () => rename(id, name));
      }
    });
  }),
);
