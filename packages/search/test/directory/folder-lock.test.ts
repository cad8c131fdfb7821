import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

import { SOURCE_FLAGS } from '../../../kernel/test/source-flags.ts';
import { lockFolder, type TakenLock } from '../../src/directory/folder-lock.ts';
import { hasNamespaces, startHolder } from './holder.ts';

const LOCK = new URL('../../src/directory/folder-lock.ts', import.meta.url).href;

function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'search-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const taken = (folder: string): TakenLock => {
  const lock = lockFolder(folder);
  if (lock.kind === 'refused') throw new Error(`Refused by ${lock.holder}`);
  return lock;
};

test('4.2 a second opening in one process is refused, by whatever path, and a release frees the folder and leaves no file', (context) => {
  const folder = temporary(context);
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  context.after(() => rmSync(link));
  const lock = taken(folder);
  for (const path of [folder, link, join(folder, '.')]) {
    deepEqual(lockFolder(path), { kind: 'refused', holder: `process ${process.pid}` });
  }
  lock.release();
  lock.release();
  deepEqual(readdirSync(folder), []);
  taken(link).release();
});

test('4.2 a thread of the process that has the folder is refused, and its attempt costs the process nothing', async (context) => {
  const folder = temporary(context);
  const lock = taken(folder);
  const worker = new Worker(
    `import(${JSON.stringify(LOCK)}).then(({ lockFolder }) => {
       require('node:worker_threads').parentPort.postMessage(lockFolder(${JSON.stringify(folder)}).kind);
     });`,
    { eval: true },
  );
  equal(await new Promise((resolve) => worker.once('message', resolve)), 'refused');
  await worker.terminate();
  const other = await startHolder(folder);
  equal(other.said, `refused by process ${process.pid}`);
  await other.kill('SIGKILL');
  lock.release();
});

test('4.2 a folder whose holder was killed is free at once', async (context) => {
  const folder = temporary(context);
  const holder = await startHolder(folder);
  match(holder.said, /^taken as \d+$/);
  deepEqual(lockFolder(folder), { kind: 'refused', holder: holder.said.replace('taken as', 'process') });
  await holder.kill('SIGKILL');
  taken(folder).release();
});

test(
  '4.2 two containers, each with a process 1 and a network of its own, never hold one folder together',
  { skip: !hasNamespaces && 'this user cannot make namespaces' },
  async (context) => {
    const folder = temporary(context);
    const first = await startHolder(folder, { inContainer: true, hostname: 'web-1' });
    equal(first.said, 'taken as 1');
    const second = await startHolder(folder, { inContainer: true, hostname: 'web-2' });
    equal(second.said, 'refused by process 1 on the host "web-1"');
    equal(lockFolder(folder).kind, 'refused');
    await second.kill('SIGKILL');
    equal(lockFolder(folder).kind, 'refused');
    await first.kill('SIGKILL');
    const third = await startHolder(folder, { inContainer: true });
    equal(third.said, 'taken as 1');
    await third.kill('SIGKILL');
  },
);

test('4.2 whatever a copy, a crash or an earlier version left as lock files keeps nobody out', (context) => {
  const folder = temporary(context);
  const contents = [
    '',
    '1',
    `${process.pid}\n`,
    'x'.repeat(5000),
    '\0'.repeat(8192),
    `SQLite format 3\0${'\u0001'.repeat(9000)}`,
  ];
  for (const content of contents) {
    for (const name of ['lock', 'lock.pid', '_lock', '_lock.json', '_lock-journal', '_lock-wal']) {
      writeFileSync(join(folder, name), content);
    }
    const lock = taken(folder);
    equal(lockFolder(folder).kind, 'refused', JSON.stringify(content.slice(0, 20)));
    lock.release();
    equal(readFileSync(join(folder, 'lock'), 'utf8'), content);
  }
});

test('4.2 a holder that cannot be read is another process', (context) => {
  const folder = temporary(context);
  const lock = taken(folder);
  for (const content of ['', 'null', '{"pid":"\\u001b[2J"}']) {
    writeFileSync(join(folder, '_lock.json'), content);
    deepEqual(lockFolder(folder), { kind: 'refused', holder: 'another process' });
  }
  lock.release();
});

test('4.2 openings and stops at the same moment never let two in', async (context) => {
  const folder = temporary(context);
  // Each marks its time inside with a folder that only one can make.
  const script = `
    const { lockFolder } = await import(${JSON.stringify(LOCK)});
    const { mkdirSync, rmdirSync } = await import('node:fs');
    let times = 0;
    while (times < 20) {
      const lock = lockFolder(${JSON.stringify(folder)});
      if (lock.kind === 'refused') continue;
      mkdirSync(${JSON.stringify(join(folder, 'inside'))});
      rmdirSync(${JSON.stringify(join(folder, 'inside'))});
      times += 1;
      lock.release();
    }
    console.log(times);`;
  const flags = [...SOURCE_FLAGS, '--input-type=module', '-e', script];
  const runs = [1, 2, 3].map(() => promisify(execFile)(process.execPath, flags));
  for (const { stdout } of await Promise.all(runs)) equal(stdout.trim(), '20');
});

test('a lock needs a folder it may write', { skip: process.platform === 'win32' }, async (context) => {
  const folder = temporary(context);
  writeFileSync(join(folder, 'file'), '');
  throws(() => lockFolder(join(folder, 'file')), { code: 'EEXIST' });
  throws(() => lockFolder(join(folder, 'file', 'data')), { code: 'ENOTDIR' });
  symlinkSync(join(folder, 'file'), join(folder, '_lock'));
  throws(() => lockFolder(folder), { code: 'EFTYPE' });
});

test('a new folder and its lock are for their owner alone', { skip: process.platform === 'win32' }, (context) => {
  const folder = join(temporary(context), 'a', 'b');
  const lock = taken(folder);
  equal(statSync(folder).mode & 0o777, 0o700);
  for (const name of readdirSync(folder)) equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  lock.release();
});
