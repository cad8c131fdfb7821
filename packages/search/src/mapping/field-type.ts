// What a field of a mapping is, and how one value of it becomes a term or a number and back. Which types and parameters there are is in
// `field-parameters.ts`. Which fields an index has, and how documents are walked, is in `mapping.ts`.
import { javaDouble, readDecimal, readJavaDouble, show } from '../json/java-values.ts';
import type { Analysis } from '../analysis/analysis-registry.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import { asBoolean, asInteger, asNumber, asString, type Json, toList, textOf } from '../json/json.ts';
import { illegalArgument, mapperParsing, NumberFormatError, RequestError } from '../errors/request-error.ts';
import { checkParameters, checkTogether, type Family, parametersOf } from './field-parameters.ts';
import { DEFAULT_DATE_FORMAT, dateFormat, type DateFormat } from './date-format.ts';
import { ipToTerm, termToIp } from './ip.ts';
import type { FineInstant } from './nanos.ts';

/** One field. */
export interface MappedField {
  /** Dotted path; multi-fields included (`title.keyword`). */
  readonly path: string;
  /** Elasticsearch's type name. */
  readonly type: string;
  readonly family: Family;
  /** The parameters as given, without `fields`. */
  readonly definition: Json;
  readonly index: boolean;
  readonly docValues: boolean;
  readonly norms: boolean;
  readonly positions: boolean;
  readonly ignoreAbove: number;
  readonly ignoreMalformed: boolean;
  /** As long as the definition says nothing of it; false when absent. */
  readonly ignoresMalformedByDefault?: boolean;
  readonly coerce: boolean;
  readonly nullValue: unknown;
  readonly copyTo: readonly string[];
  readonly format: DateFormat;
  readonly analyzer: Analyzer;
  readonly searchAnalyzer: Analyzer;
  readonly searchQuoteAnalyzer: Analyzer;
  readonly normalizer: ((text: string) => string) | undefined;
  readonly scalingFactor: number;
  /** The innermost nested path the field lies in. */
  readonly nestedPath: string | undefined;
}

/** Bounds and rounding of the integer types (JSON numbers are doubles: longs beyond 2^53 lose digits). */
const INTEGERS: Readonly<Record<string, readonly [number, number]>> = {
  long: [-(2 ** 63), 2 ** 63],
  _seq_no: [-(2 ** 63), 2 ** 63],
  integer: [-2147483648, 2147483647],
  short: [-32768, 32767],
  byte: [-128, 127],
};

/** What the settings of an index say of fields that do not say it themselves. */
export interface FieldDefaults {
  /** `index.mapping.ignore_malformed` */
  readonly ignoreMalformed: boolean;
  /** `index.mapping.coerce` */
  readonly coerce: boolean;
}

/** Elasticsearch's defaults. */
export const DEFAULT_DEFAULTS: FieldDefaults = { ignoreMalformed: false, coerce: true };

/** Types without a column unless their definition asks for one, besides those of texts. */
const NO_COLUMN: readonly string[] = ['binary', 'rank_feature', 'rank_features'];

/** Makes a field from its definition. @throws RequestError naming the parameter that is wrong */
export function createField(
  path: string,
  definition: Json,
  analysis: Analysis,
  nestedPath: string | undefined,
  defaults: FieldDefaults = DEFAULT_DEFAULTS,
): MappedField {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const type = show(definition['type']);
  const family = checkParameters(type, name, definition);
  checkTogether(type, path, definition);
  const flag = (key: string, fallback: boolean): boolean =>
    definition[key] === undefined ? fallback : asBoolean(definition[key], key);
  const options = definition['index_options'];
  const analyzer = analyzerOf(definition['analyzer'], analysis, family === 'completion' ? 'simple' : 'default');
  const search =
    definition['search_analyzer'] === undefined
      ? definition['analyzer'] === undefined
        ? (analysis.analyzer('default_search') ?? analyzer)
        : analyzer
      : analyzerOf(definition['search_analyzer'], analysis, 'default');
  const format = formatOf(definition, family, name);
  const nullValue = definition['null_value'];
  const ignoresByDefault = defaults.ignoreMalformed && parametersOf(type, family).includes('ignore_malformed');
  return {
    path,
    type,
    family,
    definition,
    index: flag('index', true),
    docValues: flag('doc_values', family !== 'text' && !NO_COLUMN.includes(type)),
    norms: flag('norms', true),
    positions: options === undefined || options === 'positions' || options === 'offsets',
    ignoreAbove:
      definition['ignore_above'] === undefined ? Infinity : asInteger(definition['ignore_above'], 'ignore_above'),
    ignoreMalformed: flag('ignore_malformed', ignoresByDefault),
    ignoresMalformedByDefault: ignoresByDefault,
    coerce: flag('coerce', defaults.coerce),
    // An invalid date has no value.
    nullValue: family === 'date' && format.parse(textOf(nullValue)) === undefined ? undefined : nullValue,
    copyTo: definition['copy_to'] === undefined ? [] : toList(definition['copy_to']).map(show),
    format,
    analyzer: withGap(analyzer, definition['position_increment_gap']),
    searchAnalyzer: search,
    searchQuoteAnalyzer:
      definition['search_quote_analyzer'] === undefined
        ? search
        : analyzerOf(definition['search_quote_analyzer'], analysis, 'default'),
    normalizer: normalizerOf(definition['normalizer'], analysis, name),
    scalingFactor:
      definition['scaling_factor'] === undefined ? 1 : asNumber(definition['scaling_factor'], 'scaling_factor'),
    nestedPath,
  };
}

