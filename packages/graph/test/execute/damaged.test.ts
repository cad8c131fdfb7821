// Damaged values, of the disk or of another program, are errors at their fields and never returned.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createGraph } from '../../src/execute/create-graph.ts';
import type { Graph } from '../../src/execute/graph.ts';
import { checkIntegrity } from '../../src/migrate/check-integrity.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import type { Store } from '../../src/store/store.ts';

const SCHEMA = `scalar Decimal scalar DateTime scalar Date scalar Time scalar UUID scalar BigInt scalar JSON enum Mood { GLAD SAD }
  type Note @entity { id: ID! text: String! made: DateTime! at: DateTime day: Date clock: Time ref: UUID n: Int big: BigInt f: Float price: Decimal done: Boolean
    mood: Mood marks: [String!] moods: [Mood!] times: [DateTime] fs: [Float!] many: [JSON] any: JSON next: Note }
  type Query { notes(first: Int = 900): [Note!]! note(id: ID!): Note pages(first: Int): NoteConnection! }
  type Mutation { setText(id: ID!, text: String!): Note! }`;

interface Answer {
  readonly data: Record<string, unknown> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path: readonly unknown[];
    readonly extensions: { readonly code: string };
  }[];
}

async function ask(graph: Graph, query: string, takesBytes = false): Promise<Answer> {
  const answer = await graph.execute({ query }, { takesBytes });
  return JSON.parse(answer.body) as Answer;
}

const open = (store: Store): Promise<Graph> =>
  createGraph({ model: readSchema([{ file: 'test.graphql', text: SCHEMA }], {}), store });

const GOOD = {
  made: "'2024-07-11T05:18:49.000Z'",
  at: 'NULL',
  day: "'2024-02-29'",
  clock: "'10:00:00Z'",
  ref: "'00000000-0000-0000-0000-00000000000a'",
  n: '-5',
  big: '9007199254740993',
  f: '-1.5e-7',
  price: "'pfacbacf 10.25'",
  done: '1',
  mood: "'SAD'",
  marks: `'["a"]'`,
  moods: `'["SAD","GLAD"]'`,
  fs: "'[1.5,-2e-7,0]'",
  many: `'[{"a":1},2]'`,
  times: `'["2024-07-11T05:18:49.000Z",null]'`,
  any: `'{"made":"x","n":"y"}'`,
};
const columns = Object.keys(GOOD);

/** What may not be answered, by column. */
const BAD: Readonly<Record<string, readonly string[]>> = {
  made: [
    "'2024-07-q1T05:18:49.000Z'",
    "'2024-13-01T05:18:49.000Z'",
    "'2024-07-11T05:18:49.000'",
    '7',
    "''",
    "'2024-07-11T05:18:49.000Z '",
  ],
  at: ["'2024-07-11T25:18:49.000Z'", "'now'", '1.5'],
  day: ["'2024-02-3'", "'2024-0x-01'", "'2024-02-29T00:00:00.000Z'"],
  clock: ["'1q:00:00Z'", "'10:00:00'"],
  ref: ["'00000000-0000-0000-0000-00000000000g'", "'x'"],
  n: ["'x'", '1.5', '3000000000'],
  big: ["'x'", '1.5'],
  f: ["'x'", '9e999', '-9e999'],
  price: ["'abc'", "''", '5e300'],
  done: ['2', "'x'", '-1', "'true'"],
  mood: ["'SAE'", "''", '1', "'SAD '"],
  marks: ['\'["a"\'', '\'{"a":1}\'', '\'"a"\'', '1'],
  moods: ['\'["SAE"]\'', '\'["SAD",1]\'', "'[null]'", "'[[]]'"],
  times: ['\'["2024-07-q1T05:18:49.000Z"]\'', "'{}'"],
  any: ["'{'", "'x'"],
};

