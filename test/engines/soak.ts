// `npm run soak -- engines [cases] [seed] [--part searches|histories|mappings|analysis|mistakes] [--only PATTERN] [--url URL] [--out FILE] [--reduce GROUPS]`: random requests to Elasticsearch 7.10.2 and to
// this engine. Prints what differs, most frequent first, and the rate of each sort of request; fails when more differ than may (compare-parts.ts).
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { groupDifferences } from './group-differences.ts';
import { startCluster } from './cluster.ts';
import { compareParts, MOST_KNOWN, MOST_UNKNOWN, PARTS } from './compare-parts.ts';
import { ENGINES, install } from './engines.ts';
import { reduceAll } from './replay.ts';

/** Groups that are printed. */
const MOST = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** A regular expression: only requests that it matches are asked. */
    only: { type: 'string' },
    /** Of an engine that runs already (`npm run engine -- elasticsearch-7.10`). Its index "differ" is replaced. */
    url: { type: 'string' },
    /** One part of `PARTS`; all in turn when absent. */
    part: { type: 'string' },
    /** Takes the differences, a JSON object a line. */
    out: { type: 'string' },
    /** Cuts the first difference of each of so many groups down to the least that still differs. */
    reduce: { type: 'string' },
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
const parts = PARTS.filter((part) => values.part === undefined || part === values.part);
if (parts.length === 0) throw new Error(`--part is one of ${PARTS.join(', ')}, not ${values.part}`);
const { asked, differences, known, families } = await compareParts(cluster.url, parts, {
  cases,
  seed,
  only,
  onProgress,
});
if (values.reduce !== undefined) {
  const firsts = groupDifferences(differences)
    .slice(0, Number(values.reduce) || MOST)
    .flatMap(([, [first]]) => first ?? []);
  await reduceAll(cluster.url, firsts, ({ seed: from }, steps) => {
    const printed = steps.map(
      ({ target, body = '' }) => `    ${target} ${body.trimEnd().replaceAll('\n', '\n      ')}\n`,
    );
    process.stdout.write(`reduced, seed ${from}:\n${printed.join('')}`);
  });
}
await cluster.close();
if (values.out !== undefined)
  writeFileSync(
    values.out,
    differences
      .map(({ seed: from, request, theirs, ours }) => `${JSON.stringify({ seed: from, request, theirs, ours })}\n`)
      .join(''),
  );
for (const [kind, [first, ...more]] of groupDifferences(differences).slice(0, MOST)) {
  process.stdout.write(`${more.length + 1} × ${kind}\n    seed ${first!.seed}: ${first!.request.slice(0, 400)}\n`);
}
const percent = (count: number, of: number): string => `${((count / of) * 100).toFixed(1)} %`;
process.stdout.write('\nasked  unknown    known  family\n');
for (const [name, family] of [...families].toSorted(([, a], [, b]) => b.unknown - a.unknown || b.asked - a.asked))
  process.stdout.write(
    `${String(family.asked).padStart(5)} ${percent(family.unknown, family.asked).padStart(8)} ${percent(family.known, family.asked).padStart(8)}  ${name}\n`,
  );
const bound = parts.reduce((sum, part) => sum + MOST_UNKNOWN[part], 0) / parts.length;
process.stdout.write(
  `${asked} asked from seed ${seed}: ${differences.length} differ (${percent(differences.length, asked)} of at most ${percent(bound, 1)}), ` +
    `${known} as docs/compatibility.md says (${percent(known, asked)} of at most ${percent(MOST_KNOWN, 1)})\n`,
);
process.exit(differences.length > asked * bound || known > asked * MOST_KNOWN ? 1 : 0);
