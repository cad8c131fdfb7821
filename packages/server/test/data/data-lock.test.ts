import { equal, throws } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { SOURCE_FLAGS } from '../../../kernel/test/source-flags.ts';
import { lockDataFolder } from '../../src/data/data-lock.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const run = promisify(execFile);
const MODULE = new URL('../../src/data/data-lock.ts', import.meta.url).href;

test('a data folder is made when it is not there, for its owner alone', (context) => {
  const folder = join(temporaryFolder(context), 'a', 'b');
  lockDataFolder(folder).release();
  equal(existsSync(folder), true);
  if (process.platform !== 'win32') equal(statSync(folder).mode & 0o777, 0o700);
});

test('a folder that is held is refused, naming the process; once released it can be taken again', (context) => {
  const folder = temporaryFolder(context);
  const lock = lockDataFolder(folder);
  throws(() => lockDataFolder(folder), {
    code: 'SERVER_DATA_IN_USE',
    message: new RegExp(`process ${process.pid}\\.`),
  });
  lock.release();
  lock.release();
  lockDataFolder(folder).release();
});

test('a second process is rejected, and the lock of a killed process is free', async (context) => {
  const folder = temporaryFolder(context);
  const script = (then: string): string[] => [
    ...SOURCE_FLAGS,
    '--input-type=module',
    '-e',
    `const { lockDataFolder } = await import(${JSON.stringify(MODULE)});
     try { lockDataFolder(${JSON.stringify(folder)}); console.log('taken'); } catch (error) { console.log(error.code); }
     ${then}`,
  ];
  const lock = lockDataFolder(folder);
  equal((await run(process.execPath, script(''))).stdout.trim(), 'SERVER_DATA_IN_USE');
  lock.release();
  await run(process.execPath, script("process.kill(process.pid, 'SIGKILL');")).catch(() => undefined);
  lockDataFolder(folder).release();
});

test(
  'a parent that is there and can hold nothing ends in a refusal, not in a loop',
  { skip: !existsSync('/proc/self') },
  () => {
    throws(() => lockDataFolder('/proc/nope/data'), {
      code: 'SERVER_DATA_NOT_WRITABLE',
      message: /no folder can be made/,
    });
  },
);

test('a folder that cannot be made says why', (context) => {
  const folder = temporaryFolder(context, { file: '' });
  throws(() => lockDataFolder(join(folder, 'file', 'data')), {
    code: 'SERVER_DATA_NOT_WRITABLE',
    message: /a part of the path is a file/,
  });
});
