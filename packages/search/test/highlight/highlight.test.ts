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

const SENTENCES =
  'The quick brown fox jumps over the lazy dog. It was a red fox, they said; nobody knew. Foxes run at night! Who sees a fox in the dark? Only other foxes do, and the fox itself.';

async function startLong(): Promise<Ask> {
  const ask = await startRest();
  const text = { type: 'text' };
  const properties = { t: text, k: { type: 'keyword' }, n: { type: 'long' }, a: { type: 'alias', path: 't' } };
  equal((await ask('PUT /t', { mappings: { properties } })).status, 200);
  await load(ask, 't', [
    { t: SENTENCES, k: 'fox', n: 5 },
    { t: ['red fox. The fox ran', 'a dog and a fox'], n: 6 },
  ]);
  return ask;
}

test('unified passages are sentences joined to about the size, cut at words where one is longer', async () => {
  const ask = await startLong();
  const shown = async (options: object, n = 5): Promise<unknown> => {
    const query = { bool: { must: { match: { t: 'fox' } }, filter: { term: { n } } } };
    return ((await fragments(ask, query, { fields: { t: options } })) as { t: unknown }).t;
  };
  deepEqual(await shown({ fragment_size: 30 }), [
    'The quick brown <em>fox</em> jumps over',
    'It was a red <em>fox</em>, they said; nobody',
    'Who sees a <em>fox</em> in the dark?',
    'Only other foxes do, and the <em>fox</em>',
  ]);
  deepEqual(await shown({ number_of_fragments: 1 }), [
    'Who sees a <em>fox</em> in the dark? Only other foxes do, and the <em>fox</em> itself.',
  ]);
  deepEqual(await shown({ boundary_scanner: 'word', number_of_fragments: 2 }), ['<em>fox</em>', '<em>fox</em>']);
  // Every value is a passage, or begins one.
  const values = ['red <em>fox</em>. The <em>fox</em> ran', 'a dog and a <em>fox</em>'];
  deepEqual(await shown({ number_of_fragments: 0 }, 6), values);
  deepEqual(await shown({}, 6), values);
  deepEqual(await shown({ fragment_size: 8 }, 6), [
    'red <em>fox</em>.',
    'The <em>fox</em> ran',
    'dog and a <em>fox</em>',
  ]);
});

test('plain fragments are of about the size, best first in each value, and hold a phrase together unless simple', async () => {
  const ask = await startLong();
  const shown = async (options: object, match: object): Promise<unknown> => {
    const query = { bool: { must: match, filter: { term: { n: 6 } } } };
    return fragments(ask, query, { type: 'plain', fields: { t: options } });
  };
  const fox = { match: { t: 'fox' } };
  deepEqual(await shown({ fragment_size: 8 }, fox), {
    t: ['red <em>fox</em>', ' <em>fox</em> ran', ' and a <em>fox</em>'],
  });
  deepEqual(await shown({ fragment_size: 8 }, { match_phrase: { t: 'red fox' } }), {
    t: ['<em>red</em> <em>fox</em>. The'],
  });
  deepEqual(await shown({ number_of_fragments: 1 }, fox), { t: ['red <em>fox</em>. The <em>fox</em> ran'] });
});

test('phrases and spans mark the words of their matches only', async () => {
  const ask = await startLong();
  const shown = async (query: object): Promise<unknown> => {
    const both = { bool: { must: [query, { term: { n: 6 } }] } };
    return fragments(ask, both, { fields: { t: { number_of_fragments: 0 } } });
  };
  deepEqual(await shown({ match_phrase: { t: 'red fox' } }), { t: ['<em>red</em> <em>fox</em>. The fox ran'] });
  deepEqual(await shown({ match_phrase: { t: { query: 'fox red', slop: 2 } } }), {
    t: ['<em>red</em> <em>fox</em>. The fox ran'],
  });
  const clauses = [{ span_term: { t: 'the' } }, { span_term: { t: 'fox' } }];
  deepEqual(await shown({ span_near: { clauses, slop: 0, in_order: true } }), {
    t: ['red fox. <em>The</em> <em>fox</em> ran'],
  });
});

test('a field is shown by the name that it was asked by, and a number too where it is named itself', async () => {
  const ask = await startLong();
  const query = { match: { t: 'ran' } };
  deepEqual(await fragments(ask, query, { fields: { a: { number_of_fragments: 1 }, n: { no_match_size: 3 } } }), {
    a: ['The fox <em>ran</em>'],
    n: ['6'],
  });
  deepEqual(Object.keys((await fragments(ask, query, { fields: { '*': {} } })) as object).sort(), ['a', 't']);
});

