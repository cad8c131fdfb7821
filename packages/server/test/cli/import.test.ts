import { deepEqual, equal, match } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { NOTES_SCHEMA, startApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runLine } from './run-here.ts';

const AUTHORS = 'login,name,age\nada,"Ada, Countess",36\nbob,,\n';
const files = (
  extra: Readonly<Record<string, string | Uint8Array>>,
): Readonly<Record<string, string | Uint8Array>> => ({
  'schema.graphql': NOTES_SCHEMA,
  'lockstitch.config.mjs': `export default { csrf: { ignore: [{ ant: '/**', method: 'POST' }] } };`,
  'authors.csv': AUTHORS,
  ...extra,
});

test('CSV, JSON and packed NDJSON are imported and found', async (context) => {
  const folder = temporaryFolder(
    context,
    files({
      'notes.json': '[{"title": "Harbour", "author": "ada", "likes": 3}]',
      'more.ndjson.gz': gzipSync('{"title": "River", "author": "bob", "created": "2020-01-02T03:04:05Z"}\n'),
    }),
  );
  const authors = await runLine(['import', folder, 'Author', join(folder, 'authors.csv')]);
  equal(authors.out, '2 rows of Author written.\n', authors.err);
  match(authors.err, /Importing Author: 2 rows in /);
  const notes = await runLine(['import', folder, 'Note', join(folder, 'notes.json'), join(folder, 'more.ndjson.gz')]);
  equal(notes.out, '2 rows of Note written.\n', notes.err);
  match(
    (await runLine(['index', 'status', folder])).out,
    / behind.*\nno server runs on this folder; the next start catches up\n/,
  );

  const { graph, call } = await startApp(context, { folder, data: join(folder, '.lockstitch') });
  deepEqual(
    await graph('{ author(login: "ada") { name age notes { title likes } } bob: author(login: "bob") { name } }'),
    {
      author: { name: 'Ada, Countess', age: 36, notes: [{ title: 'Harbour', likes: 3 }] },
      bob: { name: null },
    },
  );
  equal((await call('/notes/_count?q=author.name:countess')).json.count, 1);
});

test('4 lists in CSV are separated by bars or JSON; empty lists, nulls and non-lists are distinguished', async (context) => {
  const schema = `enum Color { RED GREEN } type Place { town: String! }
    type Item @entity { id: ID! @id tags: [String!] counts: [Int!] rates: [Float] flags: [Boolean!] colors: [Color!] places: [Place!] place: Place }
    type Query { items(sortBy: By = id, sort: Direction = ASC): [Item!]! } enum By { id } enum Direction { ASC DESC }`;
  const csv = [
    'id,tags,counts,rates,flags,colors,places,place',
    '1,a | b,1|2,1.5|2,true|0,RED|GREEN,"[{""town"":""Oslo""}]","{""town"":""Rome""}"',
    '2,[],,[],,[],[],',
    '3,"[""a|b"","""",""c,d""]",[1],"[1.5,null]",[true],"[""RED""]",,',
    '4,one,7,,,RED,,',
  ];
  const bad = ['id,tags,counts,colors,places,place', '5,[draft]|x,1|x,BLUE|RED,Oslo|Rome,Oslo'];
  const folder = temporaryFolder(context, {
    'schema.graphql': schema,
    'lockstitch.config.mjs': 'export default { csrf: { enabled: false } };',
    'items.csv': `${csv.join('\n')}\n`,
    'items.tsv': `${bad.join('\n').replaceAll(',', '\t')}\n`,
  });
  const refused = await runLine(['import', folder, 'Item', join(folder, 'items.tsv')]);
  match(
    refused.err,
    /"tags": is no list: write a JSON array, or in CSV a\|b\. "counts": .*"x"\. "colors": .*"BLUE".*"places": is no object: .*"place": is no object/,
  );
  const written = await runLine(['import', folder, 'Item', join(folder, 'items.csv')]);
  equal(written.out, '4 rows of Item written.\n', written.err);
  const { graph } = await startApp(context, { folder, schema, data: join(folder, '.lockstitch') });
  const none = { counts: null, flags: null, place: null };
  deepEqual((await graph('{ items { tags counts rates flags colors places { town } place { town } } }')).items, [
    {
      tags: ['a', 'b'],
      counts: [1, 2],
      rates: [1.5, 2],
      flags: [true, false],
      colors: ['RED', 'GREEN'],
      places: [{ town: 'Oslo' }],
      place: { town: 'Rome' },
    },
    { ...none, tags: [], rates: [], colors: [], places: [] },
    {
      tags: ['a|b', '', 'c,d'],
      counts: [1],
      rates: [1.5, null],
      flags: [true],
      colors: ['RED'],
      places: null,
      place: null,
    },
    { ...none, tags: ['one'], counts: [7], rates: null, colors: ['RED'], places: null },
  ]);
});

