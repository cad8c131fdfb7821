// Where an application finds its database: an existing file, or the variable that its configuration names.
import { equal, match, rejects } from 'node:assert/strict';
import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { loadConfig } from '../../src/config/load-config.ts';
import { openStore } from '../../src/data/open-store.ts';
import { runLine } from '../cli/run-here.ts';
import { startApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const CONFIG = (url: string) => `export default ${JSON.stringify({ database: { url } })};`;
const SCHEMA = 'type Note @entity { id: ID! title: String! } type Query { note(id: ID!): Note }';

test('an existing SQLite file is served where it is, with the rights that it has', async (context) => {
  const folder = temporaryFolder(context);
  const file = join(folder, 'shop.db');
  new DatabaseSync(file).close();
  chmodSync(file, 0o640);
  const config = { database: { url: 'sqlite:shop.db' } };
  const app = await startApp(context, { folder, data: 'data', config });
  equal(app.app.graph.store.description, file);
  await app.graph('mutation { createAuthor(input: { login: "ada" }) { login } }');
  await app.close();
  equal(statSync(file).mode & 0o777, 0o640);
  const database = new DatabaseSync(file, { readOnly: true });
  equal(database.prepare('SELECT login FROM authors').get()?.['login'], 'ada');
  database.close();
});

test('an SQLite file that is not there is not created', async (context) => {
  const file = join(temporaryFolder(context), 'shop.db');
  await rejects(openStore(`sqlite:${file}`, ':memory:'), { code: 'SERVER_DATABASE_UNREACHABLE', message: /shop\.db/ });
  equal(existsSync(file), false);
});

test('without the variable that holds the address an application can be checked, and not started', async (context) => {
  const folder = temporaryFolder(context, {
    'lockstitch.config.mjs': CONFIG('env:SHOP_DATABASE'),
    'schema.graphql': SCHEMA,
  });
  match((await runLine(['check', folder])).out, /^No mistakes/);
  for (const verb of ['plan', 'migrate', 'start']) {
    const { code, err } = await runLine([verb, folder], { PORT: '0' });
    equal(code, 1);
    match(err, /The variable SHOP_DATABASE holds no address of a database\.[^]*\(SERVER_DATABASE_UNNAMED\)/);
  }
  equal(existsSync(join(folder, '.lockstitch', 'data.sqlite')), false);
});

test('the variable may hold an SQLite file, relative to the working directory', async (context) => {
  const folder = temporaryFolder(context, { 'lockstitch.config.mjs': CONFIG('env:SHOP_DATABASE') });
  const { config, problems } = await loadConfig(folder, { SHOP_DATABASE: 'sqlite:shop.db' });
  equal(config.database.url, `sqlite:${join(process.cwd(), 'shop.db')}`);
  equal(problems.length, 0);
  const { config: own } = await loadConfig(folder, {
    DATABASE_URL: 'sqlite:other.db',
    SHOP_DATABASE: 'sqlite:shop.db',
  });
  equal(own.database.url, `sqlite:${join(process.cwd(), 'other.db')}`);
});

test('the generated user has the roles that the configuration gives it', async (context) => {
  const schema = `type Note @entity @auth(read: "hasRole('ADMIN')") { id: ID! title: String! } type Query { noteCount: Int! }
    input NoteInput { title: String! } type Mutation { createNote(input: NoteInput!): Note }`;
  for (const [roles, title] of [
    [[], null],
    [['ADMIN'], 'a'],
  ] as const) {
    const app = await startApp(context, { schema, config: { generatedUser: { roles } } });
    const { json } = await app.call('/graphql', {
      json: { query: 'mutation { createNote(input: { title: "a" }) { title } }' },
    });
    equal(json.data?.createNote?.title ?? null, title);
    await app.close();
  }
});
