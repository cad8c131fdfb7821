// Token filters, and the definition of a type of them.
import type { BuildLimits, PartDefinition } from './part-definition.ts';
import type { NamedPart, Options, Values } from './part-options.ts';
import type { Token } from './token.ts';

/** The end of a text. */
export interface TextEnd {
  /** Removed positions after the last token (the position increment of Lucene's `end()`). */
  holes: number;
  /** Final offset in the text. */
  offset: number;
}

/** Changes nothing. */
export const identity: TokenFilter = (tokens) => tokens;

/** Changes a list of tokens; positions keep the holes of removed words. @param end undefined inside other filters */
export type TokenFilter = (tokens: Token[], end?: TextEnd) => Token[];

/** The shingles that a filter makes. */
export interface Shingles {
  /** Maximum words of a shingle. */
  readonly max: number;
  /** Whether single words stay. */
  readonly unigrams: boolean;
}

/** Context in which a token filter is built. */
export interface FilterContext extends NamedPart {
  readonly limits: BuildLimits;
  /** The part of the chain before the filter, by which synonym filters parse their rules. @throws RequestError for a filter that cannot precede them */
  readonly analyzer: () => (text: string) => readonly Token[];
  /** Builds a chain of other filters by name. `missing` is the start of the error for an unknown name. */
  readonly chain: (names: readonly unknown[], missing: string) => TokenFilter;
}

/** One type of token filter. */
export interface TokenFilterDefinition<Of extends Options = Options> extends PartDefinition<Of> {
  /** Whether it only changes characters, so that normalizers may have it and patterns go through it (NormalizingTokenFilterFactory). */
  readonly normalizes?: boolean;
  /** Whether it sets or respects Lucene's KeywordAttribute, which protects words from stemmers. */
  readonly marksKeywords?: boolean;
  /** Whether it parses its words with the filters before it. */
  readonly needsChain?: boolean;
  /** Whether it makes shingles of several sizes, whose graph would have too many paths (Lucene's DisableGraphAttribute). */
  isFlat?(values: Values<Of>): boolean;
  /** Its replacement before a synonym filter, which parses its rules with it; absent: itself, undefined: refused. */
  forSynonyms?(values: Values<Of>): TokenFilter | undefined;
  /** The shingles that it makes. */
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

/** Removes words and leaves holes (Lucene's FilteringTokenFilter). */
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
