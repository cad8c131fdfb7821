// The photo-share example is what it says: its schema can be served, its data is whole, its pictures can be drawn.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { readSchema } from '@lockstitch/graph';

import { drawPicture } from './pictures.ts';
import resolvers from './resolvers.ts';
import { createSeedData } from './seed.ts';

const data = createSeedData();
const logins = new Set(data.User.map((user) => user['githubLogin']));
const photoIds = new Set(data.Photo.map((photo) => photo['id']));

test('the schema can be served: each root field is bound, each relation found', () => {
  const file = 'schema.graphql';
  const model = readSchema([{ file, text: readFileSync(new URL(file, import.meta.url), 'utf8') }], { resolvers });
  assert.deepEqual([...model.entities.keys()].sort(), ['Collection', 'Comment', 'Like', 'Photo', 'User']);
  assert.equal(model.roots.get('Mutation.githubAuth')?.kind, 'resolver');
  assert.equal([...model.roots.values()].filter(({ kind }) => kind === 'resolver').length, 1);
});

test('there are a thousand users, twenty thousand photos and about three tags a photo', () => {
  assert.equal(logins.size, 1_000);
  assert.equal(photoIds.size, 20_000);
  const tags = data.Photo.reduce((sum, photo) => sum + (photo['taggedUsers'] as readonly string[]).length, 0);
  assert.ok(tags > 55_000 && tags < 65_000, `${tags} tags`);
});

test('the data is the same at every call', () => {
  assert.deepEqual(createSeedData(), data);
});

test('every reference in the data leads somewhere', () => {
  for (const photo of data.Photo) {
    assert.ok(logins.has(photo['postedBy']));
    const tagged = photo['taggedUsers'] as readonly string[];
    assert.ok(tagged.every((login) => logins.has(login)));
    assert.equal(new Set(tagged).size, tagged.length);
  }
  for (const activity of [...data.Comment, ...data.Like]) {
    assert.ok(logins.has(activity['by']) && photoIds.has(activity['photo']));
  }
});

test('collections hold photos and photographers that are there', () => {
  for (const { title, items } of data.Collection) {
    const members = items as readonly { readonly type: string; readonly key: string }[];
    assert.ok(members.length >= 6, title as string);
    for (const { type, key } of members) assert.ok(type === 'Photo' ? photoIds.has(key) : logins.has(key));
    assert.deepEqual(new Set(members.map(({ type }) => type)), new Set(['Photo', 'User']));
  }
});

test('photos are numbered in the order in which they were posted', () => {
  const times = data.Photo.map((photo) => photo['created'] as string);
  assert.deepEqual(times, [...times].sort());
});

test('each photo and each avatar has a picture', () => {
  const urls = [...data.Photo.map((photo) => photo['url']), ...data.User.map((user) => user['avatar'])];
  for (const url of urls.filter((url) => url !== null)) {
    const [, name] = /^\/pictures\/([a-z0-9-]+)\.svg$/.exec(url as string) ?? [];
    const picture = drawPicture(name ?? '');
    assert.ok(picture !== undefined, `${name} is not drawn`);
    assert.doesNotMatch(picture, /NaN|undefined|Infinity/);
  }
});

test('a name that means no picture is drawn as none', () => {
  for (const name of [
    '',
    'landscape-sea-dusk',
    'landscape-constructor-dusk-1',
    'landscape-sea-__proto__-1',
    'user-<b>',
  ]) {
    assert.equal(drawPicture(name), undefined, name);
  }
});
