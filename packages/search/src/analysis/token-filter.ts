// What a token filter is, and what its definition says of it.
import type { BuildLimits, PartDefinition } from './part-definition.ts';
import type { NamedPart, Options, Values } from './part-options.ts';
import type { Token } from './token.ts';

/** The end of a text. */
export interface TextEnd {
  /** Positions of words that were dropped behind the last one that is left (the increment that Lucene's `end()` tells). */
  holes: number;
  /** Of the place up to which the text was read. */
  offset: number;
}

/** Changes nothing. */
export const identity: TokenFilter = (tokens) => tokens;

/** Changes a list of tokens; positions keep the holes of removed words. @param end unknown where filters run inside others */
export type TokenFilter = (tokens: Token[], end?: TextEnd) => Token[];

/** Which neighbouring words a filter joins. */
export interface Shingles {
  /** Words of one at most. */
  readonly max: number;
  /** Whether the words stand beside them. */
  readonly unigrams: boolean;
}

/** Where a token filter is built. */
export interface FilterContext extends NamedPart {
  readonly limits: BuildLimits;
  /** Runs what stands before the filter in its chain, as filters of synonyms do. @throws RequestError for a filter that they cannot have before them */
  readonly analyzer: () => (text: string) => readonly Token[];
  /** Builds other filters by their names, to run one after the other. `missing` begins the error of one that there is not. */
  readonly chain: (names: readonly unknown[], missing: string) => TokenFilter;
}

/** One type of token filter. */
export interface TokenFilterDefinition<Of extends Options = Options> extends PartDefinition<Of> {
  /** Whether it changes letters and nothing else: normalizers may have it, and terms of patterns go through it (NormalizingTokenFilterFactory). */
  readonly normalizes?: boolean;
  /** Whether it marks words for stemmers, or spares marked ones (Lucene's KeywordAttribute). */
  readonly marksKeywords?: boolean;
  /** Whether it reads its words through the filters before it. */
  readonly needsChain?: boolean;
  /** Whether it joins words in different numbers: a graph of them would have too many paths (Lucene's DisableGraphAttribute). */
  isFlat?(values: Values<Of>): boolean;
  /** What stands for it before a filter of synonyms, which reads its rules through it: itself when absent, undefined where that is refused. */
  forSynonyms?(values: Values<Of>): TokenFilter | undefined;
  /** Which words it joins. */
  shingles?(values: Values<Of>): Shingles;
  build(values: Values<Of>, context: FilterContext): TokenFilter;
}

/** Infers the types of the values of a definition. */
export function defineFilter<Of extends Options>(definition: TokenFilterDefinition<Of>): TokenFilterDefinition<Of> {
  return definition;
}

/** A filter without options. */
export function plain(filter: TokenFilter, traits: Partial<TokenFilterDefinition> = {}): TokenFilterDefinition {
  return { ...traits, options: {}, build: () => filter };
}

/** Drops words and leaves holes in their places (Lucene's FilteringTokenFilter). */
export function keepOnly(isKept: (token: Token, at: number, tokens: readonly Token[]) => boolean): TokenFilter {
  return (tokens, end) => {
    const kept = tokens.filter(isKept);
    if (end !== undefined) end.holes += (tokens.at(-1)?.position ?? -1) - (kept.at(-1)?.position ?? -1);
    return kept;
  };
}

/** Replaces each term; an empty result keeps the empty term, as Lucene does. */
export function mapTerms(change: (term: string) => string): TokenFilter {
  return (tokens) => {
    for (const token of tokens) token.term = change(token.term);
    return tokens;
  };
}

/** A filter without options that changes letters of words. */
export function letters(change: (term: string) => string): TokenFilterDefinition {
  return plain(mapTerms(change), { normalizes: true });
}
