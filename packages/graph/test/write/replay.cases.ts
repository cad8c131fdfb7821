import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isProductError } from '@lockstitch/kernel';
import type { Store } from '../../src/store/store.ts';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import { contents, replay } from '../replay.ts';
import { freshSchema, postgresUrl } from '../stores.ts';
import { openWriting } from '../writing.ts';

const user = fc.constantFrom('ann', 'bob', 'cy', 'dee');
const photo = fc.integer({ min: 1, max: 6 });
const users = fc.uniqueArray(user, { maxLength: 3 });
const quoted = (keys: readonly string[]): string => `[${keys.map((key) => `"${key}"`).join(', ')}]`;

const write = fc.oneof(
  user.map((key) => `saveUser(input: { githubLogin: "${key}", name: "n" })`),
  fc
    .tuple(user, users, fc.nat(9))
    .map(
      ([by, tags, n]) =>
        `postPhoto(input: { name: "p", url: "/${n}", postedBy: "${by}", taggedUsers: ${quoted(tags)} })`,
    ),
  fc
    .tuple(photo, user, fc.string({ unit: 'grapheme-ascii', maxLength: 3 }))
    .map(([id, by, name]) => `updatePhoto(id: ${id}, input: { name: ${JSON.stringify(name)}, postedBy: "${by}" })`),
  fc
    .tuple(photo, users, users)
    .map(
      ([id, set, drop]) =>
        `updatePhoto(id: ${id}, input: { taggedUsers: { set: ${quoted(set)}, disconnect: ${quoted(drop)} } })`,
    ),
  fc
    .tuple(photo, fc.nat(9))
    .map(([id, n]) => `updatePhoto(id: ${id}, input: { album: { create: { title: "t${n}" } } })`),
  fc.tuple(photo, user).map(([id, key]) => `tagPhoto(photoID: ${id}, githubLogin: "${key}")`),
  fc.tuple(photo, user).map(([id, key]) => `untagPhoto(photoID: ${id}, githubLogin: "${key}")`),
  photo.map((id) => `createComment(photo: ${id}, text: "c")`),
  photo.map((id) => `deletePhoto(id: ${id})`),
  fc.uniqueArray(photo, { maxLength: 3 }).map((ids) => `deletePhotos(ids: [${ids.join(', ')}])`),
  user.map((key) => `deleteUser(githubLogin: "${key}")`),
);

/** Writes concurrently, whatever is rejected; the feed must then agree with the tables. */
async function checkReplay(store: Store, waves: readonly (readonly string[])[]): Promise<void> {
  const writing = await openWriting(store);
  for (const key of ['ann', 'bob']) await writing.run(`addUser(githubLogin: "${key}")`);
  for (const wave of waves) {
    const results = await Promise.allSettled(wave.map((field) => writing.run(field)));
    for (const result of results) {
      if (result.status === 'rejected' && !isProductError(result.reason)) throw result.reason as Error;
    }
  }
  deepEqual(await replay(writing.feed), await contents(writing.model, store));
}

const waves = fc.array(fc.array(write, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 8 });

test('SQLite: replaying the feed of concurrent writes yields the tables', async () => {
  await fc.assert(
    fc.asyncProperty(waves, async (each) => {
      const store = await openSqliteStore({ file: ':memory:' });
      await checkReplay(store, each);
      await store.close();
    }),
    { numRuns: 60 },
  );
});

test('PostgreSQL: replaying the feed of concurrent writes yields the tables', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  await fc.assert(
    fc.asyncProperty(waves, async (each) => {
      const store = await openPostgresStore({ url, schema: freshSchema() });
      await checkReplay(store, each);
      await store.close();
    }),
    { numRuns: 15 },
  );
});
