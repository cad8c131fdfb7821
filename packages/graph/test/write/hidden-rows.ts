// Whether a caller's mutations, what they leave to be read and the events they cause depend on what the caller may not see. Two databases
// differ only in that; others change it meanwhile in one of them. A few pairs belong to the tests; run this file itself for more:
// node --conditions=source packages/graph/test/write/hidden-rows.ts 1000 SEED
// The third argument `soft` gives some types soft deletion.
import { ANONYMOUS, createPrincipal, type Principal } from '@lockstitch/kernel';
import type { Graph } from '../../src/execute/graph.ts';
import type { Store } from '../../src/store/store.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import { createSubscriptions, type SubscriptionEvent } from '../../src/subscribe/subscriptions.ts';
import { Random } from '../differential/random.ts';
import { runSeeds } from '../differential/run-seeds.ts';
import { deletedOf, EVERYTHING, Mutations, SELECTIONS } from './hidden-mutations.ts';
import { lower, randomHiddenSchema, type TypeName, TYPES } from './hidden-schema.ts';
import { changeHiddenRows, GOD, openRows, randomHiddenRows, visibilityOf } from './hidden-world.ts';

const CALLERS: readonly Principal[] = [
  ANONYMOUS,
  createPrincipal('ann', [], { level: 1 }),
  createPrincipal('ann', ['ROLE_CLERK'], { level: 2 }),
  createPrincipal('bob', [], { level: 0 }),
];

/** A difference between what two databases answered. */
export interface Difference {
  readonly seed: number;
  readonly caller: string;
  readonly what: string;
  readonly answers: readonly [string, string];
  readonly schema: string;
  readonly steps: readonly string[];
}

export interface Outcome {
  readonly difference: Difference | undefined;
  /** Mutations that were done, and refused, by code. */
  readonly codes: ReadonlyMap<string, number>;
}

type Events = AsyncIterableIterator<SubscriptionEvent>;

/** Runs one pair of databases. */
export async function compareMutations(
  seed: number,
  stores: readonly [Store, Store],
  { steps = 12, isSoft = false }: { readonly steps?: number; readonly isSoft?: boolean } = {},
): Promise<Outcome> {
  const random = new Random(seed);
  const choices = isSoft ? new Random(~seed) : undefined;
  const { text: schema, photosAreFree, soft } = randomHiddenSchema(random, choices);
  const rows = randomHiddenRows(random);
  const principal = random.pick(CALLERS);
  const codes = new Map<string, number>();
  let now = Date.parse('2026-01-01T00:00:00Z');
  const clock = { now: () => now };
  const one = await openRows(stores[0], schema, rows, clock);
  const visibility = await visibilityOf(one, principal);
  const other = await openRows(stores[1], schema, changeHiddenRows(rows, visibility, random), clock);
  const done: string[] = [];
  const ask = async (graph: Graph, query: string, as = principal): Promise<string> =>
    (await graph.execute({ query }, { principal: as })).body;
  const differ = (what: string, answers: readonly [string, string]): Outcome => ({
    difference: { seed, caller: JSON.stringify(principal), what, answers, schema, steps: done },
    codes,
  });
  const readAll = async (graph: Graph): Promise<string> => {
    const answers: string[] = [];
    for (const query of [...EVERYTHING, ...deletedOf(soft)]) answers.push(await ask(graph, query));
    return answers.join('\n');
  };
  const start = [await readAll(one), await readAll(other)] as const;
  if (start[0] !== start[1]) return differ('before any mutation', start);
  const graphs = [one, other] as const;
  const heads = await Promise.all(graphs.map(async (graph) => graph.feed.head()));
  const mutations = new Mutations(random, rows);
  const keysOf = async (graph: Graph, type: TypeName, as: Principal): Promise<readonly string[]> =>
    graph.readableKeys(type, as);
  for (let step = 0; step < steps; step++) {
    now += 1000;
    if (random.chance(0.35)) {
      const hidden = new Map<TypeName, readonly string[]>();
      for (const type of TYPES) {
        const seen = new Set(await keysOf(other, type, principal));
        hidden.set(
          type,
          (await keysOf(other, type, GOD)).filter((key) => !seen.has(key)),
        );
      }
      const field = mutations.behind((type) => hidden.get(type)!, photosAreFree);
      if (field !== undefined) {
        done.push(`behind: ${field}: ${(await ask(other, `mutation { ${field} }`, GOD)).slice(0, 200)}`);
      }
    }
    const visible = new Map<TypeName, readonly string[]>();
    for (const type of TYPES) visible.set(type, await keysOf(one, type, principal));
    mutations.visible = visible;
    const field =
      soft.size > 0 && choices?.chance(0.4) === true ? mutations.makeOfDeleted([...soft]) : mutations.make();
    const mutation = `mutation { ${field} }`;
    done.push(mutation);
    const answers = [await ask(one, mutation), await ask(other, mutation)] as const;
    const code = /"code":"(\w+)"/.exec(answers[0])?.[1] ?? 'done';
    codes.set(code, (codes.get(code) ?? 0) + 1);
    if (answers[0] !== answers[1]) return differ(mutation, answers);
    const after = [await readAll(one), await readAll(other)] as const;
    if (after[0] !== after[1]) return differ(`after ${mutation}`, after);
  }
  // Events up to one that everybody gets.
  for (const type of TYPES) {
    const streams = await Promise.all(
      graphs.map(async (graph, at): Promise<Events> => {
        const query = `subscription { ${lower(type)}Changed ${SELECTIONS[type]} }`;
        const subscribed = await createSubscriptions(graph)({ query }, { principal, after: heads[at]! });
        if (subscribed.kind === 'refused') throw new Error(subscribed.response.body);
        return subscribed.events;
      }),
    );
    for (const graph of graphs) {
      const album = type === 'Item' ? 'album: { create: { id: "last album" owner: "all" } }' : '';
      const body = await ask(
        graph,
        `mutation { create${type}(input: { id: "last" owner: "all" ${album} }) { id } }`,
        GOD,
      );
      if (body.includes('"errors"')) throw new Error(body);
    }
    const [first, second] = await Promise.all(streams.map(untilLast));
    if (first !== second) return differ(`events of ${type}`, [first!, second!]);
  }
  return { difference: undefined, codes };
}

async function untilLast(events: Events): Promise<string> {
  const bodies: string[] = [];
  for (;;) {
    const { value, done } = (await events.next()) as IteratorResult<SubscriptionEvent, undefined>;
    if (done === true) break;
    bodies.push(value.body);
    if (value.body.includes('"id":"last"')) break;
  }
  await events.return!();
  return bodies.join('\n');
}

if (import.meta.main)
  await runSeeds(async (seed) => {
    const stores = [await openSqliteStore({ file: ':memory:' }), await openSqliteStore({ file: ':memory:' })] as const;
    try {
      return await compareMutations(seed, stores, { isSoft: process.argv[4] === 'soft' });
    } finally {
      for (const store of stores) await store.close();
    }
  });
