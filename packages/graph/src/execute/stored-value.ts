// Checks whether a stored value is of its field's type: another program may have written it, or the file may be
// damaged.
import { getNamedType, getNullableType, isListType, type GraphQLOutputType } from 'graphql';
import { findMisfits } from '../migrate/value-types.ts';
import { DAMAGED_KEY } from '../sql/sql.ts';

const NONE: ReadonlySet<string> = new Set();

/** Checks a value of a leaf type or a list of one. Null is always accepted; graphql-js checks non-null. */
export function isStoredValue(type: GraphQLOutputType, value: unknown, customScalars: ReadonlySet<string>): boolean {
  if (value === null || value === undefined) return true;
  const { name } = getNamedType(type);
  if (typeof value === 'string' && (name === 'String' || name === 'ID') && !isListType(getNullableType(type)))
    return true;
  if (typeof value === 'object' && Object.hasOwn(value, DAMAGED_KEY)) return false;
  if (typeof value === 'number' && !Number.isFinite(value)) return false;
  return customScalars.has(name) || findMisfits(type, value, NONE).length === 0;
}

/** Checks the lists and objects of an embedded type, not the fields of the objects; each object is passed to `take`. */
export function isOfShape(type: GraphQLOutputType, value: unknown, take: (object: object) => void): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object') return false;
  const bare = getNullableType(type);
  if (isListType(bare)) return Array.isArray(value) && value.every((each) => isOfShape(bare.ofType, each, take));
  if (Array.isArray(value) || Object.hasOwn(value, DAMAGED_KEY)) return false;
  take(value);
  return true;
}
