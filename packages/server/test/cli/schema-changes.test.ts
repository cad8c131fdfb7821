import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { createApp } from '../../src/app.ts';
import { loadApp } from '../../src/app/load-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runLine } from './run-here.ts';

const FIRST = 'type Note @entity { id: ID! text: String! mood: String } type Query { notes: [Note!]! }';
const SECOND = 'type Note @entity { id: ID! text: String! stars: Int } type Query { notes: [Note!]! }';
const CONFIG = "export default { data: './data' };\n";

test('plan shows the steps and the SQL, and makes neither a folder nor a table', async (context) => {
  const folder = temporaryFolder(context, { 'schema.graphql': FIRST, 'lockstitch.config.ts': CONFIG });
  const { code, out } = await runLine(['plan', folder]);
  equal(code, 0);
  match(out, /^\d+ steps for .*data\.sqlite \(new\):\n/);
  match(out, /^ {2}Create table notes$/m);
  match(out, /^SQL:\n(?:.*\n)* {2}CREATE TABLE "notes"/m);
  equal(existsSync(join(folder, 'data')), false);
  const { steps } = JSON.parse((await runLine(['plan', folder, '--json'])).out);
  deepEqual(
    steps.find((step: { name: string }) => step.name === 'create notes'),
    { name: 'create notes', text: 'Create table notes', blocked: false, isRolling: true },
  );
});

test('plan shows which search indexes the next start builds, and why', async (context) => {
  const schema = (text: string, more = ''): string =>
    `type Note @entity { id: ID! ${text} } ${more} type Query { notes: [Note!]! }`;
  const folder = temporaryFolder(context, {
    'schema.graphql': schema(
      'text: String! @search mood: String @search',
      'type Tag @entity { id: ID! name: String @search }',
    ),
    'lockstitch.config.ts': CONFIG,
  });
  const planned = async (): Promise<string> =>
    (await runLine(['plan', folder])).out.split('Search, at the next start:\n')[1] ?? '';
  equal(
    await planned(),
    '  Build index notes: id (keyword), text (text), mood (text)\n  Build index tags: id (keyword), name (text)\n',
  );
  equal(existsSync(join(folder, 'data')), false);
  const start = async (): Promise<void> => (await createApp(await loadApp(folder, {}, { port: 0 }))).close();
  await start();
  equal(await planned(), '');
  match((await runLine(['plan', folder])).out, /^Nothing to change/);
  writeFileSync(
    join(folder, 'schema.graphql'),
    schema('text: String! @search(type: "keyword") mood: String stars: Int @search'),
  );
  equal(
    await planned(),
    '  Rebuild index notes: field text is keyword, no longer text; field stars (long) is new; field mood is gone\n' +
      '  Drop index tags, which the schema does not have\n',
  );
  const { indexes } = JSON.parse((await runLine(['plan', folder, '--json'])).out);
  deepEqual(
    indexes.map((step: { index: string; kind: string }) => [step.index, step.kind]),
    [
      ['notes', 'rebuild'],
      ['tags', 'drop'],
    ],
  );
  writeFileSync(
    join(folder, 'schema.graphql'),
    schema('text: String! @search mood: String @search').replace('@entity', '@entity @auth(read: "mood != null")'),
  );
  match(await planned(), /^ {2}Rebuild index notes: read rules have changed\n {2}Drop index tags/);
});

test('an index is rebuilt if its documents embed objects by another relation, even with equal field names', async (context) => {
  const schema = (target: string): string =>
    `type Note @entity { id: ID! text: String! @search by: ${target} }
     type Cat @entity { id: ID! name: String @search } type Dog @entity { id: ID! name: String @search }
     type Query { notes: [Note!]! }`;
  const folder = temporaryFolder(context, { 'schema.graphql': schema('Cat'), 'lockstitch.config.ts': CONFIG });
  await (await createApp(await loadApp(folder, {}, { port: 0 }))).close();
  equal((await runLine(['plan', folder])).out.includes('Search'), false);
  writeFileSync(join(folder, 'schema.graphql'), schema('Dog'));
  match((await runLine(['plan', folder])).out, /Rebuild index notes: its documents are made differently/);
});

