// An application of notes whose indexes lie on a cluster, and what tests of such servers ask.
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { NOTES_SCHEMA, startApp, type TestApp } from '../../packages/server/test/start-app.ts';
import { writeNotesApp } from '../../packages/server/test/sync/kill-rounds.ts';
import { temporaryFolder } from '../../packages/server/test/temporary-folder.ts';
import { ClusterClient } from '../../packages/server/src/cluster/cluster-client.ts';
import { askIndexControl } from '../../packages/server/src/sync/index-control.ts';
import type { VerifyReport } from '../../packages/server/src/sync/verify-index.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { type Engine, install } from './engines.ts';

export const SCHEMA = NOTES_SCHEMA.replace(
  'type Query {',
  'type Query { searchNotes(query: String!, first: Int = 10, after: String): NoteSearchConnection! ',
);

/** A cluster, and requests to it beside the server. */
export interface Place {
  readonly cluster: Cluster;
  readonly kind: 'elasticsearch' | 'opensearch';
  readonly ask: (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => Promise<any>; // eslint-disable-line typescript/no-explicit-any -- answers of every shape
}

export async function startPlace(context: TestContext, engine: Engine): Promise<Place | undefined> {
  const installed = install(engine);
  if (typeof installed === 'string') {
    context.skip(installed);
    return undefined;
  }
  const cluster = await startCluster(engine, installed);
  const client = new ClusterClient({ nodes: [cluster.url] });
  context.after(() => {
    client.close();
    return cluster.close();
  });
  return {
    cluster,
    kind: engine.name.startsWith('opensearch') ? 'opensearch' : 'elasticsearch',
    ask: (method, path, body) => client.json({ method, path, ...(body && { body }), isRepeatable: true }),
  };
}

/** An application of notes on the cluster, whose commands reach it by its folder. */
export interface Notes {
  /** Of the names of its indexes. */
  readonly prefix: string;
  readonly folder: string;
  readonly data: string;
  start(lines?: string[]): Promise<TestApp>;
  verify(mend: boolean): Promise<readonly VerifyReport[]>;
  rebuild(): Promise<unknown>;
  /** The index that an alias names. */
  generation(name: string): Promise<string>;
}

let applications = 0;

/** @param servers how many there are of the application, or the schema of each */
export function notesOn(
  context: TestContext,
  { ask, cluster, kind }: Place,
  { search: more, ...config }: Readonly<Record<string, unknown>> & { readonly search?: object },
  servers: number | readonly string[] = 1,
): readonly Notes[] {
  const prefix = `notes${++applications}`;
  const schemas = typeof servers === 'number' ? Array.from({ length: servers }, () => SCHEMA) : servers;
  return schemas.map((schema) => {
    const folder = temporaryFolder(context);
    const data = join(folder, '.lockstitch');
    const own = { engine: kind, nodes: [cluster.url], prefix, replicas: 0, commitInterval: 50, refreshInterval: 50 };
    const search = { ...own, ...more };
    const all = { search, ...config, csrf: { enabled: false } };
    writeNotesApp(folder, all, schema);
    return {
      prefix,
      folder,
      data,
      start: (lines = []) =>
        startApp(context, {
          folder,
          data,
          config: all,
          schema,
          log: { write: (level, message) => void (level === 'debug' || lines.push(`${level} ${message}`)) },
        }),
      async verify(mend) {
        const found = await askIndexControl(data, { kind: 'verify', indexes: [], mend }, () => undefined);
        return found!.reports;
      },
      rebuild: () => askIndexControl(data, { kind: 'rebuild', indexes: [] }, () => undefined),
      async generation(name) {
        const alias = new RegExp(`^${prefix}-${name}-[\\da-f]{16}$`);
        const found: Readonly<Record<string, { readonly aliases: object }>> = await ask(
          'GET',
          `/${prefix}-${name}-*/_alias`,
        );
        return Object.entries(found).find(([, { aliases }]) => Object.keys(aliases).some((one) => alias.test(one)))![0];
      },
    };
  });
}

/** Waits until everything that was written is searchable. */
export async function caughtUp({ app }: TestApp, isIt = (): boolean => true): Promise<void> {
  for (;;) {
    const { lag, trouble, indexes } = await app.status();
    const isThere = indexes.every(({ state }) => state === 'current');
    if (lag === 0 && trouble === undefined && isThere && isIt()) return;
    await pause(50);
  }
}

export const differences = (reports: readonly VerifyReport[]): readonly (readonly [number, number, number])[] =>
  reports.map(({ changed, missing, surplus }) => [changed, missing, surplus]);
export const NONE = [
  [0, 0, 0],
  [0, 0, 0],
];

export const author = (app: TestApp): Promise<unknown> =>
  app.graph('mutation { createAuthor(input: {login: "ada"}) { login } }');
export const note = async (app: TestApp, title: string): Promise<string> =>
  (await app.graph(`mutation { createNote(input: {title: "${title}", author: "ada"}) { id } }`)).createNote.id;
