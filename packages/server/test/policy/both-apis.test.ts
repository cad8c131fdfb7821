// Both doors decide alike: for any rule, data and caller, search shows exactly the rows that the graph shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPostgresStore, type Store } from '@lockstitch/graph';
import { ANONYMOUS, createPrincipal, type Principal } from '@lockstitch/kernel';
import fc from 'fast-check';

import { postgresUrl } from '../../../graph/test/stores.ts';
import { ATOMS, caller, mutation, type Rows, rows, rule, schemaWith } from './rules.ts';
import { openWorld, readModel, type World } from './world.ts';

const RUNS = Number(process.env['POLICY_RUNS'] ?? 60);

test('search shows exactly the rows that GraphQL shows, for every rule', async () => {
  await fc.assert(
    fc.asyncProperty(rule, rows, fc.array(caller, { minLength: 4, maxLength: 4 }), async (read, data, callers) => {
      const world = await openRules(read, data);
      try {
        for (const principal of callers) await compareDoors(world, principal, read);
      } finally {
        await world.close();
      }
    }),
    { numRuns: RUNS },
  );
});

test('a rule that has no exact form in an index is refused at start', () => {
  for (const read of [
    'level + principal.bonus > 3',
    'principal.friends.contains(owner)',
    'authentication.name.contains(title)',
    'authentication.name.startsWith(owner)',
    'principal.friends == tags',
    'members.any(m, m.age > principal.level)',
    'members.any(m, m.login.startsWith(authentication.name))',
    'members.all(m, m.login in principal.friends)',
    'members.any(m, m.docs.any(d, d.owner == authentication.name))',
  ])
    assert.throws(() => readModel(schemaWith(read)), /cannot be decided by a search index/, read);
});

test('a rule may have very many parts', async () => {
  const [data] = fc.sample(rows, { numRuns: 1, seed: 3 });
  const parts = Array.from({ length: 60 }, (_, at) => `owner == principal.n${at}`);
  for (const read of [`${parts.join(' or ')} or level == principal.level`, `not (${parts.join(' and ')})`]) {
    const world = await openRules(read, data!);
    await compareDoors(world, createPrincipal('ann', [], { level: 1, n3: 'ann' }), read);
    await world.close();
  }
});

test('after a change of rows that rules read, both APIs decide alike again', async () => {
  const steps = fc.array(mutation, { minLength: 3, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      rule,
      rows,
      fc.array(caller, { minLength: 3, maxLength: 3 }),
      steps,
      async (read, data, callers, changes) => {
        const world = await openRules(read, data);
        try {
          for (const change of changes) {
            await world.query(`mutation { ${change} }`, ANONYMOUS);
            assert.ok(await world.search.sync.waitFor(await world.graph.feed.head(), 5000));
            for (const principal of callers) await compareDoors(world, principal, `${read} after ${change}`);
          }
        } finally {
          await world.close();
        }
      },
    ),
    { numRuns: RUNS / 3 },
  );
});

test('on PostgreSQL, too, every kind of rule and its contrary show the same at both doors', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  const store = await openPostgresStore({ url, schema: 'doors' });
  try {
    const [data] = fc.sample(rows, { numRuns: 40, seed: 11 }).sort((a, b) => b.docs.length - a.docs.length);
    const callers = fc.sample(caller, { numRuns: 6, seed: 5 });
    let filled = false;
    for (const read of ATOMS.flatMap((atom) => [atom, `!(${atom})`])) {
      const world = filled
        ? await openWorld(readModel(schemaWith(read)), [], [], store)
        : await openRules(read, data!, store);
      filled = true;
      try {
        for (const principal of callers) await compareDoors(world, principal, read);
      } finally {
        await world.close();
      }
    }
  } finally {
    await store.close();
  }
});

function openRules(read: string, data: Rows, store?: Store): Promise<World> {
  return openWorld(
    readModel(schemaWith(read)),
    [
      ['Team', data.teams],
      ['Person', data.people],
      ['Doc', data.docs],
    ],
    data.leads,
    store,
  );
}

async function compareDoors(world: World, principal: Principal, what: string): Promise<void> {
  const answer = JSON.parse(await world.query('{ docs { id } }', principal)) as {
    readonly data: { readonly docs: readonly { readonly id: string }[] };
    readonly errors?: unknown;
  };
  assert.equal(answer.errors, undefined, what);
  const shown = answer.data.docs.map(({ id }) => id).sort();
  const found = await world.ask('POST /docs/_search?filter_path=hits.hits._id', principal, { size: 100 });
  const { hits } = JSON.parse(found.text) as { readonly hits?: { readonly hits: readonly { readonly _id: string }[] } };
  const ids = (hits?.hits ?? []).map(({ _id }) => _id).sort();
  assert.deepEqual(ids, shown, `${what} for ${principal.name} ${JSON.stringify(principal.attributes)}`);
}
