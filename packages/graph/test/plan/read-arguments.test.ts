// Arguments that are read by a function made once for a field of a document, against graphql-js reading them each time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  buildSchema,
  getArgumentValues,
  getVariableValues,
  parse,
  type FieldNode,
  type OperationDefinitionNode,
} from 'graphql';
import { createArgumentReader } from '../../src/plan/read-arguments.ts';

const schema = buildSchema(/* GraphQL */ `
  enum Kind {
    BIG
    SMALL
  }
  input Inner {
    id: ID!
    size: Int = 3
    more: [Inner!]
  }
  input Plain {
    id: ID
    name: String!
    sizes: [Int!]
    ids: [ID]
    more: [Plain!]
    both: Plain
  }
  type Query {
    field(
      plain: Plain
      required: Int!
      id: ID
      text: String = "defaultValue"
      strict: String! = "given"
      kind: Kind = SMALL
      list: [Int!]
      inner: Inner = { id: "x" }
    ): Int
  }
`);
const field = schema.getQueryType()!.getFields()['field']!;

const VALUES = {
  required: ['1', '$required', 'null', '"no"'],
  id: ['7', '"7"', 'null', '$id'],
  text: ['"a"', '$text', 'null'],
  strict: ['"b"', '$text', '$strict'],
  kind: ['BIG', '$kind', 'HUGE'],
  list: ['[1, 2]', '5', '[$required]', '$list'],
  plain: [
    '{ name: $strict, id: $id }',
    '{ name: $text, sizes: [1, $required], ids: [$id, "x"] }',
    '{ name: "n", sizes: $list, both: { name: $strict, more: { name: $strict } } }',
    '{ name: "n", more: [{ id: $id, name: "a" }, { name: $strict, sizes: $required }] }',
    '{ id: $id }',
    '{ name: "n", nothing: $id }',
  ],
  inner: ['{ id: 1 }', '{ id: $id }', '$inner', '{ id: 1, more: [{ id: "y" }] }', '{}'],
} as const;
const DEFINITIONS =
  '$required: Int!, $id: ID, $text: String = "default", $strict: String!, $kind: Kind, $list: [Int!], $inner: Inner';

const written = fc.record(
  Object.fromEntries(
    Object.entries(VALUES).map(([name, values]) => [name, fc.option(fc.constantFrom(...values), { nil: undefined })]),
  ),
);
const given = fc.record({
  required: fc.integer({ min: -5, max: 5 }),
  strict: fc.constantFrom('s', ''),
  id: fc.constantFrom('i', 5, null, undefined),
  text: fc.constantFrom('t', null, undefined),
  kind: fc.constantFrom('BIG', null, undefined),
  list: fc.constantFrom([1], null, undefined),
  inner: fc.constantFrom({ id: 'z' }, { id: 'z', size: 4, more: [{ id: '1' }] }, null, undefined),
});

/** JSON text of the values, in their order, or the message of the error. */
function outcome(read: () => unknown): string {
  try {
    return JSON.stringify(read());
  } catch (error) {
    return (error as Error).message;
  }
}

test('arguments equal those of graphql-js, errors included', () => {
  const seen = { values: 0, errors: 0 };
  fc.assert(
    fc.property(written, fc.array(given, { minLength: 1, maxLength: 4 }), (args, requests) => {
      const list = Object.entries(args).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
      const text = `query (${DEFINITIONS}) { field${list.length === 0 ? '' : `(${list.join(', ')})`} }`;
      const operation = parse(text).definitions[0] as OperationDefinitionNode;
      const node = operation.selectionSet.selections[0] as FieldNode;
      const read = createArgumentReader(field, node);
      for (const values of requests) {
        const { variableValues } = getVariableValues(schema, operation.variableDefinitions ?? [], values);
        const theirs = outcome(() => getArgumentValues(field, node, variableValues));
        assert.equal(
          outcome(() => read(variableValues)),
          theirs,
        );
        if (theirs.startsWith('{')) seen.values++;
        else seen.errors++;
      }
    }),
    { numRuns: 1500 },
  );
  assert.ok(seen.values > 100 && seen.errors > 100, JSON.stringify(seen));
});

test('without variables, defaults apply and required arguments are reported', () => {
  const nodeOf = (text: string) =>
    (parse(text).definitions[0] as OperationDefinitionNode).selectionSet.selections[0] as FieldNode;
  const read = createArgumentReader(field, nodeOf('{ field(required: 1, id: $id, strict: $strict) }'));
  assert.equal(
    JSON.stringify(read(undefined)),
    '{"required":1,"text":"defaultValue","strict":"given","kind":"SMALL","inner":{"id":"x","size":3}}',
  );
  assert.throws(
    () => createArgumentReader(field, nodeOf('{ field(required: $none) }'))(undefined),
    /^Error: Invalid argument$/,
  );
});
