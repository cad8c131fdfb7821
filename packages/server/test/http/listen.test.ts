import { equal, match, rejects } from 'node:assert/strict';
import { test } from 'node:test';

import { checkConfig } from '../../src/config/check-config.ts';
import { listen } from '../../src/http/listen.ts';

const { limits } = checkConfig({}).config;

test('a taken port is reported by number, an unknown address by name', async () => {
  const first = await listen((_request, response) => response.end('x'), { port: 0, host: '127.0.0.1', limits });
  match(first.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  await rejects(
    listen(() => undefined, { port: first.port, host: '127.0.0.1', limits }),
    { code: 'SERVER_PORT_TAKEN', message: new RegExp(String(first.port)) },
  );
  await first.close();
  await rejects(
    listen(() => undefined, { port: 0, host: '203.0.113.9', limits }),
    { code: 'SERVER_ADDRESS_UNKNOWN' },
  );
});

test('closing lets a request in flight finish and takes no new ones', async () => {
  let finish: () => void = () => undefined;
  const arrived = Promise.withResolvers<void>();
  const server = await listen(
    (_request, response) => {
      finish = () => response.end('done');
      arrived.resolve();
    },
    { port: 0, host: '127.0.0.1', limits },
  );
  const inFlight = fetch(server.url).then((response) => response.text());
  await arrived.promise;
  const closed = server.close();
  await rejects(fetch(server.url));
  finish();
  equal(await inFlight, 'done');
  await closed;
});

test('a request that does not end is cut when the drain time is over', async () => {
  const arrived = Promise.withResolvers<void>();
  const server = await listen(() => arrived.resolve(), {
    port: 0,
    host: '127.0.0.1',
    limits: { ...limits, drainTimeout: 20 },
  });
  const stuck = rejects(fetch(server.url));
  await arrived.promise;
  await server.close();
  await stuck;
});

test('a header larger than the limit is answered 431', async () => {
  const server = await listen((_request, response) => response.end(), {
    port: 0,
    host: '127.0.0.1',
    limits: { ...limits, headerSize: 2048 },
  });
  const response = await fetch(server.url, { headers: { long: 'x'.repeat(3000) } });
  equal(response.status, 431);
  await server.close();
});
