// `lockstitch policy test` on applications as they are: those of the examples, what `init` writes, and one whose resolvers would do
// harm; before and after the first start, on both databases.
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

import { createApp } from '../../src/app.ts';
import { loadApp } from '../../src/app/load-app.ts';
import { openStore } from '../../src/data/open-store.ts';
import { copyPhotoShareData } from '../../../../test/spec/start-app.ts';
import { freshDatabase } from '../fresh-database.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runLine } from './run-here.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));

const EFFECTS = {
  'schema.graphql': `scalar Money
    enum Mood { GLAD SAD }
    type Part { size: Int! label: String! }
    type Note @entity @auth(read: "owner == authentication.name") { id: ID! owner: String! @search text: String! @search price: Money part: Part mood: Mood! marks: [String!]! length: Int! more: Extra! }
    type Extra { words: Int! }
    type Query { notes: [Note!]! note(id: ID!): Note told: [Note!]! now: String! }
    type Mutation { wipe: Boolean! }`,
  'resolvers.ts': `import { appendFileSync } from 'node:fs';
    import { GraphQLScalarType } from 'graphql';
    const effect = (value) => () => { appendFileSync(new URL('effects', import.meta.url), 'x'); return value; };
    export default {
      Money: new GraphQLScalarType({ name: 'Money' }),
      Note: { length: { needs: ['text'], resolve: effect(1) }, mood: effect('SAD'), marks: effect([]), more: effect({ words: 1 }) },
      Part: { label: effect('l') },
      Query: { told: effect([]), now: effect('now') },
      Mutation: { wipe: effect(true) },
    };`,
  'lockstitch.config.ts': "export default { data: './data' };\n",
  'notes.ndjson': ['ann', 'bob', 'cid']
    .map((owner) => JSON.stringify({ owner, text: `word of ${owner}`, price: '5', part: { size: 1 } }))
    .join('\n'),
};

const UNTESTED = [
  'Mutation.wipe',
  'Note.length',
  'Note.marks',
  'Note.mood',
  'Note.more',
  'Part.label',
  'Query.now',
  'Query.told',
];

async function checkEffects(t: TestContext, environment: Readonly<Record<string, string>>): Promise<void> {
  const folder = temporaryFolder(t, EFFECTS);
  const before = await runLine(['policy', 'test', folder, '--cases', '20'], environment);
  equal(before.code, 1);
  match(before.err, /does not hold the schema yet.*\(SERVER_POLICY_NO_DATA\)/s);
  equal(existsSync(join(folder, 'data')), false);
  const imported = await runLine(['import', folder, 'Note', join(folder, 'notes.ndjson')], environment);
  equal(imported.code, 0, imported.err);
  const { code, out, err } = await runLine(
    ['policy', 'test', folder, '--cases', '120', '--seed', '3', '--json'],
    environment,
  );
  equal(code, 0, err);
  const result = JSON.parse(out) as { untested: unknown; interference: unknown; changed: number };
  deepEqual([result.untested, result.interference], [UNTESTED, null]);
  equal(result.changed > 0, true);
  equal(existsSync(join(folder, 'effects')), false);
}

test('1.6 a policy test never runs resolvers, and names what it did not test', (t) => checkEffects(t, {}));

test('1.6 a policy test never runs resolvers on PostgreSQL', async (t) => {
  const DATABASE_URL = await freshDatabase();
  if (!DATABASE_URL.startsWith('postgres:')) return t.skip(DATABASE_URL);
  await checkEffects(t, { DATABASE_URL });
});

/** Starts an application once, which makes its tables and fills them. */
async function startOnce(folder: string, data: string): Promise<void> {
  await (await createApp(await loadApp(folder, {}, { data, port: 0 }))).close();
}

/** @param start what a first start leaves in the data folder comes from there */
async function checkBeforeAndAfter(
  folder: string,
  data: string,
  untested: RegExp,
  start: (data: string) => Promise<void> = (place) => startOnce(folder, place),
): Promise<void> {
  const words = ['policy', 'test', folder, '--data', data, '--cases', '20', '--seed', '1'];
  const before = await runLine(words);
  equal(before.code, 1, before.out);
  match(before.err, /Start the application once, or run lockstitch migrate\.\n\(SERVER_POLICY_NO_DATA\)/);
  await start(data);
  const after = await runLine(words);
  equal(after.code, 0, after.err);
  match(after.out, /^None of 20 requests to the graph and search revealed hidden data/);
  match(after.out, untested);
}

const folderOf = (t: TestContext): string => join(temporaryFolder(t, {}), 'data');
const NONE = /\nNot tested: subscriptions\.\n$/;

test('1.6 the policy of the photo-share example is tested before and after its first start', async (t) => {
  const folder = join(EXAMPLES, 'photo-share');
  const untested = /Nor are fields that TypeScript resolves: Mutation\.githubAuth\.\n$/;
  await checkBeforeAndAfter(folder, folderOf(t), untested, copyPhotoShareData);
});

test('1.6 the policy of the movies example is tested before and after its first start', async (t) => {
  await checkBeforeAndAfter(join(EXAMPLES, 'movies'), folderOf(t), NONE);
});

test('1.6 a policy test of a new application works before and after its first start', async (t) => {
  const folder = join(temporaryFolder(t, {}), 'app');
  await runLine(['init', folder]);
  await checkBeforeAndAfter(folder, join(folder, 'data'), NONE);
});

test('1.6 a file of SQLite that cannot be opened is not blamed on DATABASE_URL', async (t) => {
  const folder = temporaryFolder(t, { 'schema.graphql': EFFECTS['schema.graphql'] });
  mkdirSync(join(folder, 'data', 'data.sqlite'), { recursive: true });
  await rejects(openStore(undefined, join(folder, 'data')), (error: Error & { hint?: string; code?: string }) => {
    equal(error.code, 'SERVER_DATABASE_UNREACHABLE');
    match(error.hint ?? '', /^Check that it is there/);
    return true;
  });
});
