// Variables of the fast path equal those of graphql-js; rejected ones are left to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  buildSchema,
  getVariableValues,
  type GraphQLScalarType,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { createVariableReader } from '../../src/execute/read-variables.ts';
import { adoptKnownScalar } from '../../src/schema/scalars.ts';

const schema = buildSchema(/* GraphQL */ `
  scalar Loose
  enum Colour {
    RED
    GREEN
  }
  input Inner {
    id: ID!
    colour: Colour = GREEN
    more: [Inner!]
  }
  input Either @oneOf {
    a: Int
    b: String
  }
  input Values {
    int: Int
    wanted: Int!
    float: Float = 1.5
    text: String
    flag: Boolean
    loose: Loose
    inner: Inner
    list: [[Int]!]
    either: Either
  }
  type Query {
    a: Int
  }
`);
const operations = [
  'query ($values: Values)',
  'query ($values: Values!, $id: ID, $n: Int = 5)',
  'query ($values: [Values!], $colour: Colour! = RED)',
  'query ($values: Either, $n: Int! = null)',
  'query ($values: Query)',
].map((text) => {
  const [node] = parse(`${text} { a }`).definitions;
  if (node?.kind !== Kind.OPERATION_DEFINITION) throw new Error('unreachable');
  return { text, node, read: createVariableReader(schema, node) };
});

const leaf = fc.oneof(
  fc.constantFrom(null, undefined, 'RED', 'GREEN', 'BLUE', -0, 2 ** 31, 2 ** 31 - 1, 1.5, Number.NaN, '', '5', {}, []),
  fc.integer(),
  fc.string(),
  fc.boolean(),
);
const names = ['id', 'colour', 'more', 'toString', 'int', 'float', 'text', 'flag', 'loose', 'inner', 'list', 'either'];
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names, 'wanted', 'a', 'b', 'unknown', '__proto__'), tie('value'), { maxKeys: 5 }),
    fc.record({ wanted: fc.integer(), inner: fc.record({ id: fc.string() }) }),
  ),
}));
const request = fc.dictionary(fc.constantFrom('values', 'id', 'n', 'colour'), value);

test('variables are coerced as graphql-js does, errors included', () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.constantFrom(...operations), request, ({ node, read }, given) => {
      const ours = read(given);
      const theirs = getVariableValues(schema, node.variableDefinitions ?? [], given);
      if (ours === undefined) return;
      taken++;
      assert.equal(theirs.errors, undefined);
      // Alike but for their prototypes, from which neither inherits anything.
      assert.deepEqual(structuredClone(ours.coerced), structuredClone(theirs.variableValues!.coerced));
      assert.equal('toString' in ours.coerced, false);
      assert.equal(JSON.stringify(ours.coerced), JSON.stringify(theirs.variableValues!.coerced));
      const { sources } = theirs.variableValues!;
      assert.deepEqual(Object.keys(ours.sources), Object.keys(sources));
      for (const [name, { value, signature }] of Object.entries(ours.sources)) {
        assert.equal(value, sources[name]!.value);
        assert.deepEqual({ ...sources[name]!.signature, ...signature }, sources[name]!.signature);
      }
    }),
    { numRuns: 2000 },
  );
  assert.ok(taken > 100, `only ${taken} were read`);
});

test('valid variables are read without graphql-js', () => {
  const [plain, withDefaults] = operations;
  assert.ok(plain!.read({ values: { wanted: 1, inner: { id: 'x', more: [{ id: '7' }] }, list: [[1, null]] } }));
  assert.deepEqual({ ...withDefaults!.read({ values: { wanted: 1 } })?.coerced }['n'], 5);
  assert.equal(plain!.read({ values: { wanted: 1, unknown: 2 } }), undefined);
  assert.equal(plain!.read({ values: {} }), undefined);
});

test('a time in stored form stays a text, others are parsed', () => {
  const times = buildSchema('scalar DateTime type Query { at(time: DateTime, times: [DateTime!]): Int }');
  adoptKnownScalar(times.getType('DateTime') as GraphQLScalarType);
  const [node] = parse('query ($time: DateTime, $times: [DateTime!]) { at(time: $time, times: $times) }').definitions;
  const read = createVariableReader(times, node as OperationDefinitionNode);
  const stored = '2026-11-30T08:00:00.000Z';
  const sent = ['2026-11-30T09:00:00+01:00', stored];
  assert.deepEqual(
    { ...read({ time: stored, times: sent })?.coerced },
    { time: stored, times: [new Date(stored), stored] },
  );
  assert.equal(read({ time: '2026-11-31T08:00:00.000Z' }), undefined);
});
