// All tokenizers. Those that take more than a few lines have files of their own.
import { illegalArgument } from '../errors/request-error.ts';
import type { BoundedRegex } from './bounded-regex.ts';
import { classicTokenizer } from './classic-tokenizer.ts';
import { GRAM_TOKENIZERS } from './gram-tokenizers.ts';
import { readPattern } from './java-pattern.ts';
import { lowerCase } from './letter-case.ts';
import { HARD, PartTable, unescape, wrongRule } from './part-definition.ts';
import { integer, runLength, text, texts, tokenLength } from './part-options.ts';
import { PATH_TOKENIZER } from './path-tokenizer.ts';
import { SIMPLE_PATTERN_TOKENIZERS } from './simple-pattern.ts';
import { standardWords } from './standard-tokenizer.ts';
import type { Token } from './token.ts';
import { defineTokenizer, type Tokenizer, type TokenizerDefinition } from './tokenizer.ts';
import { urlEmailTokenizer } from './url-email-tokenizer.ts';
import { WHITE_SPACE } from './white-space.ts';

/** Where a part of a word ends that is cut after so many characters (UTF-16 units); a character of two units stays whole. */
function cutAt(word: string, from: number, maxLength: number): number {
  const end = Math.min(word.length, from + maxLength);
  const last = word.charCodeAt(end - 1);
  return end < word.length && last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}

/** Runs of characters that the predicate accepts, cut at `maxLength`. */
function runs(text: string, accepts: RegExp, maxLength: number, lowercase = false): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(accepts)) {
    const [word] = match;
    for (let from = 0; from < word.length;) {
      const to = cutAt(word, from, maxLength);
      const part = word.slice(from, to);
      const term = lowercase ? lowerCase(part) : part;
      tokens.push({ term, position: tokens.length, start: match.index + from, end: match.index + to, type: 'word' });
      from = to;
    }
  }
  return tokens;
}

/** `standard`: words by UAX #29. */
export function standardTokenizer(maxLength = 255): Tokenizer {
  return (text) => {
    const tokens: Token[] = [];
    standardWords(
      text,
      (start, end, type) => tokens.push({ term: text.slice(start, end), position: tokens.length, start, end, type }),
      maxLength,
    );
    return tokens;
  };
}

/** `letter` and `lowercase`: runs of letters. */
export function letterTokenizer(lowercase: boolean): Tokenizer {
  return (text) => runs(text, /\p{L}+/gu, 255, lowercase);
}

const notSpace = new RegExp(`[^${WHITE_SPACE}]+`, 'gu');

/** `whitespace`. */
export function whitespaceTokenizer(maxLength = 255): Tokenizer {
  return (text) => runs(text, notSpace, maxLength);
}

/** `char_group`: cuts at each of these characters. */
function charGroupTokenizer(cut: RegExp, maxLength: number): Tokenizer {
  return (text) => {
    const tokens: Token[] = [];
    const add = (from: number, to: number): void => {
      for (let start = from; start < to;) {
        const end = Math.min(to, cutAt(text, start, maxLength));
        tokens.push({ term: text.slice(start, end), position: tokens.length, start, end, type: 'word' });
        start = end;
      }
    };
    let from = 0;
    let at = 0;
    for (const character of text) {
      if (cut.test(character)) {
        add(from, at);
        from = at + character.length;
      }
      at += character.length;
    }
    add(from, at);
    return tokens;
  };
}

/** `keyword`: the whole text, also where it is empty. */
export const keywordTokenizer: Tokenizer = (text) => [
  { term: text, position: 0, start: 0, end: text.length, type: 'word' },
];

/** `pattern`: splits at matches, or with a `group` (0 the match itself) takes what it captures. */
export function patternTokenizer(pattern: BoundedRegex, group: number): Tokenizer {
  return (text) => {
    const tokens: Token[] = [];
    const add = (start: number, end: number): void => {
      if (end > start) tokens.push({ term: text.slice(start, end), position: tokens.length, start, end, type: 'word' });
    };
    let from = 0;
    for (const match of text.matchAll(pattern.over([text]))) {
      if (group < 0) {
        add(from, match.index);
        from = match.index + match[0].length;
      } else {
        const part = match[group] ?? '';
        const start = match.index + Math.max(0, match[0].indexOf(part));
        add(start, start + part.length);
      }
    }
    if (group < 0) add(from, text.length);
    return tokens;
  };
}