test('an index is rebuilt if its read rules read other data, even with equal text', async (context) => {
  const schema = (by: string, team: string, code: string): string =>
    `type Note @entity @auth(read: "by.name == authentication.name or team == principal.team") {
       id: ID! text: String! @search by: ${by} @search(embed: false) team: ${team} code: ${code} @search(type: "keyword")
     }
     type Cat @entity { id: ID! name: String } type Dog @entity { id: ID! name: String }
     type Query { notes: [Note!]! }`;
  const folder = temporaryFolder(context, {
    'schema.graphql': schema('Cat', 'String', 'String'),
    'lockstitch.config.ts': CONFIG.replace(
      '}',
      ", passwordEncoder: 'noop', users: [{ username: 'ada', password: 'x', attributes: { team: 'a' } }] }",
    ),
  });
  await (await createApp(await loadApp(folder, {}, { port: 0 }))).close();
  const planned = async (...given: [string, string, string]): Promise<string> => {
    writeFileSync(join(folder, 'schema.graphql'), schema(...given));
    return (await runLine(['plan', folder])).out;
  };
  equal((await planned('Cat', 'String', 'String')).includes('Search'), false);
  match(await planned('Dog', 'String', 'String'), /Rebuild index notes: read rules have changed/);
  match(await planned('Cat', 'Int', 'String'), /Rebuild index notes: read rules have changed/);
  match(await planned('Cat', 'String', 'Int'), /Rebuild index notes: its documents are made differently/);
});

test('a value taken out of an enum is shown with the rows that hold it, and keeps the application from starting', async (context) => {
  const schema = (values: string): string =>
    `enum Mood { ${values} } type Note @entity { id: ID! mood: Mood! } type Query { notes: [Note!]! }`;
  const folder = temporaryFolder(context, { 'schema.graphql': schema('GLAD SAD'), 'lockstitch.config.ts': CONFIG });
  await runLine(['migrate', folder]);
  const database = new DatabaseSync(join(folder, 'data', 'data.sqlite'));
  database.exec("INSERT INTO notes (mood) VALUES ('SAD'), ('SAD'), ('GLAD')");
  database.close();
  writeFileSync(join(folder, 'schema.graphql'), schema('GLAD CALM'));
  match(
    (await runLine(['plan', folder])).out,
    /Let column mood of table notes hold Mood without SAD and with CALM\n {6}Cannot be done: 2 values in notes\.mood would not be allowed: "SAD"; change them first/,
  );
  await rejects(loadApp(folder, {}, { port: 0 }).then(createApp), { code: 'GRAPH_MIGRATION_REFUSED' });
  const refused = await runLine(['migrate', folder, '--allow-loss', 'values notes.mood']);
  equal(refused.code, 1);
  match(refused.err, /\(GRAPH_MIGRATION_REFUSED\)/);
});

test('2.2 a column that a version before does not know is optional to plan, left by a start, and dropped by name', async (context) => {
  const folder = temporaryFolder(context, { 'schema.graphql': FIRST, 'lockstitch.config.ts': CONFIG });
  await runLine(['migrate', folder]);
  const database = new DatabaseSync(join(folder, 'data', 'data.sqlite'));
  database.exec("INSERT INTO notes (text, mood) VALUES ('a', 'glad')");
  const old = FIRST.replace('mood: String', '');
  writeFileSync(join(folder, 'schema.graphql'), old);
  match(
    (await runLine(['plan', folder])).out,
    /^Nothing to change: .*\n\nOptional; left as it is, .*:\n {2}Drop column mood of table notes, .*\n {6}Loses 1 value in notes\.mood\. To let it happen: --allow-loss "drop notes\.mood"\n$/,
  );
  const lines: string[] = [];
  const log = { write: (level: string, message: string) => void lines.push(`${level} ${message}`) };
  await (await createApp(await loadApp(folder, {}, { port: 0 }), { log })).close();
  equal(
    lines.filter((line) =>
      line.includes('It is left as it is; steps of "lockstitch plan" that would drop it: drop notes.mood.'),
    ).length,
    1,
  );
  match((await runLine(['migrate', folder])).out, /^Nothing to change/);
  deepEqual(database.prepare('SELECT mood FROM notes').all()[0]!['mood'], 'glad');
  match((await runLine(['migrate', folder, '--allow-loss', 'drop notes.mood'])).out, /^1 step applied/);
  equal(database.prepare('PRAGMA table_info(notes)').all().length, 2);
  match((await runLine(['plan', folder])).out, /^Nothing to change: .*\n$/);
  database.close();
});

