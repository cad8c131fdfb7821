// Search on a disk that is full for a while, and the database on another: the index catches up in place, and own indexes take writes again.
import { equal, match, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Log } from '@lockstitch/kernel';

import { until } from '../../../kernel/test/until.ts';
import { startApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** Mounts a disk of its own at a folder; false where that cannot be done. */
function mountAt(context: TestContext, folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m,mode=700', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return false;
  }
  context.after(() => execFileSync('umount', ['-l', folder], { stdio: 'ignore' }));
  return true;
}

test('4.7 after a full disk search catches up in place, the own indexes too, without a restart', async (context) => {
  const folder = temporaryFolder(context);
  const data = join(folder, 'data');
  const disk = join(data, 'search');
  if (!mountAt(context, disk)) {
    context.skip('no file system can be mounted here');
    return;
  }
  const config = { csrf: { enabled: false }, search: { commitInterval: 20, refreshInterval: 20 } };
  const { app, call, graph, close } = await startApp(context, { folder, data, config });
  const add = (title: string): Promise<unknown> =>
    graph(`mutation { createNote(input: { title: "${title}", author: "ada" }) { id } }`);
  const put = async (id: string): Promise<number> =>
    (await call(`/own/_doc/${id}`, { method: 'PUT', json: { text: 'x'.repeat(2000) } })).status;
  const uuids = async (): Promise<string> => (await call('/_cat/indices/notes,own?h=index,uuid&s=index')).text;
  const isTroubled = async (): Promise<boolean> => (await app.status()).trouble !== undefined;
  await graph('mutation { createAuthor(input: { login: "ada", name: "Ada" }) { login } }');
  await add('before');
  equal(await put('before'), 201);
  const before = await uuids();

  // Nothing is left.
  const { bavail, bsize } = statfsSync(disk);
  const ballast = join(disk, 'ballast');
  try {
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
  } catch {
    // An index has taken some of it meanwhile.
  }
  const statuses = new Set<number>();
  for (let at = 0; at < 8; at++) {
    await add(`during ${at} ${'word '.repeat(2000)}`);
    statuses.add(await put(`during${at}`));
  }
  ok(statuses.has(503), [...statuses].join());
  await until(isTroubled, () => 'no trouble is told');
  equal((await call('/notes/_count')).status, 200);

  rmSync(ballast);
  const headers = { 'lockstitch-min-position': String(await app.graph.feed.head()) };
  equal((await call('/notes/_count', { headers })).json.count, 9);
  await until(
    async () => (await put('after')) === 201,
    () => 'no writes are taken',
  );
  // In place: these are the indexes that were there.
  equal(await uuids(), before);
  await until(
    async () => !(await isTroubled()),
    () => 'the trouble does not end',
  );
  await close();
});

test('4.1 the record of changes and the audit file outlive a full disk, in whole lines, and the log says once when they fail and once when they are back', async (context) => {
  const folder = temporaryFolder(context);
  const disk = join(folder, 'records');
  if (!mountAt(context, disk)) {
    context.skip('no file system can be mounted here');
    return;
  }
  const audit = { changes: 'records/changes.jsonl', file: 'records/audit.jsonl' };
  const said: string[] = [];
  const log: Log = {
    write(level, message, facts) {
      if (/audit file|record of changes/.test(message)) said.push(`${level}: ${message} ${JSON.stringify(facts)}`);
    },
  };
  const config = { csrf: { enabled: false }, audit };
  const { app, call, graph, close } = await startApp(context, { folder, config, log });
  const lines = (name: string): { readonly position?: number }[] =>
    readFileSync(join(disk, name), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { readonly position?: number });
  await graph('mutation { createAuthor(input: { login: "ada", name: "Ada" }) { login } }');
  const { bavail, bsize } = statfsSync(disk);
  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - 4096));
  const wrong = { authorization: `Basic ${Buffer.from('user:wrong').toString('base64')}` };
  for (let at = 0; at < 120; at++) {
    await graph(`mutation { updateAuthor(login: "ada", input: { age: ${at} }) { login } }`);
    if (at % 10 === 0) await call('/notes/_count', { headers: wrong });
  }
  const events = lines('audit.jsonl').length;
  // The next attempts fail as well.
  await sleep(1100);
  await call('/notes/_count', { headers: wrong });
  rmSync(ballast);
  const head = await app.graph.feed.head();
  await until(
    () => lines('changes.jsonl').at(-1)?.position === head,
    () => 'the record does not go on',
  );
  equal(lines('changes.jsonl').length, 121);
  const of = (what: string): string[] => said.filter((line) => line.includes(what));
  await until(
    async () => {
      await call('/notes/_count', { headers: wrong });
      return of('audit file').length >= 2;
    },
    () => 'the audit file does not go on',
  );
  await close();
  ok(lines('audit.jsonl').length > events);
  equal(of('audit file').length, 2, said.join('\n'));
  equal(of('record of changes').length, 2, said.join('\n'));
  match(of('audit file')[1]!, /^warn: The audit file is written again.*"missing":[1-9]/);
  match(of('record of changes')[1]!, /^info: The record of changes is written again/);
});
