// Token filters that change words one by one: case, spelling, characters in front, behind or in between.
import { didYouMean } from '@lockstitch/kernel';
import { illegalArgument, RequestError } from '../errors/request-error.ts';
import {
  arabicNormalization,
  germanNormalization,
  persianNormalization,
  soraniNormalization,
} from './affix-stemmers.ts';
import { ARTICLES } from './articles.ts';
import { foldToAscii } from './ascii-folding.ts';
import { classicFilter } from './classic-tokenizer.ts';
import { greekLowercase } from './greek-stemmer.ts';
import { bengaliNormalization, hindiNormalization, indicNormalization } from './indic-normalization.ts';
import { irishLowercase } from './irish.ts';
import { fillReplacement, readPattern } from './java-pattern.ts';
import { lowerCase, upperCase } from './letter-case.ts';
import { HARD } from './part-definition.ts';
import { character, flag, integer, required, text, texts } from './part-options.ts';
import { scandinavianFolding, scandinavianNormalization, serbianNormalization } from './scandinavian.ts';
import { stem } from './stemming-filters.ts';
import { defineFilter, letters, mapTerms, plain, type TokenFilter } from './token-filter.ts';
import { WHITE_SPACE } from './white-space.ts';

/** `lowercase`. */
export const lowercase = mapTerms(lowerCase);

/** `lowercase` for Turkish: dotted and dotless i. */
export const turkishLowercase = (term: string): string =>
  lowerCase(term.replaceAll('I\u0307', 'i').replaceAll('I', 'ı'));

/** `lowercase` by its `language`. */
const LOWERCASE: Readonly<Record<string, TokenFilter>> = {
  '': lowercase,
  greek: mapTerms(greekLowercase),
  irish: mapTerms(irishLowercase),
  turkish: mapTerms(turkishLowercase),
};

const space = new RegExp(`[${WHITE_SPACE}]`);

function trim(term: string): string {
  let [start, end] = [0, term.length];
  while (start < end && space.test(term.charAt(start))) start++;
  while (end > start && space.test(term.charAt(end - 1))) end--;
  return term.slice(start, end);
}

/** `asciifolding`; with `preserveOriginal` the unfolded term stays beside the folded one. */
export function asciiFolding(preserveOriginal: boolean): TokenFilter {
  if (!preserveOriginal) return mapTerms(foldToAscii);
  return (tokens) =>
    tokens.flatMap((token) => {
      const folded = foldToAscii(token.term);
      return folded === token.term ? [token] : [{ ...token, term: folded }, token];
    });
}

/** Digits of every script as 0 to 9. */
export function toDecimalDigits(term: string): string {
  return term.replace(/\p{Nd}/gu, (digit) => {
    // Decimal digits come in runs of ten that start at a code point whose value is 0 (Unicode §4.6).
    const code = digit.codePointAt(0) ?? 0;
    let zero = code;
    while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
    return String(code - zero);
  });
}

/** `decimal_digit`. */
export const decimalDigit = mapTerms(toDecimalDigits);

