// Ten thousand random operations (or as many as the first argument says) answered by the engine and by graphql-js over plain
// data, half of them over one schema that has everything, half over random schemas with and without read rules; the first that
// differs is shown and ends the run with exit code 1. The second argument is the first seed; the third names the database,
// sqlite (answers equal byte by byte) or postgres (equal as JSON).
import { createPrincipal } from '@lockstitch/kernel';
import { openPostgresStore, openSqliteStore, type Store } from '@lockstitch/graph';
import { compareRandom } from '../../packages/graph/test/differential/compare.ts';
import { compareSchema } from '../../packages/graph/test/differential/compare-schemas.ts';
import { startPostgres } from '../lib/postgres.ts';

const wanted = Number(process.argv[2] ?? 10_000);
const firstSeed = Number(process.argv[3] ?? 1000);
const postgres = process.argv[4] === 'postgres' ? await startPostgres() : undefined;
const exact = postgres === undefined;
const PER_DATABASE = 500;
const PER_SCHEMA = 25;
let done = 0;
let failed = 0;
let schemas = 0;
let stores = 0;

interface Run {
  readonly differences: readonly {
    readonly seed: number;
    readonly sdl?: string;
    readonly query: string;
    readonly variables: unknown;
    readonly ours: string;
    readonly theirs: string;
  }[];
  readonly failed: number;
}

async function run(operations: number, compare: (store: Store, operations: number) => Promise<Run>): Promise<void> {
  const store =
    postgres === undefined
      ? await openSqliteStore({ file: ':memory:' })
      : await openPostgresStore({ url: postgres.url, schema: `soak${++stores}` });
  const count = Math.min(operations, wanted - done);
  const { differences, failed: errors } = await compare(store, count);
  await store.close();
  done += count;
  failed += errors;
  const [difference] = differences;
  if (difference === undefined) return;
  const { seed, sdl = '', query, variables, ours, theirs } = difference;
  process.stdout.write(
    `seed ${seed}\n${sdl}\n${query}\n${JSON.stringify(variables)}\nengine:     ${ours}\ngraphql-js: ${theirs}\n`,
  );
  await postgres?.close();
  process.exit(1);
}

for (let seed = firstSeed; done < wanted; seed++) {
  await run(PER_DATABASE, (store, operations) => compareRandom({ store, seed, operations, exact }));
  for (let each = 0; each < PER_DATABASE / PER_SCHEMA && done < wanted; each++, schemas++) {
    await run(PER_SCHEMA, (store, operations) =>
      compareSchema({
        store,
        seed: seed * 1000 + each,
        operations,
        exact,
        ...(each % 2 === 0
          ? {}
          : { principal: createPrincipal(each % 4 === 1 ? 'k1' : '3', each % 8 < 4 ? [] : ['ROLE_ADMIN']) }),
      }),
    );
  }
}
await postgres?.close();
const how = exact ? 'byte for byte' : 'with the same JSON';
process.stdout.write(
  `${done} operations, over ${schemas + 1} schemas, answered ${how} as graphql-js does, ${failed} of them with errors.\n`,
);