function formatOf({ format, locale }: Json, family: Family, name: string): DateFormat {
  try {
    return dateFormat(
      format === undefined ? DEFAULT_DATE_FORMAT : show(format),
      locale === undefined ? undefined : show(locale),
    );
  } catch (error) {
    if (!(error instanceof RequestError) || family !== 'date') throw error;
    const { type, message: reason } = error;
    throw illegalArgument(`Error parsing [format] on field [${name}]: ${reason}`, { causedBy: { type, reason } });
  }
}

function withGap(analyzer: Analyzer, gap: unknown): Analyzer {
  return gap === undefined ? analyzer : { ...analyzer, positionIncrementGap: asInteger(gap, 'position_increment_gap') };
}

function analyzerOf(value: unknown, analysis: Analysis, fallback: string): Analyzer {
  const name = value === undefined ? fallback : show(value);
  const found = analysis.analyzer(name);
  if (found === undefined) throw illegalArgument(`analyzer [${name}] has not been configured in mappings`);
  return found;
}

function normalizerOf(value: unknown, analysis: Analysis, field: string): MappedField['normalizer'] {
  if (value === undefined || value === null) return undefined;
  const name = show(value);
  if (name === 'default') return undefined;
  const found = analysis.normalizer(name);
  if (found === undefined) throw mapperParsing(`normalizer [${name}] not found for field [${field}]`);
  return found;
}

/** Whether the field has a column that aggregations, sorts and scripts could read. */
export function hasColumn(field: MappedField): boolean {
  return (
    field.docValues &&
    (field.family === 'keyword' || field.family === 'ip' || field.type === 'binary' || isNumeric(field))
  );
}

/** Whether the field's values are stored apart, for `stored_fields`. */
export function isStored({ definition }: MappedField): boolean {
  return definition['store'] === true || definition['store'] === 'true';
}

/** Whether the words of a text field are kept as a column besides (`fielddata: true`). */
export function hasFielddata(field: MappedField): boolean {
  return (
    field.family === 'text' && (field.definition['fielddata'] === true || field.definition['fielddata'] === 'true')
  );
}

/** The hidden column of a text field's words. No field has such a name, and it lies below the field's own path as far as views ask. */
export function fielddataPath(path: string): string {
  return `${path}..fielddata`;
}

/** Whether the field's dates are kept to the nanosecond, in a column besides. */
export function hasNanos(field: MappedField): boolean {
  return field.type === 'date_nanos';
}

/** A text that is no date in the format of its field. */
export class NoDateError extends RequestError {
  constructor(text: string, { pattern }: DateFormat) {
    const reason = `failed to parse date field [${text}] with format [${pattern}]`;
    super('SEARCH_ILLEGAL_ARGUMENT', 'illegal_argument_exception', reason);
  }
}

/** A date of a document or query to the nanosecond. @throws RequestError when it is none */
export function toFineInstant(field: MappedField, value: unknown): FineInstant {
  const text = typeof value === 'number' ? String(value) : asString(value, field.path);
  const millis = field.format.parse(text);
  if (millis === undefined) throw new NoDateError(text, field.format);
  return { millis, nanos: field.format.nanosOf(text) };
}

/** Whether the column holds numbers. */
export function isNumeric(field: MappedField): boolean {
  return field.family === 'number' || field.family === 'date' || field.family === 'boolean';
}

