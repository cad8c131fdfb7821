// A schema with data behind both doors, without HTTP: rows in an SQLite store, the indexes the schema asks for, and requests
// in the name of any principal.
import {
  createGraph,
  type Graph,
  type ImportRow,
  type Model,
  openSqliteStore,
  readSchema,
  type Store,
} from '@lockstitch/graph';
import { type Principal, silentLog } from '@lockstitch/kernel';

import type { ResolvedConfig } from '../../src/config/config.ts';
import { checkSearchPolicy } from '../../src/policy/check-search-policy.ts';
import { createFullText } from '../../src/sync/full-text.ts';
import type { OpenedSearch } from '../../src/sync/opened-search.ts';
import { openEmbeddedSearch } from '../../src/sync/open-embedded-search.ts';

/** Rows by type, in the order they are written. */
export type Data = readonly (readonly [type: string, rows: readonly ImportRow[]])[];

/** A relation set behind everybody's back before the indexes are built: two types may refer to each other. */
export interface Link {
  readonly type: string;
  readonly key: string;
  readonly field: string;
  readonly target: string;
}

/** A world that is open. */
export interface World {
  readonly model: Model;
  readonly graph: Graph;
  readonly search: OpenedSearch;
  /** A GraphQL request's response text. */
  query(text: string, principal: Principal): Promise<string>;
  /** A request to the search API: `POST /docs/_search`. */
  ask(
    target: string,
    principal: Principal,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly text: string }>;
  close(): Promise<void>;
}

const SEARCH: Partial<ResolvedConfig['search']> = {
  refreshInterval: 1,
  commitInterval: 60_000,
  syncWait: 1000,
  ownIndexes: true,
};

/** Reads a schema. @throws the problems it has */
export function readModel(sdl: string): Model {
  return readSchema([{ file: 'schema.graphql', text: sdl }], { check: checkSearchPolicy, federation: true });
}

/**
 * Opens a world.
 *
 * @param given a store to use, which stays open; a new one in memory by default
 * @param others SQL that makes and fills the tables which the schema does not manage
 */
export async function openWorld(
  model: Model,
  data: Data,
  later: readonly Link[] = [],
  given?: Store,
  others?: { readonly tables: string; readonly rows: string },
): Promise<World> {
  const store = given ?? (await openSqliteStore({ file: ':memory:' }));
  if (others !== undefined) await store.script(others.tables);
  const graph = await createGraph({ model, store, fullText: createFullText({ model, search: () => search }) });
  for (const [type, rows] of data) {
    if (rows.length === 0) continue;
    const result = await graph.importRows(type, [rows], {
      onReject: ({ reasons }) => {
        throw new Error(`${type}: ${reasons.join('; ')}`);
      },
    });
    if (!result.committed) throw new Error(`The rows of ${type} were not written.`);
  }
  if (others !== undefined) await store.script(others.rows);
  const place = (at: number): string => (store.dialect === 'sqlite' ? '?' : `$${at}`);
  for (const { field, key, target, type } of later) {
    const entity = model.entities.get(type)!;
    const relation = entity.fields.get(field);
    if (relation?.kind !== 'relation' || relation.storage.kind !== 'foreignKey') throw new Error(`No key at ${field}.`);
    const sql = `UPDATE "${entity.table}" SET "${relation.storage.column}" = ${place(1)} WHERE "${entity.key.column}" = ${place(2)}`;
    await store.prepare(sql).run([target, key]);
  }
  const search: OpenedSearch = await openEmbeddedSearch({
    graph,
    folder: ':memory:',
    config: { search: SEARCH } as unknown as ResolvedConfig,
    readerName: 'test',
    log: silentLog,
  });
  await search.sync.start(() => undefined);
  const encoder = new TextEncoder();
  return {
    model,
    graph,
    search,
    async query(text, principal) {
      return (await graph.execute({ query: text }, { principal })).body;
    },
    async ask(target, principal, body) {
      const [method = 'GET', path = '/'] = target.split(' ');
      const url = new URL(path, 'http://localhost');
      const text = Array.isArray(body)
        ? body.map((line) => `${JSON.stringify(line)}\n`).join('')
        : body === undefined
          ? undefined
          : JSON.stringify(body);
      const answer = await search.handle(
        {
          method,
          path: url.pathname,
          query: url.searchParams,
          headers: { 'content-type': 'application/json' },
          ...(text === undefined ? {} : { body: encoder.encode(text) }),
        },
        principal,
      );
      return { status: answer.status, text: answer.body };
    },
    async close() {
      await search.close();
      graph.feed.close();
      if (given === undefined) await store.close();
    },
  };
}
