// The refusal of a document for a value that does not fit its field, in the words of Elasticsearch.
import { toError } from '@lockstitch/kernel';
import { inHashOrder } from '../text/java-order.ts';
import { javaNumber } from '../json/java-values.ts';
import { isObject, tokenOf, textOf } from '../json/json.ts';
import { mapperParsing, RequestError } from '../errors/request-error.ts';
import { type MappedField } from './field-type.ts';

/** What one bound of a range threw. */
export class WrongBound extends RequestError {
  /** The bound; null where both are right, and the wrong way round. */
  readonly value: unknown;

  constructor(value: unknown, { type, message }: Pick<RequestError, 'type' | 'message'>) {
    super('SEARCH_MAPPING', type, message);
    this.value = value;
  }
}

/** The refusal for what reading a value threw; other faults stay what they are. @param token where the reader stands, if not at the value */
export function malformed(field: MappedField, value: unknown, id: string, error: unknown, token?: string): Error {
  if (!(error instanceof RequestError)) return toError(error);
  if (field.type === 'rank_features')
    return mapperParsing('failed to parse', { type: error.type, reason: error.message });
  const isNamed = error instanceof WrongBound || error.type === 'mapper_parsing_exception';
  const cause = causeIn(field, isNamed ? undefined : value, isNamed ? undefined : token) ?? {
    type: error.type,
    reason: error.message,
  };
  switch (field.type) {
    case 'alias':
    case 'completion':
      return mapperParsing('failed to parse', cause);
    case 'geo_point':
      return mapperParsing(`failed to parse field [${field.path}] of type [geo_point]`, cause);
    default: {
      // A count of words is an integer to those who parse it.
      const type = field.type === 'token_count' ? 'integer' : field.type;
      return mapperParsing(
        `failed to parse field [${field.path}] of type [${type}] in document with id '${id}'. Preview of field's value: '${preview(error instanceof WrongBound ? error.value : value)}'`,
        cause,
      );
    }
  }
}

/** What a reader of JSON complains of before the field does; undefined: nothing. */
export function causeIn(
  field: MappedField,
  value: unknown,
  token?: string,
): { readonly type: string; readonly reason: string } | undefined {
  const isScalar = typeof value === 'number' || typeof value === 'string';
  switch (field.family) {
    case 'number':
      if (field.type !== 'token_count' && !isScalar && value !== undefined)
        return {
          type: 'json_parse_exception',
          reason: `Current token (${token ?? tokenOf(value)}) not numeric, can not use numeric value accessors`,
        };
      if (typeof value === 'number') return outOfRange(field.type, value);
      break;
    case 'boolean':
      return typeof value === 'number' || isObject(value) || token !== undefined
        ? { type: 'json_parse_exception', reason: `Current token (${token ?? tokenOf(value)}) not of boolean type` }
        : undefined;
    case 'date':
      if (value === '') return { type: 'illegal_argument_exception', reason: 'cannot parse empty date' };
      break;
    default:
  }
  return (isObject(value) || token !== undefined) &&
    field.type !== 'alias' &&
    field.family !== 'range' &&
    field.family !== 'geo' &&
    field.family !== 'completion'
    ? { type: 'illegal_state_exception', reason: `Can't get text on a ${token ?? 'START_OBJECT'} at 1:1` }
    : undefined;
}

/** The refusal of a number that no long holds. */
export function tooLong(value: number): RequestError {
  const { type, reason } = outOfRange('long', value, true)!;
  return new RequestError('SEARCH_MAPPING', type, reason);
}

/** Numbers that Java cannot read as the primitive that a type of field is read as. */
function outOfRange(
  type: string,
  value: number,
  isBeyond = false,
): { readonly type: string; readonly reason: string } | undefined {
  const [name, least, most] =
    type === 'long'
      ? (['long', '-9223372036854775808', '9223372036854775807'] as const)
      : (['int', '-2147483648', '2147483647'] as const);
  const fits = value >= Number(least) && value <= Number(most) && !isBeyond;
  if (!['long', 'integer', 'short', 'byte'].includes(type) || fits) return undefined;
  return {
    type: 'input_coercion_exception',
    reason: `Numeric value (${javaNumber(value)}) out of range of ${name} (${least} - ${most})`,
  };
}

/** A value as Java prints it: members of an object come in the order of a HashMap. */
function preview(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(preview).join(', ')}]`;
  if (typeof value === 'number') return javaNumber(value);
  if (!isObject(value)) return textOf(value);
  const ordered = inHashOrder(Object.keys(value));
  return `{${ordered.map((key) => `${key}=${preview(value[key])}`).join(', ')}}`;
}
