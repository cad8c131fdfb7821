// Values of the parameters of a field: which are refused, and what they are read as. Which parameters a type has is in
// `field-parameters.ts`.
import { isObject, type Json, textOf } from '../json.ts';
import { illegalArgument, mapperParsing } from '../request-error.ts';
import { javaClass } from './java-values.ts';

/** Parameters that are true or false. */
const FLAGS: readonly string[] = [
  'index',
  'store',
  'doc_values',
  'norms',
  'coerce',
  'ignore_malformed',
  'ignore_z_value',
  'eager_global_ordinals',
  'fielddata',
  'index_phrases',
  'split_queries_on_whitespace',
  'enable_position_increments',
  'positive_score_impact',
  'preserve_separators',
  'preserve_position_increments',
];

/** Parameters that are numbers, which a definition may write as texts. */
const NUMBERS: readonly string[] = [
  'ignore_above',
  'max_input_length',
  'max_shingle_size',
  'position_increment_gap',
  'scaling_factor',
  'boost',
  'depth_limit',
];

/** Parameters that a definition may not empty. */
const NOT_NULL: readonly string[] = [
  ...FLAGS.filter((key) => key !== 'fielddata'),
  'meta',
  'boost',
  'index_options',
  'term_vector',
  'locale',
];

/** The words that a parameter takes. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  index_options: { text: ['positions', 'docs', 'freqs', 'offsets'], keyword: ['docs', 'freqs'] },
  term_vector: {
    text: [
      'no',
      'yes',
      'with_positions',
      'with_offsets',
      'with_positions_offsets',
      'with_positions_payloads',
      'with_positions_offsets_payloads',
    ],
  },
};

/** @throws RequestError for a value that a parameter of the field does not take, in the words of Elasticsearch */
export function checkParameterValues(name: string, definition: Json): void {
  const type = textOf(definition['type']);
  for (const [key, value] of Object.entries(definition)) {
    if (value === null && NOT_NULL.includes(key))
      throw mapperParsing(`[${key}] on mapper [${name}] of type [${type}] must not have a [null] value`);
    if (FLAGS.includes(key) && value !== null && typeof value !== 'boolean' && value !== 'true' && value !== 'false')
      throw illegalArgument(`Failed to parse value [${textOf(value)}] as only [true] or [false] are allowed.`);
    const choices = CHOICES[key]?.[type];
    if (choices !== undefined && value !== null && !choices.includes(textOf(value)))
      throw mapperParsing(
        `Unknown value [${textOf(value)}] for field [${key}] - accepted values are [${choices.join(', ')}]`,
      );
  }
  if (definition['meta'] !== undefined) checkMeta(name, definition['meta']);
  if (isObject(definition['index_prefixes'])) checkPrefixes(name, definition['index_prefixes']);
  if (definition['scaling_factor'] !== undefined && !(Number(definition['scaling_factor']) > 0))
    throw illegalArgument(`[scaling_factor] must be a positive number, got [${textOf(definition['scaling_factor'])}]`);
  if (definition['format'] !== undefined && type.endsWith('_range') && type !== 'date_range')
    throw illegalArgument(
      `field [${name}] of type [range] should not define a dateTimeFormatter unless it is a DATE type`,
    );
}

function checkMeta(name: string, meta: unknown): void {
  const shown = (value: unknown): string => `${javaClass(value).replace('java.lang.', '')}[${textOf(value)}]`;
  if (!isObject(meta)) throw mapperParsing(`[meta] must be an object, got ${shown(meta)} for field [${name}]`);
  const entries = Object.entries(meta);
  if (entries.length > 5)
    throw mapperParsing(`[meta] can't have more than 5 entries, but got ${entries.length} for field [${name}]`);
  for (const [key, value] of entries) {
    if (key.length > 20)
      throw mapperParsing(`[meta] keys can't be longer than 20 chars, but got [${key}] for field [${name}]`);
    if (typeof value !== 'string')
      throw mapperParsing(`[meta] values can only be strings, but got ${shown(value)} for field [${name}]`);
    if (value.length > 50)
      throw mapperParsing(`[meta] values can't be longer than 50 chars, but got [${value}] for field [${name}]`);
  }
}

function checkPrefixes(name: string, prefixes: Json): void {
  const { min_chars: min = 2, max_chars: max = 5, ...rest } = prefixes;
  const [unknown] = Object.entries(rest);
  if (unknown !== undefined)
    throw mapperParsing(
      `Mapping definition for [${name}] has unsupported parameters:  [${unknown[0]} : ${textOf(unknown[1])}]`,
    );
  const [least, most] = [Number(min), Number(max)];
  if (least > most) throw illegalArgument(`min_chars [${least}] must be less than max_chars [${most}]`);
  if (!(least > 0)) throw illegalArgument(`min_chars [${least}] must be greater than zero`);
  if (most >= 20) throw illegalArgument(`max_chars [${most}] must be less than 20`);
}

/** A value of a parameter as it is printed: what a definition wrote as a text is the flag or number that it means. */
export function typedParameter(key: string, value: unknown): unknown {
  if (FLAGS.includes(key) && (value === 'true' || value === 'false')) return value === 'true';
  if (NUMBERS.includes(key) && typeof value === 'string' && value !== '' && !Number.isNaN(Number(value)))
    return Number(value);
  if (key === 'index_prefixes' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, chars]) => [name, Number(chars)]));
  return value;
}
