// Queries about words of texts, as people ask them, right and wrong. Those about values are in value-queries.ts.
import type { Kinds, Make, Words } from './words.ts';

/** A body for a field of texts. */
const ofText =
  (body: (words: Words) => unknown): Make =>
  (words) => ({ [words.text()]: body(words) });

/** One for a field of any kind. */
const ofAny =
  (body: (words: Words) => unknown): Make =>
  (words) => ({ [words.field()]: body(words) });

const MULTI_TYPES = ['best_fields', 'most_fields', 'cross_fields', 'phrase', 'phrase_prefix', 'bool_prefix'] as const;

/** Signs that a syntax of queries gives a meaning. */
const BROKEN: readonly string[] = ['(', 'a AND', '"open', '[1 TO', 'a:b:c', '/re(/', 'x~9', 'a^-1', '*'.repeat(40)];

const fieldIn = (words: Words): string => words.field().replaceAll('*', '');

export const TEXT_QUERIES: Kinds = {
  match: {
    right: [
      ofText((w) => w.words()),
      ofText((w) => ({ query: w.word(), fuzziness: w.random.pick(['AUTO', 1]) })),
      ofText((w) => ({ query: `${w.words()} absent`, minimum_should_match: w.random.pick([2, '-34%']) })),
      ofText((w) => ({ query: w.words(), operator: 'and', zero_terms_query: 'all' })),
      (w) => {
        const field = w.column();
        return { [field]: { query: w.valueOf(field), lenient: true } };
      },
    ],
    wrong: [
      (w) => ({ [w.number()]: w.word() }),
      (w) => ({ [w.date()]: w.word() }),
      ofText((w) => ({ query: w.words(), minimum_should_match: 'most' })),
      ofText((w) => ({ query: w.word(), analyzer: 'nobody' })),
      ofText((w) => ({ query: w.word(), fuzziness: 'near' })),
      // More words than a query may have clauses.
      ofText(() => ({ query: Array.from({ length: 1100 }, (_, at) => `w${at}`).join(' ') })),
    ],
  },
  match_phrase: {
    right: [
      ofText((w) => w.words()),
      ofText((w) => ({ query: w.words(), slop: 1 + w.random.int(2), zero_terms_query: 'all' })),
    ],
    wrong: [
      ofText((w) => ({ query: w.words(), slop: -1 })),
      (w) => ({ [w.keyword()]: w.words() }),
      (w) => ({ [w.number()]: w.words() }),
    ],
  },
  match_phrase_prefix: {
    right: [ofText((w) => ({ query: w.random.once(2) ? w.word() : w.words(), max_expansions: 1 + w.random.int(3) }))],
    wrong: [ofText((w) => ({ query: w.word(), max_expansions: w.noNumber() })), (w) => ({ [w.number()]: w.words() })],
  },
  match_bool_prefix: {
    right: [ofText((w) => `${w.word()} ${w.word().slice(0, 2)}`)],
    wrong: [ofAny((w) => ({ query: w.words(), max_expansions: 0 }))],
  },
  multi_match: {
    right: [
      (w) => ({ query: w.word(), fields: ['*'], lenient: true }),
      (w) => ({
        query: w.words(),
        fields: [`${w.text()}^2`, w.text(), '*'],
        type: w.random.pick(MULTI_TYPES),
        lenient: true,
        tie_breaker: 0.3,
      }),
      (w) => ({ query: w.words(), fields: [w.text(), w.text()], type: 'cross_fields', operator: 'and' }),
    ],
    wrong: [
      (w) => ({ query: w.words(), fields: [w.text(), w.number(), w.date()], type: w.random.pick(MULTI_TYPES) }),
      (w) => ({ query: w.word(), fields: ['*'] }),
      (w) => ({ query: w.word(), fields: [`${w.text()}^-2`] }),
      (w) => ({ query: w.words(), fields: [w.text()], type: 'cross_fields', fuzziness: 1 }),
    ],
  },
  query_string: {
    right: [
      (w) => ({ query: w.plainWord(), lenient: true }),
      (w) => ({ query: `_exists_:${fieldIn(w)} OR ${w.plainWord()}~1`, lenient: true }),
      (w) => ({ query: `${fieldIn(w)}:${w.plainWord()}`, lenient: true }),
      (w) => ({ query: `${w.pattern().replaceAll('*', '\\*')}:${w.plainWord()}`, lenient: true }),
      (w) => ({
        query: `+"${w.plainWord()} ${w.plainWord()}"~2 -${w.plainWord().slice(0, 2)}* [a TO m]`,
        default_field: w.text(),
        lenient: true,
      }),
    ],
    wrong: [
      (w) => ({ query: `${w.number()}:${w.plainWord()}` }),
      (w) => ({ query: `${w.date()}:[${w.plainWord()} TO *]` }),
      (w) => ({ query: w.random.pick(BROKEN) }),
      (w) => ({ query: `${w.text()}:/(a|b${'|ab*'.repeat(9)}){9}{9}/`, max_determinized_states: 10 }),
      (w) => ({ query: `*${w.plainWord()}`, allow_leading_wildcard: false }),
      (w) => ({ query: w.plainWord() }),
    ],
  },
  simple_query_string: {
    right: [
      (w) => ({ query: `${w.plainWord().slice(0, 2)}*`, lenient: true }),
      (w) => ({
        query: `"${w.plainWord()} ${w.plainWord()}"~1 | -${w.plainWord()}~1`,
        fields: [w.text(), '*'],
        lenient: true,
      }),
    ],
    wrong: [
      (w) => ({ query: w.plainWord(), fields: [w.number(), w.date()] }),
      (w) => ({ query: w.plainWord(), flags: 'EVERYTHING' }),
      (w) => ({ query: w.plainWord(), analyzer: 'nobody' }),
    ],
  },
  intervals: {
    right: [
      ofText((w) => ({ match: { query: w.words(), ordered: w.random.once(2), max_gaps: 2 } })),
      ofText((w) => ({
        any_of: { intervals: [{ prefix: { prefix: w.word().slice(0, 1) } }, { fuzzy: { term: `${w.word()}x` } }] },
      })),
      ofText((w) => ({
        all_of: {
          ordered: true,
          intervals: [{ match: { query: w.word() } }, { wildcard: { pattern: `${w.plainWord().slice(0, 1)}*` } }],
          filter: { not_containing: { match: { query: w.word() } } },
        },
      })),
    ],
    wrong: [
      ofText(() => ({ prefix: { prefix: '' } })),
      ofText(() => ({ wildcard: { pattern: '*' } })),
      ofText(() => ({ fuzzy: { term: 'x', fuzziness: 'near' } })),
      ofText((w) => ({ match: { query: w.word(), filter: { script: { source: 'interval.start > 1' } } } })),
      (w) => ({ [w.keyword()]: { match: { query: w.words() } } }),
      ofText(() => ({ all_of: { intervals: [] } })),
    ],
  },
  more_like_this: {
    right: [
      (w) => ({ fields: [w.text()], like: [{ _id: w.id() }, w.word()], ...LOOSE, max_query_terms: 2 }),
      (w) => ({
        like: [{ _index: w.otherIndex(), _id: w.id() }],
        unlike: [{ _id: w.id() }],
        ...LOOSE,
        max_doc_freq: w.random.int(4),
        boost_terms: w.random.pick([0, 1]),
        include: w.random.once(2),
      }),
    ],
    wrong: [
      (w) => ({ fields: [w.number()], like: [w.word()], ...LOOSE, fail_on_unsupported_field: true }),
      (w) => ({ like: [{ _index: 'absent', _id: w.id() }], ...LOOSE }),
      (w) => ({ fields: [], like: w.word() }),
      (w) => ({ like: [{ _id: w.id() }, w.word()], ...LOOSE }),
      (w) => ({ like: w.word(), max_query_terms: w.noNumber() }),
    ],
  },
};

