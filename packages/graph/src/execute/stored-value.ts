// Whether what the database handed out is a value of its field: another program may have written it, or the file is damaged.
import { getNamedType, getNullableType, isListType, type GraphQLOutputType } from 'graphql';
import { findMisfits } from '../migrate/value-types.ts';
import { DAMAGED_KEY } from '../sql/sql.ts';

const NONE: ReadonlySet<string> = new Set();

/** Judges a value of a leaf type or a list of one. Null is of every type here: whether it may stand there is graphql-js' to say. */
export function isStoredValue(type: GraphQLOutputType, value: unknown, customScalars: ReadonlySet<string>): boolean {
  if (value === null || value === undefined) return true;
  const { name } = getNamedType(type);
  if (typeof value === 'string' && (name === 'String' || name === 'ID') && !isListType(getNullableType(type)))
    return true;
  if (typeof value === 'object' && Object.hasOwn(value, DAMAGED_KEY)) return false;
  if (typeof value === 'number' && !Number.isFinite(value)) return false;
  return customScalars.has(name) || findMisfits(type, value, NONE).length === 0;
}

/** Judges the lists and objects of an embedded type, not what is in the objects, each of which is told to `take`. */
export function isOfShape(type: GraphQLOutputType, value: unknown, take: (object: object) => void): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object') return false;
  const bare = getNullableType(type);
  if (isListType(bare)) return Array.isArray(value) && value.every((each) => isOfShape(bare.ofType, each, take));
  if (Array.isArray(value) || Object.hasOwn(value, DAMAGED_KEY)) return false;
  take(value);
  return true;
}
