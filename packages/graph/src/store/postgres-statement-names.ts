// Names prepared statements on PostgreSQL and finds connections that hold too many. Not here: preparing them.
import type pg from 'pg';

/** Prepared statements before connections are renewed; each has a server-side plan on every connection. */
const STATEMENT_LIMIT = 1000;

/** The statement names of a store. */
export interface StatementNames {
  of(sql: string, client: pg.PoolClient): string;
  /** The connection has statements of an old generation and should be closed. */
  isStale(client: pg.PoolClient): boolean;
  /** Makes every statement be prepared again. */
  renew(): void;
}

/**
 * Creates the names. The server keeps a plan per name and connection until the connection closes. When the names are
 * used up, a new generation starts, and connections of older ones are closed when they are returned.
 */
export function createStatementNames(): StatementNames {
  let generation = 1;
  let names = new Map<string, string>();
  const bornIn = new WeakMap<pg.PoolClient, number>();
  const renew = (): void => {
    generation++;
    names = new Map();
  };
  return {
    renew,
    of(sql, client) {
      if (!bornIn.has(client)) bornIn.set(client, generation);
      let name = names.get(sql);
      if (name === undefined) {
        if (names.size >= STATEMENT_LIMIT) renew();
        name = `s${generation}_${names.size}`;
        names.set(sql, name);
      }
      return name;
    },
    isStale: (client) => (bornIn.get(client) ?? generation) < generation,
  };
}
