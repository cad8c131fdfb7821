// The types of aggregates that a schema names, and the mistakes in fields that return them.
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { printType } from 'graphql';
import { printTypes, readSchema, type Model, type Resolvers } from '../../src/index.ts';

const TYPES = `
  scalar DateTime
  enum Mood { GLAD SAD }
  type Note @entity { id: ID! mood: Mood size: Int! price: Decimal made: DateTime done: Boolean tags: [String!] by: Author part: Part }
  type Part { x: Int }
  type Author @entity { login: ID! @id notes: [Note!]! }
  scalar Decimal`;

function read(query: string, resolvers: Resolvers = {}, types = TYPES): Model {
  return readSchema([{ file: 'schema.graphql', text: `${types}\n type Query { ${query} }` }], { resolvers });
}

function typeOf({ schema }: Model, name: string): string {
  const type = schema.getType(name);
  return type === undefined
    ? ''
    : printType(type)
        .replaceAll(/\s*"""[^"]*"""\s*/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim();
}

test('19.2 aggregates are derived where a field returns them, and nothing else is', () => {
  const model = read('totals: NoteAggregates!');
  equal(
    typeOf(model, 'NoteAggregates'),
    'type NoteAggregates { count: Int! countDistinct: NoteDistinctCounts! sum: NoteSums! avg: NoteAverages! min: NoteValues! max: NoteValues! }',
  );
  equal(typeOf(model, 'NoteSums'), 'type NoteSums { size: BigInt price: Decimal }');
  equal(typeOf(model, 'NoteAverages'), 'type NoteAverages { size: Float price: Decimal }');
  equal(typeOf(model, 'NoteValues'), 'type NoteValues { id: ID mood: Mood size: Int price: Decimal made: DateTime }');
  equal(
    typeOf(model, 'NoteDistinctCounts'),
    'type NoteDistinctCounts { id: Int! mood: Int! size: Int! price: Int! made: Int! done: Int! }',
  );
  deepEqual(
    ['NoteGroup', 'NoteGroupBy', 'NoteHaving', 'TimePart', 'AuthorAggregates'].map((name) => typeOf(model, name)),
    ['', '', '', '', ''],
  );
});

test('19.2 the keys of groups have the shape of groupBy', () => {
  const model = read(
    'groups(groupBy: NoteGroupBy!, having: NoteHaving, orderBy: [NoteGroupOrder!] = [{ count: DESC }]): [NoteGroup!]!',
  );
  equal(
    typeOf(model, 'NoteGroupBy'),
    'input NoteGroupBy { id: Boolean mood: Boolean size: Boolean price: Boolean made: [TimePart!] done: Boolean by: AuthorGroupBy }',
  );
  equal(
    typeOf(model, 'NoteGroupKeys'),
    'type NoteGroupKeys { id: ID mood: Mood size: Int price: Decimal made(part: TimePart): String done: Boolean by: AuthorGroupKeys }',
  );
  equal(
    typeOf(model, 'NoteHaving'),
    'input NoteHaving { and: [NoteHaving!] or: [NoteHaving!] not: NoteHaving count: IntFilter countDistinct: NoteDistinctCountsHaving sum: NoteSumsHaving avg: NoteAveragesHaving min: NoteValuesHaving max: NoteValuesHaving }',
  );
  equal(typeOf(model, 'NoteSumsHaving'), 'input NoteSumsHaving { size: BigIntFilter price: DecimalFilter }');
  equal(typeOf(model, 'NoteSumsOrder'), 'input NoteSumsOrder @oneOf { size: OrderDirection price: OrderDirection }');
  match(printTypes(model), /interface NoteGroup\b/);
});

test('19.2 a type of the schema keeps its name', () => {
  const own = read(
    'totals: NoteAggregates! sums: NoteSums',
    { Query: { sums: () => null } },
    `${TYPES} type NoteSums { own: Int }`,
  );
  equal(typeOf(own, 'NoteSums'), 'type NoteSums { own: Int }');
  match(typeOf(own, 'NoteAggregates'), /sum: NoteSums_!/);
});

test('19.2 mistakes in fields that return aggregates are named with what to write', () => {
  const mistake = (query: string, message: RegExp): void => throws(() => read(query), message);
  mistake('groups: [NoteGroup!]!', /Query.groups does not say what its groups have in common..*groupBy: NoteGroupBy!/s);
  mistake(
    'totals(first: Int): NoteAggregates!',
    /Argument "first" of Query.totals has no meaning here: it aggregates all rows.*Take where, deleted, and/s,
  );
  mistake(
    'groups(groupBy: NoteGroupBy!, orderBy: [NoteOrder!]): [NoteGroup!]!',
    /Argument "orderBy" of Query.groups has no meaning here: it returns groups.*orderBy: \[NoteGroupOrder!\]/s,
  );
  mistake(
    'groups(groupBy: NoteGroupBy!, after: String): [NoteGroup!]!',
    /Argument "after" of Query.groups has no meaning/,
  );
  mistake('totals(groupBy: NoteGroupBy!): NoteAggregates!', /Argument "groupBy" of Query.totals has no meaning/);
  mistake('group(groupBy: NoteGroupBy!): NoteGroup', /Query.group: NoteGroup cannot be answered/);
});
