// What a token filter is, and what its definition says of it.
import type { BuildLimits, PartDefinition } from './part-definition.ts';
import type { NamedPart, Options, Values } from './part-options.ts';
import type { Token } from './token.ts';

/** The end of a text: the position after its last word, be it removed, and its length. */
export interface TextEnd {
  readonly position: number;
  readonly offset: number;
}

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
  /** Runs what stands before the filter in its chain. */
  readonly analyze: (text: string) => readonly Token[];
  /** Builds other filters by their names, to run one after the other. */
  readonly chain: (names: readonly unknown[]) => TokenFilter;
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