test('4.9 values of the wrong type are errors at their fields, and others are returned', async () => {
  const store = await openSqliteStore({ file: ':memory:' });
  const graph = await open(store);
  await store.script(
    `INSERT INTO notes (id, text, ${columns.join(', ')}) VALUES (1, 'good "made":"x"', ${Object.values(GOOD).join(', ')});
     INSERT INTO notes (id, text, made) VALUES (2, 'bare', '2024-07-11T05:18:49.000Z')`,
  );
  const all = `{ notes { id text ${columns.join(' ')} again: made } }`;
  const { data, errors } = await ask(graph, all);
  equal(errors, undefined);
  const [good, bare] = (data as { notes: Record<string, unknown>[] }).notes;
  deepEqual(good!['any'], { made: 'x', n: 'y' });
  equal(bare!['at'], null);
  for (const [column, values] of Object.entries(BAD)) {
    for (const value of values) {
      await store.script(`UPDATE notes SET ${column} = ${value} WHERE id = 2`);
      // As after a start: columns that have been read through are not looked at again.
      const graph = await open(store);
      const required = column === 'made';
      for (const query of [
        `{ notes { id ${column} } }`,
        `{ notes { id ${column} text any made: __typename } }`.replace(
          column === 'made' ? ' made: __typename' : '#',
          '',
        ),
        `{ pages(first: 5) { edges { node { x: ${column} } } } }`,
        `{ note(id: 2) { ${column} } }`,
        `mutation { setText(id: 2, text: "t") { ${column} } }`,
      ]) {
        const answer = await ask(graph, query);
        ok(answer.errors !== undefined, `${query} with ${column} = ${value}: ${JSON.stringify(answer.data)}`);
        const [error] = answer.errors;
        equal(error!.extensions.code, 'GRAPH_VALUE_DAMAGED', JSON.stringify(error));
        match(error!.message, new RegExp(`^The value of Note\\.${column} in the database is not a valid `));
        if (!required && query === `{ notes { id ${column} } }`) {
          const rows = (answer.data as { notes: Record<string, unknown>[] }).notes;
          deepEqual(rows[1], { id: '2', [column]: null });
          equal(rows.length, 2);
        }
      }
    }
    const fine = column === 'made' ? GOOD.made : 'NULL';
    await store.script(`UPDATE notes SET ${column} = ${fine} WHERE id = 2`);
  }
  equal((await ask(graph, all)).errors, undefined);
  equal((await ask(graph, all)).errors, undefined);
  await store.close();
});

test('4.9 a flipped byte in the SQLite file is not returned as a time, in short and long responses', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'flipped-'));
  const file = join(folder, 'data.sqlite');
  let store = await openSqliteStore({ file });
  let graph = await open(store);
  await store.script(
    `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1500)
     INSERT INTO notes (id, text, made) SELECT n, 'a text of some length', iif(n = 700, '2024-07-11T05:18:49.000Z', '2020-01-01T00:00:00.000Z') FROM c`,
  );
  graph.feed.close();
  await store.close();
  const bytes = readFileSync(file);
  const at = bytes.indexOf('2024-07-11T05:18:49.000Z');
  bytes[at + 8] = 'q'.charCodeAt(0);
  writeFileSync(file, bytes);
  store = await openSqliteStore({ file });
  graph = await open(store);
  for (let time = 0; time < 3; time++) {
    const { errors } = await ask(graph, '{ notes { id text made } }', true);
    deepEqual(
      errors?.map(({ path, extensions }) => [path, extensions.code]),
      [[['notes', 699, 'made'], 'GRAPH_VALUE_DAMAGED']],
    );
  }
  equal((await ask(graph, '{ note(id: 700) { made } }')).data?.['note'], null);
  equal((await ask(graph, '{ notes(first: 600) { made } }', true)).errors, undefined);
  graph.feed.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

