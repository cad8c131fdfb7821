// Answers of the graph that leave the database as bytes: on the wire they are what a text would have been.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';

import { AS_USER, startApp, type TestApp, testBothWays } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const TITLE = 'Źdźbło → 日本 "🐎" ';
const LONG = '{ notes(first: 200) { title author { login } } }';
const EXPECTED = JSON.stringify({
  data: { notes: Array.from({ length: 200 }, (_, index) => ({ title: `${TITLE}${index}`, author: { login: 'ann' } })) },
});

async function startWithNotes(context: TestContext, transport: 'in-process' | 'socket'): Promise<TestApp> {
  const folder = temporaryFolder(context);
  const app = await startApp(context, { folder, data: join(folder, 'data'), transport });
  await app.app.graph.importRows('Author', [[{ login: 'ann' }]]);
  const created = '2026-01-01T00:00:00.000Z';
  const notes = Array.from({ length: 200 }, (_, index) => ({ title: `${TITLE}${index}`, created, author: 'ann' }));
  await app.app.graph.importRows('Note', [notes]);
  return app;
}

testBothWays(
  'a long answer is the same the first time and whenever it is asked for again',
  async (context, transport) => {
    const app = await startWithNotes(context, transport);
    for (let round = 0; round < 4; round++) {
      const { status, headers, text } = await app.call('/graphql', { json: { query: LONG } });
      equal(status, 200);
      equal(text, EXPECTED);
      equal(headers['content-type'], 'application/json; charset=utf-8');
      if (transport === 'socket') equal(headers['content-length'], String(Buffer.byteLength(EXPECTED)));
    }
    equal(
      (await app.call('/graphql', { json: { query: '{ notes(first: 1) { id } }' } })).text,
      '{"data":{"notes":[{"id":"1"}]}}',
    );
  },
);

test('a repaired response contains nothing of another response', async (context) => {
  const app = await startWithNotes(context, 'socket');
  const database = new DatabaseSync(app.app.graph.store.description);
  database.exec("UPDATE notes SET title = CAST(x'ff' AS TEXT) || title");
  database.close();
  const query = '{ notes(first: 60) { title } }';
  const [first, second] = [await app.call('/', { json: { query } }), await app.call('/', { json: { query } })];
  const kept = Buffer.from('kept');
  const third = await app.call('/', { json: { query } });
  equal(kept.toString(), 'kept');
  ok(first.text.startsWith(`{"data":{"notes":[{"title":"\ufffd${TITLE.slice(0, 6)}`));
  deepEqual([second.text, third.text], [first.text, first.text]);
  ok(first.text.length > 2048 && Buffer.byteLength(first.text) < Buffer.poolSize / 2);
});

test('requests sent ahead of their answers are each answered whole', async (context) => {
  const app = await startWithNotes(context, 'socket');
  const body = JSON.stringify({ query: LONG });
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: ${AS_USER.authorization}\r\n`;
  const request = (last: boolean): string =>
    `${head}${last ? 'Connection: close\r\n' : ''}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  // Slowly taken: what is not sent yet must stay as it is.
  socket.pause();
  socket.write(Array.from({ length: 40 }, (_, index) => request(index === 39)).join(''));
  setTimeout(() => socket.resume(), 50);
  await once(socket, 'close');
  const answers = Buffer.concat(pieces)
    .toString()
    .split(/HTTP\/1\.1 200 OK\r\n/)
    .slice(1)
    .map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4));
  equal(answers.length, 40);
  deepEqual(new Set(answers), new Set([EXPECTED]));
  ok(pieces.length > 1);
});