test('one bad row prevents the import; each is reported with file, line and reason', async (context) => {
  const folder = temporaryFolder(
    context,
    files({
      'notes.ndjson':
        '{"title":"a","author":"ada"}\n{"titel":"b","author":"ada"}\n{"title":\n{"title":"d","author":"eve"}\n',
    }),
  );
  await runLine(['import', folder, 'Author', join(folder, 'authors.csv')]);
  const file = join(folder, 'notes.ndjson');
  const refused = await runLine(['import', folder, 'Note', file]);
  equal(refused.code, 1);
  const lines = refused.err.split('\n').filter((line) => line.startsWith(file));
  deepEqual(
    lines.map((line) => line.slice(file.length + 1, file.length + 2)),
    ['2', '3', '4'],
  );
  match(lines[0]!, /Did you mean "title"\? "title" is required\.$/);
  match(refused.err, new RegExp(`${file}:2: "titel" is no field of Note\\. Did you mean "title"\\?`));
  match(refused.err, new RegExp(`${file}:3: not JSON`));
  match(refused.err, new RegExp(`${file}:4: "author": no Author has login "eve"`));
  match(refused.err, /3 of 4 rows are wrong; nothing was written/);

  const torn = temporaryFolder(context, { 'torn.ndjson': '{"title":"a","author":"ada"}\n{"title":\n' });
  match(
    (await runLine(['import', folder, 'Note', join(torn, 'torn.ndjson')])).err,
    /1 of 2 rows are wrong; nothing was written/,
  );
  const { call, close } = await startApp(context, { folder, data: join(folder, '.lockstitch') });
  equal((await call('/notes/_count')).json.count, 0);
  await close();

  const dry = await runLine(['import', folder, 'Note', file, '--dry-run']);
  equal(dry.code, 1);
  match(dry.out, /1 row of Note is good, 3 wrong; nothing was written/);

  const json = await runLine(['import', folder, 'Note', file, '--skip-bad', '--json']);
  equal(json.code, 0);
  const { written, bad, problems } = JSON.parse(json.out);
  deepEqual([written, bad, problems.length], [1, 3, 3]);
});

test('a dry run of good rows writes nothing', async (context) => {
  const folder = temporaryFolder(context, files({}));
  const file = join(folder, 'authors.csv');
  equal(
    (await runLine(['import', folder, 'Author', file, '--dry-run'])).out,
    '2 rows of Author are good; nothing was written.\n',
  );
  equal((await runLine(['import', folder, 'Author', file])).out, '2 rows of Author written.\n');
  const twice = await runLine(['import', folder, 'Author', file]);
  equal(twice.code, 1);
  match(twice.err, /:2: another Author has the same login/);
});

test('unknown types, formats and files are rejected with a suggestion', async (context) => {
  const folder = temporaryFolder(context, files({}));
  const file = join(folder, 'authors.csv');
  match((await runLine(['import', folder, 'Autor', file])).err, /no stored type "Autor"\. Did you mean "Author"\?/);
  const format = await runLine(['import', folder, 'Author', file, '--format', 'cvs']);
  equal(format.code, 2);
  match(format.err, /not "cvs"\. Did you mean "csv"\?/);
  match((await runLine(['import', folder, 'Author', '/no/file.csv'])).err, /there is no such file/);
});

test('19.2 --upsert creates and updates rows, and counts what it did; run again, it changes nothing', async (context) => {
  const folder = temporaryFolder(
    context,
    files({
      'more.csv': 'login,name,age\nada,Ada,36\ncid,Cid,7\n',
      'bad.ndjson': '{"login": "ada", "age": 37}\n{"login": "bob", "age": "old"}\n',
    }),
  );
  await runLine(['import', folder, 'Author', join(folder, 'authors.csv')]);
  const upsert = ['import', folder, 'Author', join(folder, 'more.csv'), '--upsert'];
  equal((await runLine(upsert)).out, '2 rows of Author: 1 created, 1 updated, 0 unchanged.\n');
  equal((await runLine([...upsert, '--by', 'login'])).out, '2 rows of Author: 0 created, 0 updated, 2 unchanged.\n');
  const bad = ['import', folder, 'Author', join(folder, 'bad.ndjson'), '--upsert'];
  match((await runLine(bad)).err, /bad\.ndjson:2: "age".*\n.*1 of 2/s);
  const counts = JSON.parse((await runLine([...bad, '--skip-bad', '--json'])).out) as Record<string, unknown>;
  const { created, updated, unchanged, bad: wrong } = counts;
  deepEqual({ created, updated, unchanged, wrong }, { created: 0, updated: 1, unchanged: 0, wrong: 1 });
  match((await runLine([...upsert, '--by', 'name'])).err, /name is no unique key of Author/);
  match((await runLine(['import', folder, 'Author', join(folder, 'more.csv'), '--by', 'login'])).err, /needs --upsert/);
});
