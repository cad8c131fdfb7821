// The proxies' files of deploy/ in front of a server: TLS, client addresses, WebSockets, event streams, paths as written.
// Skipped where nginx, Caddy or openssl is not installed.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { WebSocket } from 'ws';

import { AS_USER, startApp } from '../../packages/server/test/start-app.ts';
import { temporaryFolder } from '../../packages/server/test/temporary-folder.ts';
import { ROOT } from '../docs/code-blocks.ts';

/** A proxy under test. */
interface Proxy {
  readonly name: string;
  /** Programs that it needs. */
  readonly programs: readonly string[];
  /** Writes its files into a folder and starts it. */
  start(folder: string, upstream: number, ports: Ports): ChildProcess;
}

interface Ports {
  readonly http: number;
  readonly https: number;
}

const nginx: Proxy = {
  name: 'nginx',
  programs: ['nginx', 'openssl'],
  start(folder, upstream, { http, https }) {
    const [certificate, key] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')];
    const subject = ['-subj', '/CN=notes.example.org', '-keyout', key, '-out', certificate];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject], { stdio: 'ignore' });
    const given = readFileSync(join(ROOT, 'deploy/nginx/lockstitch.conf'), 'utf8')
      .replaceAll('/etc/letsencrypt/live/notes.example.org', folder)
      .replace('server 127.0.0.1:4000 ', `server 127.0.0.1:${upstream} `)
      .replaceAll(/listen (?:\[::\]:)?443[^;]*;\s*listen [^;]*;/g, `listen 127.0.0.1:${https} ssl http2;`)
      .replaceAll(/listen 80;\s*listen [^;]*;/g, `listen 127.0.0.1:${http};`);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder};`);
    const whole = `pid ${folder}/pid; daemon off; error_log stderr; events {} http { access_log off; ${paths.join(' ')}\n${given}}`;
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, whole);
    return spawn('nginx', ['-p', folder, '-c', file]);
  },
};

const caddy: Proxy = {
  name: 'Caddy',
  programs: ['caddy'],
  start(folder, upstream, { http, https }) {
    const given = readFileSync(join(ROOT, 'deploy/caddy/Caddyfile'), 'utf8')
      // A certificate of its own authority, as there is no public name.
      .replace('encode gzip', 'tls internal\n\tencode gzip');
    const options = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${http}\n\thttps_port ${https}\n}\n`;
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, `${options}${given}`);
    const env = {
      ...process.env,
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      SITE: 'notes.example.org',
      UPSTREAM: `127.0.0.1:${upstream}`,
    };
    return spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { env });
  },
};

for (const proxy of [nginx, caddy]) {
  test(`${proxy.name} in front: TLS, the client's address, sockets and event streams`, async (context) => {
    const missing = proxy.programs.find((name) => spawnSync(name, ['version']).error !== undefined);
    if (missing !== undefined) return context.skip(`${missing} is not installed`);
    const folder = temporaryFolder(context);
    const app = await startApp(context, {
      transport: 'socket',
      config: { trustProxy: true, audit: { file: 'audit.jsonl' }, csrf: { enabled: false } },
    });
    const ports = { http: await freePort(), https: await freePort() };
    const { port } = new URL(app.url);
    await startProxy(context, proxy.start(folder, Number(port), ports), ports);
    const ask = (path: string, options: Options = {}, body?: string): Promise<Answer> =>
      send({ ...TLS, port: ports.https, path, ...options }, body);

    const plain = await fetch(`http://127.0.0.1:${ports.http}/graphql`, {
      headers: { host: 'notes.example.org' },
      redirect: 'manual',
    });
    ok([301, 308].includes(plain.status));

    const json = { 'content-type': 'application/json' };
    const query = JSON.stringify({ query: 'mutation { createAuthor(input: { login: "ada" }) { login } }' });
    const written = await ask('/graphql', { method: 'POST', headers: { ...AS_USER, ...json } }, query);
    deepEqual(JSON.parse(written.text), { data: { createAuthor: { login: 'ada' } } });
    match(String(written.headers['strict-transport-security']), /^max-age=31536000/);

    // The last address counts: what the client writes itself is not believed.
    const forged = { authorization: `Basic ${btoa('user:wrong')}`, 'x-forwarded-for': '203.0.113.9' };
    equal((await ask('/graphql', { headers: forged })).status, 401);
    const events = readFileSync(join(app.folder, 'audit.jsonl'), 'utf8').trim().split('\n');
    const failure = events.map((line) => JSON.parse(line)).find(({ kind }) => kind === 'authentication-failure');
    equal(failure.address, '127.0.0.1');

    equal((await ask('/metrics', { headers: AS_USER })).status, 404);
    // The firewall sees the path as it was written.
    equal((await ask('/notes/..%2fauthors/_search', { headers: AS_USER })).status, 400);

    deepEqual(await heardOnSocket(ports.https, app.graph), { data: { noteCreated: { title: 'heard' } } });
    match(await heardOnStream(ports.https, app.graph), /noteCreated/);
  });
}

