import { deepEqual, equal, match, notEqual, rejects } from 'node:assert/strict';
import type { ProductError } from '@lockstitch/kernel';
import { testOnStores } from '../stores.ts';
import { openWriting, type Writing } from '../writing.ts';

async function withPeople(writing: Writing): Promise<Writing> {
  await writing.run('addUser(githubLogin: "ann", name: "Ann")');
  await writing.run('addUser(githubLogin: "bob")');
  await writing.changes();
  return writing;
}

const photo = (name: string, more = ''): string =>
  `postPhoto(input: { name: "${name}", url: "/${name}", postedBy: "ann" ${more} })`;

function refused(code: string, pattern: RegExp): (thrown: unknown) => true {
  return (thrown) => {
    const error = thrown as ProductError;
    equal(error.code, code, error.stack ?? error.message);
    match(error.message, pattern);
    equal(/SELECT|INSERT|constraint|sqlite|postgres/i.test(error.message), false, error.message);
    return true;
  };
}

testOnStores(
  'a create fills defaults, and the feed tells of the object and of those it was tagged with',
  async (store) => {
    const writing = await withPeople(await openWriting(store));
    const key = await writing.run(
      photo('a', 'rating: 2.5, labels: ["x", "y"], created: "2020-02-03T04:05:06+01:00", taggedUsers: ["bob"]'),
    );
    equal(key, 1);
    const [created, tagged, ...rest] = await writing.changes();
    deepEqual(rest, []);
    const { changed, ...after } = created!.after!;
    match(String(changed), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    deepEqual(after, {
      id: '1',
      name: 'a',
      url: '/a',
      description: null,
      created: '2020-02-03T03:05:06.000Z',
      revision: 1,
      category: 'PORTRAIT',
      likes: 0,
      rating: 2.5,
      hidden: false,
      labels: ['x', 'y'],
      postedBy: 'ann',
      album: null,
    });
    deepEqual(created!.links, { taggedUsers: { added: ['bob'], removed: [] } });
    deepEqual(
      [tagged!.type, tagged!.key, tagged!.operation, tagged!.links],
      ['User', 'bob', 'updated', { inPhotos: { added: ['1'], removed: [] } }],
    );
  },
);

testOnStores(
  'an update writes what differs, counts the version, and one that changes nothing leaves no trace',
  async (store) => {
    const writing = await withPeople(await openWriting(store));
    await writing.run(photo('a'));
    await writing.changes();
    await writing.run('updatePhoto(id: 1, input: { name: "b", description: "d", postedBy: "bob" })');
    const [change] = await writing.changes();
    const { changed: _, ...before } = change!.before!;
    deepEqual(before, { name: 'a', description: null, revision: 1, postedBy: 'ann' });
    equal(change!.after!['revision'], 2);
    await writing.run('updatePhoto(id: 1, input: { name: "b", labels: null })');
    deepEqual(await writing.changes(), []);
    deepEqual(await writing.rows('SELECT name, revision, posted_by FROM photos'), [['b', 2, 'bob']]);
  },
);

testOnStores('an outdated version is a conflict and writes nothing', async (store) => {
  const writing = await withPeople(await openWriting(store));
  await writing.run(photo('a'));
  await writing.run('updatePhoto(id: 1, revision: 1, input: { name: "b" })');
  await rejects(
    writing.run('updatePhoto(id: 1, revision: 1, input: { name: "c" })'),
    refused('GRAPH_CONFLICT', /Photo "1" has revision 2, not 1/),
  );
  deepEqual(await writing.rows('SELECT name FROM photos'), [['b']]);
});

testOnStores('an input may repeat the key, but not change it', async (store) => {
  const schema = `type Team { id: ID! @id name: String }
    input TeamInput { id: ID name: String }
    type Query { team(id: ID!): Team }
    type Mutation { createTeam(input: TeamInput!): Team! updateTeam(id: ID!, input: TeamInput!): Team! }`;
  const writing = await openWriting(store, schema);
  await writing.run('createTeam(input: { id: "7", name: "a" })');
  await writing.run('updateTeam(id: 7, input: { id: "7", name: "b" })');
  await writing.run('updateTeam(id: "7", input: { id: null, name: "c" })');
  await rejects(
    writing.run('updateTeam(id: "7", input: { id: "8", name: "d" })'),
    refused('GRAPH_INPUT_INVALID', /"input\.id" is "8", and the key of Team "7" cannot be changed/),
  );
  deepEqual(await writing.rows('SELECT id, name FROM teams'), [['7', 'c']]);
});

testOnStores('keys and unique texts are limited to 2,600 bytes', async (store) => {
  const schema = `type Team { id: ID! @id code: String @unique }
    input TeamInput { id: ID! code: String }
    type Query { team(id: ID!): Team }
    type Mutation { createTeam(input: TeamInput!): Team! }`;
  const writing = await openWriting(store, schema);
  // Nothing that could be compressed.
  let seed = 1;
  const text = Array.from({ length: 2600 }, () =>
    String.fromCharCode(33 + ((seed = (seed * 48_271) % 2_147_483_647) % 90)),
  )
    .join('')
    .replaceAll(/["\\]/g, 'x');
  await writing.run(`createTeam(input: { id: "${text}", code: "${text}" })`);
  await rejects(
    writing.run(`createTeam(input: { id: "${text}y", code: "${text}y" })`),
    refused(
      'GRAPH_INPUT_INVALID',
      /"input\.id" is longer than the 2600 bytes that a key may have.*"input\.code" is longer than the 2600 bytes that a unique text may have/,
    ),
  );
});

testOnStores('all invalid values are reported together, and nothing is written', async (store) => {
  const writing = await withPeople(await openWriting(store));
  await rejects(
    writing.run(
      String.raw`postPhoto(input: { name: "a\u0000", url: "/a", category: null, postedBy: "ann", album: { create: { title: "t" }, connect: "x" } })`,
    ),
    refused(
      'GRAPH_INPUT_INVALID',
      /"input\.name" holds the character U\+0000.*"input\.category" must not be null.*"input\.album" takes one of create, connect/,
    ),
  );
  await rejects(
    writing.run(photo('a', 'taggedUsers: ["nobody", "bob", "neither"]')),
    refused(
      'GRAPH_NOT_FOUND',
      /no User has githubLogin "nobody" \("input\.taggedUsers\[0\]"\)\. no User has githubLogin "neither"/,
    ),
  );
  await rejects(writing.run('updatePhoto(id: "x1", input: {})'), refused('GRAPH_NOT_FOUND', /no Photo has id "x1"/));
  deepEqual(await writing.changes(), []);
  deepEqual(await writing.rows('SELECT count(*) FROM photos'), [[0]]);
});

testOnStores('a unique violation names its field, however it is written', async (store) => {
  const writing = await withPeople(await openWriting(store));
  await writing.run(photo('a'));
  await rejects(writing.run(photo('a')), refused('GRAPH_NOT_UNIQUE', /another Photo has the same url/));
  await rejects(
    writing.run('addUser(githubLogin: "ann")'),
    refused('GRAPH_NOT_UNIQUE', /another User has the same githubLogin/),
  );
});

testOnStores('nested objects are created, connected and disconnected', async (store) => {
  const writing = await withPeople(await openWriting(store));
  const album = await writing.run(
    'createAlbum(input: { title: "t", photos: [{ name: "a", url: "/a", postedBy: "ann" }, { name: "b", url: "/b", postedBy: "bob" }] })',
  );
  match(String(album), /^[0-9a-f-]{36}$/);
  deepEqual(await writing.rows('SELECT name, album FROM photos ORDER BY id'), [
    ['a', album],
    ['b', album],
  ]);
  deepEqual(
    (await writing.changes()).map((change) => [change.type, change.operation]),
    [
      ['Album', 'created'],
      ['Photo', 'created'],
      ['Photo', 'created'],
    ],
  );
  await writing.run('updatePhoto(id: 1, input: { album: { disconnect: true } })');
  await writing.run('updatePhoto(id: 2, input: { album: { create: { title: "new" } } })');
  deepEqual(
    await writing.rows('SELECT p.name, a.title FROM photos p LEFT JOIN albums a ON a.id = p.album ORDER BY p.id'),
    [
      ['a', null],
      ['b', 'new'],
    ],
  );
});

testOnStores('tag, untag, set, connect, disconnect and create insert and delete join rows', async (store) => {
  const writing = await withPeople(await openWriting(store));
  await writing.run(photo('a'));
  const tagged = async (): Promise<unknown> =>
    (await writing.rows('SELECT "user" FROM users_in_photos ORDER BY 1')).map((row) => row[0]);
  await writing.run('tagPhoto(githubLogin: "bob", photoID: 1)');
  await writing.run('tagPhoto(githubLogin: "bob", photoID: 1)');
  deepEqual(await tagged(), ['bob']);
  await writing.run('updatePhoto(id: 1, input: { taggedUsers: { set: ["ann"], create: [{ githubLogin: "cy" }] } })');
  deepEqual(await tagged(), ['ann', 'cy']);
  await writing.run('untagPhoto(githubLogin: "cy", photoID: 1)');
  await writing.changes();
  await writing.run('updatePhoto(id: 1, input: { taggedUsers: { connect: ["bob"], disconnect: ["ann"] } })');
  deepEqual(await tagged(), ['bob']);
  deepEqual(
    (await writing.changes()).map((change) => [change.type, change.key, change.links]),
    [
      ['Photo', '1', { taggedUsers: { added: ['bob'], removed: ['ann'] } }],
      ['User', 'bob', { inPhotos: { added: ['1'], removed: [] } }],
      ['User', 'ann', { inPhotos: { added: [], removed: ['1'] } }],
    ],
  );
  await rejects(writing.run('tagPhoto(githubLogin: "nobody", photoID: 1)'), refused('GRAPH_NOT_FOUND', /nobody/));
});

testOnStores(
  'a deletion cascades, sets null and deletes join rows, each with its change; RESTRICT rejects it',
  async (store) => {
    const writing = await withPeople(await openWriting(store));
    const album = String(await writing.run('createAlbum(input: { title: "t" })'));
    await writing.run(photo('a', `album: { connect: "${album}" }, taggedUsers: ["bob", "ann"]`));
    await writing.run(photo('b'));
    await writing.run('createComment(text: "hm", photo: 2)');
    await writing.changes();

    await rejects(
      writing.run('deleteUser(githubLogin: "ann")'),
      refused('GRAPH_RESTRICTED', /Photo "2" is still referred to by Comment objects in "photo"/),
    );
    deepEqual(await writing.changes(), []);

    equal(await writing.run(`deleteAlbum(id: "${album}")`), album);
    deepEqual(
      (await writing.changes()).map((change) => [change.type, change.operation, change.before!['album'] ?? null]),
      [
        ['Photo', 'updated', album],
        ['Album', 'deleted', null],
      ],
    );

    await store.transaction((session) => session.prepare('DELETE FROM comments').run([]));
    equal(await writing.run('deleteUser(githubLogin: "ann")'), true);
    deepEqual(
      (await writing.changes()).map((change) => [change.type, change.key, change.operation, change.links]),
      [
        ['User', 'bob', 'updated', { inPhotos: { added: [], removed: ['1'] } }],
        ['Photo', '2', 'deleted', undefined],
        ['Photo', '1', 'deleted', undefined],
        ['User', 'ann', 'deleted', undefined],
      ],
    );
    deepEqual(await writing.rows('SELECT count(*) FROM users_in_photos'), [[0]]);
    await rejects(
      writing.run('deleteUser(githubLogin: "ann")'),
      refused('GRAPH_NOT_FOUND', /no User has githubLogin "ann"/),
    );
  },
);

testOnStores('a list of inputs is written completely or not at all', async (store) => {
  const writing = await withPeople(await openWriting(store));
  const inputs = (...names: string[]): string =>
    names.map((name) => `{ name: "${name}", url: "/${name}", postedBy: "ann" }`).join(', ');
  deepEqual(await writing.run(`postPhotos(inputs: [${inputs('a', 'b', 'c')}])`), [1, 2, 3]);
  await rejects(writing.run(`postPhotos(inputs: [${inputs('d', 'a')}])`), refused('GRAPH_NOT_UNIQUE', /url/));
  deepEqual(await writing.run('updatePhotos(ids: [1, 2], input: { rating: 1.5 })'), [1, 2]);
  await rejects(writing.run('updatePhotos(ids: [1, 99], input: { rating: 2 })'), refused('GRAPH_NOT_FOUND', /99/));
  equal(await writing.run('deletePhotos(ids: [1, 3, 1])'), 2);
  deepEqual(await writing.rows('SELECT id, rating FROM photos'), [[2, 1.5]]);
});

testOnStores('an upsert creates once and updates afterwards', async (store) => {
  const writing = await openWriting(store);
  await writing.run('saveUser(input: { githubLogin: "ann", name: "A" })');
  await writing.run('saveUser(input: { githubLogin: "ann", name: "B" })');
  await writing.run('setName(githubLogin: "ann", name: "C")');
  deepEqual(await writing.rows('SELECT github_login, name FROM users'), [['ann', 'C']]);
  deepEqual(
    (await writing.changes()).map((change) => change.operation),
    ['created', 'updated', 'updated'],
  );
});

testOnStores('a deleted key is not generated again', async (store) => {
  const writing = await withPeople(await openWriting(store));
  await writing.run(photo('a'));
  await writing.run('deletePhoto(id: 1)');
  notEqual(await writing.run(photo('a')), 1);
});

testOnStores(
  'quotes, SQL and characters beyond the BMP come back as they were written; half a character is refused',
  async (store) => {
    const writing = await withPeople(await openWriting(store));
    const name = '"; DROP TABLE photos; -- 𝒳 é \u2028 \\ %_';
    await writing.run('setName(githubLogin: "ann", name: $name)', { header: '($name: String!)', variables: { name } });
    deepEqual(await writing.rows("SELECT name FROM users WHERE github_login = 'ann'"), [[name]]);
    await rejects(
      writing.run('setName(githubLogin: "ann", name: $name)', {
        header: '($name: String!)',
        variables: { name: 'a\ud800' },
      }),
      refused('GRAPH_INPUT_INVALID', /half of a surrogate pair/),
    );
  },
);

testOnStores('19.2 an upsert finds its object by a unique combination, also with a related object', async (store) => {
  const writing = await openWriting(
    store,
    `type Like @entity @unique(fields: ["by", "place"]) @auth(read: "place != 'secret'") { id: ID! by: Fan! place: String! stars: Int }
     type Fan @entity { login: ID! @id likes: [Like!]! }
     type Query { likes: [Like!]! }
     input LikeInput { by: ID! place: String! stars: Int }
     type Mutation { createFan(login: ID!): Fan! createLike(input: LikeInput!): Like! saveLike(input: LikeInput!): Like! saveLikes(inputs: [LikeInput!]!): [Like!]! }`,
  );
  for (const login of ['ann', 'bob']) await writing.run(`createFan(login: "${login}")`);
  const save = (by: string, place: string, stars: number): Promise<unknown> =>
    writing.run(`saveLike(input: { by: "${by}", place: "${place}", stars: ${stars} })`);
  equal(await save('ann', 'x', 1), 1);
  equal(await save('ann', 'x', 2), 1);
  equal(await save('ann', 'y', 3), 2);
  equal(await save('bob', 'x', 4), 3);
  deepEqual(
    await writing.run('saveLikes(inputs: [{ by: "bob", place: "x", stars: 5 }, { by: "bob", place: "z", stars: 6 }])'),
    [3, 4],
  );
  deepEqual(await writing.rows('SELECT id, stars FROM likes ORDER BY id'), [
    [1, 2],
    [2, 3],
    [3, 5],
    [4, 6],
  ]);
  equal(await save('ann', 'secret', 7), 5);
  const hidden = '(input: { by: "ann", place: "secret", stars: 8 })';
  await rejects(writing.run(`createLike${hidden}`), refused('GRAPH_NOT_UNIQUE', /by and place/));
  await rejects(writing.run(`saveLike${hidden}`), refused('GRAPH_NOT_UNIQUE', /by and place/));
});
