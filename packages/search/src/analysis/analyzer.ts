// A whole analyzer: character filters, a tokenizer and token filters in a row, and the two ways to run it: as a list of
// tokens (queries, `_analyze`, highlighting) or pushed term by term into the index writer. Names and definitions are in
// `analysis-registry.ts`.
import { type CharFilter, mostCharacters } from './char-filter.ts';
import { ByteWords, type WordRow } from './byte-words.ts';
import { lowerCase } from './letter-case.ts';
import { CHAIN } from './part-definition.ts';
import { MAX_TOKEN_LENGTH, standardWords } from './standard-tokenizer.ts';
import { checkTokens } from './token-count.ts';
import { createTokenList, type Token, type TokenList, toTokenList } from './token.ts';
import { tick } from '../tasks/request-budget.ts';
import type { Shingles, TextEnd, TokenFilter } from './token-filter.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Where pushed terms go; the index writer's sink fits. */
export interface TermTarget {
  add(term: string, position: number): void;
  /** Words at positions in a row, the first at `from`. */
  addRow(words: WordRow, from: number): void;
}

/** Turns text into terms. */
export interface Analyzer {
  readonly name: string;
  /** Positions between two values of one field; 100, as Elasticsearch. */
  readonly positionIncrementGap: number;
  /** How many times as long as the standard analyzer it takes, about. */
  readonly weight: number;
  /** Known of chains that an index defines. */
  readonly shingles?: Shingles | undefined;
  /** Of the plain standard analyzer: where it cuts longer words, in UTF-16 units. Its words can be found in the bytes of a text, later. */
  readonly plainLength?: number | undefined;
  /** A part of a word as the words are spelt, for patterns; absent where lower case is all there may be to it. */
  readonly normalize?: ((text: string) => string) | undefined;
  /** All tokens of a text. */
  analyze(text: string): TokenList;
  /**
   * Pushes the terms of a text.
   *
   * @param from the position of the text's start
   * @returns the position after its end, holes included
   */
  push(text: string, from: number, target: TermTarget): number;
}

/** The parts of an analyzer. */
export interface AnalyzerParts {
  readonly shingles?: Shingles | undefined;
  readonly charFilters?: readonly CharFilter[];
  readonly tokenizer: Tokenizer;
  readonly filters?: readonly TokenFilter[];
  readonly positionIncrementGap?: number;
  /** What patterns go through, of filters and character filters: those that change letters. */
  readonly normalize?: ((text: string) => string) | undefined;
  /** Whether queries take no graph of its tokens. */
  readonly flat?: boolean;
  /** As `Analyzer.weight`; that of a plain chain without it. */
  readonly weight?: number;
}

/** What a filter takes for a token at least, in steps. */
const FILTER_STEPS = 50;

/** Runs the parts over a text; also yields the position after the last token, holes of dropped ones included. */
export function runParts(
  parts: AnalyzerParts,
  text: string,
): { readonly tokens: Token[]; readonly end: number; readonly endOffset: number } {
  let current = text;
  const most = mostCharacters(text);
  const offsets: ((at: number) => number)[] = [];
  for (const filter of parts.charFilters ?? []) {
    const filtered = filter(current, most);
    current = filtered.text;
    offsets.unshift((at) => filtered.offset(at));
  }
  const end: TextEnd = { holes: 0, offset: text.length };
  let tokens = parts.tokenizer(current, end);
  if (offsets.length > 0) {
    const correct = (at: number): number => offsets.reduce((place, offset) => offset(place), at);
    for (const token of tokens) {
      token.start = correct(token.start);
      token.end = correct(token.end);
    }
  }
  for (const filter of parts.filters ?? []) {
    checkTokens(tokens);
    tick(FILTER_STEPS * (tokens.length + 1));
    tokens = filter(tokens, end);
  }
  checkTokens(tokens);
  let last = -1;
  for (const { position } of tokens) last = Math.max(last, position);
  return { tokens, end: last + 1 + end.holes, endOffset: end.offset };
}

/** Makes an analyzer of parts. */
export function createAnalyzer(name: string, parts: AnalyzerParts): Analyzer {
  return {
    name,
    positionIncrementGap: parts.positionIncrementGap ?? 100,
    shingles: parts.shingles,
    weight: parts.weight ?? CHAIN,
    normalize: parts.normalize,
    analyze(text) {
      const { tokens, end } = runParts(parts, text);
      return toTokenList(tokens, end, parts.flat !== true);
    },
    push(text, from, target) {
      const { tokens, end } = runParts(parts, text);
      for (const token of tokens) target.add(token.term, from + token.position);
      return from + end;
    },
  };
}

const row = new ByteWords();

/** What the words of `createWordAnalyzer` go through after lower-casing. */
export interface WordOptions {
  readonly stopWords?: ReadonlySet<string>;
  /** Changes a lower-cased word before the stop words are looked up. */
  readonly before?: (word: string) => string;
  /** Changes a word that is kept. */
  readonly after?: (word: string) => string;
  readonly maxLength?: number;
  /** As `Analyzer.normalize`. */
  readonly normalize?: ((text: string) => string) | undefined;
}

/**
 * The standard tokenizer, lower-casing, stop words and a change of each word before and after them: `standard` and the language analyzers,
 * without a token object a word. The plain standard analyzer cuts and lower-cases bytes.
 */
export function createWordAnalyzer(name: string, options: WordOptions = {}): Analyzer {
  const { stopWords, before, after, maxLength } = options;
  const plain = stopWords === undefined && before === undefined && after === undefined;
  const each = (
    text: string,
    take: (term: string, position: number, start: number, end: number, type: string) => void,
  ): number => {
    let position = 0;
    standardWords(
      text,
      (start, end, type) => {
        let term = lowerCase(text.slice(start, end));
        if (before !== undefined) term = before(term);
        if (stopWords === undefined || !stopWords.has(term))
          take(after === undefined ? term : after(term), position, start, end, type);
        position++;
      },
      maxLength,
    );
    return position;
  };
  return {
    name,
    positionIncrementGap: 100,
    weight: plain ? 1 : CHAIN,
    normalize: options.normalize,
    plainLength: plain ? (maxLength ?? MAX_TOKEN_LENGTH) : undefined,
    analyze(text) {
      const list = createTokenList();
      list.endPosition = each(text, (term, position, start, end, type) => {
        list.terms.push(term);
        list.positions.push(position);
        list.starts.push(start);
        list.ends.push(end);
        list.types.push(type);
      });
      return list;
    },
    push(text, from, target) {
      if (plain) {
        let position = from;
        for (let at = 0; at < text.length;) {
          at = row.read(text, at, maxLength ?? MAX_TOKEN_LENGTH);
          target.addRow(row, position);
          position += row.count;
        }
        return position;
      }
      return from + each(text, (term, position) => target.add(term, from + position));
    },
  };
}
