// What may be left out of CSRF protection: no exclusion covers an endpoint of search that writes, and what reads is covered.
import { deepEqual, equal, match as matches, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { compileMatcher, EXACT, viewPath } from '@lockstitch/security';

import { ENDPOINTS } from '../../../search/src/rest/endpoints.ts';
import { match, routesOf } from '../../../search/src/rest/request/route.ts';
import { JSON_PATHS } from '../../src/security/json-paths.ts';
import { startApp } from '../start-app.ts';

const FILES = [
  'packages/server/src/cli/init.ts',
  'examples/movies/lockstitch.config.ts',
  'examples/photo-share/lockstitch.config.ts',
];
const SPECIAL = ['_search', '_count', '_msearch', '_mget', '_pit', '_doc', '_create', '_update', '_all', '_bulk'];
/** The last fixed step of endpoints that change nothing but what the caller has open. */
const READING =
  /\/_(?:search|count|msearch|mget|validate\/query|mtermvectors|field_caps|search_shards|analyze|explain|termvectors|pit|search\/point_in_time|search\/scroll|rank_eval|(?:search|msearch|render)\/template)(?:\/\{\w+\})?$/;
/** Endpoints that read and need a token all the same: of mapping types, by the id of a document, and of templates. */
const LEFT_OUT = /^\/\{index\}\/\{type\}\/(?:\{id\}\/_explain|_termvectors|\{id\}\/_termvectors)$/;

/** Every path that an endpoint may be asked under, its names taken from words that are endpoints themselves. */
function pathsOf(path: string): readonly string[] {
  let paths = [''];
  for (const step of path.split('/').slice(1)) {
    const words = !step.startsWith('{')
      ? [step]
      : step === '{index}'
        ? ['photos', '_all', 'a,b']
        : ['film', ...SPECIAL];
    paths = paths.flatMap((start) => words.map((word) => `${start}/${word}`));
  }
  return paths;
}

const matchers = JSON_PATHS.map(({ ant, method }) =>
  compileMatcher({ kind: 'ant', pattern: ant, ...(method === undefined ? {} : { method: method as 'POST' }) }, EXACT),
);
const isExcluded = (method: string, path: string) =>
  matchers.some((matcher) => matcher.matches(method, viewPath(path), ''));

test('4 the examples and init exclude the one list of JSON paths from CSRF protection', () => {
  for (const file of FILES) {
    const source = readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');
    matches(source, /^\s+(?:csrf: \{ )?ignore: JSON_PATHS/m, file);
    equal(/ignore: \[/.test(source), false, file);
  }
});

test('3.8 the JSON paths cover no endpoint that writes, 4 and every one that reads by POST', () => {
  const routes = routesOf(ENDPOINTS);
  const covered: string[] = [];
  const missing: string[] = [];
  for (const { path, endpoint } of routes) {
    for (const method of endpoint.methods.filter((each) => each !== 'GET' && each !== 'HEAD')) {
      for (const asked of pathsOf(path)) {
        if (!isExcluded(method, asked)) continue;
        const { route } = match(routes, { method, path: asked, query: new URLSearchParams() } as never);
        if (!READING.test(route.path)) covered.push(`${method} ${asked}`);
      }
      const plain = path.replaceAll('{index}', 'photos').replaceAll(/\{\w+\}/g, 'film');
      if (READING.test(path) && !LEFT_OUT.test(path) && !isExcluded(method, plain)) missing.push(`${method} ${path}`);
    }
  }
  deepEqual({ covered, missing }, { covered: [], missing: [] });
  for (const path of ['/_all/_search', '/a,b/_search', '/-x,y*/_search', '/photos/film/_search', '/_search/scroll'])
    ok(isExcluded('POST', path), path);
  for (const path of [
    '/photos/_create/_search',
    '/photos/_doc/_search',
    '/photos/_doc/_mget',
    '/photos/_update/_search',
    '/_template/_search',
    '/photos/_alias/_search',
    '/photos/_alias/_count',
    '/photos/_bulk',
  ])
    equal(isExcluded('POST', path), false, path);
});

test('3.8 a document whose id is _search is not written without a token', async (t) => {
  const { call } = await startApp(t, { config: { csrf: { ignore: JSON_PATHS } } });
  const send = (path: string, body = '{}', type = 'application/json') =>
    call(path, { method: 'POST', headers: { 'content-type': type }, body });
  for (const path of [
    '/notes/_create/_search',
    '/other/_doc/_search',
    '/other/_update/_search',
    '/_template/_search',
  ]) {
    equal((await send(path)).json.code, 'SECURITY_CSRF_MISSING', path);
  }
  equal((await send('/notes/_search')).status, 200);
  equal((await send('/_msearch', '{"index":"notes"}\n{}\n', 'application/x-ndjson')).status, 200);
  const { json } = await send('/notes/_search?scroll=1m');
  equal((await send('/_search/scroll', JSON.stringify({ scroll_id: json._scroll_id }))).status, 200);
  // A page of another origin may send this type without asking.
  equal((await send('/_msearch', '{}\n{}\n', 'text/plain')).status, 406);
});
