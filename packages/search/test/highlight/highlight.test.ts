// What Elasticsearch 7.10.2 answered for the same documents and requests.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from '../rest/harness.ts';

async function start(settings: object = {}): Promise<Ask> {
  const ask = await startRest();
  const made = await ask('PUT /t', {
    settings,
    mappings: {
      properties: {
        t: { type: 'text' },
        o: { type: 'text', index_options: 'offsets' },
        v: { type: 'text', term_vector: 'with_positions_offsets' },
      },
    },
  });
  equal(made.status, 200, made.text);
  await load(ask, 't', [{ t: 'red fox jumps', o: 'red fox jumps', v: 'red fox jumps' }]);
  return ask;
}

const fragments = async (ask: Ask, query: object, highlight: object): Promise<unknown> => {
  const reply = await ask('POST /t/_search', { query, highlight });
  equal(reply.status, 200, reply.text);
  return reply.json.hits.hits[0]?.highlight;
};

test('fuzzy without transpositions marks only words as near without a swap', async () => {
  const ask = await start();
  const query = (transpositions: boolean) => ({
    bool: {
      must: { term: { t: 'red' } },
      should: { fuzzy: { t: { value: 'fxo', fuzziness: 1, transpositions } } },
    },
  });
  const highlight = { fields: { t: {} } };
  deepEqual(await fragments(ask, query(false), highlight), { t: ['<em>red</em> fox jumps'] });
  deepEqual(await fragments(ask, query(true), highlight), { t: ['<em>red</em> <em>fox</em> jumps'] });
});

test('a range of a text field marks the words in it', async () => {
  const ask = await start();
  const query = { range: { v: { gte: 'fa', lt: 'jumps' } } };
  for (const type of ['unified', 'plain', 'fvh'])
    deepEqual(await fragments(ask, query, { type, fields: { v: {} } }), { v: ['red <em>fox</em> jumps'] }, type);
  deepEqual(await fragments(ask, { range: { v: { gt: 'fox', lte: 'jumps' } } }, { fields: { v: {} } }), {
    v: ['red fox <em>jumps</em>'],
  });
});

test('max_analyzed_offset refuses only texts that are analysed: not where offsets are kept', async () => {
  const ask = await start({ 'highlight.max_analyzed_offset': 10 });
  for (const [field, type] of [
    ['o', 'unified'],
    ['v', 'unified'],
    ['v', 'fvh'],
  ] as const)
    deepEqual(await fragments(ask, { prefix: { [field]: 'red' } }, { type, fields: { [field]: {} } }), {
      [field]: ['<em>red</em> fox jumps'],
    });
  for (const [field, type] of [
    ['t', 'unified'],
    ['t', 'plain'],
    ['o', 'plain'],
    ['v', 'plain'],
  ] as const) {
    const refused = await ask('POST /t/_search', {
      query: { prefix: { [field]: 'red' } },
      highlight: { type, fields: { [field]: {} } },
    });
    equal(refused.status, 400);
    equal(refused.json.error.type, 'search_phase_execution_exception');
    match(refused.json.error.root_cause[0].reason, /has exceeded \[10\] - maximum allowed to be analyzed/);
  }
});
