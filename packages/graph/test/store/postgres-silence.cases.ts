// A network between a store and a real PostgreSQL that drops packets: no connection breaks, and nothing responds.
import { equal, rejects } from 'node:assert/strict';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import pg from 'pg';
import { createCommitListener } from '../../src/store/postgres-notifications.ts';
import { createHealthCheck, type HealthCheck } from '../../src/store/postgres-health.ts';
import { until } from '../../../kernel/test/until.ts';
import { withLongerTimes } from '../../../kernel/test/with-longer-times.ts';
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

function openPool({ url }: Network): pg.Pool {
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  return pool.on('connect', (client) => client.on('error', () => undefined));
}

/** @param answer milliseconds that the server has to respond to a probe */
function healthOver({ url }: Network, answer: number): HealthCheck {
  return createHealthCheck(() => new pg.Client({ connectionString: url }), { probeAfter: 30, answer });
}

testOverNetwork('a server that is only slow is waited for', async (network, url) => {
  const pool = openPool(network);
  const health = healthOver(network, 60_000);
  health.watch(pool);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  const lock = 'SELECT pg_advisory_lock(77_000_122)';
  await holder.query(lock);
  const slow = pool.query(lock);
  // That of the pool, and one for each probe.
  await until(() => network.connections > 3);
  await holder.end();
  equal((await slow).rowCount, 1);
  await pool.end();
  health.stop();
});

testOverNetwork('a server that has fallen silent is not waited for', async (network) => {
  const pool = openPool(network);
  const opened = [await pool.connect(), await pool.connect()];
  for (const client of opened) client.release();
  const health = healthOver(network, 150);
  health.watch(pool);
  const ended = rejects(pool.query('SELECT pg_sleep(3600)'), /^Error: Connection terminated/);
  network.silence('all');
  await ended;
  await rejects(pool.query('SELECT 1'), /^Error: Connection terminated/);
  await pool.end();
  health.stop();
});

testOverNetwork(
  'a listening connection that was forgotten is opened again, and commits without a word are found',
  async (network, url) => {
    let wake = (): void => undefined;
    const keepAlive = setInterval(() => undefined, 1000);
    const hear = (): Promise<void> => new Promise((resolve) => (wake = resolve));
    // A server that is busy for some beats is taken for a silent one.
    await withLongerTimes(20, async (beat) => {
      const watch = createCommitListener(() => new pg.Client({ connectionString: network.url }), beat);
      const before = network.connections;
      try {
        watch.listen(() => wake());
        await hear();
        await hear();
        equal(network.connections, before + 1);
        network.silence();
        await hear();
        equal(network.connections, before + 2);
      } finally {
        await watch.stop();
      }
    });
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