const LOOSE = { min_term_freq: 1, min_doc_freq: 1 };

const spanTerm = (w: Words, field: string): object => ({ span_term: { [field]: w.word().toLowerCase() } });

/** Spans of one field, as a query of spans takes them. */
function span(w: Words, field: string): object {
  return w.random.pick<() => object>([
    () => spanTerm(w, field),
    () => ({ span_or: { clauses: [spanTerm(w, field), spanTerm(w, field)] } }),
    () => ({ span_multi: { match: { prefix: { [field]: w.word().slice(0, 1).toLowerCase() } } } }),
    () => ({ span_near: { clauses: [spanTerm(w, field), spanTerm(w, field)], slop: 3, in_order: w.random.once(2) } }),
  ])();
}

/** Something of one field of texts. */
const spans =
  (body: (words: Words, field: string) => unknown): Make =>
  (words) =>
    body(words, words.text());

/** The mistakes of all that join spans: of two fields, of none, and of something else. */
const NO_SPANS: readonly Make[] = [
  (w) => ({ clauses: [spanTerm(w, w.text()), spanTerm(w, w.text())] }),
  () => ({ clauses: [] }),
  (w) => ({ clauses: [{ term: { [w.keyword()]: w.word() } }] }),
];

export const SPAN_QUERIES: Kinds = {
  span_term: {
    right: [spans((w, field) => ({ [field]: w.word().toLowerCase() }))],
    wrong: [(w) => ({ [w.keyword()]: w.word() }), (w) => ({ [w.number()]: 1 })],
  },
  span_or: { right: [spans((w, field) => ({ clauses: [span(w, field), span(w, field)] }))], wrong: NO_SPANS },
  span_near: {
    right: [spans((w, field) => ({ clauses: [span(w, field), span(w, field)], slop: 2, in_order: w.random.once(2) }))],
    wrong: [...NO_SPANS, spans((w, field) => ({ clauses: [span(w, field)], slop: w.noNumber() }))],
  },
  span_not: {
    right: [spans((w, field) => ({ include: span(w, field), exclude: span(w, field), dist: w.random.int(2) }))],
    wrong: [spans((w, field) => ({ include: span(w, field) }))],
  },
  span_first: {
    right: [spans((w, field) => ({ match: span(w, field), end: 1 + w.random.int(3) }))],
    wrong: [spans((w, field) => ({ match: span(w, field), end: -1 }))],
  },
  span_containing: {
    right: [spans((w, field) => ({ big: span(w, field), little: spanTerm(w, field) }))],
    wrong: [(w) => ({ big: span(w, w.text()), little: span(w, w.text()) })],
  },
  span_within: {
    right: [spans((w, field) => ({ big: span(w, field), little: spanTerm(w, field) }))],
    wrong: [(w) => ({ big: span(w, w.text()), little: span(w, w.text()) })],
  },
  span_multi: {
    right: [
      spans((w, field) => ({ match: { prefix: { [field]: w.word().slice(0, 1).toLowerCase() } } })),
      spans((w, field) => ({ match: { fuzzy: { [field]: { value: w.word().toLowerCase(), max_expansions: 1 } } } })),
    ],
    wrong: [
      spans((w, field) => ({ match: { term: { [field]: w.word() } } })),
      () => ({ match: { regexp: { text: '(' } } }),
    ],
  },
  field_masking_span: {
    right: [spans((w, field) => ({ query: span(w, field), field: w.text() }))],
    wrong: [spans((w, field) => ({ query: span(w, field), field: w.number() }))],
  },
};
