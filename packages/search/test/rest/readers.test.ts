// What callers may do who may change no index: asked of every endpoint of the catalogue that changes something.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { ENDPOINTS } from '../../src/rest/endpoints.ts';
import { bodyOf, fill, SAMPLES } from '../compatibility/sample-requests.ts';
import { startRest } from './harness.ts';

/** Endpoints that change nothing which is kept, or nothing here: there are no snapshots, lost indices and other nodes, and tasks are the caller's own. */
const HARMLESS =
  /_refresh|_flush|_cache\/clear|_cluster\/(reroute|voting)|_tasks|_rethrottle|reload_secure|_snapshot|_dangling/;
/** Endpoints of indices without an index: Elasticsearch calls that a mistake. */
const WITHOUT_INDEX = /^(\/(_close|_open|_alias)?|\/_alias(es)?\/\{name\})$/;

const PIPELINE = { processors: [] };

test('a reader is refused by every endpoint that changes something, and changes nothing', async () => {
  const ask = await startRest();
  for (const [target, body] of SAMPLES) await ask(target, body);
  await ask('PUT /_scripts/1', { script: { lang: 'mustache', source: '{"size":1}' } });
  await ask('PUT /_ingest/pipeline/name', PIPELINE);
  const kept = async (): Promise<unknown> => {
    const answers = ['/_scripts/1', '/_ingest/pipeline', '/_template', '/_index_template', '/_component_template'];
    const all = [...answers, '/_all', '/o/_doc/1', '/_cluster/settings'].map((path) => ask(`GET ${path}`));
    return (await Promise.all(all)).map(({ text }) => text);
  };
  const before = await kept();
  const reader = { readOnly: () => true, view: () => ({ rows: { kind: 'term', field: 'k', term: 'a' } }) as const };
  let asked = 0;
  for (const { effect, methods, paths } of ENDPOINTS) {
    if (effect !== 'changes') continue;
    for (const path of paths.filter((each) => !HARMLESS.test(each) && !WITHOUT_INDEX.test(each))) {
      for (const method of methods) {
        const named = path === '/{index}' && method === 'DELETE' ? '/o' : fill(method, path);
        const target = named
          .replace('{context}', 'template')
          .concat(/_mapping/.test(path) && path.includes('{type}') ? '?include_type_name=true' : '');
        let body = path.startsWith('/_ingest') && method === 'PUT' ? PIPELINE : bodyOf(method, path);
        if (path.includes('_split')) body = { settings: { 'index.number_of_shards': 2 } };
        if (/_alias(es)?$/.test(path) && path !== '/_aliases') body = { alias: 'b' };
        const { json, status, text } = await ask(`${method} ${target}`, body, reader);
        const item = json?.items?.[0]?.update ?? json?.failures?.[0];
        equal(status === 200 ? item?.status : status, 403, `${method} ${target} ${text}`);
        asked++;
      }
    }
  }
  equal(asked > 80, true, String(asked));
  deepEqual(await kept(), before);
});
