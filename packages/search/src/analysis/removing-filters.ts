// Token filters that drop words. Positions keep the holes of removed words, unless Lucene's filter closes them.
import { illegalArgument } from '../errors/request-error.ts';
import { flag, integer, optionalWords, required, text, texts } from './part-options.ts';
import { stopWordList } from './stop-words.ts';
import { defineFilter, keepOnly, plain, type TokenFilter } from './token-filter.ts';

/** A set of words, and the form of a word that is looked up in it. */
export function wordSet(words: Iterable<string>, ignoreCase: boolean): (word: string) => boolean {
  if (!ignoreCase) {
    const set = new Set(words);
    return (word) => set.has(word);
  }
  const set = new Set(Array.from(words, (word) => word.toLowerCase()));
  return (word) => set.has(word.toLowerCase());
}

/** `stop`: removes the words. */
export function stop(words: Iterable<string>, ignoreCase: boolean, removeTrailing = true): TokenFilter {
  const isStop = wordSet(words, ignoreCase);
  return keepOnly(({ term }, at, { length }) => !isStop(term) || (!removeTrailing && at === length - 1));
}

/** `unique`: the first of each term, or of each term at one position. */
function unique(onlyOnSamePosition: boolean): TokenFilter {
  return (tokens) => {
    const seen = new Set<string>();
    // The steps of dropped tokens are lost, as in Lucene: what follows moves up.
    let before = -1;
    let at = -1;
    return tokens.filter((token) => {
      const key = onlyOnSamePosition ? `${token.position}\u0000${token.term}` : token.term;
      const step = token.position - before;
      before = token.position;
      if (seen.has(key)) return false;
      seen.add(key);
      at += step;
      token.position = at;
      return true;
    });
  };
}

/** `remove_duplicates`: same term at the same position. */
export const removeDuplicates = unique(true);

export const REMOVING_FILTERS = {
  stop: defineFilter({
    options: { stopwords: optionalWords, ignore_case: flag(false), remove_trailing: flag(true) },
    build: ({ ignore_case, remove_trailing, stopwords }) =>
      // The usual words are a set of its own, which looks at case.
      stop(stopwords ?? stopWordList('_english_') ?? [], ignore_case && stopwords !== undefined, remove_trailing),
  }),
  keep: defineFilter({
    options: {
      keep_words: required(texts, () => 'keep requires either `keep_words` or `keep_words_path` to be configured'),
      keep_words_case: flag(false),
    },
    build({ keep_words, keep_words_case }) {
      const isKept = wordSet(keep_words, keep_words_case);
      return keepOnly(({ term }) => isKept(term));
    },
  }),
  keep_types: defineFilter({
    options: {
      mode: text('include'),
      types: required(texts, () => 'keep_types requires `types` to be configured'),
    },
    build({ mode: given, types }) {
      const mode = given.toLowerCase();
      if (mode !== 'include' && mode !== 'exclude')
        throw illegalArgument(`\`keep_types\` tokenfilter mode can only be [include] or [exclude] but was [${mode}].`);
      const set = new Set(types);
      return keepOnly(({ type }) => set.has(type) === (mode === 'include'));
    },
  }),
  length: defineFilter({
    options: { min: integer(0), max: integer(2 ** 31 - 1) },
    build({ max, min }) {
      if (min < 0) throw illegalArgument('minimum length must be greater than or equal to zero');
      if (min > max) throw illegalArgument('maximum length must not be greater than minimum length');
      return keepOnly(({ term }) => term.length >= min && term.length <= max);
    },
  }),
  limit: defineFilter({
    options: { consume_all_tokens: flag(false), max_token_count: integer(1) },
    build({ consume_all_tokens: readsAll, max_token_count: most }) {
      if (most <= 0) throw illegalArgument('maxTokenCount must be greater than zero');
      return (tokens, end) => {
        const last = tokens[most - 1];
        // Where the others are not read, the text ends with the last one that is.
        if (end !== undefined && last !== undefined && !readsAll) end.offset = last.end;
        return tokens.slice(0, most);
      };
    },
  }),
  unique: defineFilter({
    options: { only_on_same_position: flag(false) },
    build: ({ only_on_same_position }) => unique(only_on_same_position),
  }),
  remove_duplicates: plain(removeDuplicates),
};