/** Words of a language without spaces (Thai, Chinese, Japanese) by `Intl.Segmenter`'s dictionaries. */
export function segmenterTokenizer(locale: string): Tokenizer {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
  return (text) => {
    const tokens: Token[] = [];
    for (const { segment, index, isWordLike } of segmenter.segment(text)) {
      if (isWordLike !== true) continue;
      const end = index + segment.length;
      tokens.push({ term: segment, position: tokens.length, start: index, end, type: 'word' });
    }
    return tokens;
  };
}

/** The characters that `char_group` cuts at, as a class of a pattern. */
function charGroup(names: readonly string[]): RegExp {
  const classes: Readonly<Record<string, string>> = {
    whitespace: WHITE_SPACE,
    letter: '\\p{L}',
    digit: '\\p{Nd}',
    punctuation: '\\p{P}',
    symbol: '\\p{S}',
  };
  const members = names.map((text) => {
    if (text === '') throw wrongRule('[tokenize_on_chars] cannot contain empty characters');
    if (Object.hasOwn(classes, text)) return classes[text];
    if (text.length > 1 && !/^\\(?:.|u[0-9a-fA-F]{4})$/.test(text))
      throw wrongRule(`Invalid escaped char in [${text}]`);
    return unescape(text).replace(/[\\\]^-]/g, '\\$&');
  });
  return new RegExp(members.length === 0 ? '[]' : `[${members.join('')}]`, 'u');
}

/** The tokenizers by type. */
export const TOKENIZERS = new PartTable<TokenizerDefinition>('tokenizer', {
  standard: defineTokenizer({
    options: { max_token_length: tokenLength },
    build: ({ max_token_length }) => standardTokenizer(max_token_length),
  }),
  classic: defineTokenizer({
    options: { max_token_length: tokenLength },
    build: ({ max_token_length }) => classicTokenizer(max_token_length),
  }),
  uax_url_email: defineTokenizer({
    options: { max_token_length: tokenLength },
    cost: () => HARD,
    build: ({ max_token_length }) => urlEmailTokenizer(max_token_length),
  }),
  letter: defineTokenizer({ options: {}, build: () => letterTokenizer(false) }),
  lowercase: defineTokenizer({ options: {}, build: () => letterTokenizer(true) }),
  whitespace: defineTokenizer({
    options: { max_token_length: runLength() },
    build: ({ max_token_length }) => whitespaceTokenizer(max_token_length),
  }),
  // How much is read at a time changes nothing.
  keyword: defineTokenizer({ options: { buffer_size: runLength(256) }, build: () => keywordTokenizer }),
  thai: defineTokenizer({
    options: {},
    note: 'Words of ICU; those of other scripts are others in Java',
    build: () => segmenterTokenizer('th'),
  }),
  ...GRAM_TOKENIZERS,
  pattern: defineTokenizer({
    options: { pattern: text('\\W+', 'pattern'), flags: text('', 'patternFlags'), group: integer(-1) },
    build({ flags, group, pattern }) {
      const regex = readPattern(pattern, flags);
      if (group <= regex.groups) return patternTokenizer(regex, group);
      return () => {
        throw illegalArgument(`invalid group specified: pattern only has: ${regex.groups} capturing groups`);
      };
    },
  }),
  ...SIMPLE_PATTERN_TOKENIZERS,
  char_group: defineTokenizer({
    options: { tokenize_on_chars: texts, max_token_length: runLength() },
    build: ({ max_token_length, tokenize_on_chars }) =>
      charGroupTokenizer(charGroup(tokenize_on_chars), max_token_length),
  }),
  path_hierarchy: PATH_TOKENIZER,
});
