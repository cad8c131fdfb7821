// Suggestions, as people ask them, right and wrong.
import type { Kinds, Words } from './words.ts';

const generator = (w: Words): object => ({
  field: w.text(),
  suggest_mode: 'always',
  min_word_length: 1,
  max_term_freq: 9,
});

/** By suggester: what stands beside the text or prefix. */
export const SUGGESTERS: Kinds = {
  term: {
    right: [
      (w) => ({ field: w.text(), suggest_mode: w.random.pick(['always', 'missing', 'popular']), min_word_length: 1 }),
      (w) => ({ field: w.text(), suggest_mode: 'always', sort: 'frequency', max_edits: 1, min_doc_freq: 1 }),
    ],
    wrong: [
      (w) => ({ field: w.text(), max_edits: w.noNumber() }),
      () => ({ field: 'absent' }),
      (w) => ({ field: w.text(), size: 0 }),
      (w) => ({ field: w.text(), analyzer: 'nobody' }),
      (w) => ({ field: w.text(), string_distance: 'far' }),
    ],
  },
  phrase: {
    right: [
      (w) => ({
        field: w.text(),
        confidence: w.random.int(2),
        max_errors: 2,
        gram_size: 1 + w.random.int(2),
        highlight: { pre_tag: '<', post_tag: '>' },
        smoothing: w.random.pick<unknown>([{ laplace: {} }, { stupid_backoff: {} }]),
        direct_generator: [generator(w), { field: w.text() }],
      }),
      (w) => ({
        field: w.text(),
        max_errors: 2,
        direct_generator: [generator(w)],
        collate: {
          query: {
            source: {
              bool: {
                must: [{ match: { [w.text()]: '{{suggestion}}' } }],
                filter: [{ exists: { field: '{{field}}' } }],
              },
            },
          },
          params: { field: w.field() },
          prune: w.random.once(2),
        },
      }),
    ],
    wrong: [
      (w) => ({ field: w.number(), direct_generator: [generator(w)] }),
      (w) => ({ field: w.text(), confidence: -1 }),
      (w) => ({ field: w.text(), collate: { query: { source: { match_all: {} } } } }),
      (w) => ({
        field: w.text(),
        smoothing: { linear_interpolation: { trigram_lambda: 1, bigram_lambda: 1, unigram_lambda: 1 } },
      }),
      (w) => ({ field: w.of('text'), gram_size: 0 }),
    ],
  },
  completion: {
    needs: 'completion',
    right: [
      (w) => ({ field: w.of('completion'), skip_duplicates: true, fuzzy: { fuzziness: 1 } }),
      (w) => ({
        field: w.of('completion'),
        fuzzy: { fuzziness: 2, prefix_length: 0, min_length: 1 },
        contexts: { kind: 'x' },
      }),
      (w) => ({ field: w.of('completion'), contexts: { kind: ['y', { context: 'x', prefix: true, boost: 2 }] } }),
    ],
    wrong: [
      (w) => ({ field: w.text() }),
      (w) => ({ field: w.of('completion'), contexts: { nobody: ['x'] } }),
      (w) => ({ field: w.of('completion'), size: w.noNumber() }),
    ],
  },
};

/** Makes the `suggest` of a search. */
export function randomSuggest(words: Words): object {
  const kind = words.kind(SUGGESTERS);
  return { s: suggestionOf(words, kind), ...(words.random.once(2) ? { t: suggestionOf(words, 'term') } : {}) };
}

/** Makes one of a kind. */
export function suggestionOf(words: Words, kind: string): object {
  const given =
    kind === 'completion'
      ? words.random.once(4)
        ? { regex: `${words.plainWord().slice(0, 1)}.+` }
        : { prefix: words.word().slice(0, 2) }
      : { text: `${words.word()}x ${words.words()}` };
  return { ...given, [kind]: words.make(SUGGESTERS[kind]!, () => ({})) };
}
