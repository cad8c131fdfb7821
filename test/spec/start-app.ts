// Starts applications for the specification suite: the photo-share example with its data, or a folder made for one test.
import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp, loadApp } from 'lockstitch';
import {
  basic,
  type Client,
  type ClientRequest,
  type ClientResponse,
  createClient,
  type Transport,
} from './http-client.ts';
import { openSubscription, type Subscription } from './subscription.ts';

/** An application under test. */
export interface App {
  readonly call: Client;
  /** Listens by server-sent events; always over a socket. */
  subscribe(query: string): Promise<Subscription>;
  close(): Promise<void>;
}

const PASSWORD = 'specification';
const exampleFolder = fileURLToPath(new URL('../../examples/photo-share', import.meta.url));
const modulesFolder = fileURLToPath(new URL('../../node_modules', import.meta.url));

const DEFAULT_SCHEMA = 'type Thing @entity { id: ID! name: String! } type Query { thing(id: ID!): Thing }';

/** Methods and paths at which a test application answers `{"user": …}`, the name of the caller. */
const ROUTES = `[['GET', '/:a'], ['GET', '/:a/'], ['GET', '/:a/:b'], ['GET', '/:a/:b/:c'], ['GET', '/:a/:b/:c/:d'],
  ['POST', '/:a'], ['POST', '/:a/'], ['POST', '/:a/:b'], ['PUT', '/:a'], ['DELETE', '/:a']].map(([method, path]) => ({ method, path,
    handle: ({ principal }) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify({ user: principal.name }) }) }))`;

/** Starts an application of a schema and a configuration (plain data), in memory. Every short path has a page. */
export async function startApp(
  config: { readonly schemaText?: string } & Readonly<Record<string, unknown>>,
  transport: Transport,
): Promise<App> {
  const { schemaText = DEFAULT_SCHEMA, ...keys } = config;
  const folder = mkdtempSync(join(tmpdir(), 'lockstitch-spec-'));
  writeFileSync(join(folder, 'schema.graphql'), schemaText);
  writeFileSync(
    join(folder, 'lockstitch.config.mjs'),
    `export default { ...${JSON.stringify(keys)}, port: 0, data: ':memory:', routes: ${ROUTES} };`,
  );
  return open(folder, transport, {});
}

/** Starts the photo-share example with its data, every request made as its user. */
export async function startPhotoShare(transport: Transport): Promise<App> {
  const folder = copyExample('example');
  await copyPhotoShareData(join(folder, 'data'));
  return open(folder, transport, basic('user', PASSWORD), join(folder, 'data'));
}

/** Puts what the first start of the photo-share example leaves, its rows and indexes, into a data folder. */
export async function copyPhotoShareData(folder: string): Promise<void> {
  filled ??= fill();
  cpSync(await filled, folder, { recursive: true });
}

/** A data folder of the example. Made once a process: that takes most of the time of a first start. */
let filled: Promise<string> | undefined;

async function fill(): Promise<string> {
  const folder = copyExample('example');
  const data = join(folder, 'data');
  process.once('exit', () => rmSync(folder, { recursive: true }));
  await (await createApp(await loadApp(folder, { LOCKSTITCH_USER_PASSWORD: PASSWORD }, { port: 0, data }))).close();
  return data;
}

/** Starts the photo-share example without data; `changes` replace keys of its configuration. */
export function startEmptyPhotoShare(transport: Transport, changes: Readonly<Record<string, unknown>>): Promise<App> {
  const folder = copyExample(`{ ...example, seed: undefined, ...${JSON.stringify(changes)} }`);
  return open(folder, transport, basic('user', PASSWORD));
}

/** @returns a folder with the example, its configuration replaced by an expression that may use `example` */
function copyExample(config: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockstitch-photo-share-'));
  cpSync(exampleFolder, folder, { recursive: true, filter: (source) => !source.endsWith('.lockstitch') });
  symlinkSync(modulesFolder, join(folder, 'node_modules'));
  renameSync(join(folder, 'lockstitch.config.ts'), join(folder, 'example.config.ts'));
  writeFileSync(
    join(folder, 'lockstitch.config.mjs'),
    `import example from './example.config.ts';\nexport default ${config};`,
  );
  return folder;
}

async function open(
  folder: string,
  transport: Transport,
  headers: Readonly<Record<string, string>>,
  data = ':memory:',
): Promise<App> {
  const app = await createApp(await loadApp(folder, { LOCKSTITCH_USER_PASSWORD: PASSWORD }, { port: 0, data }));
  const listening = await app.listen();
  const onSocket = createClient(listening.server, 'socket');
  const inProcess = async (request: ClientRequest): Promise<ClientResponse> => {
    const body = request.json === undefined ? request.body : JSON.stringify(request.json);
    const response = await app.handle({
      method: request.method ?? 'GET',
      target: request.path,
      headers: {
        ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        ...request.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = response.text();
    const { 'set-cookie': cookies, ...rest } = response.headers;
    return {
      status: response.status,
      headers: { ...rest, ...(cookies === undefined ? {} : { 'set-cookie': cookies.split('\n') }) },
      text,
      json: <T>() => JSON.parse(text) as T,
    };
  };
  const client = transport === 'socket' ? onSocket : inProcess;
  return {
    call: (request) => client({ ...request, headers: { ...headers, ...request.headers } }),
    subscribe: (query) => openSubscription(`${listening.url}/graphql/stream`, query, { ...headers }),
    async close() {
      await app.close();
      rmSync(folder, { recursive: true });
    },
  };
}
