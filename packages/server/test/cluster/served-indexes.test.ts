// Which generation of an index on a cluster a server searches while servers with two schemas run side by side.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';

import { ClusterClient } from '../../src/cluster/cluster-client.ts';
import { Generations } from '../../src/cluster/generations.ts';
import { ServedIndexes } from '../../src/cluster/served-indexes.ts';
import type { SchemaIndex } from '../../src/sync/schema-index.ts';
import { type Said, startNode } from './fake-cluster.ts';

const wantedWith = (...paths: readonly string[]): SchemaIndex => ({
  name: 'notes',
  type: 'Note',
  documentType: 'note',
  mappings: { properties: Object.fromEntries(paths.map((path) => [path, { type: 'text' }])) },
  fingerprint: paths.join(),
  paths,
  dependencies: [],
  rules: 'same',
});

/** An index on the cluster: `position` is missing until it is built. */
interface Made {
  readonly definition: Readonly<Record<string, unknown>>;
  readonly position?: number;
}

test('each server searches the index of its schema while it is there, says that it stands still, and never one that is being built', async (context) => {
  const made = new Map<string, Made>();
  let named = '';
  const aliasesOf = (name: string): object => ({ aliases: name === named ? { 'app-notes': {} } : {} });
  const node = await startNode(context, ({ body, target }): Said => {
    if (target === 'GET /_alias/app-*') return { status: 200, body: { [named]: aliasesOf(named) } };
    if (target === 'GET /app-notes-g*/_alias') {
      return { status: 200, body: Object.fromEntries([...made.keys()].map((name) => [name, aliasesOf(name)])) };
    }
    if (target === 'POST /app.control/_mget') {
      const { ids } = JSON.parse(body) as { readonly ids: readonly string[] };
      const docs = ids.map((_id) => {
        const position = made.get(_id)?.position;
        return position === undefined
          ? { _id, found: false }
          : { _id, _source: { position, epoch: 1, database: 'd', uuid: _id } };
      });
      return { status: 200, body: { docs } };
    }
    const name = target.replace('GET /', '');
    const { definition } = made.get(name) ?? {};
    if (definition === undefined) return { status: 404 };
    return { status: 200, body: { [name]: { ...definition, settings: { index: { uuid: name } } } } };
  });
  const client = new ClusterClient({ nodes: [node.url] });
  context.after(() => client.close());
  const serverWith = (...paths: readonly string[]): { look(): Promise<unknown>; definition: Made['definition'] } => {
    const wanted = wantedWith(...paths);
    const served = new ServedIndexes({
      generations: new Generations(client, 'app'),
      feed: { head: () => Promise.resolve(100) },
      wanted: [wanted],
      layout: { scores: 'exact', shards: 1, replicas: 0 },
      longestBehind,
    });
    return {
      definition: served.definition(wanted),
      async look() {
        await served.look();
        const found = served.get('notes');
        return found && [found.generation, found.position, found.isCurrent];
      },
    };
  };
  let longestBehind = 60_000;
  const older = serverWith('title', 'text');
  const newer = serverWith('title');
  const wider = serverWith('title', 'text', 'note');
  const [first, second, third] = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].map((at) => `app-notes-g${at}-00000000`) as [
    string,
    string,
    string,
  ];

  made.set(first, { definition: older.definition, position: 5 });
  named = first;
  deepEqual(await older.look(), [first, 5, true]);
  deepEqual(await newer.look(), undefined, 'it has a field that the schema hides');
  deepEqual(await wider.look(), [first, 5, false]);

  made.set(second, { definition: newer.definition });
  deepEqual(await newer.look(), undefined, 'it is being built');
  made.set(second, { definition: newer.definition, position: 7 });
  named = second;
  deepEqual(await newer.look(), [second, 7, true]);
  deepEqual(await older.look(), [first, 5, false], 'not the one that lacks a field');
  deepEqual(await serverWith('title', 'text').look(), [first, 5, false], 'a server that starts again');
  deepEqual(await wider.look(), [first, 5, false]);

  made.set(third, { definition: older.definition, position: 9 });
  named = third;
  deepEqual(await older.look(), [third, 9, true]);
  deepEqual(await newer.look(), [second, 7, false], 'after going back to the former schema');
  named = second;
  longestBehind = -1;
  const impatient = serverWith('title', 'text');
  made.set(third, { definition: older.definition, position: 100 });
  deepEqual(await impatient.look(), [third, 100, false], 'it lacks nothing');
  made.set(third, { definition: older.definition, position: 9 });
  deepEqual(await impatient.look(), [second, 7, false], 'it is too far behind: the one that is written');
  made.delete(first);
  deepEqual(await older.look(), [third, 9, false]);
  made.delete(third);
  deepEqual(await older.look(), [second, 7, false], 'the index of its schema was dropped');
});