test('mistakes in highlights are told in the words of Elasticsearch, some only where there is a hit', async () => {
  const ask = await startLong();
  const told = async (highlight: object, word = 'fox'): Promise<unknown> => {
    const { json, status } = await ask('POST /t/_search', { query: { match: { t: word } }, highlight });
    return status === 200 ? status : [json.error.type, json.error.root_cause[0].reason];
  };
  const shard = 'search_phase_execution_exception';
  const content = 'x_content_parse_exception';
  const neon = { fields: { t: { type: 'neon' } } };
  deepEqual(await told(neon), [shard, 'unknown highlighter type [neon] for the field [t]']);
  equal(await told(neon, 'absent'), 200);
  deepEqual(await told({ fields: { t: { type: 'fvh' } } }), [
    shard,
    'the field [t] should be indexed with term vector with position offsets to be used with fast vector highlighter',
  ]);
  deepEqual(await told({ fields: { t: { type: 'plain', fragmenter: 'x' } } }), [
    shard,
    'unknown fragmenter option [x] for the field [t]',
  ]);
  deepEqual(await told({ fields: { t: { number_of_fragments: 'many' } } }), [
    content,
    '[highlight_field] failed to parse field [number_of_fragments]',
  ]);
  deepEqual(await told({ fields: { t: { number_of_fragments: null } } }), [
    content,
    "[highlight_field] number_of_fragments doesn't support values of type: VALUE_NULL",
  ]);
  deepEqual(await told({ pre_tags: ['<a>'], fields: { t: {} } }), [
    'parsing_exception',
    'pre_tags are set but post_tags are not set',
  ]);
  equal(await told({}), 200);
  equal(await told({ fields: { t: { order: 'x' } } }), 200);
});

test('fvh centres fragments on their matches, ends them at marks and spaces, and marks a phrase as one', async () => {
  const ask = await startRest();
  const properties = { v: { type: 'text', term_vector: 'with_positions_offsets' } };
  equal((await ask('PUT /t', { mappings: { properties } })).status, 200);
  await load(ask, 't', [{ v: ['red fox. The fox ran', 'a dog and a fox'] }]);
  const shown = async (options: object, query: object = { match: { v: 'fox' } }): Promise<unknown> =>
    ((await fragments(ask, query, { type: 'fvh', fields: { v: options } })) as { v: unknown }).v;
  const values = ['red <em>fox</em>. The <em>fox</em> ran', 'a dog and a <em>fox</em>'];
  deepEqual(await shown({}), values);
  deepEqual(await shown({ number_of_fragments: 0 }), values);
  deepEqual(await shown({ fragment_size: 18 }), [values[0], 'dog and a <em>fox</em>']);
  deepEqual(await shown({}, { match_phrase: { v: 'red fox' } }), ['<em>red fox</em>. The fox ran']);
  const small = await ask('POST /t/_search', {
    query: { match: { v: 'fox' } },
    highlight: { type: 'fvh', fields: { v: { fragment_size: 8 } } },
  });
  equal(small.json.error.root_cause[0].reason, 'fragCharSize(8) is too small. It must be 18 or higher.');
});

/** A text in two analyses, both with their vectors. */
async function startVectors(): Promise<(body: object) => Promise<readonly string[]>> {
  const ask = await startRest();
  const vectors = { type: 'text', term_vector: 'with_positions_offsets' };
  const c = { ...vectors, analyzer: 'english', fields: { plain: { ...vectors, analyzer: 'standard' } } };
  await ask('PUT /m', { mappings: { properties: { c } } });
  await load(ask, 'm', [
    {
      c: 'The quick brown fox jumps over the lazy dog, and running foxes; run again! A fox|ran_on. Scissors are run - with a very-long-hyphenated_word|pipe fox|run.',
    },
  ]);
  return async (body) => (await ask('POST /m/_search', body)).json.hits.hits[0].highlight.c;
}

test('fvh ends fragments at the characters that are named, centres them as asked, and looks at so many matches', async () => {
  const told = await startVectors();
  const found = (options: object): Promise<readonly string[]> => {
    const field = { type: 'fvh', fragment_size: 20, number_of_fragments: 3, ...options };
    return told({ query: { match: { c: 'run fox' } }, highlight: { fields: { c: field } } });
  };
  const usual = [
    'quick brown <em>fox</em> jumps over',
    'and <em>running</em> <em>foxes</em>; run',
    'again! A <em>fox</em>|ran_on. Scissors',
  ];
  deepEqual(await found({}), usual);
  deepEqual(await found({ boundary_chars: '|_' }), [
    'The quick brown <em>fox</em> jumps ov',
    'nd <em>running</em> <em>foxes</em>; run again! A fox',
    'gain! A <em>fox</em>|ran_on. ',
  ]);
  deepEqual(await found({ boundary_max_scan: 3 }), [
    'k brown <em>fox</em> jumps over',
    'and <em>running</em> <em>foxes</em>; run',
    'again! A <em>fox</em>|ran_on. ',
  ]);
  deepEqual(await found({ boundary_max_scan: -1, phrase_limit: -1, fragment_offset: -1 }), usual);
  deepEqual((await found({ fragment_offset: 0 }))[1], 'and <em>running</em> <em>foxes</em>; <em>run</em> again');
  deepEqual(await found({ phrase_limit: 2 }), [
    'quick brown <em>fox</em> jumps over',
    'dog, and <em>running</em> foxes;',
  ]);
});

