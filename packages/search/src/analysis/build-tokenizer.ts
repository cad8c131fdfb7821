// Which tokenizer a definition under `settings.analysis.tokenizer` stands for.
import { asString, type Json, textOf } from '../json.ts';
import { illegalArgument } from '../request-error.ts';
import { classicTokenizer } from './classic-tokenizer.ts';
import { checkGrams, list, pattern, type SizeLimits, unescape, unknownPart, wrongRule } from './part-definition.ts';
import { flagSetting, integerSetting, readPattern, runLength, textSetting, tokenLength } from './read-settings.ts';
import * as tokenizers from './tokenizers.ts';
import type { Tokenizer } from './tokenizers.ts';
import { urlEmailTokenizer } from './url-email-tokenizer.ts';

const TOKENIZERS = [
  'standard',
  'letter',
  'lowercase',
  'whitespace',
  'keyword',
  'ngram',
  'edge_ngram',
  'pattern',
  'simple_pattern',
  'simple_pattern_split',
  'char_group',
  'path_hierarchy',
  'uax_url_email',
  'classic',
  'thai',
];

/** Builds it; unknown types and wrong options are refused by name. */
export function buildTokenizer(definition: Json, name: string, limits: SizeLimits): Tokenizer {
  const type = asString(definition['type'], name);
  const integer = (key: string, fallback: number): number => integerSetting(definition, key, fallback);
  switch (type) {
    case 'classic':
      return classicTokenizer(tokenLength(definition));
    case 'standard':
      return tokenizers.standardTokenizer(tokenLength(definition));
    case 'uax_url_email':
      return urlEmailTokenizer(tokenLength(definition));
    case 'letter':
      return tokenizers.letterTokenizer(false);
    case 'lowercase':
      return tokenizers.letterTokenizer(true);
    case 'whitespace':
      return tokenizers.whitespaceTokenizer(runLength(definition));
    case 'keyword':
      // How much is read at a time.
      runLength(definition, 'buffer_size');
      return tokenizers.keywordTokenizer;
    case 'thai':
      return tokenizers.segmenterTokenizer('th');
    case 'ngram':
    case 'nGram':
    case 'edge_ngram':
    case 'edgeNGram': {
      const min = integer('min_gram', 1);
      const max = integer('max_gram', 2);
      checkGrams(min, max, type, limits.ngramDiff);
      const keep = gramClasses(definition);
      return type.startsWith('n')
        ? tokenizers.ngramTokenizer(min, max, keep)
        : tokenizers.edgeNgramTokenizer(min, max, keep);
    }
    case 'pattern': {
      const [regex, group] = [pattern(definition, '\\W+'), integer('group', -1)];
      if (group > regex.groups)
        throw illegalArgument(`invalid group specified: pattern only has: ${regex.groups} capturing groups`);
      return tokenizers.patternTokenizer(regex, group);
    }
    case 'simple_pattern':
      return tokenizers.patternTokenizer(readPattern(textSetting(definition, 'pattern', '') || '(?!)'), 0);
    case 'simple_pattern_split':
      return tokenizers.patternTokenizer(readPattern(textSetting(definition, 'pattern', '') || '(?!)'), -1);
    case 'char_group':
      return tokenizers.charGroupTokenizer(charGroup(list(definition['tokenize_on_chars'])), runLength(definition));
    case 'path_hierarchy':
    case 'PathHierarchy': {
      const one = (key: string, fallback: string): string => {
        const text = textSetting(definition, key, fallback);
        if (text.length !== 1) throw illegalArgument(`${key} must be a one char value`);
        return text;
      };
      const delimiter = one('delimiter', '/');
      if (integer('buffer_size', 1024) < 0) throw illegalArgument('bufferSize cannot be negative');
      const skip = integer('skip', 0);
      if (skip < 0) throw illegalArgument('skip cannot be negative');
      return tokenizers.pathTokenizer({
        delimiter,
        replacement: one('replacement', delimiter),
        skip,
        reverse: flagSetting(definition, 'reverse', false),
      });
    }
    default:
      throw unknownPart('tokenizer', type, name, TOKENIZERS);
  }
}

/** Classes of characters by the names that Java has for Unicode's. */
const CLASSES: Readonly<Record<string, string>> = {
  symbol: 'S',
  private_use: 'Co',
  paragraph_separator: 'Zp',
  start_punctuation: 'Ps',
  unassigned: 'Cn',
  enclosing_mark: 'Me',
  connector_punctuation: 'Pc',
  letter_number: 'Nl',
  other_number: 'No',
  math_symbol: 'Sm',
  lowercase_letter: 'Ll',
  space_separator: 'Zs',
  surrogate: 'Cs',
  initial_quote_punctuation: 'Pi',
  decimal_digit_number: 'Nd',
  digit: 'Nd',
  other_punctuation: 'Po',
  dash_punctuation: 'Pd',
  currency_symbol: 'Sc',
  non_spacing_mark: 'Mn',
  custom: '',
  format: 'Cf',
  modifier_letter: 'Lm',
  control: 'Cc',
  uppercase_letter: 'Lu',
  other_symbol: 'So',
  end_punctuation: 'Pe',
  modifier_symbol: 'Sk',
  other_letter: 'Lo',
  line_separator: 'Zl',
  titlecase_letter: 'Lt',
  letter: 'L',
  punctuation: 'P',
  combining_spacing_mark: 'Mc',
  final_quote_punctuation: 'Pf',
  whitespace: '',
};

/** The characters that n-grams are made of; undefined: all. */
function gramClasses(definition: Json): RegExp | undefined {
  const own = textSetting(definition, 'custom_token_chars', '');
  const members = list(definition['token_chars']).map((value) => {
    const text = textOf(value).toLowerCase();
    if (!Object.hasOwn(CLASSES, text))
      throw illegalArgument(`Unknown token type: '${text}', must be one of [${Object.keys(CLASSES).join(', ')}]`);
    if (text === 'custom' && own === '')
      throw illegalArgument("Token type: 'custom' requires setting `custom_token_chars`");
    return text === 'custom'
      ? own.replace(/[\\\]^-]/g, '\\$&')
      : text === 'whitespace'
        ? '\\s'
        : `\\p{${CLASSES[text]}}`;
  });
  return members.length === 0 ? undefined : new RegExp(`[${members.join('')}]+`, 'gu');
}

/** The characters that `char_group` cuts at, as a class of a pattern. */
function charGroup(values: readonly unknown[]): RegExp {
  const classes: Readonly<Record<string, string>> = {
    whitespace: '\\s',
    letter: '\\p{L}',
    digit: '\\p{Nd}',
    punctuation: '\\p{P}',
    symbol: '\\p{S}',
  };
  const members = values.map((value) => {
    const text = textOf(value);
    if (text === '') throw wrongRule('[tokenize_on_chars] cannot contain empty characters');
    if (Object.hasOwn(classes, text)) return classes[text]!;
    if (text.length > 1 && !/^\\(?:.|u[0-9a-fA-F]{4})$/.test(text))
      throw wrongRule(`Invalid escaped char in [${text}]`);
    return unescape(text).replace(/[\\\]^-]/g, '\\$&');
  });
  return new RegExp(members.length === 0 ? '[]' : `[${members.join('')}]`, 'u');
}
