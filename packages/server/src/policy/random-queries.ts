// Random queries of the search API, over fields and words that a caller may or may not know of. Whole requests are made in
// random-requests.ts.
import type { Words } from './random-words.ts';

/** Makes a query, others in it so deep. */
export function randomQuery(words: Words, depth: number): unknown {
  const { index, random, surface } = words;
  if (depth > 0 && random.once(2)) {
    const inner = (): unknown => randomQuery(words, depth - 1);
    return random.pick<() => unknown>([
      () => ({ bool: { must: [inner()], should: [inner(), inner()] } }),
      () => ({ bool: { filter: [inner()], must_not: [inner()] } }),
      () => ({ bool: { should: [inner(), inner()], minimum_should_match: 1 } }),
      () => ({ dis_max: { queries: [inner(), inner()], tie_breaker: 0.3 } }),
      () => ({ constant_score: { filter: inner() } }),
      () => ({ boosting: { positive: inner(), negative: inner(), negative_boost: 0.5 } }),
      () => ({ function_score: { query: inner(), functions: [{ filter: inner(), weight: 3 }] } }),
      () => ({
        function_score: { query: inner(), random_score: { seed: 7, field: words.field() }, boost_mode: 'replace' },
      }),
    ])();
  }
  const [text, keyword, word] = [words.text(), words.keyword(), words.word()];
  return random.pick<unknown>([
    { match_all: {} },
    { match_none: {} },
    { type: { value: '_doc' } },
    { wrapper: { query: Buffer.from(JSON.stringify({ term: { [keyword]: word } })).toString('base64') } },
    rareQuery(words),
    spanQuery(words),
    { pinned: { ids: [words.key(), words.key()], organic: { match: { [text]: word } } } },
    { match: { [text]: `${word} ${words.word()}` } },
    { match: { [text]: { query: word, fuzziness: 'AUTO' } } },
    { match_bool_prefix: { [text]: `${words.word()} ${word.slice(0, 2)}` } },
    { match: { [text]: { query: `${word} ${words.word()} absent`, minimum_should_match: 2 } } },
    { terms: { [keyword]: { index: index.name, id: words.key(), path: words.field() } } },
    { match_phrase: { [text]: { query: `${word} ${words.word()}`, slop: 1 } } },
    { match_phrase_prefix: { [text]: { query: word, max_expansions: 1 } } },
    { multi_match: { query: word, fields: ['*'], lenient: true } },
    { multi_match: { query: `${word} ${words.word()}`, fields: [text, words.text()], type: 'cross_fields' } },
    {
      multi_match: {
        query: `${word} ${words.word()}`,
        fields: [`${text}^2`, '*.keyword', '*'],
        type: random.pick(['best_fields', 'most_fields', 'phrase', 'bool_prefix']),
        lenient: true,
      },
    },
    { query_string: { query: word.replaceAll(/[^\p{L}\p{N} ]/gu, ' ').trim() || 'a', lenient: true } },
    {
      query_string: {
        query: `_exists_:${words.field().replaceAll('*', '')} OR ${words.plainWord()}~1`,
        lenient: true,
      },
    },
    {
      query_string: {
        query: `${words.field().replaceAll('*', '')}:${word.replaceAll(/[^\p{L}\p{N}]/gu, '') || 'a'}`,
        lenient: true,
      },
    },
    { simple_query_string: { query: `${word.slice(0, 2)}*`, lenient: true } },
    { term: { [keyword]: word } },
    { terms: { [keyword]: [word, words.word()] } },
    { range: { [keyword]: { gte: word } } },
    { prefix: { [keyword]: word.slice(0, 1) } },
    { wildcard: { [keyword]: `*${word.slice(1, 3)}*` } },
    { regexp: { [keyword]: `${word.slice(0, 1).replaceAll(/[^\p{L}\p{N}]/gu, '.')}.*` } },
    { prefix: { [text]: { value: word.slice(0, 1).toLowerCase(), rewrite: 'top_terms_1' } } },
    { fuzzy: { [text]: { value: word.toLowerCase(), max_expansions: 1 } } },
    { exists: { field: words.field() } },
    { ids: { values: [words.key(), words.key()] } },
    { intervals: { [text]: { match: { query: `${word} ${words.word()}`, ordered: random.once(2), max_gaps: 2 } } } },
    {
      intervals: {
        [text]: {
          any_of: { intervals: [{ prefix: { prefix: word.slice(0, 1) } }, { fuzzy: { term: `${word}x` } }] },
        },
      },
    },
    {
      more_like_this: {
        fields: [text],
        like: [{ _id: words.key() }, word],
        min_term_freq: 1,
        min_doc_freq: 1,
        max_query_terms: 2,
      },
    },
    {
      more_like_this: {
        like: [{ _index: random.pick(surface.indexes).name, _id: words.key() }],
        unlike: [{ _id: words.key() }],
        min_term_freq: 1,
        min_doc_freq: 1,
        max_doc_freq: 3,
        include: random.once(2),
      },
    },
    ...index.numbers.map((field) => ({
      terms_set: { [keyword]: { terms: [word, words.word()], minimum_should_match_field: field } },
    })),
    ...index.numbers.map((field) => ({
      function_score: { gauss: { [field]: { origin: 3, scale: 2 } }, boost_mode: 'sum' },
    })),
    ...index.numbers.map((field) => ({ terms: { [field]: [random.int(5), random.int(5)], boost: 2 } })),
    ...index.numbers.map((field) => ({ function_score: { field_value_factor: { field, missing: 1 } } })),
    ...index.dates.map((field) => ({ range: { [field]: { gte: '2026-01-01||/y', format: 'yyyy-MM-dd' } } })),
    ...index.dates.map((field) => ({ distance_feature: { field, origin: '2026-01-01', pivot: '30d' } })),
    ...index.numbers.map((field) => ({ range: { [field]: { gte: random.int(5) } } })),
  ]);
}

/** Of spans, also of words of one field as if they were of another. */
function spanQuery(words: Words): unknown {
  const { random } = words;
  const [field, other] = [words.text(), words.text()];
  const plain = (): unknown => ({ span_term: { [field]: words.word().toLowerCase() } });
  const inner = random.pick<() => unknown>([
    plain,
    () => ({ span_or: { clauses: [plain(), plain()] } }),
    () => ({ span_multi: { match: { prefix: { [field]: words.word().slice(0, 1).toLowerCase() } } } }),
    () => ({ span_near: { clauses: [plain(), plain()], slop: 3, in_order: random.once(2) } }),
    () => ({ span_not: { include: plain(), exclude: plain(), dist: 1 } }),
  ])();
  return random.once(2) ? inner : { field_masking_span: { query: inner, field: other } };
}

/** Of fields that a schema rarely has: most are refused, and a refusal must tell nothing either. */
function rareQuery(words: Words): unknown {
  const { index, random } = words;
  const field = words.field();
  const ignore_unmapped = random.once(2);
  return random.pick<unknown>([
    { nested: { path: random.pick(index.others), query: { match_all: {} }, ignore_unmapped: true } },
    { nested: { path: field, query: { match_all: {} }, ignore_unmapped } },
    { rank_feature: { field } },
    { geo_distance: { distance: '10km', [field]: '1,1', ignore_unmapped } },
    { geo_bounding_box: { [field]: { top_left: '2,1', bottom_right: '1,2' }, ignore_unmapped } },
  ]);
}
