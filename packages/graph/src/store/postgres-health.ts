// Detects a PostgreSQL server that no longer responds. A frozen machine or a network that drops packets breaks no
// connection: a statement would wait 15 minutes for TCP to give up. Not here: servers that refuse or close connections,
// and slow statements.
import type pg from 'pg';

/** Timing of the health check. */
interface HealthCheckTimes {
  /** Milliseconds a connection is checked out before the server is probed, and the interval of probes. */
  readonly probeAfter: number;
  /** Milliseconds the server has to respond on a separate connection. */
  readonly answer: number;
}

/** Together less than the default time limit of an operation. */
const TIMES: HealthCheckTimes = { probeAfter: 2000, answer: 5000 };
/** Milliseconds for reading a response that arrived while the event loop was busy. */
const GRACE = 100;

/** Monitors the connections of pools. */
export interface HealthCheck {
  /** Breaks the pool's busy connections if the server does not respond. */
  watch(pool: pg.Pool): void;
  /** Call when a checked-out connection passes to another user. */
  lend(client: pg.PoolClient): void;
  /** Call when the pools have ended: connections that the server has not closed no longer keep the process alive. */
  stop(): void;
}

/** Creates the health check. @param createClient creates an unconnected client */
export function createHealthCheck(createClient: () => pg.Client, { probeAfter, answer } = TIMES): HealthCheck {
  const open = new Set<pg.PoolClient>();
  /** Time of checkout. */
  const lent = new Map<pg.PoolClient, number>();
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  const lentBefore = (time: number): readonly pg.PoolClient[] =>
    [...lent].filter(([, since]) => since <= time).map(([client]) => client);

  const stopTimer = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  const beat = async (): Promise<void> => {
    if (lent.size === 0) return stopTimer();
    const asked = performance.now();
    if (isAsking || lentBefore(asked - probeAfter).length === 0) return;
    isAsking = true;
    const answers = await doesAnswer(createClient(), answer);
    isAsking = false;
    // Ending a busy connection rejects its statement immediately.
    if (!answers) for (const client of lentBefore(asked)) void endOf(client);
  };

  return {
    watch(pool) {
      pool.on('connect', (client) => open.add(client));
      pool.on('acquire', (client) => {
        lent.set(client, performance.now());
        timer ??= setInterval(() => void beat(), probeAfter).unref();
      });
      pool.on('release', (_, client) => lent.delete(client));
      pool.on('remove', (client) => {
        lent.delete(client);
        open.delete(client);
      });
    },
    lend(client) {
      lent.set(client, performance.now());
    },
    stop() {
      stopTimer();
      for (const client of open) (client as pg.PoolClient & { unref(): void }).unref();
    },
  };
}

/**
 * A login is enough, and a rejected one too: through a pooler, a statement would queue behind slow ones. Never rejects.
 */
async function doesAnswer(client: pg.Client, timeout: number): Promise<boolean> {
  client.on('error', () => undefined);
  const answer = client.connect().then(
    () => true,
    () => true,
  );
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => setTimeout(() => resolve(false), GRACE), timeout);
  });
  const answers = await Promise.race([answer, silence]);
  clearTimeout(timer);
  void endOf(client);
  return answers;
}

/** Ends a connection, immediately if it is busy. Settles when the server has closed it, which may never happen. */
export async function endOf(client: pg.Client | pg.PoolClient): Promise<void> {
  try {
    await client.end();
  } catch {
    // The connection was already broken.
  }
}
