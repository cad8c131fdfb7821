// No answer tells of a hidden row by an error: neither by one of the graph, nor by one that a database raises for a value.
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { createGraph, DEFAULT_LIMITS } from '../src/index.ts';
import { modelOf } from './photo-schema.ts';
import { testOnStores } from './stores.ts';
import { open, type Fixture } from './subscribe/open-subscriptions.ts';
import { CONDITIONS, STRANGE_VALUES, VALUE_ERRORS, VALUE_SCHEMA } from './value-errors.ts';

const ADMIN = createPrincipal('root', ['ROLE_ADMIN']);
const ANN = createPrincipal('ann');

const BASE = `
  DELETE FROM boxes_readers; DELETE FROM parts; DELETE FROM boxes; DELETE FROM persons; DELETE FROM lids;
  INSERT INTO persons (login) VALUES ('ann'), ('bob');
  INSERT INTO boxes (id, name, code, size, weight, tags, nums, spot, spots, version) VALUES
    (1, 'open', 'a', 3, 1.5, '["a"]', '[1,2]', '{"x":5,"w":0.5,"b":"5","on":true,"at":"2024-05-01T00:00:00.000Z","inner":{"y":2},"label":"A","words":["a"]}', '[{"x":5}]', 1);
  INSERT INTO boxes_readers VALUES (1, 'ann');`;

async function ask(fixture: Fixture, query: string, principal: Principal = ANN): Promise<string> {
  return (await fixture.graph.execute({ query }, { principal })).body;
}

const row = (spot: string, list: string): string =>
  `INSERT INTO boxes (id, name, code, size, weight, tags, nums, spot, spots, version) VALUES (9, 'shut', 'taken', 5, 1, '${list}', '${list}', '${spot}', '${list}', 3)`;

function placesOf(where: string): readonly string[] {
  return [
    `{ boxes(where: ${where}) { id } pages(where: ${where}, orderBy: [{ name: ASC }]) { totalCount nodes { id } } parts(where: { box: ${where} }) { id } }`,
    `mutation { updateBoxes(where: ${where}, input: { size: 4 }) }`,
  ];
}

testOnStores('1.1 no condition raises an error for a stored value, hidden or not', async (store) => {
  const fixture = await open(store, VALUE_SCHEMA);
  await store.script(BASE);
  const told = async (principal: Principal): Promise<readonly string[]> => {
    const answers: string[] = [];
    for (const { where } of CONDITIONS)
      for (const query of placesOf(where)) answers.push(`${query}: ${await ask(fixture, query, principal)}`);
    return answers;
  };
  const without = await told(ANN);
  for (const answer of without) doesNotMatch(answer, /"errors"/);
  for (const { spot, list, onlySqlite } of STRANGE_VALUES) {
    if (onlySqlite === true && store.dialect !== 'sqlite') continue;
    await store.script(`${BASE} ${row(spot, list)}; INSERT INTO parts (id, box, firm) VALUES (1, 9, 1);`);
    deepEqual(await told(ANN), without, spot);
    for (const answer of await told(ADMIN)) doesNotMatch(answer, /"errors"/);
  }
});

testOnStores('1.1 an error that depends on a row is reported only for visible rows', async (store) => {
  const fixture = await open(store, VALUE_SCHEMA);
  const rows = `${BASE} ${row('{}', '[]')}; INSERT INTO parts (id, box, firm) VALUES (1, NULL, 1);`;
  const hiddenFirm = `${rows} UPDATE parts SET firm = 9;`;
  for (const { site, pattern, operation, tellsOfHidden } of VALUE_ERRORS) {
    if (operation === undefined) continue;
    const isMissing = site.endsWith('missing object');
    await store.script(isMissing ? hiddenFirm : rows);
    match(await ask(fixture, operation, isMissing ? ANN : ADMIN), pattern, site);
    if (isMissing || tellsOfHidden === true) continue;
    await store.script(rows);
    const hidden = await ask(fixture, operation);
    await store.script(BASE);
    equal(hidden, await ask(fixture, operation), site);
  }
});

testOnStores('1.1 arithmetic in rules raises no error and agrees with JavaScript', async (store) => {
  const fixture = (rule: string): Promise<Fixture> =>
    open(
      store,
      `type Thing @entity @auth(read: "${rule}") { id: ID! big: Int weight: Float tiny: Float } type Query { things: [Thing!]! }`,
    );
  await fixture('true');
  await store.script(`INSERT INTO things (id, big, weight, tiny) VALUES
    (1, 4000000000000000000, 0.5, 1e-300), (2, 3000000, 1e308, 1e-300), (3, -5, 0, 1e-300), (4, NULL, NULL, NULL)`);
  const shown: Readonly<Record<string, readonly number[]>> = {
    'big * big * big > 0': [1, 2],
    'big + big + big > 9000000000000000000': [1],
    'weight * weight > 1': [2],
    'weight * weight < 1': [1, 3],
    'weight + weight > 1': [2],
    '0 - weight - weight < 0 - 2': [2],
    'tiny * tiny == 0': [1, 2, 3],
    'weight - big < 0': [1],
    '-big < 0': [1, 2],
  };
  for (const [rule, ids] of Object.entries(shown))
    equal(
      await ask(await fixture(rule), '{ things { id } }'),
      JSON.stringify({ data: { things: ids.map((id) => ({ id: String(id) })) } }),
      rule,
    );
});

