// A document that is called valid beyond doubt is one in which graphql-js finds nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildSchema, parse, validate } from 'graphql';
import { isKnownValid } from '../../src/execute/validation-fast-path.ts';

const schema = buildSchema(`
  scalar Loose
  interface Named { name: String }
  type Photo implements Named { id: ID! name(short: Boolean, size: Size): String by: User! tags(like: [String!]): [String!] }
  type User implements Named { name: String photos(first: Int!, at: At, loose: Loose): [Photo!]! any: Any }
  union Any = Photo | User
  input At { x: Int! y: Int }
  enum Size { BIG SMALL }
  type Query { photo(id: ID!): Photo photos(first: Int = 5, ratio: Float): [Photo!]! named: Named any: Any }
  type Mutation { add(name: String!, at: At): Photo }
`);

const plain = fc.constantFrom('1', '"a"', '2', '"b"', '3');
const literal = fc.constantFrom(
  '1',
  '"a"',
  'true',
  'null',
  'BIG',
  'HUGE',
  '1.5',
  '99999999999',
  '-0',
  '[1]',
  '{ x: 1 }',
  '{ x: 1, x: 2 }',
  '$n',
  '$v',
  '$s',
  '$id',
  '$missing',
  '"""block"""',
  '["a"]',
);
const field = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('id', 'name', '__typename', 'x: name', 'y: id') },
  { weight: 1, arbitrary: fc.constantFrom('nmae', 'tags', 'by', 'by { }', 'id { x }', '... on User { name }', '...F') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('name @skip(if: true)', '__schema { types { name } }', 'toString', 'constructor'),
  },
  { weight: 5, arbitrary: fc.constantFrom('by { name }', 'b: by { name __typename }', 'by { any { __typename } }') },
  literal.map((value) => `n: name(short: ${value})`),
  literal.map((value) => `s: name(size: ${value})`),
  literal.map((value) => `t: tags(like: ${value})`),
  literal.map((value) => `by { photos(first: ${value}) { id } }`),
  fc.tuple(literal, literal).map(([one, other]) => `by { photos(first: ${one}, at: ${other}) { id } }`),
  literal.map((value) => `by { photos(first: 1, loose: ${value}) { id } }`),
  literal.map((value) => `by { photos(first: 1, first: ${value}) { id } }`),
);
const selection = fc.array(field, { minLength: 1, maxLength: 3 }).map((fields) => fields.join(' '));
const head = fc.constantFrom(
  '',
  '',
  '',
  '',
  '',
  '',
  'query',
  'query A',
  'query ($n: Int!)',
  'query ($n: Int, $v: Boolean)',
  'query ($id: ID!, $s: Size)',
  'query ($v: Nothing)',
  'query ($v: Photo)',
  'query ($n: Int, $n: Int)',
  'query ($n: Int! = 5)',
  'query @skip(if: true)',
);
const document = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(plain, selection).map(([id, text]) => `{ photo(id: ${id}) { ${text} } }`) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(literal, field)
      .map(([n, text]) => `query ($n: Int) { photos(first: ${n}) { ${text} } a: photos(first: $n) { id } }`),
  },
  fc.tuple(head, literal, selection).map(([start, id, text]) => `${start} { photo(id: ${id}) { ${text} } }`),
  fc
    .tuple(head, literal, selection)
    .map(([start, n, text]) => `${start} { photos(first: ${n}) { ${text} } named { name } }`),
  fc.tuple(literal, literal).map(([name, at]) => `mutation ($s: String!) { add(name: ${name}, at: ${at}) { id } }`),
  selection.map((text) => `{ photos { ${text} } } fragment F on Photo { ${text} }`),
  fc.constant('subscription { added { id } }'),
);

test('the validation fast path accepts only valid documents', () => {
  const judged = { valid: 0, left: 0 };
  fc.assert(
    fc.property(document, (text) => {
      let parsed;
      try {
        parsed = parse(text);
      } catch {
        return;
      }
      if (!isKnownValid(schema, parsed)) judged.left++;
      else {
        judged.valid++;
        assert.deepEqual(validate(schema, parsed), []);
      }
    }),
    { numRuns: 3000 },
  );
  assert.ok(judged.valid > 50 && judged.left > 50, JSON.stringify(judged));
});

test('the validation fast path accepts plain documents', () => {
  for (const text of [
    '{ photos(first: 3, ratio: 1) { id name(size: BIG) by { name } } named { __typename } }',
    'query Q($id: ID!, $n: Int) { photo(id: $id) { id } photos(first: $n) { by { photos(first: 1) { id } } } }',
    'mutation ($name: String!) { add(name: $name) { id } }',
  ])
    assert.ok(isKnownValid(schema, parse(text)), text);
});
