// Whether PostgreSQL still answers at all. A machine that is frozen, or a network that swallows what is sent, breaks no
// connection: a statement would wait for a quarter of an hour, until the system gives up sending. Not here: servers that refuse
// or break connections, which tell by themselves, and statements that are merely slow.
import type pg from 'pg';

/** How long to wait for a server. */
interface PulseTimes {
  /** How long a connection is lent before the server is asked whether it is there, and how often; milliseconds. */
  readonly patience: number;
  /** How long it may take to answer over a connection of its own; milliseconds. */
  readonly answer: number;
}

/** Together less than an operation may take by default. */
const TIMES: PulseTimes = { patience: 2000, answer: 5000 };
/** An answer that has arrived while this process was busy is still to be read when the time is over. */
const GRACE = 100;

/** Looks after the connections of pools. */
export interface Pulse {
  /** Breaks the pool's connections that are at work when the server falls silent. */
  watch(pool: pg.Pool): void;
  /** To be called when a connection that is lent goes on to somebody else. */
  lend(client: pg.PoolClient): void;
  /** To be called when the pools have ended: what the other side has not closed by then no longer keeps the process. */
  stop(): void;
}

/** Creates it. @param createClient makes a connection of its own, not open yet */
export function createPulse(createClient: () => pg.Client, { patience, answer } = TIMES): Pulse {
  const open = new Set<pg.PoolClient>();
  /** Since when. */
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
    if (isAsking || lentBefore(asked - patience).length === 0) return;
    isAsking = true;
    const answers = await doesAnswer(createClient(), answer);
    isAsking = false;
    // One that waits for an answer is cut at once, and whoever waits is told.
    if (!answers) for (const client of lentBefore(asked)) void endOf(client);
  };

  return {
    watch(pool) {
      pool.on('connect', (client) => open.add(client));
      pool.on('acquire', (client) => {
        lent.set(client, performance.now());
        timer ??= setInterval(() => void beat(), patience).unref();
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
 * That it lets us in is enough, and any refusal counts too: a pooler would have a statement wait until one of the slow ones is
 * done. Never rejects.
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

/** Ends a connection: at once where it waits for an answer. Settles when the other side has closed it, which may never be. */
export async function endOf(client: pg.Client | pg.PoolClient): Promise<void> {
  try {
    await client.end();
  } catch {
    // It was broken before.
  }
}
