// Under which names statements are prepared on PostgreSQL, and which connections hold too many. Not here: preparing them.
import type pg from 'pg';

/** Statements prepared by name before connections are renewed: one server-side plan each, on every connection. */
const STATEMENT_LIMIT = 1000;

/** The names of a store's statements. */
export interface Names {
  of(sql: string, client: pg.PoolClient): string;
  /** The connection holds statements of a time gone by, and should be closed. */
  isStale(client: pg.PoolClient): boolean;
  /** Has every statement prepared anew. */
  renew(): void;
}

/**
 * Creates them. The server keeps a plan for each name on each connection, and nobody but us forgets them: when the names run out,
 * a new generation begins and each connection of an older one is closed when it is next given back.
 */
export function createNames(): Names {
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
