// Modes of everything that a server leaves in a data folder which was there before, under the most careless umask.
import { deepEqual, equal, match } from 'node:assert/strict';
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';

import { NOTES_SCHEMA } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCli, startCli } from './run-cli.ts';

const READY = /└─ Index .*\n/;
const CARELESS = ['sh', '-c', 'umask 000; exec "$@"', 'sh'];
const CONFIG = `export default {
  rules: [{ any: true, access: 'permitAll' }], csrf: { enabled: false }, userStore: 'sql', session: { store: 'database' },
  audit: { file: 'data/audit.jsonl', changes: 'data/changes.jsonl' },
};`;
const skip = process.platform === 'win32' && 'Windows knows no modes';
const urlIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(text)![0];
const json = { 'content-type': 'application/json' };

/** What others may read, write or enter below a folder. */
function openBelow(folder: string, at = folder): readonly string[] {
  return readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    const path = join(at, entry.name);
    const mode = lstatSync(path).mode & 0o777;
    const own = (mode & 0o077) === 0 ? [] : [`${relative(folder, path)} ${mode.toString(8)}`];
    return [...own, ...(entry.isDirectory() ? openBelow(folder, path) : [])];
  });
}

for (const former of [false, true]) {
  const what = former ? 'what an earlier version left readable is' : 'everything in a folder that was there is';
  test(`3.5 start: ${what} for its owner alone`, { skip }, async (context) => {
    const folder = temporaryFolder(context, { 'schema.graphql': NOTES_SCHEMA, 'lockstitch.config.mjs': CONFIG });
    const data = join(folder, 'data');
    mkdirSync(data);
    chmodSync(data, 0o777);
    const words = ['start', folder, '--port', '0', '--data', data];
    if (former) {
      const first = await startCli(words, READY);
      first.child.kill('SIGKILL');
      await first.exit;
      for (const path of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
        const isFolder = lstatSync(join(data, path)).isDirectory();
        if (!path.endsWith('.jsonl')) chmodSync(join(data, path), isFolder ? 0o777 : 0o666);
      }
    }
    const { child, out, exit } = await startCli(words, READY, {}, CARELESS);
    context.after(() => child.kill('SIGKILL'));
    const query = 'mutation { createAuthor(input: {login: "ada"}) { login } }';
    const answer = await fetch(`${urlIn(out())}/graphql`, {
      method: 'POST',
      headers: { ...json, 'lockstitch-wait': '5000' },
      body: JSON.stringify({ query }),
    });
    match(await answer.text(), /"createAuthor"/);
    equal(existsSync(join(data, 'data.sqlite-wal')), true);
    deepEqual(openBelow(data), []);
    child.kill('SIGTERM');
    equal(await exit, 0);
    deepEqual(openBelow(data), []);
  });
}

test(
  '3.5 search: files and folders of indexes are for their owner alone, those of others stay as they are',
  { skip },
  async (context) => {
    const data = temporaryFolder(context, { 'Holidays/beach.jpg': 'sand', 'notes.txt': 'mine' });
    chmodSync(data, 0o777);
    const words = ['search', '--open', '--port', '0', '--data', data];
    for (const round of [1, 2]) {
      const { child, out, exit } = await startCli(words, READY, {}, CARELESS);
      context.after(() => child.kill('SIGKILL'));
      const put = await fetch(`${urlIn(out())}/made/_doc/${round}?refresh=true`, {
        method: 'PUT',
        headers: json,
        body: '{"a":1}',
      });
      equal(put.status, 201);
      await fetch(`${urlIn(out())}/_index_template/t`, {
        method: 'PUT',
        headers: json,
        body: '{"index_patterns":["x*"]}',
      });
      deepEqual(openBelow(data), ['Holidays 755', 'Holidays/beach.jpg 644', 'notes.txt 644']);
      child.kill('SIGKILL');
      await exit;
      for (const path of ['made', 'metadata', ...readdirSync(join(data, 'made')).map((name) => join('made', name))]) {
        chmodSync(join(data, path), path === 'made' ? 0o777 : 0o666);
      }
    }
  },
);

test(
  '3.5 files that others can read and somebody else owns are refused with the remedy',
  { skip: process.getuid?.() !== 0 && 'needs root to set up' },
  async (context) => {
    const folder = temporaryFolder(context, { 'app/schema.graphql': NOTES_SCHEMA });
    chmodSync(folder, 0o755);
    const data = join(folder, 'data');
    mkdirSync(data);
    chownSync(data, 65_534, 65_534);
    writeFileSync(join(data, 'data.sqlite'), '');
    chmodSync(join(data, 'data.sqlite'), 0o666);
    const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
    const failure = await startCli(
      ['start', join(folder, 'app'), '--port', '0', '--data', data],
      READY,
      {},
      nobody,
    ).catch((error: Error) => error);
    match(
      (failure as Error).message,
      /other users of this machine can read files in it[^]*chmod -R go=[^]*\(SERVER_DATA_NOT_WRITABLE\)/,
    );
  },
);

test('3.5 accounts that a command writes first are for their owner alone', { skip }, async (context) => {
  const folder = temporaryFolder(context, {
    'schema.graphql': NOTES_SCHEMA,
    'lockstitch.config.mjs': `export default { userStore: 'sql' };`,
  });
  mkdirSync(join(folder, '.lockstitch'));
  chmodSync(join(folder, '.lockstitch'), 0o755);
  const added = await runCli(['user', 'add', folder, 'ada'], {}, 'correct horse battery\n');
  equal(added.code, 0, added.err);
  deepEqual(openBelow(join(folder, '.lockstitch')), []);
});
