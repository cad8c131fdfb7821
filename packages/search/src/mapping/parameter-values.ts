// Values of the parameters of a field: which are refused, and what they are read as. Which parameters a type has is in
// `field-parameters.ts`.
import { wordsOf } from '@lockstitch/kernel';
import { isObject, type Json, textOf } from '../json/json.ts';
import { illegalArgument, mapperParsing, NumberFormatError, RequestError } from '../errors/request-error.ts';
import type { Family } from './field-parameters.ts';
import { javaClass, javaDouble, javaFloat, javaNumber, show } from '../json/java-values.ts';

/** Parameters that are true or false. */
const FLAGS: readonly string[] = wordsOf(`
  index store doc_values norms coerce ignore_malformed ignore_z_value eager_global_ordinals fielddata index_phrases
  split_queries_on_whitespace enable_position_increments positive_score_impact preserve_separators
  preserve_position_increments`);

/** Parameters that are whole numbers, which a definition may write as texts, and those that are numbers of any kind. */
const WHOLE: readonly string[] = [
  'ignore_above',
  'max_input_length',
  'max_shingle_size',
  'position_increment_gap',
  'depth_limit',
];
const FRACTIONS: readonly string[] = ['scaling_factor', 'boost'];
const NUMBERS: readonly string[] = [...WHOLE, ...FRACTIONS];

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

/** @throws RequestError for what is neither true nor false, as most parameters say it */
export function checkFlag(value: unknown): void {
  if (typeof value !== 'boolean' && value !== 'true' && value !== 'false')
    throw illegalArgument(`Failed to parse value [${show(value)}] as only [true] or [false] are allowed.`);
}

/** A flag as the older parameters read it. @param where its name in the message */
export function convertedFlag(value: unknown, where: string): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw noFlag(value, where);
}

/** What the older parameters say of a value that is no flag. */
export function noFlag(value: unknown, where: string): Error {
  return illegalArgument(`Could not convert [${where}] to boolean`, {
    causedBy: {
      type: 'illegal_argument_exception',
      reason: `Failed to parse value [${show(value)}] as only [true] or [false] are allowed.`,
    },
  });
}

/** Parameters whose empty value means that they are not given. */
const NULLABLE: readonly string[] = wordsOf('null_value similarity index_prefixes copy_to fields path contexts');

/** @throws RequestError for a value that a parameter of the field does not take, in the words of Elasticsearch */
export function checkParameterValues(name: string, definition: Json, family: Family): void {
  const type = textOf(definition['type']);
  for (const [key, value] of Object.entries(definition)) {
    if (value === null && !NULLABLE.includes(key))
      throw mapperParsing(`[${key}] on mapper [${name}] of type [${type}] must not have a [null] value`);
    if (FLAGS.includes(key)) {
      if (family === 'geo') convertedFlag(value, `${name}.${key}`);
      else checkFlag(value);
    } else if (WHOLE.includes(key)) {
      wholeNumber(value);
    } else if (FRACTIONS.includes(key)) {
      fraction(value);
    }
    const choices = CHOICES[key]?.[type];
    if (choices !== undefined && !choices.includes(show(value)))
      throw mapperParsing(
        `Unknown value [${show(value)}] for field [${key}] - accepted values are [${choices.join(', ')}]`,
      );
    if (key === 'null_value' && value !== null) checkNull(type, family, value);
    if (key === 'locale') checkLocale(show(value));
  }
  if (definition['meta'] !== undefined) checkMeta(name, definition['meta']);
  const prefixes = definition['index_prefixes'];
  if (isObject(prefixes)) checkPrefixes(name, prefixes);
  else if (prefixes !== undefined && prefixes !== null) throw noMap(prefixes);
  const factor = definition['scaling_factor'];
  if (factor !== undefined && !(fraction(factor) > 0))
    throw illegalArgument(`[scaling_factor] must be a positive number, got [${javaDouble(fraction(factor))}]`);
  const most = definition['max_input_length'];
  if (most !== undefined && wholeNumber(most) <= 0)
    throw illegalArgument(`[max_input_length] must be > 0 but was [${wholeNumber(most)}]`);
}

/** @throws RequestError for parameters of a text field that exclude each other */
export function checkCombinations(name: string, path: string, definition: Json): void {
  const options = definition['index_options'];
  const isIndexed = definition['index'] !== false && definition['index'] !== 'false';
  const hasPositions = isIndexed && (options === undefined || options === 'positions' || options === 'offsets');
  const is = (key: string): boolean => definition[key] === true || definition[key] === 'true';
  const gap = definition['position_increment_gap'];
  if (gap !== undefined && wholeNumber(gap) !== -1 && !hasPositions)
    throw illegalArgument(`Cannot set position_increment_gap on field [${name}] without positions enabled`);
  if (isObject(definition['index_prefixes']) && !isIndexed)
    throw illegalArgument(`Cannot set index_prefixes on unindexed field [${name}]`);
  if (is('index_phrases') && !isIndexed) throw illegalArgument(`Cannot set index_phrases on unindexed field [${name}]`);
  if (is('index_phrases') && !hasPositions)
    throw illegalArgument(`Cannot set index_phrases on field [${name}] if positions are not enabled`);
  if (is('fielddata') && !isIndexed)
    throw illegalArgument(`Cannot enable fielddata on a [text] field that is not indexed: [${path}]`);
}

