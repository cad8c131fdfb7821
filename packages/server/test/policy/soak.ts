// `npm run soak -- policy [CASES]`: noninterference over very many random schemas, rules, data, callers and requests.
import { checkNoninterference } from '../../src/policy/check-noninterference.ts';
import { createRandom } from '../../src/policy/random.ts';
import { randomCallers, randomRows, randomSchema } from './random-world.ts';
import { openWorld, readModel } from './world.ts';

const cases = Number(process.argv[2] ?? 200_000);
const first = Number(process.argv[3] ?? Date.now() % 1_000_000_000);
const started = Date.now();
let done = 0;
let changed = 0;
let said = 0;
for (let seed = first; done < cases; seed++) {
  const random = createRandom(seed);
  const sdl = randomSchema(random);
  const model = readModel(sdl);
  const world = await openWorld(model, randomRows(random));
  const { store } = world.graph;
  const result = await checkNoninterference({ model, store, principals: randomCallers(random), cases: 320, seed });
  await world.close();
  if (result.interference !== undefined) {
    const { answers, asked, principal } = result.interference;
    process.stdout.write(
      `seed ${seed}, as ${principal.name}: ${JSON.stringify(asked)}\n${answers.join('\n')}\n${sdl}\n`,
    );
    process.exit(1);
  }
  done += result.cases;
  changed += result.changed;
  if (Date.now() - said < 5000) continue;
  said = Date.now();
  const seconds = (said - started) / 1000;
  const left = Math.round((seconds / done) * (cases - done));
  process.stdout.write(`  ${done} of ${cases} requests, ${Math.round(done / seconds)}/s, ${left} s left\n`);
}
process.stdout.write(`  ${done} requests from seed ${first}, ${changed} hidden values changed: none told them apart\n`);
