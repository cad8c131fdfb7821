// The words of one document, as `_termvectors` shows them.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from './harness.ts';

async function filled(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      properties: {
        text: {
          type: 'text',
          term_vector: 'with_positions_offsets',
          fields: { en: { type: 'text', analyzer: 'english' } },
        },
        tag: { type: 'keyword' },
        n: { type: 'long' },
        owner: { type: 'keyword' },
      },
    },
  });
  await load(ask, 't', [
    { text: 'brown fox brown', tag: ['b', 'a'], n: 1, owner: 'ann' },
    { text: ['the fox', 'a Dog'], tag: 'a', owner: 'bob' },
    { text: 'the foxes', owner: 'ann' },
  ]);
  return ask;
}

test('the words of a document come with their places, and with what the index says of them when asked', async () => {
  const ask = await filled();
  const reply = await ask('GET /t/_termvectors/1?term_statistics=true');
  equal(reply.status, 200, reply.text);
  const { took: _, ...rest } = reply.json;
  deepEqual(rest, {
    _index: 't',
    _type: '_doc',
    _id: '1',
    _version: 1,
    found: true,
    term_vectors: {
      text: {
        field_statistics: { sum_doc_freq: 8, doc_count: 3, sum_ttf: 9 },
        terms: {
          brown: {
            doc_freq: 1,
            ttf: 2,
            term_freq: 2,
            tokens: [
              { position: 0, start_offset: 0, end_offset: 5 },
              { position: 2, start_offset: 10, end_offset: 15 },
            ],
          },
          fox: { doc_freq: 2, ttf: 2, term_freq: 1, tokens: [{ position: 1, start_offset: 6, end_offset: 9 }] },
        },
      },
    },
  });
  const more = await ask('POST /t/_termvectors/2', { fields: ['t*'], field_statistics: false, offsets: false });
  deepEqual(more.json.term_vectors, {
    tag: { terms: { a: { term_freq: 1, tokens: [{ position: 0 }] } } },
    text: {
      terms: {
        a: { term_freq: 1, tokens: [{ position: 102 }] },
        dog: { term_freq: 1, tokens: [{ position: 103 }] },
        fox: { term_freq: 1, tokens: [{ position: 1 }] },
        the: { term_freq: 1, tokens: [{ position: 0 }] },
      },
    },
    'text.en': {
      terms: { dog: { term_freq: 1, tokens: [{ position: 103 }] }, fox: { term_freq: 1, tokens: [{ position: 1 }] } },
    },
  });
});

test('a document that is not there is told, one that is given is analysed, by another analyzer if wanted', async () => {
  const ask = await filled();
  const missing = await ask('GET /t/_termvectors/9');
  deepEqual([missing.status, missing.json.found], [200, false]);
  const given = await ask('POST /t/_termvectors', {
    doc: { text: 'Two Foxes', tag: 'x' },
    positions: false,
    offsets: false,
    field_statistics: false,
    term_statistics: true,
    per_field_analyzer: { text: 'english' },
  });
  deepEqual(given.json.term_vectors, {
    tag: { terms: { x: { term_freq: 1 } } },
    text: { terms: { fox: { doc_freq: 2, ttf: 2, term_freq: 1 }, two: { term_freq: 1 } } },
    'text.en': { terms: { fox: { doc_freq: 3, ttf: 3, term_freq: 1 }, two: { term_freq: 1 } } },
  });
});

test('several documents are answered in order, each by itself', async () => {
  const ask = await filled();
  const reply = await ask('POST /_mtermvectors', {
    docs: [
      { _index: 't', _id: '3', fields: ['text'] },
      { _index: 'absent', _id: '1' },
      { _index: 't', _id: '9' },
    ],
  });
  deepEqual(Object.keys(reply.json.docs[0].term_vectors.text.terms), ['foxes', 'the']);
  equal(reply.json.docs[1].error.type, 'index_not_found_exception');
  equal(reply.json.docs[2].found, false);
  const ids = await ask('POST /t/_mtermvectors', { ids: ['1', '2'], parameters: { fields: ['tag'] } });
  deepEqual(
    ids.json.docs.map((doc: { term_vectors: { tag: { terms: object } } }) => Object.keys(doc.term_vectors.tag.terms)),
    [['a', 'b'], ['a']],
  );
});

test('a caller learns the words and frequencies of what he sees alone', async () => {
  const ask = await filled();
  const view = { view: () => ({ rows: { kind: 'term', field: 'owner', term: 'ann' } as const, hidden: ['tag'] }) };
  const seen = await ask('GET /t/_termvectors/1?term_statistics=true&fields=*', undefined, view);
  equal(seen.json.term_vectors.tag, undefined);
  deepEqual(seen.json.term_vectors.text.field_statistics, { sum_doc_freq: 4, doc_count: 2, sum_ttf: 5 });
  equal(seen.json.term_vectors.text.terms.fox.doc_freq, 1);
  equal((await ask('GET /t/_termvectors/2', undefined, view)).json.found, false);
});

test('what cannot be read is refused by name', async () => {
  const ask = await filled();
  for (const [target, body, reason] of [
    ['POST /t/_termvectors/1', { filter: { max_num_terms: 3 } }, /\[filter\].*not supported/],
    ['POST /t/_termvectors', {}, /id or doc is missing/],
    ['POST /t/_termvectors/1', { feilds: ['text'] }, /did you mean \[fields\]/],
    ['POST /t/_termvectors/1', { fields: ['text'], per_field_analyzer: { text: 'nope' } }, /No analyzer \[nope\]/],
    ['POST /_mtermvectors', { docs: [] }, /no documents requested/],
  ] as const) {
    const reply = await ask(target, body);
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  }
});

test('3.9 the words of a long text are found in a thread from the first one on', async () => {
  const ask = await startRest();
  await ask('PUT /long', { mappings: { properties: { t: { type: 'text' } } } });
  const t = Array.from({ length: 60_000 }, (_, at) => `word${at}`).join(' ');
  await ask('PUT /long/_doc/1', { t });
  for (const [target, body] of [
    ['GET /long/_termvectors?fields=t&filter_path=found', { doc: { t } }],
    ['GET /long/_termvectors/1?fields=t&filter_path=found', undefined],
  ] as const) {
    const [main, all] = [process.threadCpuUsage(), process.cpuUsage()];
    deepEqual((await ask(target, body)).json, { found: true });
    const [here, total] = [process.threadCpuUsage(main).user, process.cpuUsage(all).user];
    ok(here < total / 20, `${here} of ${total} µs in the main thread`);
  }
});
