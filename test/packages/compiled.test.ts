// The packages as they are published: compiled to JavaScript by what `npm pack` runs first, and used by a Node that knows
// nothing of their sources. Not here: what a tarball holds besides `dist`, which the `files` of each package.json say.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
/** Without `--conditions=source`, which test runs set. */
const env = { ...process.env, NODE_OPTIONS: '' };

const APPLICATION = `
import { createGraph, openSqliteStore, readSchema, applyMigration } from '@lockstitch/graph';
import { createDelegatingEncoder } from '@lockstitch/security';
import { startSearch } from '@lockstitch/search';
import { defineConfig } from 'lockstitch';

const search = await startSearch();
const headers = { 'content-type': 'application/json' };
// Large enough for the threads, whose modules are found by name.
const body = JSON.stringify({ text: 'a first note '.repeat(50_000) });
await fetch(search.url + '/notes/_doc/1?refresh=true', { method: 'PUT', headers, body });
const found = await (await fetch(search.url + '/notes/_search?q=text:first')).json();
await search.close();

const model = readSchema([{ file: 's', text: 'type Note @entity { id: ID! } type Query { notes(first: Int = 1): [Note!]! }' }]);
const store = await openSqliteStore({ file: ':memory:' });
await applyMigration(model, store);
const graph = await createGraph({ model, store });
const { body: answer } = await graph.execute({ query: '{ notes { id } }' });
await store.close();

const from = ['graph', 'security', 'search'].map((name) => import.meta.resolve('@lockstitch/' + name));
from.push(import.meta.resolve('lockstitch'));
const told = { hits: found.hits.total.value, answer, types: typeof createDelegatingEncoder + typeof defineConfig, from };
console.log(JSON.stringify(told));
`;

test('packages run as they are packed: compiled, without their sources', async (context) => {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build-package.mjs')], {
    cwd: join(ROOT, 'packages/server'),
    env,
  });
  for (const name of ['kernel', 'graph', 'search', 'security', 'server']) {
    assert.ok(existsSync(join(ROOT, 'packages', name, 'dist/index.d.ts')), name);
  }
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', APPLICATION], { cwd: ROOT, env });
  const { from, ...rest } = JSON.parse(String(told)) as { readonly from: readonly string[] };
  assert.deepEqual(rest, { hits: 1, answer: '{"data":{"notes":[]}}', types: 'functionfunction' });
  for (const url of from) assert.match(url, /\/dist\/index\.js$/);

  const folder = mkdtempSync(join(tmpdir(), 'lockstitch-compiled-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const cli = (...args: string[]): string =>
    String(execFileSync(process.execPath, [join(ROOT, 'packages/server/dist/cli/main.js'), ...args], { env }));
  const notes = join(folder, 'notes');
  cli('init', notes);
  assert.match(cli('check', notes), /^No mistakes: 2 stored types/);
  // 4 npm install && npm start, with what npm would install.
  const { dependencies } = JSON.parse(readFileSync(join(notes, 'package.json'), 'utf8')) as {
    readonly dependencies: object;
  };
  assert.deepEqual(dependencies, { lockstitch: `^${cli('--version').trim()}` });
  symlinkSync(join(ROOT, 'node_modules'), join(notes, 'node_modules'));
  const started = spawn('npm', ['start'], {
    cwd: notes,
    env: { ...env, PORT: '0', HOST: '127.0.0.1' },
    detached: true,
  });
  context.after(() => started.kill());
  const ended = once(started, 'close');
  let out = '';
  for await (const piece of started.stdout) {
    out += String(piece);
    if (out.includes('└─ Index')) break;
  }
  assert.match(out, /Lockstitch [\d.]+ serves notes[^]*http:\/\/127\.0\.0\.1:\d+\/graphql/);
  process.kill(-started.pid!, 'SIGTERM');
  await ended;
});
