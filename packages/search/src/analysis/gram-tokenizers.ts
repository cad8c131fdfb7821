// The tokenizers `ngram` and `edge_ngram`: runs of characters of a text, or of its pieces that consist of some classes of characters.
import { illegalArgument } from '../errors/request-error.ts';
import { gramCost } from './gram-filters.ts';
import { checkGrams } from './part-definition.ts';
import { integer, optionalText, texts } from './part-options.ts';
import { TokenCount } from './token-count.ts';
import type { Token } from './token.ts';
import { defineTokenizer, type Tokenizer } from './tokenizer.ts';

/** Classes of characters by the names that Java has for Unicode's. */
const CLASSES = new Map(
  `
  symbol S, private_use Co, paragraph_separator Zp, start_punctuation Ps, unassigned Cn, enclosing_mark Me,
  connector_punctuation Pc, letter_number Nl, other_number No, math_symbol Sm, lowercase_letter Ll,
  space_separator Zs, surrogate Cs, initial_quote_punctuation Pi, decimal_digit_number Nd, digit Nd,
  other_punctuation Po, dash_punctuation Pd, currency_symbol Sc, non_spacing_mark Mn, custom, format Cf,
  modifier_letter Lm, control Cc, uppercase_letter Lu, other_symbol So, end_punctuation Pe, modifier_symbol Sk,
  other_letter Lo, line_separator Zl, titlecase_letter Lt, letter L, punctuation P, combining_spacing_mark Mc,
  final_quote_punctuation Pf, whitespace`
    .split(',')
    .map((line) => {
      const [name = '', unicode = ''] = line.trim().split(' ');
      return [name, unicode] as const;
    }),
);

/** The characters that n-grams are made of; undefined: all. */
function gramClasses(names: readonly string[], own: string | undefined): RegExp | undefined {
  const members = names.map((name) => {
    const text = name.toLowerCase();
    const unicode = CLASSES.get(text);
    if (unicode === undefined)
      throw illegalArgument(`Unknown token type: '${text}', must be one of [${Array.from(CLASSES.keys()).join(', ')}]`);
    if (text === 'custom' && own === undefined)
      throw illegalArgument("Token type: 'custom' requires setting `custom_token_chars`");
    return text === 'custom'
      ? (own ?? '').replace(/[\\\]^-]/g, '\\$&')
      : text === 'whitespace'
        ? '\\s'
        : `\\p{${unicode}}`;
  });
  return members.length === 0 ? undefined : new RegExp(`[${members.join('')}]+`, 'gu');
}

/** Every run of `min` to `max` characters, shortest first at each place; with `edge` those that begin a piece. */
function grams(min: number, max: number, keep: RegExp | undefined, edge: boolean): Tokenizer {
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
  let end = 0;
  for (const character of text) offsets.push((end += character.length));
  return offsets;
}

const OPTIONS = { min_gram: integer(1), max_gram: integer(2), custom_token_chars: optionalText, token_chars: texts };

export const GRAM_TOKENIZERS = {
  ngram: defineTokenizer({
    aliases: ['nGram'],
    options: OPTIONS,
    cost: ({ max_gram, min_gram }) => gramCost(min_gram, max_gram, false),
    build({ custom_token_chars, max_gram: max, min_gram: min, token_chars }, { ngramDiff }) {
      checkGrams(min, max, ngramDiff);
      return grams(min, max, gramClasses(token_chars, custom_token_chars), false);
    },
  }),
  edge_ngram: defineTokenizer({
    aliases: ['edgeNGram'],
    options: OPTIONS,
    cost: ({ max_gram, min_gram }) => gramCost(min_gram, max_gram, true),
    build({ custom_token_chars, max_gram: max, min_gram: min, token_chars }) {
      checkGrams(min, max);
      return grams(min, max, gramClasses(token_chars, custom_token_chars), true);
    },
  }),
};
