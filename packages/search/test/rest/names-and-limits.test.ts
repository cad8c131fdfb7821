// Names of indices that hold a date, how long searches may stay open, and what field capabilities say of `meta`.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { resolveDateMath } from '../../src/rest/request/date-math-name.ts';
import { load, startRest } from './harness.ts';

const NOON = Date.UTC(2026, 10, 21, 23, 30);

test('a date in the name of an index is put in by its format and time zone', () => {
  for (const [name, resolved] of [
    ['<logs-{now}>', 'logs-2026.11.21'],
    ['<logs-{now/d}>', 'logs-2026.11.21'],
    ['<logs-{now/M}>,b', 'logs-2026.11.01,b'],
    ['<logs-{now/M{yyyy.MM}}>', 'logs-2026.11'],
    ['<logs-{now/d{yyyy.MM.dd|+02:00}}-x>', 'logs-2026.11.22-x'],
    ['a*,-<logs-{now-1d}>', 'a*,-logs-2026.11.20'],
    ['<elastic\\{ON\\}-{now/y{uuuu}}>', 'elastic{ON}-2026'],
    ['plain', 'plain'],
  ] as const) {
    equal(resolveDateMath(name, NOON), resolved, name);
  }
});

test('such a name serves in paths and bodies, but not where paths decide who may do what', async () => {
  const rest = createRestApi(await createEngine(), { clock: { now: () => NOON } });
  const ask = await startRest(rest);
  const name = encodeURIComponent('<logs-{now/d}>');
  equal((await ask(`PUT /${name}/_doc/1?refresh=true`, { a: 1 })).json._index, 'logs-2026.11.21');
  equal((await ask(`GET /${name}/_search`)).json.hits.total.value, 1);
  const bulk = await ask('POST /_bulk?refresh=true', [{ index: { _index: '<logs-{now/d}>' } }, { a: 2 }]);
  equal(bulk.json.items[0].index._index, 'logs-2026.11.21', bulk.text);
  equal((await ask(`GET /${name}/_search`, undefined, { indexByPathOnly: true })).status, 404);
  for (const wrong of ['<logs-{now', '<logs-{now/d>', '<logs-{}>', '<logs-}>', '<logs-{yesterday}>']) {
    const reply = await ask(`GET /${encodeURIComponent(wrong)}/_search`);
    equal([400, 404].includes(reply.status), true, `${wrong} ${reply.text}`);
  }
  match(
    (await ask(`GET /${encodeURIComponent('<l-{yesterday}>')}/_search`)).text,
    /failed to parse date field \[yesterday\]/,
  );
});

test('scrolls stay open no longer than the settings of the cluster allow', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ n: 1 }, { n: 2 }]);
  match((await ask('POST /t/_search?scroll=25h')).text, /Keep alive for request \(25h\) is too large.*\(1d\)/);
  await ask('PUT /_cluster/settings', {
    transient: { 'search.max_keep_alive': '1m', 'search.default_keep_alive': '1m' },
  });
  const opened = await ask('POST /t/_search?scroll=1m&size=1');
  equal(opened.status, 200, opened.text);
  const longer = await ask('POST /_search/scroll', { scroll_id: opened.json._scroll_id, scroll: '3m' });
  match(longer.text, /Keep alive for request \(3m\) is too large.*\(1m\)/);
  await ask('PUT /_cluster/settings', { transient: { 'search.max_keep_alive': null } });
  equal((await ask('POST /t/_search?scroll=2h')).status, 200);
});

test('field capabilities join the meta of a field over indices', async () => {
  const ask = await startRest();
  for (const [index, unit] of [
    ['a', 'ms'],
    ['b', 'ns'],
  ] as const) {
    await ask(`PUT /${index}`, { mappings: { properties: { l: { type: 'long', meta: { unit, kind: 'gauge' } } } } });
  }
  const reply = await ask('GET /a,b/_field_caps?fields=l');
  deepEqual(reply.json.fields.l.long.meta, { kind: ['gauge'], unit: ['ms', 'ns'] });
});
