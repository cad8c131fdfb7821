// Token filters that put stems in the place of words, and those that mark words which stemmers leave alone.
import { didYouMean } from '@lockstitch/kernel';
import { illegalArgument, unsupported } from '../errors/request-error.ts';
import type { BoundedRegex } from './bounded-regex.ts';
import { germanStem } from './german-stem.ts';
import { readPattern } from './java-pattern.ts';
import { snowballPorter } from './porter-stemmer.ts';
import { wrongRule } from './part-definition.ts';
import { flag, type Option, type Options, required, text, texts, words } from './part-options.ts';
import { wordSet } from './removing-filters.ts';
import {
  findStemmer,
  SNOWBALL_LANGUAGES,
  STEMMER_LANGUAGES,
  type Stemmer,
  stemmerName,
  type StemmerName,
  stemmerOf,
} from './stem.ts';
import { defineFilter, mapTerms, plain, type TokenFilter, type TokenFilterDefinition } from './token-filter.ts';

/** `stemmer`, `snowball`, `porter_stem`. */
export function stem(stemmer: Stemmer): TokenFilter {
  return (tokens) => {
    for (const token of tokens) if (token.keyword !== true) token.term = stemmer(token.term);
    return tokens;
  };
}

/** `keyword_marker`: stemmers leave these words alone. */
export function keywordMarker(words: Iterable<string>, ignoreCase: boolean): TokenFilter {
  const isKeyword = wordSet(words, ignoreCase);
  return (tokens) => {
    for (const token of tokens) if (isKeyword(token.term)) token.keyword = true;
    return tokens;
  };
}

/** `keyword_marker` with a pattern that matches whole words. */
function keywordPattern(whole: BoundedRegex): TokenFilter {
  return (tokens) => {
    const regex = whole.over(tokens.map(({ term }) => term));
    for (const token of tokens) {
      regex.lastIndex = 0;
      if (regex.test(token.term)) token.keyword = true;
    }
    return tokens;
  };
}

/** `stemmer_override`: fixed stems for some words. */
function stemmerOverride(lines: readonly string[]): TokenFilter {
  const rules = new Map<string, string>();
  for (const line of lines) {
    const [from = '', to = '', ...more] = line.split('=>');
    const words = from.split(',').map((word) => word.trim());
    if (to.trim() === '' || more.length > 0 || words.includes(''))
      throw wrongRule(`Invalid Keyword override Rule:${line}`);
    for (const word of words) rules.set(word, to.trim());
  }
  return (tokens) => {
    for (const token of tokens) {
      const found = rules.get(token.term);
      if (found === undefined) continue;
      token.term = found;
      token.keyword = true;
    }
    return tokens;
  };
}

/** `possessive_english`: drops a trailing 's. */
export const englishPossessive = mapTerms((term) => term.replace(/['’＇][sS]$/, ''));

/** A filter with one stemmer, which is loaded when it is first built. */
function stemsBy(name: StemmerName): TokenFilterDefinition {
  return { options: {}, marksKeywords: true, build: () => stem(stemmerOf(name)) };
}

/** A language, by either of the names of the option. */
export function languageOption(fallback: string): Option<string> {
  return {
    ...text(fallback),
    read: (definition, key, part) => text(text(fallback).read(definition, 'name', part)).read(definition, key, part),
  };
}

export function unknownStemmer(language: string, known: readonly string[]): Error {
  const named = language.charAt(0).toUpperCase() + language.slice(1);
  return illegalArgument(`Invalid stemmer class specified: ${named}${didYouMean(language, known)}`, {
    causedBy: { type: 'class_not_found_exception', reason: `org.tartarus.snowball.ext.${named}Stemmer` },
  });
}

/** A stemmer of the filter and the analyzer `snowball`. @throws RequestError for a language that they do not have */
export function snowballStemmer(language: string): Stemmer {
  if (language === 'arabic') throw unsupported(`language [${language}] of snowball`);
  if (language === 'porter') return snowballPorter;
  // Their English is what the filter `stemmer` calls porter2.
  const stemmer = SNOWBALL_LANGUAGES.includes(language)
    ? findStemmer(language === 'english' ? 'porter2' : language)
    : undefined;
  if (stemmer === undefined) throw unknownStemmer(language, SNOWBALL_LANGUAGES);
  return stemmer;
}

const NAME: Options = { name: text('') };

export const STEMMING_FILTERS = {
  stemmer: defineFilter({
    options: { language: languageOption('porter'), ...NAME },
    marksKeywords: true,
    build({ language }) {
      const name = stemmerName(language);
      if (name === 'possessive_english') return englishPossessive;
      const stemmer = findStemmer(name);
      if (stemmer === undefined) throw unknownStemmer(name, STEMMER_LANGUAGES);
      return stem(stemmer);
    },
  }),
  snowball: defineFilter({
    options: { language: languageOption('english'), ...NAME },
    marksKeywords: true,
    build: ({ language }) => stem(snowballStemmer(language.toLowerCase())),
  }),
  porter_stem: stemsBy('porter'),
  kstem: stemsBy('light_english'),
  arabic_stem: stemsBy('arabic'),
  brazilian_stem: stemsBy('brazilian'),
  czech_stem: stemsBy('czech'),
  dutch_stem: stemsBy('dutch'),
  french_stem: stemsBy('french'),
  german_stem: plain(stem(germanStem), { marksKeywords: true }),
  russian_stem: stemsBy('russian'),
  keyword_marker: defineFilter({
    options: {
      keywords_pattern: text('', 'pattern'),
      ignore_case: flag(false),
      keywords: {
        ...words(),
        read(definition, key, part) {
          if (definition['keywords_pattern'] === undefined)
            return required(
              texts,
              () =>
                'keyword filter requires either `keywords`, `keywords_path`, or `keywords_pattern` to be configured',
            ).read(definition, key, part);
          if (definition[key] === undefined) return undefined;
          throw illegalArgument('cannot specify both `keywords_pattern` and `keywords` or `keywords_path`');
        },
      } satisfies Option<readonly string[] | undefined>,
    },
    marksKeywords: true,
    // Patterns look at capitals, whatever `ignore_case` says.
    build: ({ ignore_case, keywords, keywords_pattern }) =>
      keywords === undefined
        ? keywordPattern(readPattern(`^(?:${keywords_pattern})$`))
        : keywordMarker(keywords, ignore_case),
  }),
  keyword_repeat: plain(
    (tokens) =>
      tokens.flatMap((token) => [
        { ...token, keyword: true },
        { ...token, keyword: false },
      ]),
    { marksKeywords: true, isNamedOnly: true, forSynonyms: () => undefined },
  ),
  // Payloads are not kept: only scripts could read them.
  type_as_payload: plain((tokens) => tokens, { isNamedOnly: true }),
  stemmer_override: defineFilter({
    options: {
      rules: required(texts, () => 'stemmer override filter requires either `rules` or `rules_path` to be configured'),
    },
    marksKeywords: true,
    build: ({ rules }) => stemmerOverride(rules),
  }),
};