/** Whether the numbers are whole, so that they print without a fraction. */
export function isWhole(field: MappedField): boolean {
  return INTEGERS[field.type] !== undefined || field.type === 'token_count' || field.family !== 'number';
}

/** A value of a document or query as the number the column holds. @throws RequestError when it is none */
export function toNumber(field: MappedField, value: unknown, strict = false): number {
  switch (field.family) {
    case 'boolean':
      if (value === true || value === 'true') return 1;
      if (value === false || value === 'false' || value === '') return 0;
      throw illegalArgument(`Failed to parse value [${textOf(value)}] as only [true] or [false] are allowed.`);
    case 'date': {
      const text = asString(value, field.path);
      const found = field.format.parse(text);
      if (found === undefined) throw new NoDateError(text, field.format);
      return found;
    }
    default:
      return toPlainNumber(field, value, strict);
  }
}

function toPlainNumber(field: MappedField, value: unknown, strict: boolean): number {
  if (typeof value === 'string' && strict && !field.coerce)
    throw illegalArgument(`${upper(field.type)} value passed as String`);
  if (typeof value !== 'number' && typeof value !== 'string')
    throw illegalArgument(`For input of type [${typeof value}]: a number is expected`);
  const number = typeof value === 'number' ? value : field.type === 'long' ? readDecimal(value) : readJavaDouble(value);
  // Readers of JSON complain of a text that is no long, in documents.
  if (number === undefined)
    throw field.type === 'long' && strict
      ? illegalArgument(`For input string: "${value}"`)
      : new NumberFormatError(`For input string: "${value}"`);
  const bounds = INTEGERS[field.type];
  if (bounds !== undefined) {
    const isBeyond =
      field.type === 'long' && typeof value === 'string' && Math.abs(number) >= 2 ** 63 && !isLong(value);
    if (!Number.isFinite(number) || number < bounds[0] || number > bounds[1] || isBeyond)
      throw illegalArgument(`Value [${String(value)}] is out of range for ${article(field.type)} ${field.type}`);
    if (!Number.isInteger(number)) {
      if (strict && !field.coerce)
        throw illegalArgument(`${number} cannot be converted to ${upper(field.type)} without data loss`);
      return Math.trunc(number);
    }
    return number;
  }
  if (!Number.isFinite(number))
    throw illegalArgument(`[${field.type}] supports only finite values, but got [${String(value)}]`);
  switch (field.type) {
    case 'float':
    case 'half_float': {
      const rounded = field.type === 'float' ? Math.fround(number) : Math.f16round(number);
      if (!Number.isFinite(rounded))
        throw illegalArgument(`[${field.type}] supports only finite values, but got [${String(value)}]`);
      return rounded;
    }
    case 'rank_feature':
      // FeatureField: the score functions are defined for these only.
      if (number < 1.1754943508222875e-38)
        throw illegalArgument(`featureValue must be a positive normal float, got: ${number} for feature ${field.path}`);
      return number;
    case 'scaled_float':
      // As the column of Elasticsearch reads it: times the inverse, which is not always the nearest number.
      return Math.round(number * field.scalingFactor) * (1 / field.scalingFactor);
    default:
      return number;
  }
}

/** Whether a text is a whole number that a long holds; a double does not tell the last ones apart. */
function isLong(text: string): boolean {
  const digits = /^\s*[+-]?\d+\s*$/.test(text) ? BigInt(text.trim().replace(/^\+/, '')) : undefined;
  return digits !== undefined && BigInt.asIntN(64, digits) === digits;
}

const upper = (type: string): string => type.charAt(0).toUpperCase() + type.slice(1);
const article = (type: string): string => (/^[aeiou]/.test(type) ? 'an' : 'a');

/** A value as the term of a keyword or ip field. @throws RequestError when an ip is none */
export function toTerm(field: MappedField, value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : textOf(value);
  if (field.family === 'ip') {
    const term = ipToTerm(text);
    if (term === undefined) throw illegalArgument(`'${text}' is not an IP string literal.`);
    return term;
  }
  return field.normalizer === undefined ? text : field.normalizer(text);
}

/** A number of the column as responses show it as `key_as_string` or in `docvalue_fields`. */
export function printNumber(field: MappedField, value: number): string {
  switch (field.family) {
    case 'date':
      return field.format.print(value);
    case 'boolean':
      return value === 0 ? 'false' : 'true';
    default:
      return isWhole(field) ? String(value) : javaDouble(value);
  }
}

/** A term as responses show it. */
export function printTerm(field: MappedField, term: string): string {
  return field.family === 'ip' ? termToIp(term) : term;
}
