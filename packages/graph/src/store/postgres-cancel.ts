// Stops what goes on on other connections. Not here: when work is to stop (execute/stop.ts).
import type pg from 'pg';

/** Stops statements over a connection of its own: those of the pool may all be at work. */
export interface Canceller {
  /** Never rejects: what cannot be cancelled ends by itself. */
  cancel(client: pg.PoolClient): Promise<void>;
  stop(): Promise<void>;
}

/** Creates it; the connection is opened when it is first needed. @param createPool makes a pool of one connection */
export function createCanceller(createPool: () => pg.Pool): Canceller {
  let pool: pg.Pool | undefined;
  return {
    async cancel(client) {
      pool ??= createPool();
      const { processID } = client as { readonly processID?: number };
      await pool.query('SELECT pg_cancel_backend($1)', [processID]).catch(() => undefined);
    },
    async stop() {
      await pool?.end();
    },
  };
}
