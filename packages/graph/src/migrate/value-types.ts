// Compares the old and new GraphQL type of a column: whether every old value is valid, a description of the change, and
// the problems of a value. Works on types and values only; check-values.ts reads the rows.
import { isDeepStrictEqual } from 'node:util';
import {
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  parseType,
  type GraphQLScalarType,
  type GraphQLType,
  type TypeNode,
} from 'graphql';
import { decimalScalar, toDecimal } from '../schema/decimal.ts';
import type { ValueType } from './stored-schema.ts';
import { hasMembers, isList } from '../present.ts';

/** A type by name, with the definitions of the names in it. */
export interface Meaning {
  /** `[PhotoCategory!]`. */
  readonly type: string;
  readonly types: Readonly<Record<string, ValueType>>;
}

/** Scalars whose values are all valid for the listed scalars, in the form stored in lists and embedded objects. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  Int: ['Float', 'BigInt', 'JSON'],
  Float: ['JSON'],
  Boolean: ['JSON'],
  String: ['ID', 'JSON'],
  ID: ['JSON'],
  Date: ['String', 'ID', 'JSON'],
  Time: ['String', 'ID', 'JSON'],
  DateTime: ['String', 'ID', 'JSON'],
  UUID: ['String', 'ID', 'JSON'],
  URL: ['String', 'ID', 'JSON'],
  EmailAddress: ['String', 'ID', 'JSON'],
  LocalDateTime: ['String', 'ID', 'JSON'],
  LocalTime: ['String', 'ID', 'JSON'],
  Duration: ['String', 'ID', 'JSON'],
  Bytes: ['String', 'ID', 'JSON'],
};

/** Whether every value that `before` allowed is allowed by `after`. */
export function isWider(before: Meaning, after: Meaning): boolean {
  const seen = new Set<string>();
  const covers = (old: TypeNode, now: TypeNode): boolean => {
    if (now.kind === Kind.NON_NULL_TYPE) return old.kind === Kind.NON_NULL_TYPE && covers(old.type, now.type);
    if (old.kind === Kind.NON_NULL_TYPE) return covers(old.type, now);
    if (now.kind === Kind.NAMED_TYPE && now.name.value === 'JSON') return true;
    if (old.kind === Kind.LIST_TYPE || now.kind === Kind.LIST_TYPE)
      return old.kind === Kind.LIST_TYPE && now.kind === Kind.LIST_TYPE && covers(old.type, now.type);
    return coversNamed(old.name.value, now.name.value);
  };
  const coversNamed = (old: string, now: string): boolean => {
    const [then, wanted] = [own(before.types, old), own(after.types, now)];
    if (then === undefined || wanted === undefined) {
      if (wanted !== undefined) return false;
      // Enum values are stored as text.
      if (then !== undefined) return Array.isArray(then) && (now === 'String' || now === 'ID');
      return old === now || (own(WIDER, old)?.includes(now) ?? false);
    }
    if (isNames(then) || isNames(wanted))
      return isNames(then) && isNames(wanted) && then.every((value) => wanted.includes(value));
    if (seen.has(`${old} ${now}`)) return true;
    seen.add(`${old} ${now}`);
    const kept = Object.entries(then).every(([name, type]) => {
      const other = own(wanted, name);
      return other !== undefined && covers(parseType(type), parseType(other));
    });
    return kept && Object.entries(wanted).every(([name, type]) => Object.hasOwn(then, name) || !type.endsWith('!'));
  };
  return covers(parseType(before.type), parseType(after.type));
}

/** Whether readers of `before` know every value of `after`, which is wider: fields of embedded objects are new, no names. */
export function addsOnlyFields(before: Meaning, after: Meaning): boolean {
  const isKnown = ([name, now]: [string, ValueType]): boolean =>
    !isNames(now) || isDeepStrictEqual(own(before.types, name), now);
  return before.type === after.type && Object.entries(after.types).every(isKnown);
}

