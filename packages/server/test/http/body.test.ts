import { deepEqual, equal, rejects } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { type BodyLimit, readBody, unpackBody } from '../../src/http/body.ts';

const LIMIT: BodyLimit = { bytes: 100, key: 'bodySize' };

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A server that answers the length of the body it read, or the code of the refusal. */
async function start(context: TestContext): Promise<{ port: number; codes: string[]; arrived: Promise<void> }> {
  const codes: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    arrived.resolve();
    readBody(request, LIMIT).then(
      (body) => response.end(String(body?.length ?? 'none')),
      (error: { code: string; status: number }) => {
        codes.push(error.code);
        response.writeHead(error.status, { connection: 'close' }).end(error.code);
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, codes, arrived: arrived.promise };
}

function send(port: number, body: Buffer | string | undefined, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, method: 'POST', headers, host: '127.0.0.1' }, (response) => {
      let text = '';
      response.on('data', (piece) => (text += piece)).on('end', () => resolve(text));
    });
    request.on('error', reject).end(body);
  });
}

test('a body within the limit is read, whole or in chunks', async (context) => {
  const { port } = await start(context);
  equal(await send(port, 'x'.repeat(100)), '100');
  equal(await send(port, 'x'.repeat(100), { 'transfer-encoding': 'chunked' }), '100');
  equal(await send(port, undefined, { 'content-length': '0' }), 'none');
});

test('a body of megabytes arrives as it was sent, of a known length or not', async (context) => {
  const server = createServer((request, response) => {
    void readBody(request, { bytes: 4 << 20, key: 'bulkBodySize' }).then((body) => response.end(hash(body!)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const body = randomBytes(3_000_001);
  equal(await send(port, body, { 'content-length': String(body.length) }), hash(body));
  equal(await send(port, body, { 'transfer-encoding': 'chunked' }), hash(body));
});

test('a body that announces too much is refused before it is sent', async (context) => {
  const { port } = await start(context);
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n');
  const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
  socket.destroy();
  equal(answer.startsWith('HTTP/1.1 413 '), true);
});

test('a chunked body is refused where it passes the limit', async (context) => {
  const { port } = await start(context);
  equal(await send(port, 'x'.repeat(101), { 'transfer-encoding': 'chunked' }), 'SERVER_BODY_TOO_LARGE');
});

test('a client that leaves in the middle of its body ends the read', async (context) => {
  const { port, codes, arrived } = await start(context);
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\nabc');
  await arrived;
  socket.destroy();
  while (codes.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  equal(codes[0], 'SERVER_BODY_INCOMPLETE');
});

test('a body is read whether it comes along with its head, in pieces or later, and the next request follows', async (context) => {
  const { port } = await start(context);
  const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  const counted = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n';
  const requests: readonly (readonly [length: string, ...packets: string[]])[] = [
    ['6', `${counted}abcdef`],
    ['6', counted, 'abc', 'def'],
    ['6', `${counted}abc`, 'def'],
    ['0', `${chunked}0\r\n\r\n`],
    ['6', `${chunked}3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n`],
    ['6', `${chunked}3\r\nabc\r\n`, '3\r\ndef\r\n0\r\n', '\r\n'],
    ['SERVER_BODY_TOO_LARGE', `${chunked}65\r\n${'x'.repeat(101)}\r\n0\r\n\r\n`],
  ];
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  context.after(() => socket.destroy());
  for (const [length, ...packets] of requests) {
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    for (const packet of packets) {
      socket.write(packet);
      // Long enough to be read by itself, nearly always; the outcome is the same if not.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    equal((await answered).split('\r\n\r\n')[1]?.replace(/^\w+\r\n(\w+)\r\n[^]*/, '$1'), length);
  }
});

test('a client that has left before its body is asked for ends the read', async (context) => {
  const refused = Promise.withResolvers<{ readonly code?: string }>();
  const server = createServer((request) => {
    request.on('close', () => void readBody(request, LIMIT).catch(refused.resolve));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.end('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\nabc', () => socket.destroy());
  equal((await refused.promise).code, 'SERVER_BODY_INCOMPLETE');
});

test('compressed bodies are decompressed, and count by their decompressed size', async () => {
  const text = Buffer.from('{"a":1}');
  for (const [coding, packed] of [
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', text],
  ] as const) {
    deepEqual(Buffer.from(await unpackBody(packed, coding, LIMIT)), text);
  }
  const bomb = gzipSync(Buffer.alloc(1_000_000));
  await rejects(unpackBody(bomb, 'gzip', LIMIT), { code: 'SERVER_BODY_TOO_LARGE', status: 413 });
});

test('an unknown or broken content coding is refused by name', async () => {
  await rejects(unpackBody(Buffer.from('x'), 'zip', LIMIT), { code: 'SERVER_BODY_ENCODING_UNKNOWN', status: 415 });
  await rejects(unpackBody(Buffer.from('x'), 'constructor', LIMIT), { code: 'SERVER_BODY_ENCODING_UNKNOWN' });
  await rejects(unpackBody(Buffer.from('not gzip'), 'gzip', LIMIT), {
    code: 'SERVER_BODY_ENCODING_BROKEN',
    status: 400,
  });
});
