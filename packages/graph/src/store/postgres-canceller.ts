// Cancels running statements of other connections. Not here: when to cancel (execute/operation-deadline.ts).
import type pg from 'pg';

/** Cancels statements over its own connection, since those of the pool may all be busy. */
export interface Canceller {
  /** Never rejects; a statement that cannot be cancelled ends by itself. */
  cancel(client: pg.PoolClient): Promise<void>;
  stop(): Promise<void>;
}

/** Creates the canceller; its connection is opened on first use. @param createPool creates a pool of one connection */
export function createCanceller(createPool: () => pg.Pool): Canceller {
  let pool: pg.Pool | undefined;
  return {
    async cancel(client) {
      pool ??= createPool();
      const { processID } = client as { readonly processID?: number };
      // A statement that cannot be cancelled ends by its time limit.
      await pool.query('SELECT pg_cancel_backend($1)', [processID]).catch(() => undefined);
    },
    async stop() {
      await pool?.end();
    },
  };
}
