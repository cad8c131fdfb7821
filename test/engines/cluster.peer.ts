// What a search on a cluster reveals depends on the visible documents alone: on each engine, worlds that differ in hidden documents,
// histories and shards answer alike, and as the embedded engine does over the visible documents. Requests that leak are found out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMapper } from '@lockstitch/search';
import { SCORE_MODES, type ScoreMode } from '../../packages/search/src/cluster/cluster-index.ts';
import { createRandom } from '../../packages/search/src/requests/index.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { LEAKS, leaksOf } from './cluster-leaks.ts';
import { MAPPINGS, openVisible, place, randomDocuments, type WorldHistory, writeWorld } from './cluster-worlds.ts';
import { compareFacets } from './compare-facets.ts';
import { compareWorlds } from './compare-worlds.ts';
import { CHOSEN, install } from './engines.ts';

const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);
const CASES = Number(process.env['CASES'] ?? 100);

/** Worlds of the same visible documents. */
const WORLDS: Readonly<Record<string, WorldHistory & { readonly hidden: number }>> = {
  plain: { shards: 1, deleted: 0, rewritten: false, merged: true, hidden: 400 },
  changed: { shards: 1, deleted: 80, rewritten: true, merged: false, hidden: 0 },
  sharded: { shards: 3, deleted: 20, rewritten: true, merged: false, hidden: 700 },
};

async function writeWorlds(url: string, mode: ScoreMode): Promise<readonly string[]> {
  for (const [at, [name, { hidden, ...history }]] of Object.entries(WORLDS).entries()) {
    const random = createRandom(SEED + 1 + at);
    const documents = randomDocuments(createRandom(SEED), 300, { random, count: hidden });
    await writeWorld(url, `${mode}-${name}`, documents, history, mode);
  }
  return Object.keys(WORLDS).map((name) => `${mode}-${name}`);
}

for (const engine of CHOSEN) {
  test(`${engine.name} shows of hidden documents nothing`, async (context) => {
    const installed = install(engine);
    if (typeof installed === 'string') return context.skip(installed);
    const cluster = await startCluster(engine, installed);
    context.after(() => cluster.close());
    for (const mode of SCORE_MODES)
      await context.test(`scores ${mode}, from seed ${SEED}`, () => checkWorlds(cluster, mode, engine.ownMembers));
    for (const [name, leak] of Object.entries(LEAKS))
      await context.test(`the comparison finds a leak: ${name}`, async () => {
        const names = Object.keys(WORLDS).map((world) => `exact-${world}`);
        assert.notEqual(await leaksOf(cluster.url, names, leak), 'nothing');
      });
  });
}

async function checkWorlds({ url }: Cluster, mode: ScoreMode, ownMembers: readonly string[]): Promise<void> {
  const names = await writeWorlds(url, mode);
  const documents = randomDocuments(createRandom(SEED), 300, { random: createRandom(0), count: 0 });
  const embedded = mode === 'exact' ? await openVisible(documents) : undefined;
  const mapping = createMapper({ mappings: MAPPINGS });
  const worlds = { url, names, place: place(mode, mapping), embedded, mapping };
  const { asked, differences, farthest, refused } = await compareWorlds(worlds, createRandom(SEED), CASES);
  if (embedded !== undefined) {
    const facets = await compareFacets(worlds, { engine: embedded, ownMembers }, createRandom(SEED), CASES);
    assert.deepEqual(facets.differences, []);
    assert.ok(facets.asked >= CASES / 2, `only ${facets.asked} aggregations were asked`);
    await embedded.close();
  }
  assert.deepEqual(differences, []);
  assert.ok(asked >= CASES / 2, `only ${asked} queries were asked`);
  process.stdout.write(
    `${mode}: ${asked} asked, ${refused} refused, scores differ by ${farthest.toExponential(1)} at most\n`,
  );
}
