import { equal, match } from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

import { NOTES_SCHEMA } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCli, startCli } from './run-cli.ts';
import { runLine } from './run-here.ts';

const READY = /└─ Index .*\n/;
const urlIn = (text: string): string => /http:\/\/127\.0\.0\.[12]:\d+/.exec(text)![0];
const app = (context: unknown, config = ''): string =>
  temporaryFolder(context, { 'schema.graphql': NOTES_SCHEMA, 'lockstitch.config.mjs': `export default {${config}};` });

test('start prints address, user and data; the password works; SIGTERM ends it with 0', async (context) => {
  const folder = app(context);
  const { child, out, exit } = await startCli(['start', folder, '--port', '0'], READY);
  match(out(), /├─ Graph +http:\/\/127\.0\.0\.1:\d+\/graphql/);
  match(out(), /├─ Store +.*data\.sqlite/);
  match(out(), /└─ Index +notes 0 · authors 0 documents, in step with the data/);
  const [, password] = /User +user, password ([\w-]{36}) /.exec(out())!;
  const ask = (secret: string): Promise<Response> =>
    fetch(`${urlIn(out())}/?pretty`, { headers: { authorization: `Basic ${btoa(`user:${secret}`)}` } });
  equal((await ask(password!)).status, 200);
  equal((await ask('wrong')).status, 401);
  child.kill('SIGTERM');
  equal(await exit, 0);
});

test('the password is new at each start, or that of the environment, which is not shown; 4 HOST and PORT are taken from there', async (context) => {
  const folder = app(context, 'data: ":memory:"');
  const passwords = new Set<string>();
  for (let round = 0; round < 2; round++) {
    const { child, out, exit } = await startCli(['start', folder, '--port', '0'], READY);
    passwords.add(/password ([\w-]{36}) /.exec(out())![1]!);
    child.kill('SIGINT');
    equal(await exit, 0);
  }
  equal(passwords.size, 2);
  const environment = {
    LOCKSTITCH_USER_NAME: 'ada',
    LOCKSTITCH_USER_PASSWORD: 'hunter2',
    PORT: '0',
    HOST: '127.0.0.2',
  };
  const { child, out, exit } = await startCli(['start', folder], READY, environment);
  match(out(), /User +ada, password from LOCKSTITCH_USER_PASSWORD/);
  match(out(), /http:\/\/127\.0\.0\.2:\d+\/graphql/, 'HOST is honoured');
  equal(out().includes('hunter2'), false);
  const headers = { authorization: `Basic ${btoa('ada:hunter2')}` };
  equal((await fetch(`${urlIn(out())}/_search`, { headers })).status, 200);
  child.kill('SIGTERM');
  equal(await exit, 0);
});

test('a second process on the same data folder is refused, naming the first', async (context) => {
  const folder = app(context);
  const { child, exit } = await startCli(['start', folder, '--port', '0'], READY);
  const second = await runCli(['start', folder, '--port', '0']);
  equal(second.code, 1);
  match(second.err, new RegExp(`in use by process ${child.pid}\\.`));
  child.kill('SIGTERM');
  await exit;
});

test('a failed start prints one message, never a stack trace, and exits with 1', async (context) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  const good = app(context);
  const bad = app(context, 'prot: 1');
  writeFileSync(join(good, 'occupied'), '');
  const cases: readonly (readonly [readonly string[], Readonly<Record<string, string>>, RegExp])[] = [
    [['start', good, '--port', String(port)], {}, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is taken`)],
    [['start', good, '--data', join(good, 'occupied', 'data')], {}, /cannot be written: a part of the path is a file/],
    [
      ['start', join(good, 'schema.graphql')],
      {},
      /schema\.graphql" is a file, and an application is a folder\.\nName the folder/,
    ],
    [['start', bad], {}, /lockstitch\.config\.mjs:1: Unknown key "prot"\. Did you mean "port"\?/],
    [['start', good, '--port', '0'], { SEARCH_URL: 'https://x' }, /"search\.nodes" is about a cluster/],
    [['start', good], { DATABASE_URL: 'postgres://app:hunter2@127.0.0.1:1/x', PORT: '0' }, /database .*127\.0\.0\.1:1/],
    [['start', good], { PORT: '0', HOST: 'x86_64-linux-gnu' }, /no address "x86_64-linux-gnu"\.\n.*the variable HOST/],
    [['start', good, '--port', 'x'], {}, /--port must be a number/],
  ];
  for (const [words, environment, message] of cases) {
    const { code, out, err } = await runLine(words, environment);
    match(err, message);
    equal(code, words.at(-1) === 'x' ? 2 : 1, err);
    equal(out, '');
    equal(/\n {4}at |hunter2/.test(err), false, err);
  }
  taken.close();
  equal(existsSync(join(good, '.lockstitch', 'search')), false, 'nothing is built for a start on a taken port');
  equal(existsSync(join(good, 'data.sqlite')), false);
});
