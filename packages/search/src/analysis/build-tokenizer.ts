// Which tokenizer a definition under `settings.analysis.tokenizer` stands for.
import { asBoolean, asInteger, asString, type Json } from '../json.ts';
import { illegalArgument } from '../request-error.ts';
import { boundRegex } from './bounded-regex.ts';
import { classicTokenizer } from './classic-tokenizer.ts';
import { checkGrams, list, pattern, type SizeLimits, unescape, unknownPart } from './part-definition.ts';
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
  const integer = (key: string, fallback: number): number =>
    definition[key] === undefined ? fallback : asInteger(definition[key], key);
  switch (type) {
    case 'classic':
      return classicTokenizer(integer('max_token_length', 255));
    case 'standard':
      return tokenizers.standardTokenizer(integer('max_token_length', 255));
    case 'uax_url_email':
      return urlEmailTokenizer(integer('max_token_length', 255));
    case 'letter':
      return tokenizers.letterTokenizer(false);
    case 'lowercase':
      return tokenizers.letterTokenizer(true);
    case 'whitespace':
      return tokenizers.whitespaceTokenizer(integer('max_token_length', 255));
    case 'keyword':
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
    case 'pattern':
      return tokenizers.patternTokenizer(
        pattern(definition['pattern'], '\\W+', definition['flags']),
        integer('group', -1),
      );
    case 'simple_pattern':
      return tokenizers.patternTokenizer(pattern(definition['pattern'], '(?!)'), 0);
    case 'simple_pattern_split':
      return tokenizers.patternTokenizer(pattern(definition['pattern'], '(?!)'), -1);
    case 'char_group': {
      const classes: Readonly<Record<string, string>> = {
        whitespace: '\\s',
        letter: '\\p{L}',
        digit: '\\p{Nd}',
        punctuation: '\\p{P}',
        symbol: '\\p{S}',
      };
      const members = list(definition['tokenize_on_chars']).map((value) => {
        const text = asString(value, 'tokenize_on_chars');
        return classes[text] ?? unescape(text).replace(/[\\\]^-]/g, '\\$&');
      });
      return tokenizers.patternTokenizer(boundRegex(`[${members.join('')}]`, false, 'tokenize_on_chars'), -1);
    }
    case 'path_hierarchy':
    case 'PathHierarchy': {
      const delimiter = definition['delimiter'] === undefined ? '/' : asString(definition['delimiter'], 'delimiter');
      return tokenizers.pathTokenizer({
        delimiter,
        replacement:
          definition['replacement'] === undefined ? delimiter : asString(definition['replacement'], 'replacement'),
        skip: integer('skip', 0),
        reverse: definition['reverse'] !== undefined && asBoolean(definition['reverse'], 'reverse'),
      });
    }
    default:
      throw unknownPart('tokenizer', type, name, TOKENIZERS);
  }
}

function gramClasses(definition: Json): RegExp | undefined {
  const classes: Readonly<Record<string, string>> = {
    letter: '\\p{L}',
    digit: '\\p{Nd}',
    whitespace: '\\s',
    punctuation: '\\p{P}',
    symbol: '\\p{S}',
    custom: asString(definition['custom_token_chars'] ?? '', 'custom_token_chars').replace(/[\\\]^-]/g, '\\$&'),
  };
  const members = list(definition['token_chars']).map((value) => {
    const text = asString(value, 'token_chars').toLowerCase();
    const found = classes[text];
    if (found === undefined)
      throw illegalArgument(`Unknown token type: '${text}', must be one of ${Object.keys(classes).join(', ')}`);
    return found;
  });
  return members.length === 0 ? undefined : new RegExp(`[${members.join('')}]+`, 'gu');
}
