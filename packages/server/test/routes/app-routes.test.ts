// Endpoints an application brings along in its configuration.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ANONYMOUS } from '@lockstitch/kernel';

import type { ResolvedConfig } from '../../src/config/config.ts';
import type { RouteResponse } from '../../src/http/route-response.ts';
import { appRoutes } from '../../src/routes/app-routes.ts';

const routes: ResolvedConfig['routes'] = [
  {
    method: 'GET',
    path: '/pictures/:name.svg',
    handle: ({ params }) => (params['name'] === 'none' ? undefined : { body: `<svg>${params['name']}</svg>` }),
  },
  { method: 'POST', path: '/echo', handle: ({ body }) => ({ status: 201, body: body ?? '' }) },
];

function ask(method: string, path: string): Promise<RouteResponse | undefined> {
  const base = { method, path, encodedPath: path, principal: ANONYMOUS, headers: {}, query: new URLSearchParams() };
  const readBody = () => Promise.resolve(new TextEncoder().encode('sent'));
  const handle = appRoutes(routes, { bytes: 100, key: 'bodySize' })!;
  return Promise.resolve(
    handle({ ...base, secured: undefined as never, signal: new AbortController().signal, readBody }),
  );
}

test('a route answers with the named parts of its path; HEAD is answered by GET', async () => {
  assert.equal((await ask('GET', '/pictures/dusk-1.svg'))?.body, '<svg>dusk-1</svg>');
  assert.equal((await ask('HEAD', '/pictures/dusk-1.svg'))?.status, 200);
  assert.deepEqual((await ask('POST', '/echo'))?.body, new TextEncoder().encode('sent'));
});

test('a route that answers nothing is a 404, not a question for the search', async () => {
  const answer = await ask('GET', '/pictures/none.svg');
  assert.equal(answer?.status, 404);
  assert.match(answer.body as string, /SERVER_NOT_FOUND/);
});

test('a method that no route on the path knows is 405 with those it does; another path is left to others', async () => {
  const answer = await ask('DELETE', '/pictures/dusk-1.svg');
  assert.deepEqual([answer?.status, answer?.headers['allow']], [405, 'GET, HEAD']);
  assert.equal(await ask('GET', '/elsewhere'), undefined);
  assert.equal(appRoutes([], { bytes: 100, key: 'bodySize' }), undefined);
});
