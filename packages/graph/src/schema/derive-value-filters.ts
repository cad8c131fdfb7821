// The filters of what a column or a field of an embedded object holds: of a scalar or an enum, of a list of them, of an embedded
// object, of a list of those. Each is written once. Not here: the filters of stored types (derive-types.ts).
import type { FieldDefinitionNode } from 'graphql';
import { listLevels, nameOfType, type TypeDefinitions } from './find-entities.ts';
import { resolverOf, type Resolvers } from './resolvers.ts';

/** What a scalar's filter offers. */
const EQUALITY = ['eq', 'ne'];
const ORDERING = ['lt', 'lte', 'gt', 'gte'];
const TEXT = ['contains', 'startsWith', 'endsWith'];
/** The same, and equality, without regard to small and capital letters. */
const CASE_INSENSITIVE = ['eqInsensitive', ...TEXT.map((op) => `${op}Insensitive`)];
const TEXT_SCALARS = new Set(['String', 'ID', 'URL', 'EmailAddress']);

const IS_NULL = '"true: only rows without a value; false: only rows with one." isNull: Boolean';
const IS_EMPTY = '"true: only lists without elements; false: only lists with some." isEmpty: Boolean';

/** What they are written from, and where to. */
export interface ValueFilterParts {
  /** Names that the schema has a use for. */
  readonly defined: ReadonlySet<string>;
  readonly enums: ReadonlySet<string>;
  readonly scalars: ReadonlySet<string>;
  /** Whether values of a scalar are smaller and larger than others. */
  readonly isOrderedScalar: (name: string) => boolean;
  readonly definitions: TypeDefinitions;
  readonly resolvers: Resolvers;
  /** Whether a type is stored, or an interface or union of such. */
  readonly isStored: (type: string) => boolean;
  /** Names of the types that are written, and their SDL. */
  readonly helpers: Set<string>;
  readonly parts: string[];
}

/** Makes the function that names the filter of a field of a type, and writes it; it answers undefined for a field that has none. */
export function createValueFilters(
  given: ValueFilterParts,
): (owner: string, field: FieldDefinitionNode) => string | undefined {
  const { defined, enums, scalars, isOrderedScalar, definitions, resolvers, isStored, helpers, parts } = given;

  const scalarFilter = (name: string): string => {
    const filter = `${name}Filter`;
    if (helpers.has(filter) || defined.has(filter)) return filter;
    helpers.add(filter);
    const lines: string[] = [];
    if (name !== 'JSON') lines.push(...EQUALITY.map((op) => `${op}: ${name}`));
    if (name !== 'Boolean' && name !== 'JSON') lines.push(`in: [${name}!]`, `notIn: [${name}!]`);
    if (name !== 'Boolean' && isOrderedScalar(name)) lines.push(...ORDERING.map((op) => `${op}: ${name}`));
    if (TEXT_SCALARS.has(name))
      lines.push(...TEXT.map((op) => `${op}: String`), ...CASE_INSENSITIVE.map((op) => `${op}: String`));
    lines.push(IS_NULL);
    parts.push(`"Conditions on a ${name}; all that are given must hold." input ${filter} { ${lines.join(' ')} }`);
    return filter;
  };

  /** The filter of a list of scalars; undefined where the schema has another use for its name. */
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
    const { fields } = definitions.objects.get(name)!;
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

  return valueFilter;
}