const TLS = {
  host: '127.0.0.1',
  servername: 'notes.example.org',
  rejectUnauthorized: false,
  setHost: false,
  agent: false,
} as const;
const HOST = { host: 'notes.example.org' };

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Options of a request with headers by name. */
type Options = Omit<RequestOptions, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

async function respond(options: Options, body?: string): Promise<IncomingMessage> {
  const request = httpsRequest({ ...options, headers: { ...HOST, ...options.headers } });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function send(options: Options, body?: string): Promise<Answer> {
  const response = await respond(options, body);
  let text = '';
  for await (const piece of response) text += String(piece);
  return { status: response.statusCode!, headers: response.headers, text };
}

const SUBSCRIPTION = 'subscription { noteCreated { title } }';

type Graph = (query: string) => Promise<unknown>;

/** Writes until a promise resolves: a subscription is only known to be there once it answers. */
async function writeUntil<T>(graph: Graph, heard: Promise<T>): Promise<T> {
  for (;;) {
    await graph('mutation { createNote(input: { title: "heard", author: "ada" }) { id } }');
    const outcome = await Promise.race([heard, sleep(50, undefined)]);
    if (outcome !== undefined) return outcome;
  }
}

async function heardOnSocket(port: number, graph: Graph): Promise<unknown> {
  const socket = new WebSocket(`wss://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', {
    headers: { ...HOST, ...AS_USER },
    ...TLS,
  });
  await once(socket, 'open');
  const heard = new Promise((resolve) => {
    socket.on('message', (data: Buffer) => {
      const { type, payload } = JSON.parse(data.toString());
      if (type === 'connection_ack')
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: SUBSCRIPTION } }));
      if (type === 'next') resolve(payload);
    });
  });
  socket.send('{"type":"connection_init"}');
  const payload = await writeUntil(graph, heard);
  socket.terminate();
  return payload;
}

async function heardOnStream(port: number, graph: Graph): Promise<string> {
  const headers = { ...AS_USER, 'content-type': 'application/json', accept: 'text/event-stream' };
  const options = { ...TLS, port, path: '/graphql/stream', method: 'POST', headers };
  const response = respond(options, JSON.stringify({ query: SUBSCRIPTION }));
  const heard = response.then(async (stream) => {
    for await (const piece of stream) if (String(piece).includes('event: next')) return String(piece);
    throw new Error('The stream ended.');
  });
  const text = await writeUntil(graph, heard);
  (await response).destroy();
  return text;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function startProxy(context: TestContext, child: ChildProcess, { https }: Ports): Promise<void> {
  let said = '';
  child.stderr!.on('data', (piece) => (said += piece));
  const ended = once(child, 'exit');
  context.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(said);
    const answer = await send({ ...TLS, port: https, path: '/healthz' }).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(20);
  }
}
