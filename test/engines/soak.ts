// `npm run soak -- engines [cases] [seed]`: random requests to Elasticsearch 7.10.2 and to this engine. Prints what differs, most
// frequent first, and fails when more than one request in fifty does.
import { performance } from 'node:perf_hooks';
import { groupDifferences } from './group-differences.ts';
import { startCluster } from './cluster.ts';
import { compareEngines } from './differ.ts';
import { ENGINES, install } from './engines.ts';

/** Share of the requests that may be answered otherwise. */
const BOUND = 0.02;
/** Groups that are printed. */
const MOST = 60;

const [cases = 2000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
const engine = ENGINES[0]!;
const installed = install(engine);
if (typeof installed === 'string') {
  process.stdout.write(`skipped: ${installed}\n`);
  process.exit(0);
}
const cluster = await startCluster(engine, installed);
const started = performance.now();
let printed = started;
const onProgress = (done: number, differences: number): void => {
  const now = performance.now();
  if (now - printed < 5000) return;
  printed = now;
  const left = ((now - started) / done) * (cases - done);
  process.stderr.write(`${done} of ${cases} asked, ${differences} differ, ${Math.round(left / 1000)} s left\n`);
};
const { asked, differences } = await compareEngines(cluster.url, { cases, seed, onProgress });
await cluster.close();
for (const [kind, [first, ...more]] of groupDifferences(differences).slice(0, MOST)) {
  process.stdout.write(`${more.length + 1} × ${kind}\n    seed ${first!.seed}: ${first!.request.slice(0, 400)}\n`);
}
const share = differences.length / asked;
process.stdout.write(
  `${asked} asked from seed ${seed}: ${differences.length} differ (${(share * 100).toFixed(1)} %)\n`,
);
process.exit(share > BOUND ? 1 : 0);