test('4.9 columns are verified again after another process has written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'written-'));
  const file = join(folder, 'data.sqlite');
  const store = await openSqliteStore({ file });
  const graph = await open(store);
  await store.script("INSERT INTO notes (id, text, made) VALUES (1, 'a', '2024-07-11T05:18:49.000Z')");
  for (let time = 0; time < 3; time++) equal((await ask(graph, '{ notes { made } }')).errors, undefined);
  const other = new DatabaseSync(file);
  other.exec("UPDATE notes SET made = '2024-07-q1T05:18:49.000Z'");
  other.close();
  await setTimeout(60);
  for (let time = 0; time < 3; time++)
    equal((await ask(graph, '{ notes { made } }')).errors?.[0]!.extensions.code, 'GRAPH_VALUE_DAMAGED');
  graph.feed.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

test('4.9 a blob in a text column is an error, and the integrity check names the row', async () => {
  const store = await openSqliteStore({ file: ':memory:' });
  const graph = await open(store);
  await store.script("INSERT INTO notes (id, text, made) VALUES (1, x'61', '2024-07-11T05:18:49.000Z')");
  const { errors } = await ask(graph, '{ notes { text } }');
  equal(errors![0]!.extensions.code, 'GRAPH_STORE_UNAVAILABLE');
  match(errors![0]!.message, /it holds bytes where a text or a number should be/);
  const { findings } = await checkIntegrity(graph.model, store);
  deepEqual(
    findings.map(({ text }) => text),
    ['notes.text: 1 row holds no String!, with the key 1'],
  );
  await store.close();
});

const HELD = `scalar DateTime type Place { name: String at: DateTime next: Place many: [Place!] }
  type Author @entity { id: ID! name: String! }
  type Tag @entity { id: String! @id name: String! }
  union Thing = Author | Tag
  type Note @entity { id: ID! place: Place places: [Place!] author: Author writer: Author! tag: Tag thing: Thing }
  type Query { notes(first: Int = 9): [Note!]! note(id: ID!): Note }`;
const SOUND = 'place = NULL, places = NULL, author = NULL, writer = 1, tag = NULL, thing_key = NULL, thing_type = NULL';
const TAG = '00000000-0000-0000-0000-00000000000a';

interface Held {
  readonly store: Store;
  readonly graph: Graph;
  /** Writes as another program, and opens again. */
  damage(set: string): Promise<Held>;
  end(): Promise<void>;
}

async function openHeld(folder?: string): Promise<Held> {
  const place = folder ?? (await mkdtemp(join(tmpdir(), 'held-')));
  const file = join(place, 'data.sqlite');
  const store = await openSqliteStore({ file });
  const graph = await createGraph({ model: readSchema([{ file: 'test.graphql', text: HELD }], {}), store });
  if (folder === undefined)
    await store.script(
      `INSERT INTO authors (id, name) VALUES (1, 'n'); INSERT INTO tags (id, name) VALUES ('${TAG}', 't');
       INSERT INTO notes (id, writer) VALUES (1, 1), (2, 1)`,
    );
  const close = async (): Promise<void> => {
    graph.feed.close();
    await store.close();
  };
  return {
    store,
    graph,
    async damage(set) {
      await close();
      const other = new DatabaseSync(file, { enableForeignKeyConstraints: false });
      other.exec(`UPDATE notes SET ${SOUND}; UPDATE notes SET ${set} WHERE id = 2`);
      other.close();
      return openHeld(place);
    },
    async end() {
      await close();
      await rm(place, { recursive: true, force: true });
    },
  };
}

test('4.9 a malformed embedded object, or a value in it, is an error at its field', async () => {
  let held = await openHeld();
  const cases: readonly (readonly [string, string, string, readonly unknown[]])[] = [
    ...['5', "x'61'", "'5'", "'[1]'", '\'{"name":"x"\'', "'true'"].map(
      (value) => [`place = ${value}`, 'place { name }', 'Note.place', ['place']] as const,
    ),
    ...["'[5]'", "'{}'", "x'61'", "'[[]]'", '7'].map(
      (value) => [`places = ${value}`, 'places { name }', 'Note.places', ['places']] as const,
    ),
    ['place = \'{"name":5}\'', 'place { name }', 'Place.name', ['place', 'name']],
    ['place = \'{"at":"2024-07-q1T05:18:49.000Z"}\'', 'place { name at }', 'Place.at', ['place', 'at']],
    ['place = \'{"next":5}\'', 'place { next { name } }', 'Place.next', ['place', 'next']],
    ['place = \'{"many":[{"name":"x"},5]}\'', 'place { many { name } }', 'Place.many', ['place', 'many']],
    ['place = \'{"many":[{"name":[]}]}\'', 'place { many { name } }', 'Place.name', ['place', 'many', 0, 'name']],
  ];
  for (const [set, selected, field, path] of cases) {
    held = await held.damage(set);
    const { data, errors } = await ask(held.graph, `{ notes { id ${selected} } }`);
    deepEqual(
      errors?.map((error) => [
        error.path,
        error.extensions.code,
        error.message.includes(` of ${field} in the database is not a valid `),
      ]),
      [[['notes', 1, ...path], 'GRAPH_VALUE_DAMAGED', true]],
      `${set}: ${JSON.stringify({ data, errors })}`,
    );
    equal((data as { notes: unknown[] }).notes.length, 2);
    const { findings } = await checkIntegrity(held.graph.model, held.store);
    ok(
      findings.some(({ text }) => text.startsWith(`notes.${set.split(' ')[0]!}: 1 row holds no `)),
      JSON.stringify(findings),
    );
  }
  held = await held.damage(
    'place = \'{"name":"x","at":null,"next":{"name":null},"many":[{"name":"y"}],"gone":5}\', places = \'[{"name":"z"}]\'',
  );
  const { data, errors } = await ask(
    held.graph,
    '{ note(id: 2) { place { name at next { name } many { name } } places { name at } } }',
  );
  equal(errors, undefined);
  deepEqual(data!['note'], {
    place: { name: 'x', at: null, next: { name: null }, many: [{ name: 'y' }] },
    places: [{ name: 'z', at: null }],
  });
  await held.end();
});

test('4.9 an invalid foreign key is an error, and the integrity check names the row', async () => {
  let held = await openHeld();
  for (const [column, value, selected, what] of [
    ['author', "x'61'", 'author { name }', 'key of Author'],
    ['author', "x'01'", 'author { name }', 'key of Author'],
    ['author', "'zz'", 'author { id name }', 'key of Author'],
    ['writer', "x'61'", 'writer { name }', 'key of Author'],
    ['tag', "x'61'", 'tag { name }', 'key of Tag'],
    ['thing_key', "x'61', thing_type = 'Tag'", 'thing { ... on Tag { name } }', 'key of Thing'],
  ] as const) {
    held = await held.damage(`${column} = ${value}`);
    for (const query of [`{ notes { id ${selected} } }`, `{ note(id: 2) { ${selected} place { name } } }`]) {
      const { errors } = await ask(held.graph, query);
      equal(errors?.[0]!.extensions.code, 'GRAPH_STORE_UNAVAILABLE', `${column} = ${value}: ${query}`);
      match(errors![0]!.message, /or no key where one should be/);
    }
    const { findings } = await checkIntegrity(held.graph.model, held.store);
    deepEqual(
      findings.filter(({ kind }) => kind === 'value').map(({ text }) => text),
      [`notes.${column}: 1 row holds no ${what}, with the key 2`],
    );
  }
  held = await held.damage(`author = 1, tag = '${TAG}', thing_type = 'Tag', thing_key = '${TAG}'`);
  const all = await ask(held.graph, '{ notes { author { name } writer { name } tag { name } thing { __typename } } }');
  equal(all.errors, undefined);
  // A key of a row that is gone leads to nothing.
  held = await held.damage('author = 77');
  deepEqual((await ask(held.graph, '{ note(id: 2) { author { name } } }')).data, { note: { author: null } });
  await held.end();
});