testOnStores('1.1 a non-numeric key of another type is not an error', async (store) => {
  const fixture = await open(store, VALUE_SCHEMA);
  await store.script(`${BASE} UPDATE boxes SET kept_type = 'Box', kept_key = '1';`);
  const kept = '{ boxes { id kept { ... on Box { id } } } }';
  const without = await ask(fixture, kept);
  match(without, /"kept":\{"id":"1"\}/);
  for (const key of ['abc', '99999999999999999999', '1.5', '']) {
    await store.script(
      `${BASE} UPDATE boxes SET kept_type = 'Box', kept_key = '1'; ${row('{}', '[]')}; UPDATE boxes SET kept_type = 'Box', kept_key = '${key}' WHERE id = 9;`,
    );
    equal(await ask(fixture, kept), without, key);
    doesNotMatch(await ask(fixture, kept, ADMIN), /"errors"/, key);
  }
});

testOnStores('1.1 a hidden value longer than the response limit is not an error', async (store) => {
  const limits = { ...DEFAULT_LIMITS, answerSize: 2000 };
  const graph = await createGraph({ model: modelOf(VALUE_SCHEMA), store, limits });
  const told = async (query: string, principal = ANN): Promise<string> =>
    (await graph.execute({ query }, { principal })).body;
  const queries = [
    '{ boxes(where: { name: { contains: "pe" } }) { id } }',
    '{ boxes(where: { tags: { has: "a" } }) { id } }',
    '{ boxes(where: { name: { containsInsensitive: "PE" } }, orderBy: [{ name: ASC }]) { id } }',
    '{ pages(where: { spot: { label: { endsWith: "A" } } }) { totalCount } }',
  ];
  const long = 'x'.repeat(5000);
  await store.script(BASE);
  const without = await Promise.all(queries.map((query) => told(query)));
  await store.script(
    `${BASE} ${row(`{"label":"${long}"}`, `["${long}"]`)}; UPDATE boxes SET name = '${long}' WHERE id = 9;`,
  );
  deepEqual(await Promise.all(queries.map((query) => told(query))), without);
  // Of a visible one only where the answer holds it.
  for (const query of queries) doesNotMatch(await told(query, ADMIN), /"errors"/);
  match(await told('{ boxes { id name } }', ADMIN), /GRAPH_ANSWER_TOO_LARGE/);
  graph.feed.close();
});

testOnStores('1.1 the write limit of a mutation counts visible objects only', async (store) => {
  const limits = { ...DEFAULT_LIMITS, writeSize: 1 };
  const graph = await createGraph({ model: modelOf(VALUE_SCHEMA), store, limits });
  await store.script(`${BASE} ${row('{}', '[]')}`);
  const query = 'mutation { updateBoxes(where: { and: [] }, input: { size: 2 }) }';
  equal((await graph.execute({ query }, { principal: ANN })).body, '{"data":{"updateBoxes":1}}');
  match((await graph.execute({ query }, { principal: ADMIN })).body, /GRAPH_WRITE_TOO_LARGE/);
  graph.feed.close();
});

testOnStores(
  '1.1 what a caller is known by raises no error in a rule, whether or not there is a row',
  async (store) => {
    const rules = [
      'name in principal.any',
      'name == principal.any',
      'name.startsWith(principal.any)',
      'size == principal.any',
      'size in principal.any',
      'principal.any in tags',
      'principal.any in nums',
      'size + principal.any > 1',
      'weight < principal.any',
      'tags.contains(principal.any)',
    ];
    const values: readonly unknown[] = [
      'a\0',
      '\ud800',
      1.5,
      1e300,
      Infinity,
      NaN,
      -1e-320,
      2n ** 70n,
      ['a\0', '\ud800', 1.5, 1e300, NaN, null, 'x'],
      {},
      true,
      null,
    ];
    for (const [index, rule] of rules.entries()) {
      const fixture = await open(
        store,
        `type Thing @entity @auth(read: "${rule}") { id: ID! name: String size: Int weight: Float tags: [String!] nums: [Int!] } type Query { things: [Thing!]! }`,
      );
      if (index === 0)
        await store.script(
          `INSERT INTO things (id, name, size, weight, tags, nums) VALUES (1, 'n', 1, 1, '["t"]', '[1]')`,
        );
      for (const any of values)
        doesNotMatch(
          await ask(fixture, '{ things { id } }', createPrincipal('ann', [], { any })),
          /"errors"/,
          `${rule} for ${String(any)}`,
        );
    }
  },
);
