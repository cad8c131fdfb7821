// Where the mapping stands in a request: alone, or below a type name when `include_type_name` says so.
import { isObject } from '../../json/json.ts';
import { illegalArgument, mapperParsing, validationError } from '../../errors/request-error.ts';
import { type Call, flagParam } from '../request/request.ts';

/** A mapping, and the name of its type if the request gave one. */
export interface GivenMapping {
  readonly mapping: unknown;
  readonly typeName: string | undefined;
}

/** The mapping of a request body; undefined when there is none. */
export function readMapping(value: unknown, call: Call, kind: 'create' | 'put'): GivenMapping {
  if (value === undefined || value === null) return { mapping: undefined, typeName: undefined };
  if (!isObject(value)) throw mapperParsing('Expected map for the mapping definition');
  const [first, ...more] = Object.keys(value);
  const inPath = call.path['type'];
  if (flagParam(call, 'include_type_name')) {
    if (kind === 'put' && inPath === undefined) throw validationError('mapping type is missing');
    // With the type in the path the body may leave it out.
    if (inPath !== undefined && first !== inPath) return { mapping: value, typeName: inPath };
    if (first === undefined) return { mapping: {}, typeName: undefined };
    if (more.length > 0)
      throw illegalArgument(
        `Rejecting mapping update as the final mapping would have more than 1 type: [${[first, ...more].join(', ')}]`,
      );
    if (first === '') throw illegalArgument('name cannot be empty string');
    return { mapping: value[first], typeName: first };
  }
  if (inPath !== undefined) throw typesRefused();
  // Another name than that of no type is a member that a mapping has no use for.
  const only = first === '_doc' && more.length === 0 ? value[first] : undefined;
  if (!isObject(only) || Object.hasOwn(only, 'type')) return { mapping: value, typeName: undefined };
  if (kind === 'put') throw typesRefused();
  throw illegalArgument(
    'The mapping definition cannot be nested under a type [_doc] unless include_type_name is set to true.',
  );
}

function typesRefused(): Error {
  return illegalArgument(
    'Types cannot be provided in put mapping requests, unless the include_type_name parameter is set to true.',
  );
}
