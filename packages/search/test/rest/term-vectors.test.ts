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

test('of several documents, what one lacks is told in its place, and what cannot be read fails the request', async () => {
  const ask = await filled();
  const { json } = await ask('POST /t/_mtermvectors', {
    docs: [
      { _index: 'absent', _id: '1' },
      { doc: { 'tag.x': 'x' } },
      { _id: '1', version: 7 },
      { _id: '1', fields: ['tag'] },
    ],
    parameters: { positions: false, offsets: false },
  });
  const missing = {
    type: 'index_not_found_exception',
    reason: 'no such index [absent]',
    index_uuid: '_na_',
    index: 'absent',
  };
  deepEqual(json.docs[0].error, { root_cause: [missing], ...missing });
  equal(json.docs[1]._id, '1');
  equal(
    json.docs[1].error.caused_by.reason,
    'Could not dynamically add mapping for field [tag.x]. Existing mapping for [tag] must be of type object but found [keyword].',
  );
  equal(json.docs[2].error.reason, 'failed to execute term vector request');
  equal(json.docs[2].error.root_cause[0].type, 'version_conflict_engine_exception');
  // Parameters hold for documents that follow them.
  equal(json.docs[3].term_vectors.tag.terms.a.tokens.length, 1);
  for (const [body, type, reason] of [
    [{ docs: [1] }, 'illegal_argument_exception', 'docs array element should include an object'],
    [{ docs: {} }, 'parse_exception', 'no parameter named [docs] and type OBJECT'],
    [{ ids: '1' }, 'parse_exception', '_mtermvectors: Parameter [ids] not supported'],
    [{ ids: [null] }, 'illegal_argument_exception', 'ids array element should only contain ids'],
    [{ docs: [{ _id: '1', offsets: 0 }] }, 'json_parse_exception', undefined],
    [{ docs: [{ _id: '1', _routing: 'r' }] }, 'parse_exception', undefined],
    [
      { docs: [{ _id: '1' }, {}] },
      'action_request_validation_exception',
      'Validation Failed: 1: id or doc is missing;2: at multi term vectors for doc 1;',
    ],
  ] as const) {
    const refused = await ask('POST /t/_mtermvectors', body);
    equal(refused.status, 400, refused.text);
    equal(refused.json.error.type, type);
    if (reason !== undefined) equal(refused.json.error.reason, reason);
  }
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
    ['POST /t/_termvectors/1', { filter: { max: 3 } }, /the field \[max\] is not valid for filter parameter/],
    ['POST /t/_termvectors/1', { filter: { max_num_terms: [] } }, /START_ARRAY.*not numeric/],
    ['POST /t/_termvectors/1', { fields: 'text' }, /field \[fields\] must be an array/],
    ['POST /t/_termvectors/1', { doc: { text: 'a' } }, /either \[id\] or \[doc\] can be specified, but not both/],
    [
      'POST /t/_termvectors',
      { doc: { n: 'x' } },
      /failed to execute term vector request.*failed to parse field \[n\] of type \[long\]/,
    ],
    ['POST /t/_termvectors', { doc: { 'tag.x': 'x' } }, /"type":"exception"/],
    ['POST /t/_termvectors', {}, /id or doc is missing/],
    ['POST /t/_termvectors/1', { feilds: ['text'] }, /did you mean \[fields\]/],
    [
      'POST /t/_termvectors/1',
      { per_field_analyzer: { text: 5 } },
      /expecting the analyzer at \[text\] to be a String/,
    ],
    ['POST /_mtermvectors', { docs: [] }, /no documents requested/],
  ] as const) {
    const reply = await ask(target, body);
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  }
});

