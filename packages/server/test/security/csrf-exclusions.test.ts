// What the configurations that we write leave out of CSRF protection: no exclusion covers an endpoint of search that writes.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { createEngine, createRestApi } from '@lockstitch/search';
import { compileMatcher, EXACT, type RequestPattern, viewPath } from '@lockstitch/security';

import { match, type Route } from '../../../search/src/rest/request/route.ts';
import { startApp } from '../start-app.ts';

const FILES = [
  'packages/server/src/cli/init.ts',
  'examples/movies/lockstitch.config.ts',
  'examples/photo-share/lockstitch.config.ts',
];
const SPECIAL = ['_search', '_count', '_msearch', '_doc', '_create', '_update', '_all', '_bulk'];

/** The exclusions as they stand in a file. */
function exclusionsOf(file: string): readonly RequestPattern[] {
  const source = readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');
  const list = /ignore: \[([^]*?)\n {4}\]/.exec(source)![1]!;
  return [...list.matchAll(/\{ ant: '([^']*)'(?:, method: '(\w+)')? \}/g)].map(([, pattern, method]) => ({
    kind: 'ant',
    pattern: pattern!,
    ...(method === undefined ? {} : { method: method as 'POST' }),
  }));
}

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

for (const file of FILES) {
  test(`3.8 ${file}: no exclusion from CSRF protection covers an endpoint that writes`, async (t) => {
    const engine = await createEngine();
    t.after(() => engine.close());
    const { endpoints } = createRestApi(engine);
    const routes = endpoints.map((endpoint): Route & { readonly path: string } => ({
      ...endpoint,
      steps: endpoint.path
        .split('/')
        .slice(1)
        .filter((step) => step !== ''),
      handler: () => ({ status: 200 }) as never,
      fixed: {},
    }));
    const matchers = exclusionsOf(file).map((source) => compileMatcher(source, EXACT));
    ok(matchers.length > 4);
    const isExcluded = (method: string, path: string) =>
      matchers.some((matcher) => matcher.matches(method, viewPath(path), ''));
    const covered: string[] = [];
    for (const { path, methods } of endpoints) {
      for (const method of methods.filter((each) => each !== 'GET' && each !== 'HEAD')) {
        for (const asked of pathsOf(path)) {
          if (!isExcluded(method, asked)) continue;
          const { route } = match(routes, { method, path: asked, query: new URLSearchParams() } as never);
          const reads = /\/_(?:search|count)$/.test((route as unknown as { path: string }).path);
          if (!reads) covered.push(`${method} ${asked}`);
        }
      }
    }
    deepEqual(covered, []);
    for (const path of [
      '/_search',
      '/photos/_search',
      '/_all/_search',
      '/a,b/_search',
      '/-x,y*/_search',
      '/photos/film/_search',
    ])
      ok(isExcluded('POST', path), path);
    for (const path of [
      '/photos/_create/_search',
      '/photos/_doc/_search',
      '/photos/_update/_search',
      '/_template/_search',
      '/photos/_alias/_search',
    ])
      equal(isExcluded('POST', path), false, path);
  });
}

test('3.8 a document whose id is _search is not written without a token', async (t) => {
  const ignore = exclusionsOf(FILES[0]!).map((source) => ({
    ant: (source as { pattern: string }).pattern,
    method: 'POST',
  }));
  const { call } = await startApp(t, { config: { csrf: { ignore } } });
  const send = (path: string) =>
    call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  for (const path of [
    '/notes/_create/_search',
    '/other/_doc/_search',
    '/other/_update/_search',
    '/_template/_search',
  ]) {
    equal((await send(path)).json.code, 'SECURITY_CSRF_MISSING', path);
  }
  equal((await send('/notes/_search')).status, 200);
});
