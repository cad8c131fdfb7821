// A network between a store and a real PostgreSQL that drops packets: no connection breaks, and nothing responds.
import { equal, rejects } from 'node:assert/strict';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import pg from 'pg';
import { createCommitListener } from '../../src/store/postgres-notifications.ts';
import { createHealthCheck } from '../../src/store/postgres-health.ts';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import type { MaybePromise, Session } from '../../src/store/store.ts';
import { postgresUrl } from '../stores.ts';

interface Network {
  readonly url: string;
  /** Drops packets of open connections, and with `all` of new ones. */
  silence(all?: 'all'): void;
  /** Passes on again what was sent meanwhile. */
  speak(): void;
  /** How many connections it has passed on. */
  readonly connections: number;
}

function testOverNetwork(name: string, body: (network: Network, url: string) => Promise<void>): void {
  test(`PostgreSQL: ${name}`, async (context) => {
    const url = await postgresUrl();
    if (!url.startsWith('postgres:')) return context.skip(url);
    await body(await openNetwork(context, url), url);
  });
}

async function openNetwork(context: TestContext, url: string): Promise<Network> {
  const open = new Set<Socket>();
  const pairs: (readonly [Socket, Socket])[] = [];
  let isSilent = false;
  let connections = 0;
  const server = createServer((near) => {
    near.on('error', () => undefined);
    open.add(near);
    if (isSilent) return;
    connections++;
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    pairs.push([near, far]);
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    silence(all) {
      isSilent = all === 'all';
      for (const socket of open) socket.unpipe().pause();
    },
    speak() {
      isSilent = false;
      for (const [near, far] of pairs) near.pipe(far);
    },
    get connections() {
      return connections;
    },
  };
}

testOverNetwork('a server that has fallen silent is not waited for, one that is only slow is', async (network) => {
  const pool = new pg.Pool({ connectionString: network.url });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const health = createHealthCheck(() => new pg.Client({ connectionString: network.url }), {
    probeAfter: 30,
    answer: 150,
  });
  health.watch(pool);
  await pool.query('SELECT pg_sleep(0.4)');
  equal(network.connections > 2, true, 'it was asked');
  const waiting = pool.query('SELECT pg_sleep(3600)');
  const idle = await pool.connect();
  idle.release();
  network.silence('all');
  await rejects(waiting, /^Error: Connection terminated/);
  await rejects(pool.query('SELECT 1'), /^Error: Connection terminated/);
  await pool.end();
  health.stop();
});

testOverNetwork(
  'a listening connection that was forgotten is opened again, and commits without a word are found',
  async (network, url) => {
    const watch = createCommitListener(() => new pg.Client({ connectionString: network.url }), 20);
    let wake = (): void => undefined;
    const keepAlive = setInterval(() => undefined, 1000);
    const hear = (): Promise<void> => new Promise((resolve) => (wake = resolve));
    watch.listen(() => wake());
    await hear();
    await hear();
    equal(network.connections, 1);
    network.silence();
    await hear();
    equal(network.connections, 2);
    await watch.stop();
    // No beat comes in between: the word does.
    const patient = createCommitListener(() => new pg.Client({ connectionString: url }), 3_600_000);
    patient.listen(() => wake());
    await hear();
    const store = await openPostgresStore({ url });
    const told = hear();
    await store.transaction((session) => session.prepare('SELECT 1').rows([]));
    await told;
    await store.close();
    await patient.stop();
    clearInterval(keepAlive);
  },
);

testOverNetwork(
  'a process that falls silent in a transaction keeps nobody else waiting for its locks',
  async (network, url) => {
    const silent = await openPostgresStore({ url: network.url, longestIdle: 200 });
    const other = await openPostgresStore({ url });
    const lock = (session: Session): MaybePromise<unknown> =>
      session.prepare('SELECT pg_advisory_xact_lock(77_000_123)').rows([]);
    const lost = silent.transaction(async (session) => {
      await lock(session);
      network.silence();
      await other.transaction(lock);
      // The process that wakes up again learns that its transaction is undone.
      network.speak();
      await lock(session);
    });
    await rejects(lost, { code: 'GRAPH_STORE_UNAVAILABLE' });
    await Promise.all([silent.close(), other.close()]);
  },
);
