import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { ids, load, startRest } from './harness.ts';

const constant = (field: string, value: string, boost: number) => ({
  constant_score: { filter: { term: { [field]: value } }, boost },
});

test('the best hits are scored again and all are put in their new order', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 'x' }, { a: 'x', b: 'y' }, { a: 'x' }, { a: 'x', b: 'y' }]);
  const scores = async (window: number, more: object = {}, page: object = {}) => {
    const rescore = {
      window_size: window,
      query: { rescore_query: constant('b', 'y', 3), query_weight: 2, rescore_query_weight: 10, ...more },
    };
    const reply = await ask('POST /t/_search', { query: constant('a', 'x', 5), rescore, ...page });
    equal(reply.status, 200, reply.text);
    return reply.json.hits.hits.map((hit: { _id: string; _score: number }) => [hit._id, hit._score]);
  };
  deepEqual(await scores(4), [
    ['2', 40],
    ['4', 40],
    ['1', 10],
    ['3', 10],
  ]);
  deepEqual(await scores(2), [
    ['2', 40],
    ['1', 10],
    ['3', 10],
    ['4', 10],
  ]);
  deepEqual(await scores(4, {}, { from: 1, size: 2 }), [
    ['4', 40],
    ['1', 10],
  ]);
  deepEqual(await scores(4, {}, { size: 1 }), [['2', 40]]);
  deepEqual((await scores(4, { score_mode: 'multiply' }))[0], ['2', 300]);
  deepEqual((await scores(4, { score_mode: 'avg' }))[0], ['2', 20]);
  deepEqual((await scores(4, { score_mode: 'max' }))[0], ['2', 30]);
  deepEqual((await scores(4, { score_mode: 'min' }))[0], ['1', 10]);
});

test('passes follow one another, several indices merge, and the explanation ends in the score', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 'x' }, { a: 'x', b: 'y' }]);
  await load(ask, 'u', [{ a: 'x', b: 'y' }]);
  const pass = { query: { rescore_query: constant('b', 'y', 1) } };
  const reply = await ask('POST /t,u/_search', {
    query: constant('a', 'x', 1),
    rescore: [pass, pass],
    explain: true,
  });
  deepEqual(ids(reply), ['2', '1', '1']);
  equal(reply.json.hits.max_score, 3);
  for (const hit of reply.json.hits.hits) equal(hit._explanation.value, hit._score);
});

test('what rescoring cannot go with, or does not know, is refused', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 'x', n: 1 }]);
  const rescore = { query: { rescore_query: { match_all: {} } } };
  const refusal = async (body: object, params = '') => {
    const reply = await ask(`POST /t/_search${params}`, { rescore, ...body });
    equal(reply.status, 400);
    return reply.text;
  };
  match(await refusal({ sort: ['n'] }), /Cannot use \[sort\] option in conjunction with \[rescore\]/);
  match(await refusal({ collapse: { field: 'n' } }), /cannot use `collapse` in conjunction with `rescore`/);
  match(await refusal({}, '?scroll=1m'), /using \[rescore\] is not allowed in a scroll context/);
  match(await refusal({ rescore: { ...rescore, window_size: 20_000 } }), /Rescore window \[20000\] is too large/);
  match(await refusal({ rescore: { query: { rescore_query: { match_all: {} }, wieght: 1 } } }), /\[wieght\]/);
  match(await refusal({ rescore: { query: { rescore_query: { nonsense: {} } } } }), /unknown query \[nonsense\]/);
});

test('a window below 0 is refused only where there are hits to score again', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 'x' }]);
  const rescore = { window_size: -1, query: { rescore_query: { match_all: {} } } };
  const typeOf = async (body: object) =>
    (await ask('POST /t/_search', { rescore, ...body })).json.error?.root_cause[0].type;
  equal(await typeOf({}), 'negative_array_size_exception');
  equal(await typeOf({ sort: ['_doc'] }), 'illegal_argument_exception');
  equal(await typeOf({ query: { match_none: {} } }), undefined);
  equal(await typeOf({ size: 0 }), undefined);
});
