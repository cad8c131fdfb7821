import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { until } from '../../../kernel/test/until.ts';
import { checkConfig } from '../../src/config/check-config.ts';
import { listen, type Listening } from '../../src/http/listen.ts';

const { limits } = checkConfig({}).config;
const at = { port: 0, host: '127.0.0.1' };

// A process of its own: in one process a client would connect in the very turn in which the server closes.
const HAMMER = fileURLToPath(new URL('./hammer-child.ts', import.meta.url));

/** Stops a server that clients ask without pause. @returns what went wrong for them, unless they stood still longer than clients may */
async function stopUnderLoad(): Promise<readonly string[] | undefined> {
  const body = 'x'.repeat(100_000);
  const server = await listen(
    (request, response) => {
      // Large enough for answers to be ended and not yet written.
      request.resume().once('end', () => setTimeout(() => response.end(body), Math.random() * 5));
    },
    { ...at, limits },
  );
  const child = spawn(process.execPath, [HAMMER, String(server.port), String(body.length)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = createInterface(child.stdout)[Symbol.asyncIterator]();
  equal((await said.next()).value, 'asking');
  server.announceClose();
  await sleep(limits.drainDelay);
  await server.close();
  const { failures, stoodStill } = JSON.parse((await said.next()).value ?? '') as {
    readonly failures: readonly string[];
    readonly stoodStill: number;
  };
  return failures.length > 0 && stoodStill > limits.drainDelay / 2 ? undefined : failures;
}

test('4.10 clients that ask without pause over kept connections have every request answered while the server stops', async () => {
  let failures: readonly string[] | undefined;
  await until(async () => (failures = await stopUnderLoad()) !== undefined);
  deepEqual(failures, []);
});

test('4.10 an answer under way and the next one say that their connection closes', async () => {
  const waiting: ServerResponse[] = [];
  const server = await listen((_request, response) => void waiting.push(response), { ...at, limits });
  const sockets = await Promise.all([openSocket(server), openSocket(server)]);
  sockets[0].write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  while (waiting.length < 1) await sleep(1);
  server.announceClose();
  sockets[1].write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  while (waiting.length < 2) await sleep(1);
  const closed = server.close();
  for (const response of waiting) response.end('x');
  for (const socket of sockets) match(await readAll(socket), /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/s);
  await closed;
});

test('4.10 a request that comes over an idle connection just after the server closed is answered', async () => {
  const server = await listen((_request, response) => response.end('x'), { ...at, limits });
  const socket = await openSocket(server);
  const closed = server.close();
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  match(await readAll(socket), /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/s);
  await closed;
  await rejects(openSocket(server), { code: 'ECONNREFUSED' });
});

test('4.10 idle connections are ended in order, and one whose client does not let go is cut', async () => {
  const server = await listen((_request, response) => response.end('x'), { ...at, limits });
  const polite = await openSocket(server);
  const rude = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  await once(rude, 'connect');
  const errors: unknown[] = [];
  rude.on('error', (error) => errors.push(error));
  await server.close();
  equal(await readAll(polite), '');
  rude.destroy();
  deepEqual(errors, []);
});

test('4.10 the stop waits for a handed-over connection, and cuts it at the time limit', async () => {
  const server = await listen((_request, response) => response.end('x'), {
    ...at,
    limits: { ...limits, drainTimeout: 100 },
  });
  server.server.on('upgrade', (_request, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
  const socket = await openSocket(server);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n');
  await once(socket, 'data');
  const cut = once(socket, 'close');
  await server.close();
  await cut;
});

async function openSocket({ port }: Listening): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  return socket;
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const piece of socket) text += String(piece);
  return text;
}