test('fvh shows the matches of several fields in one, the other highlighters only their own', async () => {
  const told = await startVectors();
  const query = { query_string: { query: 'c.plain:running scissors', fields: ['c'] } };
  const found = (type: string, ...matched: readonly string[]): Promise<readonly string[]> =>
    told({ query, highlight: { fields: { c: { type, fragment_size: 40, matched_fields: matched } } } });
  const [own, plain] = [
    'again! A fox|ran_on. <em>Scissors</em> are run - with a',
    'the lazy dog, and <em>running</em> foxes; run again',
  ];
  deepEqual(await found('fvh'), [own]);
  deepEqual(await found('fvh', 'c', 'c.plain'), [plain, own]);
  deepEqual(await found('fvh', 'c.plain'), [plain]);
  deepEqual(await found('unified', 'c.plain'), ['<em>Scissors</em> are run - with a very-long-hyphenated_word']);
});

test('words with dashes are not cut', async () => {
  const told = await startVectors();
  const highlight = { fields: { c: { fragment_size: 12 } } };
  deepEqual(await told({ query: { match: { c: 'pipe' } }, highlight }), ['very-long-hyphenated_word|<em>pipe</em>']);
});

test('fvh gives each term and phrase of a query the tags of its place, the other highlighters the first', async () => {
  const ask = await startRest();
  const t = { type: 'text', term_vector: 'with_positions_offsets' };
  await ask('PUT /m', { mappings: { properties: { t } } });
  await load(ask, 'm', [{ t: 'The quick brown fox jumps over the lazy dog' }]);
  const [pre_tags, post_tags] = [
    ['<0>', '<1>', '<2>'],
    ['</0>', '</1>'],
  ];
  const found = async (query: object, options: object = { pre_tags, post_tags }): Promise<string> =>
    (await ask('POST /m/_search', { query, highlight: { fields: { t: { type: 'fvh', ...options } } } })).json.hits
      .hits[0].highlight.t[0];
  const query = { match: { t: 'fox lazy' } };
  equal(await found(query), 'The quick brown <0>fox</0> jumps over the <1>lazy</1> dog');
  equal(
    await found(query, { type: 'plain', pre_tags, post_tags }),
    'The quick brown <0>fox</0> jumps over the <0>lazy</0> dog',
  );
  equal(
    await found({
      bool: { should: [{ match_phrase: { t: 'lazy dog' } }, { term: { t: 'fox' } }, { prefix: { t: 'qui' } }] },
    }),
    'The <2>quick</0> brown <1>fox</1> jumps over the <0>lazy dog</0>',
  );
  equal(
    await found({ terms: { t: ['lazy', 'fox', 'dog'] } }),
    'The quick brown <1>fox</1> jumps over the <2>lazy</0> <0>dog</0>',
  );
  const styled = { query, highlight: { tags_schema: 'styled', fields: { t: { type: 'fvh' } } } };
  equal(
    (await ask('POST /m/_search', styled)).json.hits.hits[0].highlight.t[0],
    'The quick brown <em class="hlt1">fox</em> jumps over the <em class="hlt2">lazy</em> dog',
  );
});

test('fields of a highlight are one object, or a list of objects with one field each', async () => {
  const ask = await startRest();
  await load(ask, 'm', [{ t: 'fox' }]);
  for (const fields of [['t'], [{}], [{ t: {}, u: {} }], { t: 1 }]) {
    const { json } = await ask('POST /m/_search', { query: { match: { t: 'fox' } }, highlight: { fields } });
    deepEqual([json.status, json.error?.type], [400, 'x_content_parse_exception'], JSON.stringify(fields));
  }
  // As if it were not given.
  const unset = { fields: { t: { fragment_size: -1 } } };
  const reply = await ask('POST /m/_search', { query: { match: { t: 'fox' } }, highlight: unset });
  deepEqual(reply.json.hits.hits[0].highlight.t, ['<em>fox</em>']);
});
