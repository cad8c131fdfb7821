import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';

import { waitForPosition } from '../../src/routes/consistency.ts';
import { startApp } from '../start-app.ts';

const at = (searchable: number, head: number) => ({
  feed: { head: () => Promise.resolve(head) },
  sync: { position: searchable, waitFor: () => Promise.resolve(false) },
});
const asking = (position: string) => ({ headers: { 'lockstitch-min-position': position } });

test('a search whose position is not reached in time fails with both positions', async () => {
  await rejects(waitForPosition(asking('7'), at(5, 9)), (error: Error & { code?: string; status?: number }) => {
    equal(error.code, 'SERVER_POSITION_NOT_REACHED');
    equal(error.status, 503);
    equal(error.message, 'The index has not reached position 7 in time; it is at 5.');
    return true;
  });
});

test('a reached position, or none, does not wait', async () => {
  await waitForPosition(asking('5'), at(5, 9));
  await waitForPosition({ headers: {} }, at(0, 9));
});

test('a mutation is answered also when the feed can no longer be asked where it ends, or never answers', async (context) => {
  const { app, call } = await startApp(context);
  const feed = app.graph.feed as { head: () => Promise<number> };
  for (const [login, head] of [
    ['ada', () => Promise.reject(new Error('the connection broke'))],
    ['bob', () => new Promise<number>(() => undefined)],
  ] as const) {
    feed.head = head;
    const answer = await call('/graphql', {
      json: { query: `mutation { createAuthor(input: { login: "${login}" }) { login } }` },
      headers: { 'lockstitch-wait': '1000' },
    });
    deepEqual([answer.status, answer.json], [200, { data: { createAuthor: { login } } }]);
    equal(answer.headers['lockstitch-position'], undefined);
  }
});
