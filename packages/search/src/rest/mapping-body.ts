// Where the mapping stands in a request: alone, or below a type name when `include_type_name` says so.
import { isObject } from '../json.ts';
import { illegalArgument, mapperParsing } from '../request-error.ts';
import { type Call, flagParam, param } from './request.ts';

/** The mapping of a request body, or undefined. */
export function mappingBody(value: unknown, call: Call): unknown {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw mapperParsing('Expected map for the mapping definition');
  const keys = Object.keys(value);
  if (param(call, 'include_type_name') !== undefined && flagParam(call, 'include_type_name')) {
    if (keys.length > 1)
      throw illegalArgument(
        'Rejecting mapping update as the final mapping would have more than 1 type: [' + keys.join(', ') + ']',
      );
    return keys.length === 0 ? {} : value[keys[0]!];
  }
  const only = keys.length === 1 ? value[keys[0]!] : undefined;
  if (keys[0] === '_doc' && isObject(only) && !Object.hasOwn(only, 'type')) {
    return only;
  }
  if (
    isObject(only) &&
    !['properties', '_source', '_routing', '_meta', '_field_names', '_size'].includes(keys[0]!) &&
    (Object.hasOwn(only, 'properties') || Object.hasOwn(only, '_source'))
  ) {
    throw illegalArgument(
      'The mapping definition cannot be nested under a type [' + keys[0] + '] unless include_type_name is set to true.',
    );
  }
  return value;
}
