// What analysis yields: the words of one text with their positions and offsets. Two shapes: `Token` objects for chains of
// filters, and the flat `TokenList` the index writer reads, which the common analyzers fill without an object a word.

/** One token between a tokenizer and its filters. Offsets are UTF-16 units of the original text. */
export interface Token {
  term: string;
  /** Position in the text, counted from 0; two tokens at one position are alternatives. */
  position: number;
  start: number;
  end: number;
  /** Lucene's type name: `<ALPHANUM>`, `<NUM>`, `word`, `shingle`, `SYNONYM` … */
  type: string;
  /** How many positions the token spans; 1 unless a filter joins words. */
  positionLength?: number;
  /** Set by `keyword_marker`: stemmers leave the token alone. */
  keyword?: boolean;
}

/** The tokens of one text, column by column. */
export interface TokenList {
  readonly terms: string[];
  readonly positions: number[];
  readonly starts: number[];
  readonly ends: number[];
  /** Lucene's type names, for `_analyze`; empty when the analyzer yields words only. */
  readonly types: string[];
  /** How many positions each token spans; absent where each spans one. */
  lengths?: readonly number[];
  /** Whether queries take the spans for a graph; not where a filter joins words in different numbers (Lucene's DisableGraphAttribute). */
  isGraph?: boolean;
  /** The position after the last one, holes of removed words included; the next value of the field continues here. */
  endPosition: number;
}

/** Makes an empty list. */
export function createTokenList(): TokenList {
  return { terms: [], positions: [], starts: [], ends: [], types: [], endPosition: 0 };
}

/** Turns token objects into the flat form. */
export function toTokenList(tokens: readonly Token[], endPosition: number, isGraph = true): TokenList {
  const list = createTokenList();
  for (const token of tokens) {
    list.terms.push(token.term);
    list.positions.push(token.position);
    list.starts.push(token.start);
    list.ends.push(token.end);
    list.types.push(token.type);
  }
  if (tokens.some(({ positionLength = 1 }) => positionLength > 1)) {
    list.lengths = tokens.map(({ positionLength = 1 }) => positionLength);
    list.isGraph = isGraph;
  }
  list.endPosition = endPosition;
  return list;
}
