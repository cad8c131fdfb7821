// What every secured example has to do, over raw sockets: the same tests for the same app, whatever framework it is written in.
// The app: /health open, /admin/** for ada only, everything else for ada and bob; both log in with `correct horse`.
import { deepEqual, equal, match } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RawRequest, type RawResponse, send } from './raw-socket.ts';
import { basic } from './serve.ts';
import { spellings } from './spellings.ts';

/** Declares the tests. `start` listens on a free port of the loopback address. */
export function testSecuredExample(
  start: () => Promise<{ readonly port: number; readonly close: () => Promise<void> | void }>,
): void {
  let port = 0;
  let close: () => Promise<void> | void = () => undefined;
  before(async () => ({ port, close } = await start()));
  after(() => close());
  const ask = (target: string, request?: RawRequest): Promise<RawResponse> => send(port, target, request);
  const as = (user: string, password = 'correct horse') => basic(user, password);
  const json = ['Content-Type', 'application/json'] as const;
  const cookieOf = (response: RawResponse) => response.header('set-cookie')?.split(';')[0] ?? '';

  test('the rules decide who gets through, and the app answers those who do', async () => {
    const status = async (target: string, ...headers: (readonly [string, string])[]) =>
      (await ask(target, { headers })).status;
    equal(await status('/health'), 200);
    equal(await status('/notes/all'), 401);
    equal(await status('/notes/all', as('bob')), 200);
    equal(await status('/notes/all', as('bob', 'wrong horse')), 401);
    equal(await status('/admin/report'), 401);
    equal(await status('/admin/report', as('bob')), 403);
    match((await ask('/admin/report', { headers: [as('ada')] })).body, /"report":"\d+ notes"/);
    equal(await status('/nowhere'), 401);
    equal(await status('/nowhere', as('bob')), 404);
  });

  test('a change needs a token that belongs to the session', async () => {
    const change = { method: 'POST', body: '{"text":"call home"}' };
    equal((await ask('/notes/all', { ...change, headers: [json, as('bob')] })).status, 403);
    const mine = await ask('/csrf');
    const { token, headerName } = JSON.parse(mine.body) as { token: string; headerName: string };
    const cookie = ['Cookie', cookieOf(mine)] as const;
    const done = await ask('/notes/all', { ...change, headers: [json, as('bob'), cookie, [headerName, token]] });
    deepEqual([done.status, JSON.parse(done.body)], [201, { notes: 2 }]);
    const others = ['Cookie', cookieOf(await ask('/csrf'))] as const;
    equal(
      (await ask('/notes/all', { ...change, headers: [json, as('bob'), others, [headerName, token]] })).status,
      403,
    );
  });

  test('a browser is sent to the form, logs in there, and comes back with a new session', async () => {
    const html = ['Accept', 'text/html'] as const;
    const sent = await ask('/notes/all', { headers: [html] });
    deepEqual([sent.status, new URL(sent.header('location') ?? '', 'http://h').pathname], [302, '/login']);
    const first = cookieOf(sent);
    const page = await ask('/login', { headers: [html, ['Cookie', first]] });
    const token = /name="_csrf"[^>]*value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const cookie = page.header('set-cookie') === undefined ? first : cookieOf(page);
    const loggedIn = await ask('/login', {
      method: 'POST',
      headers: [html, ['Cookie', cookie], ['Content-Type', 'application/x-www-form-urlencoded']],
      body: `username=bob&password=correct+horse&_csrf=${encodeURIComponent(token)}`,
    });
    deepEqual([loggedIn.status, new URL(loggedIn.header('location') ?? '', 'http://h').pathname], [302, '/notes/all']);
    equal((await ask('/notes/all', { headers: [['Cookie', cookieOf(loggedIn)]] })).status, 200);
    equal((await ask('/notes/all', { headers: [['Cookie', cookie]] })).status, 401);
  });

  test('no spelling of a protected path returns the protected content', async () => {
    for (const target of spellings(['/admin/report', '/notes/all'])) {
      const { status, body } = await ask(target);
      equal(/"report":|"notes":/.test(body), false, `${target} was answered ${status}`);
    }
  });

  test('answers and refusals carry the security headers', async () => {
    for (const target of ['/health', '/notes/all', '/csrf', '/nowhere']) {
      const { header } = await ask(target);
      equal(header('x-content-type-options'), 'nosniff', target);
    }
  });
}
