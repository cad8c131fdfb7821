// Starts an application of a schema and a configuration for a test, in memory or on a folder of its own, and reaches it in
// the process or over a socket: the same test body runs both ways.
import { writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import type { Log } from '@lockstitch/kernel';

import { type App, type AppOptions, createApp } from '../src/app.ts';
import { loadApp } from '../src/app/load-app.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What to send. `json` is a body with its content type. */
export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly json?: unknown;
}

/** What came back. */
export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON. */
  readonly json: any; // eslint-disable-line typescript/no-explicit-any -- tests look into answers of every shape
}

/** An application under test. */
export interface TestApp {
  readonly app: App;
  readonly url: string;
  readonly folder: string;
  readonly call: (target: string, sent?: Sent) => Promise<Got>;
  /** Runs an operation as the user and returns `data`; throws when there are errors. */
  readonly graph: (query: string) => Promise<any>; // eslint-disable-line typescript/no-explicit-any -- as above
  readonly close: () => Promise<void>;
}

/** How requests reach the application. */
export type Transport = 'in-process' | 'socket';

const PASSWORD = 'correct horse';
/** The Authorization header of the generated user. */
export const AS_USER = { authorization: `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}` };

/** CSRF off on the JSON paths, as the examples have it. */
const JSON_PATHS = {
  csrf: {
    ignore: [
      { ant: '/**', method: 'POST' },
      { ant: '/**', method: 'PUT' },
    ],
  },
};

export const NOTES_SCHEMA = `
  scalar DateTime
  type Note @entity {
    id: ID!
    title: String! @search
    likes: Int @search
    created: DateTime! @default(value: "now") @search
    author: Author!
  }
  type Author @entity { login: ID! @id @search  name: String @search  age: Int  notes: [Note!]! }
  type Query { note(id: ID!): Note  notes(first: Int = 25): [Note!]!  author(login: ID!): Author }
  input CreateNoteInput { title: String!  likes: Int  author: ID! }
  input UpdateNoteInput { title: String  author: ID }
  input CreateAuthorInput { login: ID!  name: String }
  input UpdateAuthorInput { name: String  age: Int }
  type Mutation {
    createAuthor(input: CreateAuthorInput!): Author!
    updateAuthor(login: ID!, input: UpdateAuthorInput!): Author
    createNote(input: CreateNoteInput!): Note!
    updateNote(id: ID!, input: UpdateNoteInput!): Note
    deleteNote(id: ID!): Note
  }
  type Subscription { noteCreated: Note! }
`;

/** Starts an application. `config` is plain data; functions go through `files`. */
export async function startApp(
  context: TestContext,
  {
    schema = NOTES_SCHEMA,
    config = {},
    files = {},
    data = ':memory:',
    transport = 'in-process',
    folder = temporaryFolder(context),
    log,
    onBuild,
    environment = {},
    port: wantedPort = 0,
  }: {
    readonly schema?: string;
    readonly config?: Readonly<Record<string, unknown>>;
    readonly files?: Readonly<Record<string, string>>;
    readonly data?: string;
    readonly transport?: Transport;
    readonly folder?: string;
    readonly log?: Log;
    readonly onBuild?: AppOptions['onBuild'];
    readonly environment?: Readonly<Record<string, string>>;
    readonly port?: number;
  } = {},
): Promise<TestApp> {
  writeFileSync(join(folder, 'schema.graphql'), schema);
  if (files['lockstitch.config.mjs'] === undefined) {
    writeFileSync(
      join(folder, 'lockstitch.config.mjs'),
      `export default ${JSON.stringify({ ...JSON_PATHS, ...config })};`,
    );
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const variables = { LOCKSTITCH_USER_PASSWORD: PASSWORD, ...environment };
  const app = await createApp(await loadApp(folder, variables, { port: wantedPort, data }), {
    ...(log === undefined ? {} : { log }),
    ...(onBuild === undefined ? {} : { onBuild }),
  });
  context.after(() => app.close());
  const { port, url } = await app.listen();
  const call = async (target: string, { json, ...sent }: Sent = {}): Promise<Got> => {
    const headers = {
      ...AS_USER,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...sent.headers,
    };
    const body = json === undefined ? sent.body : JSON.stringify(json);
    const request = { method: sent.method ?? (body === undefined ? 'GET' : 'POST'), target, headers, body };
    for (;;) {
      const got = await (transport === 'socket' ? overSocket(port, request) : inProcess(app, request));
      // On a busy machine the index may need longer than a search waits for it; the test asks again after this answer.
      if (got.status !== 503 || got.json.code !== 'SERVER_POSITION_NOT_REACHED') return got;
    }
  };
  return {
    app,
    url,
    folder,
    call,
    close: () => app.close(),
    async graph(query) {
      const { json } = await call('/graphql', { json: { query } });
      if (json.errors !== undefined) throw new Error(JSON.stringify(json.errors));
      return json.data;
    },
  };
}

/** Declares a test that runs in the process and over a socket. */
export function testBothWays(name: string, body: (context: TestContext, transport: Transport) => Promise<void>): void {
  for (const transport of ['in-process', 'socket'] as const) {
    test(`${name} (${transport})`, (context) => body(context, transport));
  }
}

interface Request {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

async function inProcess(app: App, { body, ...request }: Request): Promise<Got> {
  const response = await app.handle({ ...request, ...(body === undefined ? {} : { body }) });
  return toGot(response.status, response.headers, response.text());
}

function overSocket(port: number, { method, target, headers, body }: Request): Promise<Got> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { host: '127.0.0.1', port, method, path: target, headers: { ...length, ...headers }, agent: false };
    const request = httpRequest(options, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const flat = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join('\n')]);
        resolve(toGot(response.statusCode!, Object.fromEntries(flat), Buffer.concat(pieces).toString()));
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

function toGot(status: number, headers: Readonly<Record<string, string>>, text: string): Got {
  return {
    status,
    headers,
    text,
    get json() {
      return JSON.parse(text) as unknown;
    },
  };
}
