// The refusal of a document for a value that does not fit its field, in the words of Elasticsearch.
import { inHashOrder, javaNumber } from './java-values.ts';
import { isObject } from '../json.ts';
import { mapperParsing, RequestError } from '../request-error.ts';
import { type MappedField } from './field-type.ts';

/** What one bound of a range threw. */
export class WrongBound extends RequestError {
  /** The bound; null where both are right, and the wrong way round. */
  readonly value: unknown;

  constructor(value: unknown, { type, message }: RequestError) {
    super('SEARCH_MAPPING', type, message);
    this.value = value;
  }
}

/** The refusal for what reading a value threw; other faults stay what they are. */
export function malformed(field: MappedField, value: unknown, id: string, error: unknown): Error {
  if (!(error instanceof RequestError)) return error instanceof Error ? error : new Error(String(error));
  const cause = { type: error.type, reason: error.message };
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

/** A value as Java prints it: members of an object come in the order of a HashMap. */
function preview(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(preview).join(', ')}]`;
  if (typeof value === 'number') return javaNumber(value);
  if (!isObject(value)) return String(value);
  const ordered = inHashOrder(Object.keys(value));
  return `{${ordered.map((key) => `${key}=${preview(value[key])}`).join(', ')}}`;
}
