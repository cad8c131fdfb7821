// Random histories of writes and administration are answered as Elasticsearch 7.10.2 answers them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCluster } from './cluster.ts';
import { compareHistories } from './compare-histories.ts';
import { MOST_KNOWN } from './differ.ts';
import { ENGINES, install } from './engines.ts';
import { groupDifferences } from './group-differences.ts';

const CASES = 600;
/** Share of answers that may differ without a row of docs/compatibility.md. It only ever falls, and is to be 0. */
const MOST_UNKNOWN = 0.1;

test(`of ${CASES} requests of random histories few are answered otherwise`, async (context) => {
  const engine = ENGINES[0]!;
  const installed = install(engine);
  if (typeof installed === 'string') return context.skip(installed);
  const cluster = await startCluster(engine, installed);
  context.after(() => cluster.close());
  const { asked, differences, known } = await compareHistories(cluster.url, { cases: CASES, seed: 1 });
  const groups = groupDifferences(differences).map(([kind, { length }]) => `${length} × ${kind}`);
  assert.ok(known <= asked * MOST_KNOWN, `${known} of ${asked} differ as docs/compatibility.md says`);
  assert.ok(differences.length <= asked * MOST_UNKNOWN, groups.join('\n'));
});
