// Random requests of all parts are answered as Elasticsearch 7.10.2 answers them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCluster } from './cluster.ts';
import { compareParts, MOST_KNOWN, MOST_UNKNOWN, PARTS } from './compare-parts.ts';
import { ENGINES, install } from './engines.ts';
import { groupDifferences } from './group-differences.ts';

/** Of all parts together. */
const CASES = 2000;
/** Groups of differences that a failure names. */
const MOST = 20;

test('few random requests are answered otherwise than by Elasticsearch', async (context) => {
  const engine = ENGINES[0]!;
  const installed = install(engine);
  if (typeof installed === 'string') return context.skip(installed);
  const cluster = await startCluster(engine, installed);
  context.after(() => cluster.close());
  let explained = 0;
  for (const part of PARTS) {
    await context.test(part, async () => {
      const cases = CASES / PARTS.length;
      const { asked, differences, known } = await compareParts(cluster.url, [part], { cases, seed: 1 });
      const groups = groupDifferences(differences).map(([kind, { length }]) => `${length} × ${kind}`);
      explained += known;
      const most = asked * MOST_UNKNOWN[part];
      assert.ok(
        differences.length <= most,
        [`${differences.length} of ${asked} differ:`, ...groups.slice(0, MOST)].join('\n'),
      );
    });
  }
  assert.ok(explained <= CASES * MOST_KNOWN, `${explained} of ${CASES} differ as docs/compatibility.md says`);
});
