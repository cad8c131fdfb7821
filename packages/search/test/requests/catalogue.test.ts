// The catalogue of requests has everything that the API knows, so that what is added to the one is missed in the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregationTypes, definitionOf } from '../../src/aggs/definitions.ts';
import { SEARCH_KEYS } from '../../src/search/search-body.ts';
import { QUERY_TYPES } from '../../src/dsl/query-types.ts';
import { AGGREGATIONS, aggregationOf, ofDefinition } from '../../src/requests/aggregations.ts';
import { ENDPOINTS } from '../../src/requests/endpoints.ts';
import { endpointOf } from '../../src/requests/random-endpoint.ts';
import { ofSample, QUERIES, queryOf } from '../../src/requests/queries.ts';
import { createRandom } from '../../src/requests/random.ts';
import { SEARCH_MEMBERS } from '../../src/requests/search-bodies.ts';
import { SUGGESTERS, suggestionOf } from '../../src/requests/suggestions.ts';
import { type Mistake, Words } from '../../src/requests/words.ts';
import { suggesters } from '../../src/suggest/read-suggest.ts';
import { ENDPOINTS as DEFINED } from '../../src/rest/endpoints.ts';
import { type Ask, startRest } from '../rest/harness.ts';
import { EVERY_FIELD } from '../view/every-field.ts';
import { SURFACE } from '../view/requests.ts';

/** Requests of each kind. */
const TRIES = 12;

function words(seed: number, mistake: Mistake = 'none'): Words {
  return new Words(createRandom(seed), SURFACE, SURFACE.indexes[0]!, mistake);
}

test('1.1 the catalogue has every kind of query, aggregation and suggestion, and every member of a search', () => {
  assert.deepEqual(Object.keys(QUERIES).sort(), Object.keys(QUERY_TYPES).sort());
  assert.deepEqual(Object.keys(AGGREGATIONS).sort(), aggregationTypes().supported);
  assert.deepEqual(Object.keys(SUGGESTERS).sort(), suggesters().toSorted());
  assert.deepEqual(Object.keys(SEARCH_MEMBERS).sort(), SEARCH_KEYS.toSorted());
});

test('1.1 the catalogue has every path of the API that reads', () => {
  const methods = new Map<string, string[]>();
  for (const { methods: given, paths, effect } of DEFINED)
    for (const path of paths) {
      methods.set(path, [...(methods.get(path) ?? []), ...given]);
      if (effect === 'reads') assert.ok(ENDPOINTS[path] !== undefined, path);
    }
  for (const [path, endpoint] of Object.entries(ENDPOINTS)) {
    const route = methods.get(path) ?? methods.get(path.replace('/_doc/', '/{type}/'));
    for (const method of endpoint.methods) assert.ok(route?.includes(method), `${method} ${path}`);
  }
});

async function open(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', { mappings: EVERY_FIELD, aliases: { any: {}, mine: {}, hushed: {} } });
  await ask('PUT /t/_doc/1?refresh=true', { owner: 'ann', text: 'red fox', tag: 'x', n: 3, when: '2026-01-01' });
  return ask;
}

test('1.1 what the catalogue has for right is understood, whatever it is', async () => {
  const ask = await open();
  for (const kind of Object.keys(QUERIES))
    await understood(ask, kind, (seed) => ({ query: queryOf(words(seed), kind, 1) }));
  for (const kind of Object.keys(AGGREGATIONS))
    await understood(ask, kind, (seed) => ({ size: 0, aggs: { a: aggregationOf(words(seed), kind, 1) } }));
  for (const kind of Object.keys(SUGGESTERS))
    await understood(ask, kind, (seed) => ({ suggest: { s: suggestionOf(words(seed), kind) } }));
  for (const path of Object.keys(ENDPOINTS)) {
    for (let seed = 1; seed <= TRIES; seed++) {
      const { body, target } = endpointOf(words(seed), path);
      const { status, text } = await ask(target, body, { view: () => ({ hidden: ['secret'] }) });
      assert.doesNotMatch(text, /unrecognized parameter|no handler found/, target);
      assert.ok(status < 500 && status !== 405, `${target}: ${text}`);
    }
  }
});