/** `elision`: drops French `l'`, `d'` … in front. */
export function elision(articles: Iterable<string>, ignoreCase = true): TokenFilter {
  const shown = (word: string): string => (ignoreCase ? word.toLowerCase() : word);
  const set = new Set([...articles].map(shown));
  return mapTerms((term) => {
    const at = term.search(/['’]/);
    return at > 0 && set.has(shown(term.slice(0, at))) ? term.slice(at + 1) : term;
  });
}

/** `apostrophe`: drops everything after an apostrophe (Turkish). */
export const apostrophe = mapTerms((term) => term.replace(/['’][^]*$/, ''));

/** `cjk_width`. */
export const cjkWidth = mapTerms(toUsualWidth);

/** Full-width ASCII and half-width katakana in their usual forms. */
export function toUsualWidth(term: string): string {
  return term.replace(/[\uFF01-\uFF5E\uFF65-\uFF9F]+/g, (run) => run.normalize('NFKC'));
}

const PAYLOADS: Readonly<Record<string, RegExp>> = {
  float: /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?\s*$/,
  int: /^[+-]?\d+$/,
  identity: /^/,
};

/** In Java's words, which are others for floats and whole numbers. */
function wrongPayload(payload: string, encoding: string): Error {
  const ofWhole = payload === '' ? 'chars length is 0' : 'Unable to parse';
  const ofFloat = payload.trim() === '' ? 'empty String' : `For input string: "${payload}"`;
  const reason = encoding === 'int' ? ofWhole : ofFloat;
  return new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'number_format_exception', reason);
}

/** `delimited_payload`. */
function delimitedPayload(delimiter: string, encoding: string, isPayload: RegExp): TokenFilter {
  return (tokens) => {
    for (const token of tokens) {
      const at = token.term.indexOf(delimiter);
      if (at < 0) continue;
      const payload = token.term.slice(at + 1);
      if (!isPayload.test(payload)) throw wrongPayload(payload.slice(0, 50), encoding);
      token.term = token.term.slice(0, at);
    }
    return tokens;
  };
}

export const LETTER_FILTERS = {
  lowercase: defineFilter({
    options: { language: text('') },
    normalizes: true,
    build({ language: given }) {
      const language = given.toLowerCase();
      const filter = Object.hasOwn(LOWERCASE, language) ? LOWERCASE[language] : undefined;
      if (filter !== undefined) return filter;
      const known = Object.keys(LOWERCASE);
      throw illegalArgument(`language [${language}] not support for lower case${didYouMean(language, known)}`);
    },
  }),
  uppercase: letters(upperCase),
  trim: defineFilter({
    options: {
      update_offsets: {
        kind: 'flag',
        read(definition, key) {
          if (definition[key] !== undefined)
            throw illegalArgument('update_offsets is not supported anymore. Please fix your analysis chain');
        },
      },
    },
    normalizes: true,
    build: () => mapTerms(trim),
  }),
  asciifolding: defineFilter({
    options: { preserve_original: flag(false) },
    normalizes: true,
    forSynonyms: () => asciiFolding(false),
    build: ({ preserve_original }) => asciiFolding(preserve_original),
  }),
  decimal_digit: letters(toDecimalDigits),
  cjk_width: letters(toUsualWidth),
  arabic_normalization: letters(arabicNormalization),
  // Lucene's filters of Bengali and Hindi spellings alone spare marked words.
  bengali_normalization: plain(stem(bengaliNormalization), { normalizes: true, marksKeywords: true }),
  hindi_normalization: plain(stem(hindiNormalization), { normalizes: true, marksKeywords: true }),
  german_normalization: letters(germanNormalization),
  indic_normalization: letters(indicNormalization),
  persian_normalization: letters(persianNormalization),
  scandinavian_folding: letters(scandinavianFolding),
  scandinavian_normalization: letters(scandinavianNormalization),
  serbian_normalization: letters(serbianNormalization),
  sorani_normalization: letters(soraniNormalization),
  elision: defineFilter({
    options: {
      articles: required(texts, () => 'elision filter requires [articles] or [articles_path] setting'),
      articles_case: flag(false),
    },
    normalizes: true,
    build: ({ articles, articles_case }, { isPlain }) =>
      isPlain ? elision(ARTICLES.french) : elision(articles, articles_case),
  }),
  apostrophe: plain(apostrophe),
  classic: plain(classicFilter),
  reverse: plain(mapTerms((term) => Array.from(term).reverse().join(''))),
  truncate: defineFilter({
    options: { length: required(integer(10), () => 'length parameter must be provided') },
    build({ length }) {
      if (length <= 0) throw illegalArgument('length parameter must be provided');
      return mapTerms((term) => term.slice(0, length));
    },
  }),
  pattern_replace: defineFilter({
    options: {
      pattern: required(
        text('', 'pattern'),
        (name) => `pattern is missing for [${name}] token filter of type 'pattern_replace'`,
      ),
      flags: text('', 'patternFlags'),
      replacement: text(''),
      all: flag(true),
    },
    cost: () => HARD,
    build({ all, flags, pattern: source, replacement }) {
      const pattern = readPattern(source, flags);
      return (tokens) => {
        const regex = pattern.over(tokens.map(({ term }) => term));
        for (const token of tokens) {
          let [from, made] = [0, ''];
          for (const match of token.term.matchAll(regex)) {
            made += token.term.slice(from, match.index) + fillReplacement(replacement, match);
            from = match.index + match[0].length;
            if (!all) break;
          }
          token.term = made + token.term.slice(from);
        }
        return tokens;
      };
    },
  }),
  delimited_payload: defineFilter({
    aliases: ['delimited_payload_filter'],
    options: {
      delimiter: character('|', (key, given, name) => `The [${key}] of [${name}] is one character, not [${given}]`),
      encoding: text('float'),
    },
    note: 'Payloads are checked and taken off, and not kept: only scripts could read them',
    build({ delimiter, encoding }, { name }) {
      const isPayload = Object.hasOwn(PAYLOADS, encoding) ? PAYLOADS[encoding] : undefined;
      if (isPayload === undefined)
        throw illegalArgument(`[encoding] of [${name}] is one of [float, int, identity], not [${encoding}]`);
      return delimitedPayload(delimiter, encoding, isPayload);
    },
  }),
};
