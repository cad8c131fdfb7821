import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildSchema, type GraphQLError, parse, validate, type DocumentNode } from 'graphql';
import { validationRulesFor } from '../../src/execute/validation-rules.ts';

const schema = buildSchema(`
  interface Named { name: String }
  type Photo implements Named { id: ID! name(short: Boolean, size: Size): String by: User! tags: [String!] }
  type User implements Named { name: String photos(first: Int!, at: At): [Photo!]! }
  input At { x: Int! y: Int }
  enum Size { BIG SMALL }
  type Query { photo(id: ID!): Photo photos: [Photo!]! named: Named }
  type Mutation { add(name: String!): Photo }
  type Subscription { added: Photo other: Photo }
`);

const piece = fc.constantFrom(
  'id',
  'nmae',
  'name',
  'name(short: true)',
  'name(short: 1, short: true)',
  'name(shrot: true)',
  'name(size: HUGE)',
  'name @include(if: $v)',
  'name @skip(if: true) @skip(if: false)',
  'name @unknown',
  'tags @stream',
  'by { name }',
  'by',
  'id { x }',
  'photos(at: { x: 1, x: 2 }) { id }',
  'photos { id }',
  'photos(first: $n) { id }',
  '... on User { name }',
  '... on Nothing { name }',
  '... on Size { name }',
  '...F',
  '...G',
  '__typename',
  'x: name',
  'x: id',
  '__schema { types { fields { type { fields { type { fields { name } } } } } } }',
);
const selection = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(' '));
const definition = fc.oneof(
  selection.map((text) => `{ photo(id: 1) { ${text} } }`),
  selection.map((text) => `{ photos { ${text} } named { ${text} } }`),
  selection.map((text) => `query A($v: Boolean!, $n: Int) { photos { ${text} by { ${text} } } }`),
  selection.map((text) => `query B($v: Photo, $v: Nothing) { photos { ${text} } }`),
  selection.map((text) => `mutation { add { ${text} } }`),
  selection.map((text) => `subscription { added { ${text} } other { id } }`),
  selection.map((text) => `fragment F on Photo { ${text} }`),
  selection.map((text) => `fragment G on Photo { ${text} }`),
  fc.constant('type Photo { id: ID }'),
);

test('validation rules are left out only if they cannot apply', () => {
  fc.assert(
    fc.property(fc.array(definition, { minLength: 1, maxLength: 3 }), (definitions) => {
      const text = definitions.join('\n');
      const document: DocumentNode = parse(text);
      const told = (errors: readonly GraphQLError[]): readonly unknown[] => errors.map((error) => error.toJSON());
      deepEqual(told(validate(schema, document, validationRulesFor(document, text))), told(validate(schema, document)));
    }),
    { numRuns: 1500 },
  );
});
