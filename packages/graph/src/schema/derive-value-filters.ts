// Derives the filters of column values: scalars, enums, embedded objects, and lists of them. Each filter is derived
// once. Not here: filters of stored types (derive-types.ts).
import type { FieldDefinitionNode } from 'graphql';
import { timeKindOf } from './aggregate-types.ts';
import { listLevels, nameOfType, type TypeDefinitions } from './find-entities.ts';
import { resolverOf, type Resolvers } from './resolvers.ts';
import { JSON_FILTER_FIELDS } from './json-filter-fields.ts';
import { lookUp } from '../present.ts';

/** Operators of scalar filters. */
const EQUALITY = ['eq', 'ne'];
const ORDERING = ['lt', 'lte', 'gt', 'gte'];
const TEXT = ['contains', 'startsWith', 'endsWith'];
/** Case-insensitive operators. */
const CASE_INSENSITIVE = ['eqInsensitive', ...TEXT.map((op) => `${op}Insensitive`)];
const TEXT_SCALARS = new Set(['String', 'ID', 'URL', 'EmailAddress']);

const IS_NULL = '"true: only rows without a value; false: only rows with one." isNull: Boolean';
const IS_EMPTY = '"true: only lists without elements; false: only lists with some." isEmpty: Boolean';

const RELATIVE_TIME = 'RelativeTime';
const RELATIVE_TIME_SDL = `"Times relative to now in date math, such as now-7d/d: seven days ago, from the start of that day. Units: y, M, w, d, h, m, s." input ${RELATIVE_TIME} { lt: String lte: String gt: String gte: String "The zone of calendar units, such as Europe/Berlin. Default: UTC." timeZone: String }`;

/** Inputs and outputs of the derivation. */
export interface ValueFilterParts {
  /** Type names that the schema defines. */
  readonly defined: ReadonlySet<string>;
  readonly enums: ReadonlySet<string>;
  readonly scalars: ReadonlySet<string>;
  /** Whether the values of a scalar have an order. */
  readonly isOrderedScalar: (name: string) => boolean;
  readonly definitions: TypeDefinitions;
  readonly resolvers: Resolvers;
  /** Whether a type is stored, or an interface or union of stored types. */
  readonly isStored: (type: string) => boolean;
  /** Names and SDL of the derived types; both are appended to. */
  readonly helpers: Set<string>;
  readonly parts: string[];
}

/** Derives filters of values once each, and returns their names. */
export interface ValueFilters {
  /** The filter of a field; undefined if the field has none. */
  readonly valueFilter: (owner: string, field: FieldDefinitionNode) => string | undefined;
  /** The filter of a scalar or enum. */
  readonly scalarFilter: (type: string) => string;
}

/** Creates the functions that derive filters. */
export function createValueFilters(given: ValueFilterParts): ValueFilters {
  const { defined, enums, scalars, isOrderedScalar, definitions, resolvers, isStored, helpers, parts } = given;

  const relativeTime = (): string => {
    if (!helpers.has(RELATIVE_TIME) && !defined.has(RELATIVE_TIME)) parts.push(RELATIVE_TIME_SDL);
    helpers.add(RELATIVE_TIME);
    return `"Relative to the time of the operation." relative: ${RELATIVE_TIME}`;
  };

  const scalarFilter = (name: string): string => {
    const filter = `${name}Filter`;
    if (helpers.has(filter) || defined.has(filter)) return filter;
    helpers.add(filter);
    const lines: string[] = [];
    if (name === 'JSON') lines.push(...JSON_FILTER_FIELDS);
    else lines.push(...EQUALITY.map((op) => `${op}: ${name}`));
    if (name !== 'Boolean' && name !== 'JSON') lines.push(`in: [${name}!]`, `notIn: [${name}!]`);
    if (name !== 'Boolean' && isOrderedScalar(name)) lines.push(...ORDERING.map((op) => `${op}: ${name}`));
    if (TEXT_SCALARS.has(name) || name === 'JSON')
      lines.push(...TEXT.map((op) => `${op}: String`), ...CASE_INSENSITIVE.map((op) => `${op}: String`));
    if (timeKindOf(name) !== undefined) lines.push(relativeTime());
    lines.push(IS_NULL);
    parts.push(`"Conditions on a ${name}; all that are given must hold." input ${filter} { ${lines.join(' ')} }`);
    return filter;
  };

  /** The filter of a list of scalars; undefined if the schema defines a type of that name. */
  const scalarListFilter = (name: string): string | undefined => {
    const filter = `${name}ListFilter`;
    if (helpers.has(filter)) return filter;
    if (defined.has(filter)) return undefined;
    helpers.add(filter);
    const lines =
      name === 'JSON'
        ? []
        : [
            `"The same elements in the same order." eq: [${name}]`,
            `ne: [${name}]`,
            `"It is one of the elements." has: ${name}`,
            `"One of them at least is." hasSome: [${name}!]`,
            `"All of them are." hasEvery: [${name}!]`,
          ];
    parts.push(
      `"Conditions on a list of ${name}; all that are given must hold." input ${filter} { ${[...lines, IS_EMPTY, IS_NULL].join(' ')} }`,
    );
    return filter;
  };

  const valueFilter = (owner: string, field: FieldDefinitionNode): string | undefined => {
    const target = nameOfType(field.type);
    const levels = listLevels(field.type);
    if (field.arguments?.length || levels > 1 || resolverOf(resolvers, owner, field.name.value) !== undefined)
      return undefined;
    if (scalars.has(target) || enums.has(target)) return levels === 0 ? scalarFilter(target) : scalarListFilter(target);
    if (!definitions.objects.has(target) || isStored(target)) return undefined;
    return levels === 0 ? objectFilter(target) : objectListFilter(target);
  };

  /** The filter of an embedded object. */
  const objectFilter = (name: string): string | undefined => {
    const filter = `${name}Filter`;
    if (helpers.has(filter)) return filter;
    if (defined.has(filter)) return undefined;
    helpers.add(filter);
    const index = parts.push('') - 1;
    const { fields } = lookUp(definitions.objects, name);
    const lines = fields.flatMap((field) => {
      const inner = valueFilter(name, field);
      return inner === undefined ? [] : [`${field.name.value}: ${inner}`];
    });
    const own = { and: `[${filter}!]`, or: `[${filter}!]`, not: filter };
    const names = new Set(fields.map((field) => field.name.value));
    for (const [word, type] of Object.entries(own)) if (!names.has(word)) lines.push(`${word}: ${type}`);
    if (!names.has('isNull')) lines.push(IS_NULL);
    parts[index] = `"Conditions on a ${name}; all that are given must hold." input ${filter} { ${lines.join(' ')} }`;
    return filter;
  };

  const objectListFilter = (name: string): string | undefined => {
    const filter = `${name}ListFilter`;
    if (helpers.has(filter)) return filter;
    const inner = defined.has(filter) ? undefined : objectFilter(name);
    if (inner === undefined) return undefined;
    helpers.add(filter);
    parts.push(
      `"Conditions on a list of ${name}." input ${filter} { "Some element satisfies it." any: ${inner} "Every element satisfies it." all: ${inner} "No element satisfies it." none: ${inner} ${IS_EMPTY} ${IS_NULL} }`,
    );
    return filter;
  };

  return { valueFilter, scalarFilter };
}