test('migrate applies safe steps, and rejects steps that lose data until they are named', async (context) => {
  const folder = temporaryFolder(context, {
    'schema.graphql': FIRST.replace('mood: String', 'mood: String!'),
    'lockstitch.config.ts': CONFIG,
  });
  const file = join(folder, 'data', 'data.sqlite');
  match(
    (await runLine(['migrate', folder])).out,
    /steps applied to .*data\.sqlite:\n(?:.*\n)* {2}Create table notes\n/,
  );
  match((await runLine(['migrate', folder])).out, /^Nothing to change/);
  const database = new DatabaseSync(file);
  database.exec("INSERT INTO notes (text, mood) VALUES ('a', 'glad')");
  const columns = (): unknown[] =>
    database
      .prepare('PRAGMA table_info(notes)')
      .all()
      .map((column) => column['name']);

  writeFileSync(join(folder, 'schema.graphql'), SECOND);
  match(
    (await runLine(['plan', folder])).out,
    /Drop column mood of table notes, .*\n {6}Loses 1 value in notes\.mood\. To let it happen: --allow-loss "drop notes\.mood"/,
  );
  const refused = await runLine(['migrate', folder]);
  equal(refused.code, 1);
  match(refused.err, /: loses data: 1 value in notes\.mood(?:.*\n)*\(GRAPH_MIGRATION_REFUSED\)/);
  match(refused.err, /lockstitch migrate <dir> --allow-loss "drop notes\.mood"/);
  deepEqual(columns(), ['id', 'text', 'mood']);

  const misspelt = await runLine(['migrate', folder, '--allow-loss', 'drop notes.mod']);
  equal(misspelt.code, 2);
  match(misspelt.err, /Did you mean "drop notes\.mood"\?/);
  equal((await runLine(['migrate', folder, 'drop notes.mood'])).code, 2);

  const done = await runLine(['migrate', folder, '--allow-loss', 'drop notes.mood', '--json']);
  equal(done.code, 0);
  deepEqual(
    JSON.parse(done.out).steps.map((step: { name: string }) => step.name),
    ['add notes.stars', 'drop notes.mood'],
  );
  deepEqual(columns(), ['id', 'text', 'stars']);
  database.close();
});

