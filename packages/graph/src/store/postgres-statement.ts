// A PostgreSQL statement: prepared by name on each connection, and cancellable. Not here: the choice of connection
// (postgres-checkout.ts), and reading a single text (postgres-text.ts).
import type pg from 'pg';
import type { Canceller } from './postgres-canceller.ts';
import { type Connections, withConnection } from './postgres-checkout.ts';
import type { StatementNames } from './postgres-statement-names.ts';
import { askForText, failureOf } from './postgres-text.ts';
import type { Row, SqlValue, Statement, Stop } from './store.ts';
import { first } from '../present.ts';

/** State shared by the statements of a store. */
export interface StatementParts {
  readonly names: StatementNames;
  readonly canceller: Canceller;
}

/** Creates a statement. */
export function createStatement(
  sql: string,
  connections: Connections,
  { names, canceller }: StatementParts,
): Statement {
  const attempt = (values: readonly SqlValue[], stop: Stop | undefined): Promise<pg.QueryArrayResult> =>
    withConnection(connections, (client) => {
      const config = { name: names.of(sql, client), text: sql, values: values as unknown[], rowMode: 'array' as const };
      return stop === undefined ? client.query(config) : queryUntil(stop, canceller, client, config);
    });
  const run = async (values: readonly SqlValue[], stop: Stop | undefined): Promise<pg.QueryArrayResult> => {
    try {
      return await attempt(values, stop);
    } catch (error) {
      if (!connections.mayRetry(error)) throw error;
      return attempt(values, stop);
    }
  };
  return {
    text: (values, limit, stop) => askForText({ sql, values, limit, stop, connections, names, canceller }),
    rows: async (values, stop) => (await run(values, stop)).rows as readonly Row[],
    run: async (values, stop) => (await run(values, stop)).rowCount ?? 0,
    insert: async (values, stop) => first((await run(values, stop)).rows)[0] as number | bigint,
  };
}

/** Runs a query that is cancelled at the deadline. The connection is not reused until the cancellation is done. */
async function queryUntil(
  stop: Stop,
  canceller: Canceller,
  client: pg.PoolClient,
  config: pg.QueryArrayConfig,
): Promise<pg.QueryArrayResult> {
  if (stop.reason !== undefined) throw stop.reason;
  let cancelling: Promise<void> | undefined;
  const cancel = (): void => {
    cancelling = canceller.cancel(client);
  };
  stop.onStop(cancel);
  try {
    return await client.query(config);
  } catch (error) {
    throw failureOf(error, stop);
  } finally {
    stop.forget(cancel);
    await cancelling;
  }
}
