// A database that is older than what was made of it: the operator is told, with both positions, and nothing is filled in again.
import { deepEqual, doesNotMatch, equal, match, rejects } from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { openSqliteStore } from '@lockstitch/graph';

import { createApp } from '../../src/app.ts';
import { loadApp } from '../../src/app/load-app.ts';
import { runLine } from '../cli/run-here.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const FILES = {
  'schema.graphql': `type Note @entity { id: ID! text: String! @search }
    type Query { notes: [Note!]! } type Mutation { createNote(text: String!): Note! }`,
  'lockstitch.config.ts':
    "export default { data: './data', seed: './seed.ts', audit: { changes: 'changes.ndjson' } };\n",
  'seed.ts': "export default ({ write }) => write('Note', [{ text: 'a' }, { text: 'b' }]);\n",
};

interface Line {
  readonly level: string;
  readonly message: string;
  readonly facts: unknown;
}

/** Starts, writes some notes, and closes. */
async function run(folder: string, texts: readonly string[] = [], lines: Line[] = []): Promise<readonly string[]> {
  const log = {
    write: (level: string, message: string, facts?: unknown) => void lines.push({ level, message, facts }),
  };
  const app = await createApp(await loadApp(folder, {}, { port: 0 }), { log });
  try {
    for (const text of texts) await app.graph.execute({ query: `mutation { createNote(text: "${text}") { id } }` });
    const { body } = await app.graph.execute({ query: '{ notes { text } }' });
    return (JSON.parse(body) as { data: { notes: { text: string }[] } }).data.notes.map(({ text }) => text);
  } finally {
    await app.close();
  }
}

function removeDatabase(folder: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, 'data', `data.sqlite${end}`), { force: true });
}

const open = (t: TestContext): string => temporaryFolder(t, FILES);

test('4.9 a deleted database with a remaining search index is not seeded again', async (t) => {
  const folder = open(t);
  await run(folder, ['c']);
  // A start brings the index up to the data.
  deepEqual(await run(folder), ['a', 'b', 'c']);
  removeDatabase(folder);
  await rejects(run(folder), (error: Error & { code?: string; hint?: string }) => {
    equal(error.code, 'SERVER_DATA_GONE');
    match(error.message, /data\.sqlite is empty and knows 0 changes, but the search index notes beside it has seen 3:/);
    match(error.hint ?? '', /Restore the database/);
    return true;
  });
  // Nor the next time, and what the index holds is still there.
  await rejects(run(folder), { code: 'SERVER_DATA_GONE' });
  equal(existsSync(join(folder, 'data', 'search')), true);
  rmSync(join(folder, 'data', 'search'), { recursive: true });
  deepEqual(await run(folder), ['a', 'b']);
});

test('4.9 a database older than its index is reported with both positions', async (t) => {
  const folder = open(t);
  await run(folder);
  const file = join(folder, 'data', 'data.sqlite');
  copyFileSync(file, join(folder, 'backup'));
  await run(folder, ['c', 'd', 'e']);
  await run(folder);
  removeDatabase(folder);
  copyFileSync(join(folder, 'backup'), file);
  const lines: Line[] = [];
  deepEqual(await run(folder, ['x'], lines), ['a', 'b', 'x']);
  const warnings = lines.filter(({ level }) => level === 'warn');
  deepEqual(
    warnings.map(({ facts }) => facts),
    [
      { recordPosition: 5, databasePosition: 2 },
      { index: 'notes', indexPosition: 5, databasePosition: 2 },
    ],
  );
  match(warnings[1]!.message, /older than its search index: it knows 2 changes, the index notes has seen 5\./);
  const recorded = readFileSync(join(folder, 'changes.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { position: number; wentBackFrom?: number });
  deepEqual(
    recorded.slice(5).map(({ position, wentBackFrom }) => [position, wentBackFrom]),
    [
      [2, 5],
      [3, undefined],
    ],
  );
  // Said once: the index is that of this database from here on.
  const later: Line[] = [];
  await run(folder, [], later);
  deepEqual(
    later.filter(({ level }) => level === 'warn'),
    [],
  );
});

test('4.9 the commands of the index tell of a database that is older, too', async (t) => {
  const folder = open(t);
  await run(folder, ['c']);
  await run(folder);
  removeDatabase(folder);
  await rejects(run(folder), { code: 'SERVER_DATA_GONE' });
  const status = await runLine(['index', 'status', folder]);
  match(status.out, /trouble: the database knows 0 changes, the index notes has seen 3: later changes are lost/);
  match(status.out, /^not in step with the data: the feed is at 0/m);
  match((await runLine(['index', 'verify', folder])).err, /^The database is older than its search index: it knows 0/);
});

/** Every file of the data folder with what it holds. */
function contents(folder: string): ReadonlyMap<string, string> {
  const data = join(folder, 'data');
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return new Map(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'base64')]),
  );
}

