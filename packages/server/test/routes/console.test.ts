// The browser console as files: what is served, with which headers, and who the page is told is signed in.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { ANONYMOUS, createPrincipal, type Principal } from '@lockstitch/kernel';

import type { RouteResponse } from '../../src/http/route-response.ts';
import { consoleFirst } from '../../src/routes/console-first.ts';
import { consoleRoute } from '../../src/routes/console.ts';

const folder = mkdtempSync(join(tmpdir(), 'lockstitch-console-'));
const empty = mkdtempSync(join(tmpdir(), 'lockstitch-console-'));
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Console</title>');
after(() => {
  rmSync(folder, { recursive: true });
  rmSync(empty, { recursive: true });
});

async function ask(
  path: string,
  {
    method = 'GET',
    principal = ANONYMOUS,
    from = folder,
  }: { method?: string; principal?: Principal; from?: string } = {},
): Promise<RouteResponse | undefined> {
  const signal = new AbortController().signal;
  const secured = undefined as never;
  const request = {
    method,
    path,
    encodedPath: path,
    principal,
    secured,
    signal,
    headers: {},
    query: new URLSearchParams(),
  };
  return consoleRoute(from)({ ...request, readBody: () => Promise.resolve(undefined) });
}

test('the page is served at /_console/, and /_console leads there', async () => {
  const page = await ask('/_console/');
  assert.equal(page?.status, 200);
  assert.match(page.headers['content-type']!, /^text\/html/);
  assert.deepEqual(await ask('/_console'), { status: 302, headers: { location: '/_console/' }, body: undefined });
});

test('the page may load nothing from elsewhere, run nothing inline, and not be framed', async () => {
  const policy = (await ask('/_console/'))?.headers['content-security-policy'] ?? '';
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:/);
});

test('the page learns the current user, or that there is none, without an error', async () => {
  const ada = await ask('/_console/session', { principal: createPrincipal('ada') });
  assert.equal(ada?.body, '{"name":"ada"}');
  const nobody = await ask('/_console/session');
  assert.deepEqual([nobody?.status, nobody?.body], [200, '{"name":null}']);
  assert.equal(nobody?.headers['cache-control'], 'no-store');
});

test('other paths are left to others, other methods are refused', async () => {
  assert.equal(await ask('/_consoles'), undefined);
  assert.equal((await ask('/_console/', { method: 'POST' }))?.status, 405);
});

test('a file that is not there is left to the fallback; a console that is not built says how to build it', async () => {
  assert.equal(await ask('/_console/none.js'), undefined);
  const answer = await ask('/_console/', { from: empty });
  assert.equal(answer?.status, 404);
  assert.match(answer.body as string, /SERVER_CONSOLE_NOT_BUILT/);
});

test('GET / leads a browser to the console and answers programs with the search status', async () => {
  const status: RouteResponse = { status: 200, headers: {}, body: '{"tagline":"You Know, for Search"}' };
  const get = (accept: string | undefined, hasConsole = true) => {
    const signal = new AbortController().signal;
    const base = {
      method: 'GET',
      path: '/',
      encodedPath: '/',
      principal: ANONYMOUS,
      signal,
      secured: undefined as never,
      query: new URLSearchParams(),
    };
    return consoleFirst(
      () => status,
      hasConsole,
    )({ ...base, headers: { accept }, readBody: () => Promise.resolve(undefined) });
  };
  const browser = await get('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
  assert.deepEqual([browser.status, browser.headers['location']], [302, '/_console/']);
  for (const accept of [undefined, '*/*', 'application/json']) assert.equal(await get(accept), status);
  assert.equal(await get('text/html', false), status);
});
