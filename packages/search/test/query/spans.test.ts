import { deepEqual, equal, match } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { type Ask, ids, load, startRest } from '../rest/harness.ts';

interface Recorded {
  readonly docs: readonly string[];
  readonly cases: readonly { readonly q: object; readonly hits: readonly (readonly [number, number])[] }[];
}

test('spans find the documents that Lucene finds, with its scores to the last bit', async () => {
  const file = new URL('lucene-spans.json', import.meta.url);
  const { docs, cases } = JSON.parse(await readFile(file, 'utf8')) as Recorded;
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine));
  await engine.createIndex('t', {
    settings: { scaleByK1: false },
    mappings: { properties: { t: { type: 'text', analyzer: 'whitespace' } } },
  });
  await ask(
    'POST /t/_bulk?refresh=true',
    docs.flatMap((t, at) => [{ index: { _id: String(at) } }, { t }]),
  );
  for (const { q, hits } of cases) {
    const { json } = await ask('POST /t/_search', { size: 100, query: q });
    const found = json.hits.hits.map((hit: { _id: string; _score: number }) => [Number(hit._id), hit._score]);
    deepEqual(
      found.sort((a: [number, number], b: [number, number]) => a[0] - b[0]),
      hits,
      JSON.stringify(q),
    );
  }
  await engine.close();
});

async function filled(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      properties: {
        text: { type: 'text', fields: { stem: { type: 'text', analyzer: 'english' } } },
        tag: { type: 'keyword' },
      },
    },
  });
  await load(ask, 't', [
    { text: 'the quick brown fox' },
    { text: 'the fox was quick' },
    { text: 'quick foxes are brown' },
    { text: 'brown bears', tag: 'a' },
  ]);
  return ask;
}

const term = (word: string, field = 'text'): object => ({ span_term: { [field]: word } });

test('patterns, gaps and masked fields stand among spans', async () => {
  const ask = await filled();
  const found = async (query: object): Promise<string[]> => ids(await ask('POST /t/_search', { query })).sort();
  const near = (clauses: readonly object[], more: object = {}): object => ({ span_near: { clauses, ...more } });
  const multi = (query: object): object => ({ span_multi: { match: query } });
  deepEqual(await found(near([term('quick'), multi({ prefix: { text: 'fox' } })])), ['3']);
  deepEqual(await found(near([term('quick'), multi({ prefix: { text: 'fox' } })], { slop: 2, in_order: false })), [
    '1',
    '2',
    '3',
  ]);
  deepEqual(await found(multi({ wildcard: { text: { value: 'f?x*' } } })), ['1', '2', '3']);
  deepEqual(await found(multi({ regexp: { text: 'b(ea|ro).*' } })), ['1', '3', '4']);
  deepEqual(await found(multi({ fuzzy: { text: { value: 'fxo', fuzziness: 1 } } })), ['1', '2']);
  deepEqual(await found(multi({ range: { text: { gt: 'f', lt: 'g' } } })), ['1', '2', '3']);
  deepEqual(await found({ span_term: { tag: 'nobody has it' } }), []);
  deepEqual(await found(near([term('quick'), { span_gap: { text: 1 } }, term('fox')])), ['1']);
  deepEqual(await found(near([term('quick'), { span_gap: { text: 2 } }, term('fox')])), []);
  const masked = { field_masking_span: { query: term('fox', 'text.stem'), field: 'text' } };
  deepEqual(await found(near([term('quick'), masked], { slop: 1 })), ['1', '3']);
  deepEqual(await found(near([term('nope', 'absent')])), []);
  deepEqual(await found({ span_term: { text: { term: 'bears', boost: 2, _name: 'b' } } }), ['4']);
});

test('spans are explained, named and marked in highlights', async () => {
  const ask = await filled();
  const query = { span_not: { include: term('fox'), exclude: term('quick'), pre: 2, _name: 'n', boost: 3 } };
  const [hit] = (await ask('POST /t/_search', { query, explain: true, highlight: { fields: { text: {} } } })).json.hits
    .hits;
  deepEqual([hit._id, hit.matched_queries, hit.highlight.text], ['2', ['n'], ['the <em>fox</em> was quick']]);
  equal(hit._explanation.value, hit._score);
});

