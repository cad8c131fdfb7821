// `npm run soak -- policy [CASES [SEED]]`: noninterference over very many random schemas, rules, data, callers and requests; over
// PostgreSQL and over HTTP: bench/promise/soak-policy.ts.
import type { Principal } from '@lockstitch/kernel';
import { createRandom } from '@lockstitch/search/requests';

import { checkNoninterference } from '../../src/noninterference/check-noninterference.ts';
import { printAsked } from '../../src/noninterference/random-requests.ts';
import type { OpenScratchApp } from '../../src/noninterference/scratch-app.ts';
import { randomCallers } from './random-world.ts';
import { openCopy, openRandomWorld } from './random-writes.ts';

/** What to ask. */
export interface PolicySoak {
  readonly cases: number;
  readonly first: number;
  /** Requests of one schema. */
  readonly perSchema?: number;
  /** As `NoninterferenceOptions.only`. */
  readonly only?: 'reads' | 'histories';
  /** Where a schema's copies are; in memory by default. */
  readonly worlds?: (sdl: string, callers: readonly Principal[]) => OpenScratchApp;
}

/** Asks, and says how far it is. @returns whether no request told anything */
export async function soakPolicy({ cases, first, only, perSchema = 320, worlds }: PolicySoak): Promise<boolean> {
  const started = Date.now();
  let done = 0;
  let changed = 0;
  let said = 0;
  for (let seed = first; done < cases; seed++) {
    const random = createRandom(seed);
    const { sdl, world } = await openRandomWorld(seed, random);
    const { model, store } = world.graph;
    const principals = randomCallers(random);
    const openWorld = worlds?.(sdl, principals) ?? openCopy;
    const result = await checkNoninterference({
      model,
      store,
      principals,
      cases: perSchema,
      seed,
      ...(only === undefined ? {} : { only }),
      openWorld,
    });
    await world.close();
    if (result.interference !== undefined) {
      const { answers, asked, principal, steps } = result.interference;
      process.stdout.write(
        `seed ${seed}, as ${principal.name}: ${[...steps, asked].map(printAsked).join('\n')}\n${answers.join('\n\n')}\n${sdl}\n`,
      );
      return false;
    }
    done += result.cases;
    changed += result.changed;
    if (Date.now() - said < 5000) continue;
    said = Date.now();
    const seconds = (said - started) / 1000;
    const left = Math.round((seconds / done) * (cases - done));
    process.stdout.write(`  ${done} of ${cases} requests, ${Math.round(done / seconds)}/s, ${left} s left\n`);
  }
  process.stdout.write(
    `  ${done} requests from seed ${first}, ${changed} hidden values changed: none told them apart\n`,
  );
  return true;
}

if (import.meta.main) {
  const cases = Number(process.argv[2] ?? 200_000);
  const first = Number(process.argv[3] ?? Date.now() % 1_000_000_000);
  if (!(await soakPolicy({ cases, first }))) process.exitCode = 1;
}
