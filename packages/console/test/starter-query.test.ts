import assert from 'node:assert/strict';
import { test } from 'node:test';

import { buildSchema, parse, validate } from 'graphql';

import { pathsOfErrors, starterQuery } from '../src/pages/starter-query.ts';

const schema = buildSchema(`
  type Photo { id: ID! name: String! secret: String thumb(size: Int!): String poster: User! tags: [Tag!]! }
  type User { login: ID! mail: String photos: [Photo!]! }
  type Tag { word: String }
  type Query { users: [User!]! photos(first: Int = 25): [Photo!]! photo(id: ID!): Photo }
`);

test('the first operation shows the list with the most to tell, and asks for nothing that needs an argument', () => {
  const text = starterQuery(schema);
  assert.deepEqual(validate(schema, parse(text)), []);
  assert.match(text, /photos\(first: 5\) \{\n {4}id\n {4}name\n {4}secret\n {4}poster \{\n {6}login\n {6}mail\n/);
});

test('fields that came back with errors are left out, and objects of which nothing remains', () => {
  const paths = pathsOfErrors([
    { path: ['photos', 0, 'secret'] },
    { path: ['photos', 3, 'poster', 'mail'] },
    { path: ['photos', 3, 'tags', 1, 'word'] },
    {},
  ]);
  assert.deepEqual(paths, ['photos.secret', 'photos.poster.mail', 'photos.tags.word']);
  const text = starterQuery(schema, new Set(paths));
  assert.deepEqual(validate(schema, parse(text)), []);
  assert.equal(
    text.replaceAll(/\s+/g, ' ').replace(/^#.*?\{/, '{'),
    '{ photos(first: 5) { id name poster { login } } } ',
  );
  assert.match(starterQuery(schema, new Set(['photos'])), /users \{/);
  assert.equal(starterQuery(schema, new Set(['photos', 'users'])), '{ __typename }\n');
});
