// Which generation of an index on a cluster a server searches while servers with two schemas run side by side.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import { ClusterClient } from '../../src/cluster/cluster-client.ts';
import { Generations } from '../../src/cluster/generations.ts';
import { definitionName, generationBody } from '../../src/cluster/index-definition.ts';
import { ServedIndexes } from '../../src/cluster/served-indexes.ts';
import type { SchemaIndex } from '../../src/sync/schema-index.ts';
import { startCluster } from './fake-cluster.ts';

const wantedWith = (...paths: readonly string[]): SchemaIndex => ({
  name: 'notes',
  type: 'Note',
  documentType: 'note',
  mappings: { properties: Object.fromEntries(paths.map((path) => [path, { type: 'text' }])) },
  fingerprint: paths.join(),
  paths,
  sources: paths,
  dependencies: [],
  rules: 'same',
});
const LAYOUT = { scores: 'exact', shards: 1, replicas: 0 } as const;

test('a server searches the index of its schema, until then one that is followed and shows nothing more, and none that stands still', async (context) => {
  const { cluster, url } = await startCluster(context);
  const client = new ClusterClient({ nodes: [url] });
  context.after(() => client.close());
  const generations = new Generations(client, 'app');
  await generations.control.prepare(0);
  const followed = new Set<string>();
  let takeover = 0;
  const serverWith = (...paths: readonly string[]) => {
    const index = wantedWith(...paths);
    const served = new ServedIndexes({
      isTaken: () => false,
      generations,
      feed: { head: () => Promise.resolve(100) },
      wanted: [index],
      layout: LAYOUT,
      followed: () => Promise.resolve(followed),
      takeover,
    });
    served.database = 'd';
    return {
      definition: definitionName(index, LAYOUT),
      async build(position: number): Promise<string> {
        const definition = definitionName(index, LAYOUT);
        const generation = await generations.create(definition, generations.newName(), generationBody(index, LAYOUT));
        const { uuid = '' } = (await generations.describe(generation)) ?? {};
        await generations.control.setPosition(generation, { position, epoch: 1, database: 'd', uuid });
        await generations.lead(generation, 1);
        await generations.publish(definition, generation, 1);
        return generation;
      },
      async look(): Promise<unknown> {
        await served.look(true);
        const found = served.get('notes');
        return found && [found.generation, found.position, found.isCurrent];
      },
      former: () => served.formerOf('notes')?.generation,
    };
  };
  const older = serverWith('title', 'text');
  const newer = serverWith('title');
  const wider = serverWith('title', 'text', 'note');
  takeover = 60_000;
  const patient = serverWith('title', 'text', 'note');

  const first = await older.build(5);
  followed.add(older.definition);
  deepEqual(await older.look(), [first, 5, true]);
  equal(await newer.look(), undefined, 'it has a field that the schema hides');
  for (const each of [wider, patient]) deepEqual([await each.look(), each.former()], [[first, 5, false], undefined]);
  followed.clear();
  deepEqual(await older.look(), [first, 5, true], 'its leader was killed, and this server will follow it');
  equal(await wider.look(), undefined, 'nobody follows the feed with it');
  deepEqual([wider.former(), newer.former()], [first, undefined]);
  deepEqual([await patient.look(), patient.former()], [[first, 5, false], first], 'another server takes it over soon');

  const second = await newer.build(7);
  followed.add(older.definition).add(newer.definition);
  deepEqual(await newer.look(), [second, 7, true]);
  deepEqual(await older.look(), [first, 5, true], 'each has its own');
  deepEqual(await wider.look(), [second, 7, false], 'the one that is further');
  deepEqual(await serverWith('title', 'text').look(), [first, 5, true], 'an equal schema has the same one');

  const info = cluster.indexes.get(first)!;
  info.history = 'of a snapshot';
  deepEqual(await older.look(), [second, 7, false], 'somebody restored its own');
  info.history = undefined;
  followed.clear();
  // Moved by hand.
  cluster.indexes.get(first)!.aliases.delete(`app-${older.definition}`);
  cluster.indexes.get(second)!.aliases.add(`app-${older.definition}`);
  equal(await older.look(), undefined, 'it has another definition');
});

test('a look asks once who follows the feed, however many indexes lack a generation of their own', async (context) => {
  const { url } = await startCluster(context);
  const client = new ClusterClient({ nodes: [url] });
  context.after(() => client.close());
  let asked = 0;
  const lookFor = async (...wanted: readonly SchemaIndex[]): Promise<number> => {
    asked = 0;
    const served = new ServedIndexes({
      isTaken: () => false,
      generations: new Generations(client, 'app'),
      feed: { head: () => Promise.resolve(1) },
      wanted,
      layout: LAYOUT,
      followed: () => Promise.resolve(new Set([`call ${++asked}`])),
    });
    await served.look();
    return asked;
  };
  const notes = wantedWith('title');
  deepEqual([await lookFor(), await lookFor(notes, { ...notes, name: 'photos', type: 'Photo' })], [0, 1]);
});