/** Describes the change: `PhotoCategory without PORTRAIT`, `String instead of Int`. Empty: no change. */
export function describeChange(before: Meaning, after: Meaning): string {
  const parts: string[] = before.type === after.type ? [] : [`${after.type} instead of ${before.type}`];
  for (const [name, now] of Object.entries(after.types)) {
    const then = own(before.types, name);
    if (then === undefined) continue;
    const changes = isNames(now) || isNames(then) ? changedNames(then, now) : changedFields(then, now);
    if (changes.length > 0) parts.push(`${name} ${changes.join(' and ')}`);
  }
  return parts.join('; ');
}

function changedNames(before: ValueType, after: ValueType): string[] {
  if (!isNames(before) || !isNames(after)) return ['of another kind'];
  const gone = before.filter((value) => !after.includes(value));
  const added = after.filter((value) => !before.includes(value));
  return [...phrase('without', gone), ...phrase('with', added)];
}

function changedFields(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name));
  const changed = Object.keys(after).filter((name) => Object.hasOwn(before, name) && before[name] !== after[name]);
  return [
    ...phrase('without', gone),
    ...phrase('with', added),
    ...phrase(
      'with',
      changed.map((name) => `${name}: ${after[name]!} instead of ${before[name]!}`),
    ),
  ];
}

function phrase(word: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${word} ${names.join(', ')}`];
}

/** A problem at one path within a value. */
export interface Finding {
  /** Names of embedded fields from the column down; empty: the value itself. List positions are not distinguished. */
  readonly path: readonly string[];
  /** A non-null field that the type lacks, or a value that its type does not allow. */
  readonly kind: 'field' | 'value';
  readonly value: unknown;
}

/** Finds the parts of a stored value that its type does not allow. `answered`: fields that are never stored. */
export function findMisfits(type: GraphQLType, value: unknown, answered: ReadonlySet<string>): readonly Finding[] {
  const findings: Finding[] = [];
  const look = (wanted: GraphQLType, each: unknown, path: readonly string[]): void => {
    const wrong = (): void => void findings.push({ path, kind: 'value', value: each });
    if (isNonNullType(wanted)) return each === null ? wrong() : look(wanted.ofType, each, path);
    if (each === null) return;
    if (isListType(wanted)) {
      if (!Array.isArray(each)) return wrong();
      for (const element of each) look(wanted.ofType, element, path);
    } else if (isEnumType(wanted)) {
      if (typeof each !== 'string' || wanted.getValue(each) == null) wrong();
    } else if (isObjectType(wanted)) {
      if (!hasMembers(each) || isList(each)) return wrong();
      const fields = wanted.getFields();
      for (const [name, member] of Object.entries(each))
        if (!Object.hasOwn(fields, name) && member !== null)
          findings.push({ path: [...path, name], kind: 'field', value: member });
      for (const field of Object.values(fields))
        if (!answered.has(`${wanted.name}.${field.name}`))
          look(field.type, own(each, field.name) ?? null, [...path, field.name]);
    } else if (isScalarType(wanted) && !isOfScalar(wanted, each)) wrong();
  };
  look(type, value, []);
  return findings;
}

function isOfScalar(scalar: GraphQLScalarType, value: unknown): boolean {
  // In canonical form; a scalar that the application registers under that name is unrestricted.
  if (scalar.coerceInputValue === decimalScalar.coerceInputValue)
    return typeof value === 'string' && toDecimal(value) === value;
  switch (scalar.name) {
    case 'String':
    case 'ID':
      return typeof value === 'string';
    case 'Int':
      return typeof value === 'number' && Number.isInteger(value) && Math.abs(value + 0.5) < 2 ** 31;
    case 'Float':
      return typeof value === 'number';
    case 'Boolean':
      return typeof value === 'boolean';
    default:
      try {
        scalar.coerceInputValue(value);
        return true;
      } catch {
        // Scalars reject a value by throwing.
        return false;
      }
  }
}

function isNames(type: ValueType): type is readonly string[] {
  return Array.isArray(type);
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
