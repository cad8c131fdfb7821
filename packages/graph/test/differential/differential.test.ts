// Random operations, over one schema that has everything and over random ones, answered by the engine and by graphql-js over
// plain data: the same bytes, errors at the same nulls.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import { openPostgresStore, openSqliteStore } from '../../src/index.ts';
import { freshSchema, postgresUrl } from '../stores.ts';
import { compareRandom, type Rules } from './compare.ts';
import { compareSchema } from './compare-schemas.ts';

for (const seed of [1, 2, 3, 4, 5]) {
  test(`a hundred random operations on SQLite answer byte for byte as graphql-js over plain data (seed ${seed})`, async () => {
    const store = await openSqliteStore({ file: ':memory:' });
    try {
      const { differences, whole } = await compareRandom({ store, seed, operations: 100, exact: true });
      assert.deepEqual(differences.slice(0, 1), []);
      assert.ok(whole > 50, 'most operations should succeed');
    } finally {
      await store.close();
    }
  });
}

test('random schemas on SQLite return the same bytes as graphql-js over plain data', async () => {
  let answered = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const store = await openSqliteStore({ file: ':memory:' });
    try {
      const { differences, whole } = await compareSchema({ store, seed, operations: 20, exact: true });
      assert.deepEqual(differences.slice(0, 1), []);
      answered += whole;
    } finally {
      await store.close();
    }
  }
  assert.ok(answered > 200, 'most operations should succeed');
});

const RULES: readonly Rules[] = [
  { Animal: 'tame or legs > 2', Keeper: "login != 'k1'" },
  { Animal: "colour != null and !hasRole('GUEST')", Cage: 'number > 3', Meadow: "code.startsWith('e')" },
  { Keeper: 'login == authentication.name or name == null', Badge: "code in {'c0', 'c2'}", Animal: "id != '2'" },
  { Animal: 'denyAll', Keeper: "salary >= 0 or hasRole('ADMIN')" },
  { Animal: "'a' in tags or weight == null", Keeper: "hasRole('ADMIN')" },
];
const CALLERS = [undefined, createPrincipal('k10', ['ROLE_ADMIN']), createPrincipal('k2', ['ROLE_GUEST'])];

RULES.forEach((rules, index) => {
  test(`under read rules the answer is that over the rows the caller may read: ${JSON.stringify(rules)}`, async () => {
    let withoutRule = 0;
    for (const [place, principal] of CALLERS.entries()) {
      const store = await openSqliteStore({ file: ':memory:' });
      try {
        const who = principal === undefined ? {} : { principal };
        const { differences, ruleFree } = await compareRandom({
          store,
          seed: 50 + index * 3 + place,
          operations: 40,
          exact: true,
          rules,
          ...who,
        });
        assert.deepEqual(differences.slice(0, 1), []);
        withoutRule += ruleFree;
      } finally {
        await store.close();
      }
    }
    assert.ok(withoutRule > 0, 'some operations should read nothing with a rule');
  });
});

test('under random read rules, responses equal those over the readable rows only', async () => {
  for (const [index, principal] of [...CALLERS.slice(1), createPrincipal('3'), createPrincipal('k1')].entries()) {
    for (let seed = 500 + index * 10; seed < 504 + index * 10; seed++) {
      const store = await openSqliteStore({ file: ':memory:' });
      try {
        const { differences } = await compareSchema({
          store,
          seed,
          operations: 15,
          exact: true,
          principal: principal!,
        });
        assert.deepEqual(differences.slice(0, 1), []);
      } finally {
        await store.close();
      }
    }
  }
});

test('random operations on PostgreSQL, with and without read rules, return the same JSON as graphql-js over plain data', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  const runs = [{}, { rules: RULES[0]! }, { rules: RULES[2]!, principal: CALLERS[1]! }];
  for (const [index, ruled] of runs.entries()) {
    const store = await openPostgresStore({ url, schema: freshSchema() });
    try {
      const { differences } = await compareRandom({ store, seed: 6 + index, operations: 80, exact: false, ...ruled });
      assert.deepEqual(differences.slice(0, 1), []);
    } finally {
      await store.close();
    }
  }
});

test('random schemas on PostgreSQL return the same JSON as graphql-js over plain data', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  for (const seed of [101, 102, 103, 104]) {
    const store = await openPostgresStore({ url, schema: freshSchema() });
    try {
      const ruled = seed % 2 === 0 ? { principal: createPrincipal('k1', ['ROLE_ADMIN']) } : {};
      const { differences } = await compareSchema({ store, seed, operations: 20, exact: false, ...ruled });
      assert.deepEqual(differences.slice(0, 1), []);
    } finally {
      await store.close();
    }
  }
});
