// The photo-share example is what it says: its schema can be served, its data is whole, its pictures can be drawn.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';

import { createGraph, type Graph, openSqliteStore, readSchema } from '@lockstitch/graph';
import { ANONYMOUS } from '@lockstitch/kernel';
import { createGithub, type SeedTarget } from 'lockstitch';

import { drawPicture } from './pictures.ts';
import resolvers from './resolvers.ts';
import seed, { createSeedData } from './seed.ts';

const data = createSeedData();
const logins = new Set(data.User.map((user) => user['githubLogin']));
const photoIds = new Set(data.Photo.map((photo) => photo['id']));

const file = 'schema.graphql';
const model = readSchema([{ file, text: readFileSync(new URL(file, import.meta.url), 'utf8') }], { resolvers });
let graph: Graph;
let close: () => Promise<void>;

before(async () => {
  const store = await openSqliteStore({ file: ':memory:' });
  graph = await createGraph({ model, store, resolvers });
  close = async () => {
    graph.feed.close();
    await store.close();
  };
  await seed({ write });
});
after(() => close());

/** Inserts rows as the server does; every row must fit. */
async function write(...[type, rows]: Parameters<SeedTarget['write']>): Promise<void> {
  const { rejected } = await graph.importRows(type, [rows], { onReject: ({ reasons }) => assert.fail(reasons.join()) });
  assert.equal(rejected, 0);
}

async function ask(query: string, services: unknown = {}): Promise<{ data: unknown; errors?: unknown }> {
  const { body } = await graph.execute({ query }, { principal: ANONYMOUS, services });
  return JSON.parse(body) as { data: unknown };
}

test('the schema can be served: each root field is bound, each relation found', () => {
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

test('the seed fills the store, and the newest photos come first', async () => {
  const newest = data.Photo.slice(-2).reverse();
  assert.deepEqual(await ask('{ totalUsers totalPhotos allPhotos(first: 2) { id name postedBy { githubLogin } } }'), {
    data: {
      totalUsers: 1_000,
      totalPhotos: 20_000,
      allPhotos: newest.map(({ id, name, postedBy }) => ({ id, name, postedBy: { githubLogin: postedBy } })),
    },
  });
});

test('lists hold objects of different types: activities of an interface, collections of a union', async () => {
  const { data: answer } = await ask(`{
    activity(first: 50) { __typename at ... on Comment { text } }
    allCollections(first: 1) { items { __typename ... on Photo { url } ... on User { githubLogin } } }
  }`);
  const { activity, allCollections } = answer as Record<
    string,
    { __typename: string; at: string; items: { __typename: string }[] }[]
  >;
  assert.deepEqual(new Set(activity!.map(({ __typename: type }) => type)), new Set(['Comment', 'Like']));
  assert.deepEqual(
    activity!.map(({ at }) => at),
    activity!
      .map(({ at }) => at)
      .sort()
      .reverse(),
  );
  assert.deepEqual(new Set(allCollections![0]!.items.map(({ __typename: type }) => type)), new Set(['Photo', 'User']));
});

test('a photo is posted, tagged, changed and deleted', async () => {
  const posted = await ask(`mutation {
    postPhoto(input: { name: "Fog", postedBy: "zbarlow", taggedUsers: ["parky"] }) { id category url taggedUsers { githubLogin } }
  }`);
  const { postPhoto } = posted.data as { postPhoto: { id: string; category: string; url: string } };
  assert.equal(postPhoto.category, 'PORTRAIT');
  assert.ok(drawPicture(/([^/]+)\.svg$/.exec(postPhoto.url)?.[1] ?? '') !== undefined);
  const { id } = postPhoto;
  assert.deepEqual(
    await ask(`mutation {
      updatePhoto(id: ${id}, input: { description: "At last." }) { name description }
      tagPhoto(photoID: ${id}, githubLogin: "raul-nunez") { taggedUsers { githubLogin } }
      untagPhoto(photoID: ${id}, githubLogin: "parky") { taggedUsers { githubLogin } }
      deletePhoto(id: ${id}) { name }
    }`),
    {
      data: {
        updatePhoto: { name: 'Fog', description: 'At last.' },
        tagPhoto: { taggedUsers: [{ githubLogin: 'parky' }, { githubLogin: 'raul-nunez' }] },
        untagPhoto: { taggedUsers: [{ githubLogin: 'raul-nunez' }] },
        deletePhoto: { name: 'Fog' },
      },
    },
  );
  assert.deepEqual(await ask(`{ photoById(id: ${id}) { id } }`), { data: { photoById: null } });
});

test('githubAuth makes a user of whoever comes for the first time, and knows him the second time', async (t) => {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const token = { access_token: 'gho_1', token_type: 'bearer' };
    const user = { login: 'newcomer', name: 'Nora Newcomer', avatar_url: 'https://example.com/nora.png' };
    response.end(JSON.stringify(request.method === 'POST' ? token : user));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const github = createGithub({ clientId: 'app', clientSecret: 'secret', baseUrl, apiUrl: baseUrl });
  const mutation = 'mutation { githubAuth(code: "c") { token user { githubLogin name postedPhotos { id } } } }';
  const expected = {
    data: {
      githubAuth: { token: 'gho_1', user: { githubLogin: 'newcomer', name: 'Nora Newcomer', postedPhotos: [] } },
    },
  };
  assert.deepEqual(await ask(mutation, { github, write }), expected);
  assert.deepEqual(await ask(mutation, { github, write }), expected);
});

test('githubAuth without client credentials says what to set', async () => {
  const nothing = {
    clientId: undefined,
    clientSecret: undefined,
    baseUrl: 'http://127.0.0.1',
    apiUrl: 'http://127.0.0.1',
  };
  const { errors } = await ask('mutation { githubAuth(code: "c") { token } }', {
    github: createGithub(nothing),
    write,
  });
  assert.match(JSON.stringify(errors), /SERVER_GITHUB_NOT_CONFIGURED.*GITHUB_CLIENT_ID/);
});
