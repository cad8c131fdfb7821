// An import does the same whatever its batches are, and the same as mutations one after the other: random rows on all
// three ways, on both databases. LOCKSTITCH_TEST_SEED and COUNT choose others.
import { deepEqual } from 'node:assert/strict';
import { ProductError, systemClock } from '@lockstitch/kernel';
import type { Row, Store } from '../../src/store/store.ts';
import {
  createImporter,
  type ImportOptions,
  type ImportRejection,
  type ImportRow,
} from '../../src/write/import-rows.ts';
import { Random } from '../differential/random.ts';
import { testOnStores } from '../stores.ts';
import { openWriting, type Writing } from '../writing.ts';

const SCHEMA = `
  scalar DateTime scalar JSON scalar Decimal
  type Person @entity(softDelete: "gone") @unique(fields: ["team", "badge"]) {
    login: ID! @id email: String @unique score: Float @unique name: String team: Team badge: Int
    boss: Person @relation(onDelete: CASCADE) deputy: Person @relation(onDelete: RESTRICT) meta: JSON
    gone: DateTime version: Int! @default(value: "version")
    friends: [Person!] @relation(inverse: "friendOf") friendOf: [Person!] @relation(inverse: "friends")
    about: Thing things: [Thing!]
  }
  type Team @entity { name: ID! @id price: Decimal @unique }
  union Thing = Person | Team
  input PersonInput {
    login: ID email: String score: Float name: String team: ID badge: Int boss: ID deputy: ID meta: JSON
    friends: FriendChange about: ThingKey
  }
  input FriendChange { set: [ID!] }
  input ThingKey @oneOf { Person: ID Team: ID }
  type Query { person(login: ID!): Person }
  type Mutation { savePerson(input: PersonInput!): Person! createTeam(name: ID!): Team! }`;

const LOGINS = ['a', 'b', 'c', 'd', 'e', 'f'];
/** The tables that rows write, and the columns that order them. */
const TABLES = ['persons', 'persons_friends', 'persons_things'];
/** The place of `version` in a row of a person. */
const VERSION = 10;

/** A row of a person. @param marks it may be deleted or restored, or has what no mutation takes */
function personRow(random: Random, marks: boolean): ImportRow {
  const row: Record<string, unknown> = {};
  const maybe = (name: string, outOf: number, value: () => unknown): void => {
    if (random.below(outOf) === 0) row[name] = value();
  };
  if (random.below(5) > 0) row['login'] = random.pick(LOGINS);
  maybe('email', 2, () => random.pick(['1@x', '2@x', '3@x', '4@x', null]));
  maybe('score', 4, () => random.pick([0, 0.1, 1e21, -2, null]));
  maybe('team', 3, () => random.pick(['red', 'blue', 'green', null]));
  maybe('badge', 3, () => random.pick(marks ? [1, 2, 1.5, null] : [1, 2, null]));
  maybe('name', 2, () => random.pick(['x', 'y', null]));
  maybe('boss', 4, () => random.pick([...LOGINS, null]));
  maybe('deputy', 6, () => random.pick([...LOGINS, null]));
  maybe('meta', 5, () => random.pick([{ b: 1, a: [0.5] }, { a: [0.5], b: 1 }, 'x', null]));
  maybe('friends', 6, () => LOGINS.filter(() => random.below(3) === 0));
  maybe('about', 6, () => ({ type: 'Person', key: random.pick(LOGINS) }));
  if (!marks) return row;
  maybe('gone', 4, () => random.pick(['2024-01-01T00:00:00.000Z', '2024-01-02T00:00:00.000Z', null, null]));
  maybe('things', 8, () => LOGINS.filter(() => random.below(3) === 0).map((key) => ({ type: 'Person', key })));
  return row;
}

/** What rows leave. */
interface Outcome {
  readonly counts?: unknown;
  readonly rejected: readonly ImportRejection[];
  readonly tables: readonly (readonly Row[])[];
}

async function open(store: Store): Promise<Writing> {
  const writing = await openWriting(store, SCHEMA);
  for (const name of ['red', 'blue']) await writing.run(`createTeam(name: "${name}")`);
  return writing;
}

/** Empties the tables, and returns what was in them. */
async function takeTables(writing: Writing): Promise<readonly (readonly Row[])[]> {
  const all: (readonly Row[])[] = [];
  for (const table of TABLES) {
    const found = (await writing.rows(`SELECT * FROM ${table}`)).map((row) => ({ row, text: JSON.stringify(row) }));
    all.push(found.toSorted((one, other) => (one.text < other.text ? -1 : 1)).map(({ row }) => row));
  }
  await writing.rows('UPDATE persons SET boss = NULL, deputy = NULL');
  for (const table of TABLES.toReversed()) await writing.rows(`DELETE FROM ${table}`);
  return all;
}

async function importIn(
  writing: Writing,
  store: Store,
  rows: readonly ImportRow[],
  size: number,
  options: ImportOptions,
): Promise<Outcome> {
  const importRows = createImporter({ model: writing.model, store, clock: systemClock });
  const batches = Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
    rows.slice(at * size, (at + 1) * size),
  );
  const rejected: ImportRejection[] = [];
  const { position: _, ...counts } = await importRows('Person', batches, {
    ...options,
    atomic: false,
    onReject: (rejection) => rejected.push(rejection),
  });
  return { counts, rejected, tables: await takeTables(writing) };
}

testOnStores('19.2 an import does the same whatever its batches are, and as mutations do', async (store) => {
  const writing = await open(store);
  const first = Number(process.env['LOCKSTITCH_TEST_SEED'] ?? 1);
  for (let seed = first; seed < first + Number(process.env['COUNT'] ?? (store.dialect === 'sqlite' ? 8 : 2)); seed++) {
    const random = new Random(seed * 7919);
    const marks = seed % 2 === 0;
    const rows = Array.from({ length: 5 + random.below(25) }, () => personRow(random, marks));
    const onConflict = marks ? random.pick(['update', 'update', 'skip', 'reject'] as const) : 'update';
    const by = onConflict === 'update' && marks && random.below(3) === 0 ? { by: ['email'] } : {};
    const options = { onConflict, ...by };
    const expected = await importIn(writing, store, rows, 1, options);
    for (const size of [3, 7, rows.length])
      deepEqual(await importIn(writing, store, rows, size, options), expected, `seed ${seed}, batches of ${size}`);
    if (marks) continue;
    const rejected: number[] = [];
    for (const [index, { friends, about, ...row }] of rows.entries()) {
      const input = {
        ...row,
        ...(friends !== undefined && { friends: { set: friends } }),
        ...(about !== undefined && { about: { Person: (about as { readonly key: string }).key } }),
      };
      try {
        await writing.run('savePerson(input: $input)', { header: '($input: PersonInput!)', variables: { input } });
      } catch (error) {
        if (!(error instanceof ProductError) || error.status >= 500) throw error;
        rejected.push(index);
      }
    }
    deepEqual(
      rejected,
      expected.rejected.map(({ index }) => index),
      `seed ${seed}, refused mutations`,
    );
    // A mutation that changes a list raises the versions of both ends.
    const plain = ([persons, ...links]: Outcome['tables']): unknown =>
      rows.some(({ friends }) => friends !== undefined)
        ? [persons!.map((row) => row.toSpliced(VERSION, 1)), links]
        : [persons, links];
    deepEqual(plain(await takeTables(writing)), plain(expected.tables), `seed ${seed}, mutations`);
  }
});
