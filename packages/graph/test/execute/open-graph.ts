// A graph over a fresh in-memory database for tests, and short ways to ask it.
import type { Principal } from '@lockstitch/kernel';
import {
  createGraph,
  openSqliteStore,
  readSchema,
  type Graph,
  type GraphOptions,
  type Resolvers,
} from '../../src/index.ts';

/** An answer, parsed. */
export interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly locations?: readonly unknown[];
    readonly extensions: Readonly<Record<string, unknown>>;
  }[];
}

/** A graph with the number of statements it has run. */
export interface TestGraph {
  readonly graph: Graph;
  /** SQL texts run since the last call of `taken`. */
  taken(): readonly string[];
  ask(
    query: string,
    options?: { readonly variables?: Readonly<Record<string, unknown>>; readonly principal?: Principal },
  ): Promise<Answer>;
  close(): Promise<void>;
}

/** Opens it; `rows` is an SQL script that fills the tables. */
export async function openGraph(
  sdl: string,
  rows = '',
  resolvers: Resolvers = {},
  options: Partial<GraphOptions> = {},
): Promise<TestGraph> {
  const model = readSchema([{ file: 'schema.graphql', text: sdl }], { resolvers });
  const store = await openSqliteStore({ file: ':memory:' });
  const run: string[] = [];
  const watched = {
    ...store,
    prepare(sql: string) {
      const statement = store.prepare(sql);
      return {
        ...statement,
        text: (...given: Parameters<typeof statement.text>) => {
          run.push(sql);
          return statement.text(...given);
        },
      };
    },
  };
  const graph = await createGraph({ model, store: watched, resolvers, ...options });
  if (rows !== '') await store.script(rows);
  return {
    graph,
    taken: () => run.splice(0),
    async ask(query, { variables, principal } = {}) {
      const context = principal === undefined ? {} : { principal };
      return JSON.parse((await graph.execute({ query, variables }, context)).body) as Answer;
    },
    close: () => store.close(),
  };
}
