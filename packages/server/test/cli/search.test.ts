import { deepEqual, equal, match } from 'node:assert/strict';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';

import { search } from '../../src/cli/search.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCli, startCli } from './run-cli.ts';
import { runHere } from './run-here.ts';

const READY = /└─ Index .*\n/;
const urlIn = (text: string): string => /http:\/\/127\.0\.0\.[12]:\d+/.exec(text)![0];
const json = (value: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json', ...headers },
});

test('search serves documents behind the generated user, keeps them in its folder and drains at SIGTERM', async (context) => {
  const data = join(temporaryFolder(context, {}), 'indexes');
  const first = await startCli(['search', '--port', '0', '--data', data], READY);
  const [, password] = /User +user, password ([\w-]{36}) /.exec(first.out())!;
  const authorization = `Basic ${btoa(`user:${password}`)}`;
  const url = urlIn(first.out());
  for (const headers of [{}, { authorization: `Basic ${btoa('user:wrong')}` }]) {
    const refused = await fetch(`${url}/_search`, { headers });
    equal(refused.status, 401);
    match(refused.headers.get('www-authenticate') ?? '', /^Basic realm=/);
    equal(refused.headers.get('set-cookie'), null);
  }
  const written = await fetch(`${url}/notes/_doc/1`, { method: 'PUT', ...json({ text: 'a note' }, { authorization }) });
  equal(written.status, 201);
  first.child.kill('SIGTERM');
  equal(await first.exit, 0);

  const environment = {
    LOCKSTITCH_USER_NAME: 'ada',
    LOCKSTITCH_USER_PASSWORD: 'hunter2',
    PORT: '0',
    HOST: '127.0.0.2',
    LOCKSTITCH_DATA: data,
  };
  const second = await startCli(['search'], READY, environment);
  match(second.out(), /Search +http:\/\/127\.0\.0\.2:/, '4 HOST is honoured');
  match(second.out(), /User +ada, password from LOCKSTITCH_USER_PASSWORD\n/);
  match(second.out(), /└─ Index +1 index in \//);
  equal(second.out().includes('hunter2'), false);
  const headers = { authorization: `Basic ${btoa('ada:hunter2')}` };
  const found = await fetch(`${urlIn(second.out())}/notes/_search?q=note`, { headers });
  equal(((await found.json()) as any).hits.total.value, 1);
  second.child.kill('SIGTERM');
  equal(await second.exit, 0);
});

test('search --open warns that there are no credentials, and serves this machine only', async () => {
  const { child, out, exit } = await startCli(['search', '--open', '--port', '0'], READY);
  const url = urlIn(out());
  equal((await fetch(`${url}/notes/_doc/1?refresh=true`, { method: 'PUT', ...json({ text: 'x' }) })).status, 201);
  equal((await fetch(`${url}/notes/_count`)).status, 200);

  // What pages of other sites can make a browser send.
  const delete_ = JSON.stringify({ query: { match_all: {} } });
  const post = (headers: Readonly<Record<string, string>>, body?: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request(`${url}/notes/_delete_by_query?refresh=true`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  const type = { 'content-type': 'application/json' };
  deepEqual(
    await Promise.all([
      post({ 'content-type': 'text/plain' }, delete_),
      post({ 'content-type': 'application/x-www-form-urlencoded' }, delete_),
      post({ 'content-type': 'multipart/form-data; boundary=x' }, delete_),
      post({}, delete_),
      post({ 'content-type': 'text/plain', 'content-length': '0' }),
      post({ ...type, origin: 'http://evil.example' }, delete_),
      post({ ...type, origin: 'null' }, delete_),
      post({ ...type, 'sec-fetch-site': 'cross-site' }, delete_),
      post({ ...type, host: 'rebound.example:9200' }, delete_),
    ]),
    [406, 406, 406, 406, 406, 403, 403, 403, 403],
  );
  equal(((await (await fetch(`${url}/notes/_count`)).json()) as any).count, 1);
  equal(await post(type, delete_), 200);
  equal(((await (await fetch(`${url}/notes/_count`)).json()) as any).count, 0);
  match(out(), /OPEN: every program on this machine can read, change and delete every index without a password\./);
  child.kill('SIGINT');
  equal(await exit, 0);
});

test('search --open refuses to be reached from elsewhere, and a wrong port is not guessed at', async () => {
  const open = await runCli(['search', '--open', '--host', '0.0.0.0']);
  equal(open.code, 2);
  match(open.err, /--open asks nobody for credentials and serves this machine only, not "0\.0\.0\.0"/);
  match(
    (await runHere(search, ['search', '--open'], { HOST: '0.0.0.0' })).err,
    /not "0\.0\.0\.0" \(from the variable HOST\)/,
  );
  equal((await runCli(['search', '--port', '70000'])).code, 2);
  match(
    (await runHere(search, ['search'], { PORT: '70000' })).err,
    /PORT must be a number from 0 to 65535, not "70000"/,
  );
});