test('that hidden documents have the field that masks another one is told by no match and no score', async () => {
  const asked = async (hidden: object, how: object): Promise<unknown> => {
    const ask = await startRest();
    const properties = {
      text: { type: 'text' },
      ghost: { type: 'text' },
      plain: { type: 'keyword' },
      owner: { type: 'keyword' },
    };
    await ask('PUT /t', { mappings: { properties } });
    // The second segment has those fields in hidden documents or not at all, the first one in shown ones.
    await load(ask, 't', [{ text: 'fox', owner: 'ann', ghost: 'some words of it', plain: 'x' }]);
    await ask('POST /_bulk?refresh=true', [
      { index: { _index: 't', _id: '8' } },
      { text: 'fox', owner: 'ann' },
      { index: { _index: 't', _id: '9' } },
      { owner: 'bob', ...hidden },
    ]);
    const rows = { kind: 'term', field: 'owner', term: 'ann' } as const;
    const { json } = await ask('POST /t/_search', { query: how, explain: true }, { view: () => ({ rows }) });
    equal(json.hits.hits.length, 2);
    return json.hits;
  };
  for (const field of ['ghost', 'plain', 'absent']) {
    const how = { field_masking_span: { query: term('fox'), field } };
    deepEqual(await asked({ ghost: 'hidden', plain: 'y' }, how), await asked({}, how), field);
  }
});

test('spans that cannot be are refused', async () => {
  const ask = await filled();
  for (const [query, reason] of [
    [{ span_near: { clauses: [] } }, /must include \[clauses\]/],
    [{ span_near: { clauses: [{ match: { text: 'x' } }] } }, /must be of type span query/],
    [
      { span_near: { clauses: [term('a'), term('b', 'text.stem')] } },
      /Cannot add clause text\.stem:b to SpanNearQuery for field text/,
    ],
    [{ span_or: { clauses: [term('a'), term('b', 'text.stem')] } }, /Clauses must have same field/],
    [{ span_near: { clauses: [{ span_term: { text: { value: 'a', boost: 2 } } }] } }, /can't have non-default boost/],
    [{ span_near: { clauses: [term('a'), { span_gap: { text: 1 } }], in_order: false } }, /cannot have gaps/],
    [
      { span_near: { clauses: [term('a'), { span_gap: { tag: 1 } }] } },
      /Cannot add clause SpanGap\(:1\) to SpanNearQuery/,
    ],
    [{ span_not: { include: term('a') } }, /must have \[exclude\]/],
    [{ span_not: { include: term('a'), exclude: term('b'), dist: 1, pre: 1 } }, /either use \[dist\] or \[pre\]/],
    [{ span_first: { match: term('a') } }, /must have \[end\] set/],
    [{ span_first: { match: term('a'), end: -1 } }, /needs to be positive/],
    [{ span_multi: { match: { term: { text: 'a' } } } }, /must be of type multi term query/],
    [{ span_multi: { match: { range: { tag: { gte: 'a' } } } } }, /indexed without position data/],
    [{ span_term: { tag: 'a' } }, /indexed without position data/],
    [{ span_or: { clauses: [term('a')], slop: 1 } }, /\[span_or\] query does not support \[slop\]/],
  ] as const) {
    const reply = await ask('POST /t/_search', { query });
    equal(reply.status, 400, JSON.stringify(query));
    match(reply.text, reason);
  }
});

test('beginnings of search_as_you_type count as words of their field in spans', async () => {
  const ask = await startRest();
  await ask('PUT /typed', { mappings: { properties: { typed: { type: 'search_as_you_type' } } } });
  await load(ask, 'typed', [{ typed: 'red fox' }, { typed: 'running red' }, { typed: 'the rex' }]);
  const begun = { span_multi: { match: { prefix: { typed: 're' } } } };
  const near = { span_near: { clauses: [begun, { span_term: { typed: 'fox' } }], slop: 0 } };
  deepEqual(ids(await ask('POST /typed/_search', { query: near })), ['1']);
  const { json } = await ask('POST /typed/_validate/query?explain=true', { query: near });
  equal(json.explanations[0].explanation, 'spanNear([mask(typed._index_prefix:re) as typed, typed:fox], 0, true)');
  const top = { span_multi: { match: { prefix: { typed: { value: 're', rewrite: 'top_terms_1' } } } } };
  equal((await ask('POST /typed/_search', { query: top })).json.hits.total.value, 3);
});

test('a word no longer than its edits is found near another, and scores nothing', async () => {
  const ask = await startRest();
  await load(ask, 'f', [{ t: 'a' }, { t: 'x' }, { t: 'red' }]);
  const { json } = await ask('POST /f/_search', { query: { fuzzy: { t: { value: 'x', fuzziness: 1 } } } });
  deepEqual(
    json.hits.hits.map(({ _id, _score }: { _id: string; _score: number }) => [_id, _score > 0]),
    [
      ['2', true],
      ['1', false],
    ],
  );
});
