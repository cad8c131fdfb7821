// Reals in responses: printed as JavaScript prints them, whatever the database prints, and nothing beside them changed.
import { equal } from 'node:assert/strict';
import { createGraph, readSchema } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  scalar JSON
  type Note @entity { id: ID! text: String! f: Float any: JSON next: Note @relation(inverse: "last") }
  extend type Note { last: [Note!]! }
  type Query { notes(orderBy: [NoteOrder!]): [Note!]! groups(groupBy: NoteGroupBy!): [NoteGroup!]! pages(first: Int): NoteConnection! }
  type Mutation { addNote(text: String!, f: Float, next: ID): Note! }`;

const REALS = [31, 0.1 + 0.2, 1 / 3, 1e15, 1e21, 1e-5, 1e-7, 5e-324, -0, -2.5, 123_456_789.123, null];
const HOSTILE = String.raw`"f":31.0,"f":1.0} \"f":2.0}`;

testOnStores('reals are printed as JavaScript prints them, and texts and JSON beside them stay', async (store) => {
  const graph = await createGraph({ model: readSchema([{ file: 's.graphql', text: SCHEMA }]), store });
  for (const f of REALS) {
    const query =
      'mutation ($text: String!, $f: Float) { addNote(text: $text, f: $f) { f text again: f last { f } next { f } } }';
    const { body } = await graph.execute({ query, variables: { text: HOSTILE, f } });
    const note = { f, text: HOSTILE, again: f, last: [], next: null };
    equal(body, JSON.stringify({ data: { addNote: note } }));
  }
  const big = '{"h":[1.50],"big":12345678901234567890}';
  await store.script(`UPDATE notes SET "any" = '${big}'`);
  const { body } = await graph.execute({ query: '{ notes { f any } }' });
  const printed = REALS.map((f) => `{"f":${JSON.stringify(f)},"any":${big}}`).join();
  // PostgreSQL stores members by length, and prints a space after each colon and comma.
  equal(body.replaceAll(/(?<=[:,]) /g, ''), `{"data":{"notes":[${printed}]}}`);
  const { body: pages } = await graph.execute({ query: '{ pages(first: 2) { nodes { f } edges { node { g: f } } } }' });
  equal(
    pages,
    '{"data":{"pages":{"nodes":[{"f":31},{"f":0.30000000000000004}],"edges":[{"node":{"g":31}},{"node":{"g":0.30000000000000004}}]}}}',
  );
  const { body: groups } = await graph.execute({
    query: '{ groups(groupBy: { text: true }) { avg { id: f } max { f } } }',
  });
  equal(groups, `{"data":{"groups":[{"avg":{"id":90909181818193040000},"max":{"f":1e+21}}]}}`);
});

testOnStores('19 numbers in JSON beside a Float of the same name keep their digits', async (store) => {
  const graph = await createGraph({ model: readSchema([{ file: 's.graphql', text: SCHEMA }]), store });
  const any = '{"f":12345678901234567890,"g":["}\\"f\\":1.0",{"f":1.50,"any":{"f":0.12345678901234567890}}]}';
  await store.script(`INSERT INTO notes (text, f, "any") VALUES ('a', 31, '${any}'), ('b', 1, '12345678901234567890')`);
  const printed = `{"f":31,"any":${any},"g":31}`;
  const queries = {
    '{ notes { f any g: f } }': [`{"data":{"notes":[`, ']}}'],
    '{ pages(first: 5) { nodes { f any g: f } } }': [`{"data":{"pages":{"nodes":[`, ']}}}'],
    'mutation { addNote(text: "c", f: 1, next: 1) { next { f any g: f } } }': [`{"data":{"addNote":{"next":`, '}}}'],
  };
  for (const [query, [start, end]] of Object.entries(queries)) {
    const { body } = await graph.execute({ query });
    const second = query.startsWith('{') ? ',{"f":1,"any":12345678901234567890,"g":1}' : '';
    // PostgreSQL orders members by length and then by name, and prints a space after each colon and comma.
    equal(body.replaceAll(/(?<=[:,]) /g, ''), `${start}${printed}${second}${end}`, query);
  }
});
