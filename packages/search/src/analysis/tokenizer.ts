// What a tokenizer is, and what its definition says of it.
import type { PartDefinition, SizeLimits } from './part-definition.ts';
import type { Options, Values } from './part-options.ts';
import type { TextEnd } from './token-filter.ts';
import type { Token } from './token.ts';

/** Cuts a text into tokens in order of position. @param end takes the positions of words that were left out behind the last one */
export type Tokenizer = (text: string, end?: TextEnd) => Token[];

/** One type of tokenizer. */
export interface TokenizerDefinition<Of extends Options = Options> extends PartDefinition<Of> {
  build(values: Values<Of>, limits: SizeLimits): Tokenizer;
}

/** Infers the types of the values of a definition. */
export function defineTokenizer<Of extends Options>(definition: TokenizerDefinition<Of>): TokenizerDefinition<Of> {
  return definition;
}