const TYPED = /* GraphQL */ `
  scalar DateTime
  scalar JSON
  enum Category {
    PORTRAIT
    ACTION
  }
  """
  A picture.
  """
  type Photo @entity {
    id: ID!
    name: String!
    taken: DateTime
    category: Category!
    by: User
    tags: [String!]
    size(unit: String = "px", scale: Float): Int!
  }
  type User @entity {
    login: ID! @id
    photos(first: Int): [Photo!]!
  }
  type Login {
    token: String!
    user: User!
  }
  union Found = Photo | User
  input NewPhoto {
    name: String!
    taken: DateTime
    category: Category = PORTRAIT
    tags: [String!]
  }
  type Query {
    photos: [Photo!]!
    find(text: String!): [Found!]!
    record(await: await): Record
  }
  # Names that mean something else in TypeScript, or that are made of those of others.
  enum class {
    new
    default
  }
  input await {
    class: class! = new
    delete: [class!]
  }
  type Record {
    class: class
    exam: Exam
  }
  type Exam {
    id: ID!
    result: ExamResult
  }
  scalar Shade
  type ExamResult {
    id: ID!
    class: class!
    shade: Shade
  }
  type Mutation {
    login(code: String!, at: DateTime): Login!
    takePhoto(input: NewPhoto!): Photo!
  }
`;
const RESOLVERS = `import { GraphQLScalarType } from 'graphql';
import type { ResolversOfSchema } from './schema-types.ts';
export default {
  Shade: new GraphQLScalarType({ name: 'Shade' }),
  Photo: { size: { needs: ['name'], resolve: (photo, { unit, scale }) => photo.name.length * (scale ?? 1) * (unit === 'px' ? 1 : 2) } },
  Query: {
    find: () => [{ __typename: 'User', login: 'ann' }],
    record: (_, { await: given }) => ({ class: given?.class ?? null, exam: { id: '1', result: { id: '2', class: 'new' } } }),
  },
  Mutation: {
    login: (_, { code, at }) => ({ token: code + (at?.toISOString() ?? ''), user: { login: 'ann' } }),
    takePhoto: async (_, { input }) => ({ id: input.name + (input.tags ?? []).join() }),
  },
} satisfies ResolversOfSchema;
`;

test('types are those that resolvers satisfy: right ones compile and wrong ones do not', async (context) => {
  const folder = temporaryFolder(context, {
    'schema.graphql': TYPED,
    'resolvers.ts': RESOLVERS,
    'package.json': '{ "type": "module" }',
    'lockstitch.config.ts': CONFIG,
    'tsconfig.json': JSON.stringify({
      extends: fileURLToPath(new URL('../../../../tsconfig.base.json', import.meta.url)),
      compilerOptions: {
        noEmit: true,
        rootDir: '/',
        types: [],
        paths: {
          lockstitch: [fileURLToPath(new URL('../../src/index.ts', import.meta.url))],
          graphql: [fileURLToPath(import.meta.resolve('graphql')).replace(/\.m?js$/, '.d.ts')],
        },
      },
      files: ['use.ts', 'resolvers.ts'],
    }),
    'use.ts': `import type { class_, ExamResult, ExamResult_, Photo, PhotoSizeArgs, Record_, ResolversOfSchema } from './schema-types.ts';
export const name = (photo: Photo): string => photo.by?.photos[0]?.category === 'ACTION' ? photo.name : (photo.taken ?? '');
export const grade = ({ exam }: Record_): class_ | undefined => exam?.result?.class;
export const returned: readonly [ExamResult, ExamResult_] = [{ id: '1', class: 'new', shade: null }, { id: '1' }];
export const scale: PhotoSizeArgs = { unit: 'px' };
// @ts-expect-error -- no such column
export const bad: ResolversOfSchema = { Photo: { size: { needs: ['nmae'], resolve: () => 1 } } };
// @ts-expect-error -- a number is promised
export const wrong: ResolversOfSchema = { Photo: { size: () => 'x' } };
// @ts-expect-error -- no scalar
export const colour: ResolversOfSchema = { Shade: { size: () => 1 } };
// @ts-expect-error -- no such field
export const absent: ResolversOfSchema = { Photo: { sise: () => 1 } };
`,
  });
  const file = join(folder, 'schema-types.ts');
  const written = await runLine(['types', folder, '--out', file]);
  equal(written.err, '');
  equal(written.code, 0);
  const text = readFileSync(file, 'utf8');
  match(text, /\/\*\* A picture\. \*\/\nexport interface Photo \{\n {2}readonly id: string;/);
  equal((await runLine(['types', folder])).out, text);
  const tsc = fileURLToPath(new URL('../../../../node_modules/.bin/tsc', import.meta.url));
  try {
    execFileSync(tsc, ['-p', folder], { encoding: 'utf8' });
  } catch (error) {
    equal((error as { stdout: string }).stdout, '');
  }
});
