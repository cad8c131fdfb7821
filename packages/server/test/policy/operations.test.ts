// What the random operations of `lockstitch policy test` ask: every form of root field and argument that a schema can
// have.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';

import type { ArgumentBinding, Model } from '@lockstitch/graph';
import { createRandom } from '@lockstitch/search/requests';
import { parse, visit } from 'graphql';

import { randomGraphRequest } from '../../src/noninterference/random-graph-requests.ts';
import { ROOT_KINDS, rootsFor } from '../../src/noninterference/random-operations.ts';
import { randomSchema, withAdopted, withNodeIds, withSoftDelete } from './random-world.ts';
import { readModel } from './world.ts';

/** Every kind of argument. A new one does not compile before it is listed, and fails before a schema here has it. */
const ARGUMENTS: Readonly<Record<ArgumentBinding['kind'], true>> = {
  equals: true,
  nodeId: true,
  first: true,
  start: true,
  last: true,
  after: true,
  before: true,
  sort: true,
  sortBy: true,
  where: true,
  orderBy: true,
  groupBy: true,
  having: true,
  timeZone: true,
  deleted: true,
  query: true,
};

const MODEL = readModel(
  withNodeIds(withSoftDelete(randomSchema(createRandom(1))))
    .replace('type Query {', 'type Query { sorted(sort: Direction, sortBy: By): [User!]!')
    .concat('enum Direction { ASC DESC } enum By { name email }'),
);

/** The forms of a root field: its kind, for what, and each of its arguments. */
function formsOf({ abstractTypes, roots }: Model, coordinate: string, given?: ReadonlySet<string>): readonly string[] {
  const binding = roots.get(coordinate);
  if (binding === undefined) return [];
  const { kind } = binding;
  const of = 'type' in binding ? (abstractTypes.has(binding.type) ? 'abstract' : 'entity') : '';
  const byKeys = binding.kind === 'list' && binding.byKeys !== undefined ? ' by keys' : '';
  const args = 'arguments' in binding ? [...binding.arguments] : [];
  return [
    `${kind} ${of}${byKeys}`,
    ...args.flatMap(([name, argument]) => (given?.has(name) === false ? [] : `${kind} ${of} (${argument.kind})`)),
  ];
}

/** What decides how a statement is rewritten, or what a field shows, and the least share of it among operations. */
const FORMS: Readonly<Record<string, readonly [form: RegExp, least: number]>> = {
  'orders by fields with a read rule': [
    /orderBy: \[?\{ (?:text|likes|email|handle|taken|mood|price|serial): [AD]/,
    0.02,
  ],
  'pages in the order of an object that may be missing': [
    /^(?:query [^{]*)?\{ (?:photos|users|shots|prints)\((?:(?!orderBy)[^()])*orderBy: \[\{ (?:poster|cover|camera|team|user|shot): \{/,
    0.04,
  ],
  'orders by a required object': [/\btags\((?:(?!orderBy)[^()])*orderBy: \[\{ home: \{/, 0.015],
  'groups by a required object': [/\btagGroups\(groupBy: \{ (?:\w+: true, )*home: \{ \w/, 0.02],
  'filters through lists': [/\b(?:any|none|all): \{ \w/, 0.15],
  'conditions in lists in conditions of lists': [/\b(?:any|none|all): \{ \w+: \{ (?:any|none|all): \{ \w/, 0.02],
  'an or of three': [/\bor: \[\{[^[\]]*\}, \{[^[\]]*\}, \{/, 0.003],
  'many look-ups': [/\bk99: /, 0.005],
  'objects by a key of several columns': [/\b(?:shot\(|shotsByKey\()/, 0.02],
  'tables of others': [/\b(?:shots|shotPages|prints|totalPrints|print|printGroups|shotGroups)\(/, 0.1],
  'groups by related objects': [/groupBy: \{ (?:[^{}]*, )?\w+: \{ \w/, 0.02],
  'groups by parts of times': [/\w+\(part: /, 0.02],
  'groups by fields with a read rule': [/keys \{ __typename (?:\w+ )*(?:text|likes|email|handle|mood|price)\b/, 0.02],
  'variables in filters': [/\{ \w+: \$v\d/, 0.02],
};

test('1.1 random operations often have the forms that statements are rewritten for', () => {
  const model = readModel(withAdopted(randomSchema(createRandom(1)), createRandom(1)));
  const keys = new Map([...model.entities.keys()].map((type) => [type, ['1', '2']]));
  const random = createRandom(11);
  const asked = Array.from({ length: 2000 }, () => randomGraphRequest(random, { model, words: ['red'], keys }).query);
  // Parsed operations are printed on several lines.
  const texts = asked.map((query) => query.replaceAll(/\s+/g, ' '));
  const rare = Object.entries(FORMS).flatMap(([name, [form, least]]) => {
    const share = texts.filter((query) => form.test(query)).length / texts.length;
    return share < least ? [`${name}: ${share}`] : [];
  });
  deepEqual(rare, []);
});

test('1.1 random operations ask every form of root field that a schema has', () => {
  const roots = rootsFor(MODEL, 'operations');
  const bindings = roots.flatMap((root) => MODEL.roots.get(root) ?? []);
  const missing = (names: object, found: Iterable<string>): readonly string[] =>
    Object.keys(names).filter((name) => !new Set(found).has(name));
  const kinds = Object.fromEntries(Object.entries(ROOT_KINDS).filter(([, by]) => by === 'operations'));
  const ofArguments = bindings.flatMap((each) => ('arguments' in each ? [...each.arguments.values()] : []));
  deepEqual(
    missing(
      kinds,
      bindings.map(({ kind }) => kind),
    ),
    [],
    'the schema here lacks a kind of root field',
  );
  deepEqual(
    missing(
      ARGUMENTS,
      ofArguments.map(({ kind }) => kind),
    ),
    [],
    'the schema here lacks a kind of argument',
  );
  const wanted = new Set(roots.flatMap((root) => formsOf(MODEL, root)));
  const keys = new Map([...MODEL.entities.keys()].map((type) => [type, ['1', '2']]));
  const random = createRandom(7);
  const manners = new Set<string>();
  for (let at = 0; at < 3000 && (wanted.size > 0 || manners.size < 5); at++) {
    const { manner = 'plain', query, variables } = randomGraphRequest(random, { model: MODEL, words: ['red'], keys });
    manners.add(variables === undefined ? manner : 'variables');
    if (query.includes('\\u')) continue;
    visit(parse(query), {
      Field(node, _key, _parent, path) {
        // Fields of objects may have the names of root fields.
        if (path.length > 5) return;
        const given = new Set((node.arguments ?? []).map(({ name }) => name.value));
        for (const form of formsOf(MODEL, `Query.${node.name.value}`, given)) wanted.delete(form);
      },
    });
  }
  deepEqual([...wanted], []);
  deepEqual([...manners].toSorted(), ['explained', 'pages', 'plain', 'saved', 'variables']);
});