test('4.9 verify --dry-run reports an older or missing database, and changes nothing', async (t) => {
  const folder = open(t);
  await run(folder);
  const file = join(folder, 'data', 'data.sqlite');
  copyFileSync(file, join(folder, 'backup'));
  await run(folder, ['c']);
  await run(folder);
  const dryRun = ['index', 'verify', folder, '--dry-run'];
  match((await runLine(dryRun)).out, /3 documents compared .* nothing differs/);
  const refused = async (expected: RegExp): Promise<void> => {
    const before = contents(folder);
    const { code, out, err } = await runLine(dryRun);
    deepEqual([code, out], [1, '']);
    match(err, expected);
    deepEqual(contents(folder), before);
  };
  removeDatabase(folder);
  await refused(/database .*data\.sqlite is gone \(0 changes known\), the index notes beside it .* has seen 3\./);
  copyFileSync(join(folder, 'backup'), file);
  await refused(/the database knows 2 changes, the index notes has seen 3: later changes are lost/);
  // One in which nothing of ours is: it is not prepared for us either.
  removeDatabase(folder);
  const other = await openSqliteStore({ file });
  await other.close();
  await refused(/the database knows 0 changes, the index notes has seen 3/);
  // Nothing was ever there: nothing is made.
  rmSync(join(folder, 'data'), { recursive: true });
  const empty = await runLine(dryRun);
  match(empty.out, /0 documents compared .* nothing differs/);
  equal(empty.code, 0);
  equal(existsSync(join(folder, 'data')), false);
});

test('4.9 index status says that the database is gone while an index is there', async (t) => {
  const folder = open(t);
  await run(folder, ['c']);
  await run(folder);
  removeDatabase(folder);
  const { out } = await runLine(['index', 'status', folder]);
  match(
    out,
    /^trouble: the database .*data\.sqlite is gone .*, the index notes beside it is still there and has seen 3$/m,
  );
  match(out, /^not in step with the data/m);
  doesNotMatch(out, /is not there yet/);
  equal(existsSync(join(folder, 'data', 'data.sqlite')), false);
});

test('4.9 an emptied database is reported without a seed, too', async (t) => {
  const folder = temporaryFolder(t, {
    'schema.graphql': FILES['schema.graphql'],
    'lockstitch.config.ts': "export default { data: './data' };\n",
  });
  await run(folder, ['c']);
  await run(folder);
  removeDatabase(folder);
  const lines: Line[] = [];
  deepEqual(await run(folder, [], lines), []);
  deepEqual(
    lines.filter(({ level }) => level === 'warn').map(({ facts }) => facts),
    [{ index: 'notes', indexPosition: 1, databasePosition: 0 }],
  );
});

test('4.9 read-only commands change nothing in a sound database', async (t) => {
  const folder = open(t);
  const search = join(folder, 'data', 'search');
  await run(folder);
  cpSync(search, join(folder, 'backup'), { recursive: true });
  await run(folder, ['c']);
  rmSync(search, { recursive: true });
  renameSync(join(folder, 'backup'), search);
  const look = async (...words: readonly string[]) => {
    const before = contents(folder);
    const answer = await runLine(['index', words[0]!, folder, ...words.slice(1)]);
    deepEqual([...contents(folder).keys()], [...before.keys()]);
    for (const [file, bytes] of contents(folder)) equal(bytes, before.get(file), `${words.join(' ')} changed ${file}`);
    return answer;
  };
  match((await look('status')).out, /^1 change behind.*: the feed is at 3, searchable up to 2/m);
  match((await look('verify', '--dry-run')).out, /3 documents compared .* nothing differs/);
  // What a start would add to the database, and build.
  const schema = join(folder, 'schema.graphql');
  const text = readFileSync(schema, 'utf8');
  writeFileSync(schema, text.replace('type Note @entity {', 'type Note @entity { mood: String @search '));
  match((await look('status')).out, /has another schema; the next start rebuilds it/);
  const refused = await look('verify', '--dry-run');
  equal(refused.code, 1);
  match(refused.err, /data\.sqlite does not hold what the schema asks for\..*\n.*lockstitch plan/);
  writeFileSync(schema, text);
  // A database that is not ours.
  removeDatabase(folder);
  const other = await openSqliteStore({ file: join(folder, 'data', 'data.sqlite') });
  await other.script('CREATE TABLE strangers (id INTEGER)');
  await other.close();
  match((await look('status')).out, /trouble: the database knows 0 changes, the index notes has seen 2/);
});
