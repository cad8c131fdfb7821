import { deepEqual, equal, match } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { temporaryFolder } from '../temporary-folder.ts';
import { runCli } from './run-cli.ts';
import { runLine } from './run-here.ts';

test('help lists the verbs; help of a verb lists its options', async () => {
  const all = await runCli(['help']);
  equal(all.code, 0);
  match(all.out, /^ {2}start +Serve the application/m);
  const one = await runLine(['help', 'import']);
  match(one.out, /--skip-bad +Write the good rows/);
  match((await runCli(['--version'])).out, /^\d+\.\d+\.\d+\n$/);
});

test('an unknown verb is answered with a suggestion and exit code 2', async () => {
  const { code, out, err } = await runCli(['strat', '.']);
  equal(code, 2);
  equal(out, '');
  match(err, /There is no verb "strat"\. Did you mean "start"\?/);
});

test('init writes an application that passes check, and refuses a folder that holds something', async (context) => {
  const folder = join(temporaryFolder(context), 'My App');
  const made = await runLine(['init', folder]);
  equal(made.code, 0);
  match(made.out, /^Start it: cd ".*My App" && npm install && npm start$/m);
  deepEqual(readdirSync(folder).toSorted(), [
    '.gitignore',
    'README.md',
    'lockstitch.config.ts',
    'package.json',
    'schema.graphql',
  ]);
  // 4 npm start works: from a clone it starts what the clone holds.
  const { scripts, dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const [, script] = /^node "(.*scripts\/run\.mjs)" cli start \.$/.exec(scripts.start)!;
  equal(existsSync(join(folder, script!)), true);
  equal(dependencies, undefined);
  const checked = await runLine(['check', folder]);
  equal(checked.out, 'No mistakes: 2 stored types, 2 of them searchable.\n');
  equal(checked.code, 0);
  const again = await runLine(['init', folder]);
  equal(again.code, 1);
  match(again.err, /is not empty/);
});

test('check lists the mistakes of schema, configuration and resolvers at once, each with its place', async (context) => {
  const folder = temporaryFolder(context, {
    'schema.graphql': 'type Photo @entity {\n  id: ID!\n  name: Strin!\n}\ntype Query {\n  photo(id: ID!): Photo\n}\n',
    'lockstitch.config.ts': 'export default {\n  prot: 1,\n};\n',
    'resolvers.ts': 'export const nothing = 1;\n',
  });
  const { code, out } = await runLine(['check', folder]);
  equal(code, 1);
  match(out, /^3 mistakes in/);
  match(out, /schema\.graphql:3:9: Unknown type "Strin"\. Did you mean "String"\?/);
  match(out, /lockstitch\.config\.ts:2: Unknown key "prot"\. Did you mean "port"\?/);
  match(out, /resolvers\.ts: The file exports no default/);
  const { good, problems } = JSON.parse((await runLine(['check', folder, '--json'])).out);
  equal(good, false);
  equal(problems.length, 3);
});

test('check lists the mistakes of the configuration in order of their lines', async (context) => {
  const folder = temporaryFolder(context, {
    'schema.graphql': 'type Photo @entity { id: ID! }\ntype Query { photo(id: ID!): Photo }\n',
    'lockstitch.config.ts':
      "export default {\n  graph: { onlyTrusted: 5, limits: { dept: 3 } },\n  port: 'x',\n  rules: 7,\n  hots: 'a',\n  cors: 1,\n};\n",
  });
  const { problems } = JSON.parse((await runLine(['check', folder, '--json'])).out);
  const lines = problems.map(({ where }: { where: string }) => Number(where.split(':')[1]));
  equal(lines.length >= 5, true);
  deepEqual(
    lines,
    lines.toSorted((a: number, b: number) => a - b),
  );
});

test('commands in hints are written as they are typed: by the script of npm in a clone', async (context) => {
  const empty = temporaryFolder(context);
  const inClone = { npm_lifecycle_event: 'lockstitch', npm_package_name: 'lockstitch-workspace' };
  const installed = { npm_lifecycle_event: '', npm_package_name: '' };
  match((await runLine(['check', empty], inClone)).err, /"npm run lockstitch -- init <folder>"/);
  match((await runLine(['check', empty], installed)).err, /"lockstitch init <folder>"/);
  match((await runLine(['help', 'plan'], inClone)).out, /^ {2}npm run lockstitch -- plan \.$/m);
  match(
    (await runLine(['help'], { ...inClone, npm_lifecycle_event: 'start' })).out,
    /Usage: npm run lockstitch -- <verb>/,
  );
  match((await runLine(['help'], { ...installed, npm_lifecycle_event: 'start' })).out, /Usage: lockstitch <verb>/);
});

test('1.3 check asks whether keys are to count hidden objects, and whether a promise is meant that a read rule can break', async (context) => {
  const folder = temporaryFolder(context, {
    'schema.graphql':
      'type Photo @entity {\n  id: ID!\n  postedBy: User!\n  seenBy: User\n}\n' +
      'type User @entity @auth(read: "listed") {\n  id: ID!\n  listed: Boolean!\n  posted: [Photo!]! @relation(inverse: "postedBy")\n  seen: [Photo!]! @relation(inverse: "seenBy")\n}\n' +
      'type Query {\n  photo(id: ID!): Photo\n}\n',
  });
  const { code, out } = await runLine(['check', folder]);
  equal(code, 0);
  match(out, /^No mistakes: /);
  match(out, /schema\.graphql:3:3: Photo\.postedBy is non-null, and the read rule of User can hide its target/);
  match(out, /Write postedBy: User, without "!"/);
  match(out, /schema\.graphql:7:3: User\.id is a sequential key, and User has a read rule/);
  match(out, /Write id: ID! @id @default\(value: "uuid"\)/);
  const { good, problems, advice } = JSON.parse((await runLine(['check', folder, '--json'])).out);
  deepEqual([good, problems.length, advice.length], [true, 0, 2]);
});

test('4 check asks whether a default that names the signed-in user is meant as a text, and how other systems write defaults', async (context) => {
  const folder = temporaryFolder(context, {
    'schema.graphql':
      'type Note @entity {\n  id: ID!\n  owner: String! @default(value: "principal")\n  code: String @default(value: "uuid()")\n  made: String @default(value: "CURRENT_TIMESTAMP")\n  kind: String @default(value: "user story")\n}\ntype Query { notes: [Note!]! }\n',
  });
  const { code, out } = await runLine(['check', folder]);
  equal(code, 0);
  match(
    out,
    /schema\.graphql:3:3: The default of Note\.owner is the text "principal" itself\.\n.*@auth\(create: "owner == authentication\.name"\)/,
  );
  match(out, /:4:3: The default of Note\.code is .*\n.*@default\(value: "uuid"\)/);
  match(out, /:5:3: The default of Note\.made is .*\n.*@default\(value: "now"\)/);
  equal(out.includes('Note.kind'), false);
});

test('1.2 check rejects a schema that does not declare what a deletion does to objects with rules', async (context) => {
  const folder = temporaryFolder(context, {
    'schema.graphql':
      'type Folder @entity {\n  id: ID!\n  files: [File!]!\n}\n' +
      `type File @entity @auth(delete: "hasRole('ADMIN')") {\n  id: ID!\n  folder: Folder @relation(onDelete: CASCADE)\n}\n` +
      'type Query {\n  folder(id: ID!): Folder\n}\ntype Mutation {\n  deleteFolder(id: ID!): Boolean!\n}\n',
  });
  const { code, out } = await runLine(['check', folder]);
  equal(code, 1);
  match(out, /schema\.graphql:7:3: Deleting a Folder deletes each File that holds it in File\.folder/);
  match(out, /Write @relation\(onDelete: CASCADE, onDeleteRules: CALLER\) on File\.folder/);
});

test('a folder without an application reports what is missing', async (context) => {
  const empty = await runLine(['check', temporaryFolder(context)]);
  equal(empty.code, 1);
  match(empty.err, /holds no schema/);
  const absent = await runLine(['check', '/no/such/folder']);
  match(absent.err, /There is no folder "\/no\/such\/folder"/);
  equal(absent.err.includes('    at '), false);
});
