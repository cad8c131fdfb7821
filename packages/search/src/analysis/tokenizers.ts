// Cuts a text into tokens, one function a tokenizer of Elasticsearch's. The standard tokenizer has its own file.
import { illegalArgument } from '../request-error.ts';
import type { BoundedRegex } from './bounded-regex.ts';
import { lowerCase } from './letter-case.ts';
import { standardWords } from './standard-tokenizer.ts';
import { TokenCount } from './token-count.ts';
import type { Token } from './token.ts';
import { WHITE_SPACE } from './white-space.ts';

/** Cuts a text into tokens in order of position. */
export type Tokenizer = (text: string) => Token[];

/** Runs of characters that the predicate accepts, cut at `maxLength`. */
function runs(text: string, accepts: RegExp, maxLength: number, lowercase = false): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(accepts)) {
    for (let from = 0; from < match[0].length; from += maxLength) {
      const part = match[0].slice(from, from + maxLength);
      const start = match.index + from;
      const term = lowercase ? lowerCase(part) : part;
      tokens.push({ term, position: tokens.length, start, end: start + part.length, type: 'word' });
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
export function charGroupTokenizer(cut: RegExp, maxLength: number): Tokenizer {
  return (text) => {
    const tokens: Token[] = [];
    const add = (from: number, to: number): void => {
      for (let start = from; start < to; start += maxLength) {
        const end = Math.min(to, start + maxLength);
        tokens.push({ term: text.slice(start, end), position: tokens.length, start, end, type: 'word' });
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

/** The character classes `ngram` and `edge_ngram` keep in a token; empty keeps all. */
export type GramClasses = RegExp | undefined;

/** `ngram`: every run of `min` to `max` characters, shortest first at each place. */
export function ngramTokenizer(min: number, max: number, keep: GramClasses): Tokenizer {
  return grams(min, max, keep, false);
}

/** `edge_ngram`: the beginnings of each run of kept characters. */
export function edgeNgramTokenizer(min: number, max: number, keep: GramClasses): Tokenizer {
  return grams(min, max, keep, true);
}

function grams(min: number, max: number, keep: GramClasses, edge: boolean): Tokenizer {
  return (text) => {
    const tokens: Token[] = [];
    const made = new TokenCount(edge ? 'edge_ngram' : 'ngram');
    const pieces = keep === undefined ? [{ start: 0, text }] : piecesOf(text, keep);
    for (const piece of pieces) {
      const offsets = codePointOffsets(piece.text);
      const count = offsets.length - 1;
      for (let from = 0; from < (edge ? Math.min(1, count) : count); from++) {
        for (let size = min; size <= max && from + size <= count; size++) {
          const start = piece.start + offsets[from]!;
          const end = piece.start + offsets[from + size]!;
          made.add(end - start);
          tokens.push({ term: text.slice(start, end), position: tokens.length, start, end, type: 'word' });
        }
      }
    }
    return tokens;
  };
}

function piecesOf(text: string, keep: RegExp): { start: number; text: string }[] {
  return [...text.matchAll(keep)].map((match) => ({ start: match.index, text: match[0] }));
}

function codePointOffsets(text: string): number[] {
  const offsets = [0];
  for (const character of text) offsets.push(offsets.at(-1)! + character.length);
  return offsets;
}

/** `path_hierarchy`: `/a/b/c` gives `/a`, `/a/b`, `/a/b/c`, all at position 0. */
export function pathTokenizer(options: {
  readonly delimiter: string;
  readonly replacement: string;
  readonly skip: number;
  readonly reverse: boolean;
}): Tokenizer {
  const { delimiter, replacement, skip, reverse } = options;
  return (text) => {
    const cuts: number[] = [];
    for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, at + 1)) cuts.push(at);
    const token = (start: number, end: number): Token => ({
      term: text.slice(start, end).split(delimiter).join(replacement),
      position: 0,
      start,
      end,
      type: 'word',
    });
    if (text === '') return [];
    if (reverse) {
      const starts = [0, ...cuts.map((at) => at + 1)].filter((start) => start < text.length);
      checkPaths(text, starts);
      const kept = starts.length - skip;
      return starts.slice(0, Math.max(0, kept)).map((start) => token(start, starts[kept] ?? text.length));
    }
    const ends = [...cuts.filter((at) => at > 0), ...(text.endsWith(delimiter) ? [] : [text.length])];
    if (text.endsWith(delimiter)) ends.push(text.length);
    checkPaths(text, ends);
    const first = skip === 0 ? 0 : (ends[skip - 1] ?? text.length);
    return ends.slice(skip).map((end) => token(first, end));
  };
}

/** Characters of all paths of a text: each holds all before it, so that 1 MB of `/a` would make 250 GB. */
const MOST_PATH_CHARACTERS = 10_000_000;

/** @throws RequestError when a text has too many paths for its length */
function checkPaths(text: string, paths: readonly number[]): void {
  // On average each is half the text.
  if ((paths.length * text.length) / 2 <= MOST_PATH_CHARACTERS) return;
  throw illegalArgument(
    `path_hierarchy makes too much of a text of [${text.length}] characters with [${paths.length}] paths; shorten the text`,
  );
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
