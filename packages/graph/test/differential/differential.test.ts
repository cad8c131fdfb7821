// Random operations answered by the engine and by graphql-js over plain data: the same bytes, errors at the same nulls.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgresStore, openSqliteStore } from '../../src/index.ts';
import { freshSchema, postgresUrl } from '../stores.ts';
import { compareRandom } from './compare.ts';

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

test('two hundred random operations on PostgreSQL answer the same JSON as graphql-js over plain data', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  const store = await openPostgresStore({ url, schema: freshSchema() });
  try {
    const { differences } = await compareRandom({ store, seed: 6, operations: 200, exact: false });
    assert.deepEqual(differences.slice(0, 1), []);
  } finally {
    await store.close();
  }
});
