// A hundred thousand random request targets (or as many as the first argument says) through each adapter, without
// credentials. One that reaches a protected handler, or is answered 5xx, is shown and fails the run. The second argument is
// the first seed.
import { fuzzPaths } from '../../packages/security/test/support/path-fuzz.ts';
import { MOUNTS } from '../../packages/security/test/support/mounts.ts';

const wanted = Number(process.argv[2] ?? 100_000);
const firstSeed = Number(process.argv[3] ?? 1000);
/** A server of its own for each, so that a fault can be sent again by its seed. */
const BATCH = 10_000;

for (const adapter of Object.keys(MOUNTS)) {
  const statuses: Record<string, number> = {};
  for (let done = 0, seed = firstSeed; done < wanted; done += BATCH, seed++) {
    const result = await fuzzPaths({ adapter, count: Math.min(BATCH, wanted - done), seed });
    for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
    const bad = [...result.leaks, ...result.faults];
    if (bad.length === 0) continue;
    process.stdout.write(`${adapter}, seed ${seed}: ${JSON.stringify(bad)}\n`);
    process.exit(1);
  }
  const shown = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  process.stdout.write(`${adapter}: ${wanted} targets, none reached a protected handler (${shown.join(', ')})\n`);
}