test('a type of query without requests of its own is asked as its sample, of fields of the index', async () => {
  const ask = await open();
  for (const [type, each] of Object.entries(QUERY_TYPES)) {
    // No field stands for one of a nested object.
    if (type === 'nested' || each.sample[type] === undefined) continue;
    const [make] = ofSample(type, each).right;
    const asked = Array.from({ length: TRIES }, (_, seed) => ({ query: { [type]: make?.(words(seed), () => ({})) } }));
    const statuses = await Promise.all(asked.map(async (body) => (await ask('POST /t/_search', body)).status));
    assert.ok(statuses.includes(200), `no ${type} was answered`);
  }
});

test('an aggregation without requests of its own is asked as its definition says', async () => {
  const ask = await open();
  for (const type of ['avg_bucket', 'cumulative_sum', 'derivative', 'normalize', 'weighted_avg']) {
    const definition = definitionOf(type);
    assert.ok(definition !== undefined);
    const [make] = ofDefinition(type, definition).right;
    const asked = Array.from({ length: TRIES }, (_, seed) => ({ aggs: { a: make?.(words(seed), () => ({})) } }));
    const statuses = await Promise.all(asked.map(async (body) => (await ask('POST /t/_search', body)).status));
    assert.ok(statuses.includes(200), `no ${type} was answered`);
  }
});

/** Asks for so many of a kind: some may be refused for the fields they take, which are any, but not all. */
async function understood(ask: Ask, kind: string, make: (seed: number) => object): Promise<void> {
  let answered = 0;
  for (let seed = 1; seed <= TRIES; seed++) {
    const body = make(seed);
    const { status, text } = await ask('POST /t/_search', body);
    assert.ok(JSON.stringify(body).includes(`"${kind}":`), kind);
    if (status === 200) answered++;
    else
      assert.doesNotMatch(
        text,
        /unknown (?:query|field)|Unknown key|parsing_exception/,
        `${JSON.stringify(body)}: ${text}`,
      );
  }
  assert.ok(answered > 0, `no ${kind} was answered`);
}

test('1.1 every mistake of the catalogue is one: it is refused as the caller’s, or answered', async () => {
  const ask = await open();
  for (const [kind, { risky = [], wrong }] of Object.entries(QUERIES)) {
    for (const [at, make] of [...wrong, ...risky].entries()) {
      const query = { [kind]: make(words(at, 'wrong'), () => ({ match_all: {} })) };
      const { status, text } = await ask('POST /t/_search', { query });
      assert.ok(status < 500, `${JSON.stringify(query)}: ${text}`);
    }
  }
  for (const { risky = [], wrong } of Object.values(AGGREGATIONS)) {
    for (const [at, make] of [...wrong, ...risky].entries()) {
      const aggs = { a: make(words(at, 'wrong'), () => ({ terms: { field: 'tag' } })) };
      const { status, text } = await ask('POST /t/_search', { aggs });
      assert.ok(status < 500, `${JSON.stringify(aggs)}: ${text}`);
    }
  }
});

test('a nested query inside of one whose elements do not enclose its own is refused', async () => {
  const ask = await open();
  await ask('PUT /t/_doc/2?refresh=true', { parts: [{ kind: 'x' }, { kind: 'y' }] });
  const nested = { path: 'parts', query: { match_all: {} } };
  const { status, text } = await ask('POST /t/_search', { query: { nested: { path: 'parts', query: { nested } } } });
  assert.equal(status, 400);
  assert.match(
    text,
    /Child query must not match same docs with parent filter: \[nested\] under path \[parts\] stands inside of \[parts\]/,
  );
});

test('an explanation asked of a pattern that fits no index is refused as one of an unknown index', async () => {
  const ask = await open();
  const { status, text } = await ask('POST /*,-t/_explain/1', { query: { match_all: {} } });
  assert.equal(status, 404, text);
});
