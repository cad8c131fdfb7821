// Ten thousand random operations (or as many as the first argument says) answered by the engine and by graphql-js over plain
// data; the first that differs is shown and ends the run with exit code 1. The second argument is the first seed.
import { openSqliteStore } from '@lockstitch/graph';
import { compareRandom } from '../../packages/graph/test/differential/compare.ts';

const wanted = Number(process.argv[2] ?? 10_000);
const firstSeed = Number(process.argv[3] ?? 1000);
const PER_DATABASE = 500;
let done = 0;
let failed = 0;
for (let seed = firstSeed; done < wanted; seed++) {
  const store = await openSqliteStore({ file: ':memory:' });
  const operations = Math.min(PER_DATABASE, wanted - done);
  const { differences, failed: errors } = await compareRandom({ store, seed, operations, exact: true });
  await store.close();
  done += operations;
  failed += errors;
  const [difference] = differences;
  if (difference !== undefined) {
    const { query, variables, ours, theirs } = difference;
    process.stdout.write(
      `seed ${difference.seed}\n${query}\n${JSON.stringify(variables)}\nengine:     ${ours}\ngraphql-js: ${theirs}\n`,
    );
    process.exit(1);
  }
}
process.stdout.write(`${done} operations answered byte for byte as graphql-js does, ${failed} of them with errors.\n`);