test('words are shown as they are kept, and made where none are', async () => {
  const ask = await startRest();
  const text = { type: 'text' };
  await ask('PUT /tv', {
    settings: { analysis: { normalizer: { low: { type: 'custom', filter: ['lowercase'] } } } },
    mappings: {
      properties: {
        a: { ...text, term_vector: 'with_positions' },
        b: text,
        k: { type: 'keyword', ignore_above: 5, normalizer: 'low' },
        o: { ...text, term_vector: 'with_offsets' },
        nest: { type: 'nested', properties: { t: text } },
        n: { type: 'long' },
      },
    },
  });
  await load(ask, 'tv', [
    {
      a: ['red fox', 'red'],
      b: ['', 'red fox the', 'fox'],
      k: ['Xy', 'LongLongLong'],
      o: 'red fox',
      nest: { t: 'red' },
      n: 5,
    },
  ]);
  const vectors = async (body: object): Promise<unknown> =>
    (await ask('POST /tv/_termvectors/1', { field_statistics: false, ...body })).json.term_vectors;
  const a = {
    terms: {
      fox: { term_freq: 1, tokens: [{ position: 1 }] },
      red: { term_freq: 2, tokens: [{ position: 0 }, { position: 102 }] },
    },
  };
  const o = {
    terms: {
      fox: { term_freq: 1, tokens: [{ start_offset: 4, end_offset: 7 }] },
      red: { term_freq: 1, tokens: [{ start_offset: 0, end_offset: 3 }] },
    },
  };
  deepEqual(await vectors({}), { a, o });
  // Patterns that fit no field name none; a name names one, whether there is such a field or not.
  deepEqual(await vectors({ fields: ['zz*'] }), { a, o });
  deepEqual(await vectors({ fields: ['zz'] }), {});
  const token = (position: number, start: number, end: number): object => ({
    position,
    start_offset: start,
    end_offset: end,
  });
  deepEqual(await vectors({ fields: ['b', 'k'] }), {
    b: {
      terms: {
        fox: { term_freq: 2, tokens: [token(1, 4, 7), token(103, 12, 15)] },
        red: { term_freq: 1, tokens: [token(0, 0, 3)] },
        the: { term_freq: 1, tokens: [token(2, 8, 11)] },
      },
    },
    k: {
      terms: {
        longlonglong: { term_freq: 1, tokens: [token(1, 3, 15)] },
        xy: { term_freq: 1, tokens: [token(0, 0, 2)] },
      },
    },
  });
  deepEqual(await vectors({ fields: ['a'], per_field_analyzer: { a: 'keyword' } }), {
    a: {
      terms: {
        red: { term_freq: 1, tokens: [token(101, 8, 11)] },
        'red fox': { term_freq: 1, tokens: [token(0, 0, 7)] },
      },
    },
  });
  const nested = await ask('POST /tv/_termvectors/1', { fields: ['nest.t'], positions: false, offsets: false });
  deepEqual(nested.json.term_vectors['nest.t'], {
    field_statistics: { sum_doc_freq: 1, doc_count: 1, sum_ttf: 1 },
    terms: { red: { term_freq: 1 } },
  });
  const given = await ask('POST /tv/_termvectors', { doc: { nest: { t: 'red' }, unknown: 'x', b: 'the' } });
  deepEqual(Object.keys(given.json.term_vectors), ['b']);
  equal((await ask('GET /tv/_mapping')).text.includes('unknown'), false);
});

test('words that are copied stand in the order of the source', async () => {
  const ask = await startRest();
  const copied = { type: 'text', copy_to: 'all' };
  const a = { properties: { y: copied, x: copied } };
  const all = { type: 'text', term_vector: 'with_positions' };
  await ask('PUT /c', { mappings: { properties: { b: copied, a, all } } });
  // As Elasticsearch 7.10.2 orders them.
  const inOrder = [
    { a: { y: 'one', x: 'two' }, b: 'three' },
    { a: { x: 'one', y: 'two' }, b: 'three' },
    {
      a: [
        { x: 'one', y: 'two' },
        { y: 'three', x: 'four' },
      ],
      b: 'five',
    },
    { all: 'one', 'a.y': 'two', a: { x: 'three' }, b: ['four'] },
    { b: 'one', all: ['two', 'three'], a: { x: 'four' }, 'a.y': 'five' },
  ];
  await load(ask, 'c', inOrder);
  for (let id = 1; id <= inOrder.length; id++) {
    const { terms } = (await ask(`GET /c/_termvectors/${id}?fields=all`)).json.term_vectors.all;
    const found = Object.entries<{ readonly tokens: readonly { readonly position: number }[] }>(terms)
      .map(([term, { tokens }]) => ({ term, position: tokens[0]?.position ?? NaN }))
      .sort((one, other) => one.position - other.position);
    const words = ['one', 'two', 'three', 'four', 'five'].slice(0, found.length);
    deepEqual(
      found,
      words.map((term, at) => ({ term, position: 101 * at })),
    );
  }
});

test('the best words of a document are chosen by their scores', async () => {
  const ask = await startRest();
  await ask('PUT /tv', { mappings: { properties: { b: { type: 'text' } } } });
  await load(ask, 'tv', [{ b: 'red fox the fox' }]);
  const chosen = async (filter: object): Promise<unknown> => {
    const body = { fields: ['b'], filter, field_statistics: false, positions: false, offsets: false };
    return (await ask('POST /tv/_termvectors/1', body)).json.term_vectors.b.terms;
  };
  const fox = { term_freq: 2, score: 2 };
  const once = { term_freq: 1, score: 1 };
  deepEqual(await chosen({}), { fox, red: once, the: once });
  deepEqual(await chosen({ max_num_terms: 1 }), { fox });
  deepEqual(await chosen({ min_term_freq: 2 }), { fox });
  deepEqual(await chosen({ max_term_freq: 1 }), { red: once, the: once });
  deepEqual(await chosen({ min_word_length: 4 }), {});
  deepEqual(await chosen({ min_doc_freq: 2 }), {});
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
    // The main thread compiles code and collects garbage, too; words that it finds itself would take most of the time, every time.
    const shares: number[] = [];
    while (shares.length < 5 && !shares.some((share) => share < 1 / 20)) {
      const [main, all] = [process.threadCpuUsage(), process.cpuUsage()];
      deepEqual((await ask(target, body)).json, { found: true });
      shares.push(process.threadCpuUsage(main).user / process.cpuUsage(all).user);
    }
    ok(shares.at(-1)! < 1 / 20, `shares of the main thread: ${shares.join()}`);
  }
});