/** A value of a parameter that is no object. */
function noMap(value: unknown): RequestError {
  const found = javaClass(value);
  const reason = `class ${found} cannot be cast to class java.util.Map (${found} and java.util.Map are in module java.base of loader 'bootstrap')`;
  return new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'class_cast_exception', reason);
}

/** A whole number of a parameter, which may be a text. @throws RequestError for what is none */
function wholeNumber(value: unknown): number {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) throw illegalArgument(`${javaDouble(value)} is not an integer value`);
    return value;
  }
  const text = show(value);
  if (!/^[+-]?\d{1,10}$/.test(text)) throw new NumberFormatError(`For input string: "${text}"`);
  return Number(text);
}

function fraction(value: unknown): number {
  const text = show(value).trim();
  const found = typeof value === 'number' ? value : text === '' ? Number.NaN : Number(text);
  if (Number.isNaN(found)) throw new NumberFormatError(text === '' ? 'empty String' : `For input string: "${text}"`);
  return found;
}

/** Least and largest value, and the name with its article. */
const INTEGERS: Readonly<Record<string, readonly [number, number, string]>> = {
  byte: [-128, 127, 'a byte'],
  short: [-32768, 32767, 'a short'],
  integer: [-2147483648, 2147483647, 'an integer'],
  long: [-(2 ** 63), 2 ** 63, 'a long'],
};

function checkNull(type: string, family: Family, value: unknown): void {
  if (family === 'boolean') checkFlag(value);
  if (type === 'token_count') wholeNumber(value);
  else if (family === 'number') {
    const found = fraction(value);
    const whole = INTEGERS[type];
    if (whole !== undefined) {
      const [least, most, called] = whole;
      const shown = typeof value === 'number' ? javaNumber(value) : show(value);
      if (found < least || found > most) throw illegalArgument(`Value [${shown}] is out of range for ${called}`);
      if (!Number.isInteger(found)) throw illegalArgument(`Value [${shown}] has a decimal part`);
    }
    const rounded = type === 'float' ? Math.fround(found) : type === 'half_float' ? Math.f16round(found) : found;
    if (!Number.isFinite(rounded))
      throw illegalArgument(
        `[${type}] supports only finite values, but got [${type === 'half_float' ? javaFloat(found) : String(rounded)}]`,
      );
  }
}

/** Locales are named by a language, and perhaps by a country and a variant. */
function checkLocale(text: string): void {
  const parts = text.split(/[-_]/);
  if (parts.length > 3)
    throw illegalArgument(`Locales can have at most 3 parts but got ${parts.length}: [${parts.join(', ')}]`);
  const [language = '', country = ''] = parts;
  if (/^(?:root|und)?$/i.test(language)) return;
  // Java takes any three characters for a language.
  if (language.length !== 3 && !(/^[a-z]{2}$/i.test(language) && LANGUAGES.of(language.toLowerCase()) !== undefined))
    throw unknownPart('language', language, 3);
  if (country !== '' && !(/^[a-z]{2}$/i.test(country) && COUNTRIES.of(country.toUpperCase()) !== undefined))
    throw unknownPart('country', country, 3);
}

/** @param letters of the code that Java looks for */
function unknownPart(part: string, given: string, letters: number): Error {
  return illegalArgument(`Unknown ${part}: ${given}`, {
    causedBy: {
      type: 'missing_resource_exception',
      reason: `Couldn't find ${letters}-letter ${part} code for ${given}`,
    },
  });
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

function checkMeta(name: string, meta: unknown): void {
  const shown = (value: unknown): string => `${javaClass(value).replace(/^java\.\w+\./, '')}[${show(value)}]`;
  if (!isObject(meta)) throw mapperParsing(`[meta] must be an object, got ${shown(meta)} for field [${name}]`);
  const entries = Object.entries(meta);
  if (entries.length > 5)
    throw mapperParsing(`[meta] can't have more than 5 entries, but got ${entries.length} on field [${name}]`);
  for (const [key, value] of entries) {
    if (key.length > 20)
      throw mapperParsing(`[meta] keys can't be longer than 20 chars, but got [${key}] for field [${name}]`);
    if (value === null) throw mapperParsing(`[meta] values can't be null (field [${name}])`);
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
      `Mapping definition for [${name}] has unsupported parameters:  [${unknown[0]} : ${show(unknown[1])}]`,
    );
  const [least, most] = [wholeNumber(min), wholeNumber(max)];
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
