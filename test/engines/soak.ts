// `npm run soak -- engines [cases] [seed] [--part histories] [--only PATTERN] [--url URL] [--out FILE]`: random requests to Elasticsearch 7.10.2 and to
// this engine. Prints what differs, most frequent first, and fails when an answer differs that no row of docs/compatibility.md
// explains, or when those rows are needed by more than one request in fifty.
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { groupDifferences } from './group-differences.ts';
import { startCluster } from './cluster.ts';
import { compareHistories } from './compare-histories.ts';
import { compareEngines, MOST_KNOWN } from './differ.ts';
import { ENGINES, install } from './engines.ts';

/** Groups that are printed. */
const MOST = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** A regular expression: only requests that it matches are asked. */
    only: { type: 'string' },
    /** Of an engine that runs already (`npm run engine -- elasticsearch-7.10`). Its index "differ" is replaced. */
    url: { type: 'string' },
    /** `searches` of fixed documents, `histories` of writes and administration; both when absent. */
    part: { type: 'string' },
    /** Takes the differences, a JSON object a line. */
    out: { type: 'string' },
  },
});
const [cases = 2000, seed = Date.now() % 1_000_000] = positionals.map(Number);

async function start(): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (values.url !== undefined) return { url: values.url, close: () => Promise.resolve() };
  const engine = ENGINES[0]!;
  const installed = install(engine);
  if (typeof installed !== 'string') return startCluster(engine, installed);
  process.stdout.write(`skipped: ${installed}\n`);
  process.exit(0);
}

const cluster = await start();
const started = performance.now();
let printed = started;
const onProgress = (done: number, differences: number): void => {
  const now = performance.now();
  if (now - printed < 5000) return;
  printed = now;
  const left = ((now - started) / done) * (cases - done);
  process.stderr.write(`${done} of ${cases} asked, ${differences} differ, ${Math.round(left / 1000)} s left\n`);
};
const only = values.only === undefined ? undefined : new RegExp(values.only);
const compare = values.part === 'histories' ? compareHistories : compareEngines;
const { asked, differences, known } = await compare(cluster.url, { cases, seed, only, onProgress });
await cluster.close();
if (values.out !== undefined)
  writeFileSync(values.out, differences.map((difference) => `${JSON.stringify(difference)}\n`).join(''));
for (const [kind, [first, ...more]] of groupDifferences(differences).slice(0, MOST)) {
  process.stdout.write(`${more.length + 1} × ${kind}\n    seed ${first!.seed}: ${first!.request.slice(0, 400)}\n`);
}
const percent = (count: number): string => `${((count / asked) * 100).toFixed(1)} %`;
process.stdout.write(
  `${asked} asked from seed ${seed}: ${differences.length} differ (${percent(differences.length)}), ` +
    `${known} as docs/compatibility.md says (${percent(known)})\n`,
);
process.exit(differences.length > 0 || known > asked * MOST_KNOWN ? 1 : 0);
