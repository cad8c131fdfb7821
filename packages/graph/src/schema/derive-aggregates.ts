// Derives the types of aggregates that a schema names: of all rows (`PhotoAggregates`), of groups (`PhotoGroup`), and the
// arguments of groups (`PhotoGroupBy`, `PhotoHaving`, `PhotoGroupOrder`).
import type { FieldDefinitionNode } from 'graphql';
import { aggregateType, DATE_PARTS, TIME_PARTS, timeKindOf, type AggregateFunction } from './aggregate-types.ts';
import { listLevels, nameOfType } from './find-entities.ts';
import { derivedName } from './names.ts';
import type { Problems } from './problems.ts';

/** Derived type name → the stored type whose rows are aggregated. */
export interface AggregateTypes {
  readonly aggregates: Map<string, string>;
  readonly groups: Map<string, string>;
  readonly groupBys: Map<string, string>;
  readonly havings: Map<string, string>;
  readonly groupOrders: Map<string, string>;
  /** The types inside of these. */
  readonly parts: Map<string, string>;
}

export function noAggregateTypes(): AggregateTypes {
  return {
    aggregates: new Map(),
    groups: new Map(),
    groupBys: new Map(),
    havings: new Map(),
    groupOrders: new Map(),
    parts: new Map(),
  };
}

/** What the derivation knows of the schema, and how it derives other types. */
export interface AggregateDerivation {
  readonly defined: ReadonlySet<string>;
  readonly scalars: ReadonlySet<string>;
  readonly enums: ReadonlySet<string>;
  readonly isEntity: (type: string) => boolean;
  readonly isRegistered: (scalar: string) => boolean;
  readonly isOrderedScalar: (scalar: string) => boolean;
  readonly storedFields: (type: string) => readonly FieldDefinitionNode[];
  readonly scalarFilter: (type: string) => string;
  /** The name of the order type (`PhotoOrder`); undefined if no field can be ordered by. */
  readonly orderOf: (type: string) => string | undefined;
  readonly direction: () => string;
  readonly addScalar: (name: string) => void;
  readonly addHelper: (name: string, sdl: string) => void;
  readonly parts: string[];
  readonly problems: Problems;
  readonly types: AggregateTypes;
}

const ENDINGS = {
  Aggregates: addAggregates,
  Group: addGroup,
  GroupBy: addGroupBy,
  Having: addHaving,
  GroupOrder: addGroupOrder,
} as const;

/** What names of types of aggregates end with, as those do that a schema may name. */
export const AGGREGATE_ENDINGS: readonly string[] = Object.keys(ENDINGS);

/** Keeps a type valid whose mistake is reported. */
const NOTHING = 'nothing: Boolean';

/** Derives the type of that name if it is one of aggregates of the stored type. */
export function deriveAggregate(derivation: AggregateDerivation, type: string, name: string): void {
  for (const [ending, add] of Object.entries(ENDINGS))
    if (name === derivedName(type, ending, derivation.defined)) {
      if (ending.startsWith('Group') && columnsOf(derivation, type).length + relationsOf(derivation, type).length === 0)
        derivation.problems.addAt(
          undefined,
          `${name}: the types of ${type} have no field in common, by which their objects could be grouped.`,
          `Give each of them the field (of the same name and type), or group the objects of each type.`,
        );
      add(derivation, type);
    }
}

/** Adds a type once; returns its name. */
function once(
  derivation: AggregateDerivation,
  known: Map<string, string>,
  type: string,
  ending: string,
  print: (name: string) => string,
): string {
  const { defined, parts } = derivation;
  const name = derivedName(type, ending, defined);
  if (known.has(name)) return name;
  known.set(name, type);
  const index = parts.push('') - 1;
  parts[index] = print(name);
  return name;
}

function addAggregates(derivation: AggregateDerivation, type: string): string {
  return once(
    derivation,
    derivation.types.aggregates,
    type,
    'Aggregates',
    (name) => `"Aggregates of ${type} objects." type ${name} { ${aggregateFields(derivation, type)} }`,
  );
}

function addGroup(derivation: AggregateDerivation, type: string): string {
  return once(
    derivation,
    derivation.types.groups,
    type,
    'Group',
    (name) =>
      `"${type} objects with the same keys, and their aggregates." type ${name} { "The values that groupBy names." keys: ${addKeys(derivation, type)}! ${aggregateFields(derivation, type)} }`,
  );
}

/** A field with a column of one value. */
interface Column {
  readonly name: string;
  readonly type: string;
}

/** The stored values of a type that have an equality: those of scalars and enums. */
function columnsOf({ storedFields, scalars, enums }: AggregateDerivation, type: string): readonly Column[] {
  return storedFields(type)
    .filter((field) => listLevels(field.type) === 0 && !field.arguments?.length)
    .map((field) => ({ name: field.name.value, type: nameOfType(field.type) }))
    .filter((column) => (scalars.has(column.type) || enums.has(column.type)) && column.type !== 'JSON');
}

/** Fields of a function's result: a column, and the type of its aggregate. */
function resultsOf(derivation: AggregateDerivation, type: string, of: AggregateFunction): readonly Column[] {
  return columnsOf(derivation, type).flatMap((column) => {
    const result = resultOf(derivation, of, column.type);
    return result === undefined ? [] : [{ name: column.name, type: result }];
  });
}

function resultOf(derivation: AggregateDerivation, of: AggregateFunction, type: string): string | undefined {
  const { addScalar, enums, isOrderedScalar, isRegistered } = derivation;
  if ((of === 'min' || of === 'max') && (type === 'Boolean' || !(enums.has(type) || isOrderedScalar(type))))
    return undefined;
  const result = aggregateType(of, type);
  // A registered Decimal is stored as text.
  if ((of === 'sum' || of === 'avg') && [type, result].includes('Decimal') && isRegistered('Decimal')) return undefined;
  if (result === 'BigInt' || result === 'Decimal') addScalar(result);
  return result;
}

/** The functions, with the type of their results and of the arguments over them. */
const FUNCTIONS: readonly (readonly [AggregateFunction, string, string])[] = [
  ['countDistinct', 'DistinctCounts', 'How many different values there are; null is none.'],
  ['sum', 'Sums', 'Null without values.'],
  ['avg', 'Averages', 'The arithmetic mean; null without values.'],
  ['min', 'Values', 'The smallest values; null without values.'],
  ['max', 'Values', 'The largest values; null without values.'],
];

function aggregateFields(derivation: AggregateDerivation, type: string): string {
  const fields = FUNCTIONS.flatMap(([of, ending, description]) => {
    const results = resultsOf(derivation, type, of);
    if (results.length === 0) return [];
    const bang = of === 'countDistinct' ? '!' : '';
    const lines = results.map((result) => `${result.name}: ${result.type}${bang}`);
    const name = once(
      derivation,
      derivation.types.parts,
      type,
      ending,
      (own) => `"An aggregate of each field." type ${own} { ${lines.join(' ')} }`,
    );
    return [`"${description}" ${of}: ${name}!`];
  });
  return `"How many there are." count: Int! ${fields.join(' ')}`;
}

/** To-one relations to stored types. */
function relationsOf({ storedFields, isEntity }: AggregateDerivation, type: string): readonly Column[] {
  return storedFields(type)
    .filter((field) => listLevels(field.type) === 0 && isEntity(nameOfType(field.type)))
    .map((field) => ({ name: field.name.value, type: nameOfType(field.type) }));
}

function partEnumOf(derivation: AggregateDerivation, type: string): string | undefined {
  const kind = derivation.isRegistered(type) ? undefined : timeKindOf(type);
  if (kind === undefined) return undefined;
  const [name, parts] = kind === 'date' ? ['DatePart', DATE_PARTS] : ['TimePart', TIME_PARTS];
  const values = Object.entries(parts).map(([part, text]) => `"${text}" ${part}`);
  derivation.addHelper(
    name,
    `"A part of a ${kind === 'date' ? 'date' : 'time'} as text." enum ${name} { ${values.join(' ')} }`,
  );
  return name;
}

function addKeys(derivation: AggregateDerivation, type: string): string {
  return once(derivation, derivation.types.parts, type, 'GroupKeys', (name) => {
    const columns = columnsOf(derivation, type).map((column) => {
      const part = partEnumOf(derivation, column.type);
      return part === undefined ? `${column.name}: ${column.type}` : `${column.name}(part: ${part}): String`;
    });
    const relations = relationsOf(derivation, type).map((each) => `${each.name}: ${addKeys(derivation, each.type)}`);
    return `"The values that the objects of a group have in common." type ${name} { ${[...columns, ...relations].join(' ') || NOTHING} }`;
  });
}

function addGroupBy(derivation: AggregateDerivation, type: string): string {
  return once(derivation, derivation.types.groupBys, type, 'GroupBy', (name) => {
    const columns = columnsOf(derivation, type).map((column) => {
      const part = partEnumOf(derivation, column.type);
      return `${column.name}: ${part === undefined ? 'Boolean' : `[${part}!]`}`;
    });
    const relations = relationsOf(derivation, type).map((each) => `${each.name}: ${addGroupBy(derivation, each.type)}`);
    return `"Fields whose values the objects of a group have in common." input ${name} { ${[...columns, ...relations].join(' ') || NOTHING} }`;
  });
}

/** An input type over the results of the functions; `inner` is the type of one result. */
function inputFields(
  derivation: AggregateDerivation,
  type: string,
  ending: string,
  oneOf: string,
  inner: (result: Column) => string,
): string {
  return FUNCTIONS.flatMap(([of, over]) => {
    const results = resultsOf(derivation, type, of);
    if (results.length === 0) return [];
    const lines = results.map((result) => `${result.name}: ${inner(result)}`);
    const name = once(
      derivation,
      derivation.types.parts,
      type,
      `${over}${ending}`,
      (own) => `input ${own}${oneOf} { ${lines.join(' ')} }`,
    );
    return [`${of}: ${name}`];
  }).join(' ');
}

function addHaving(derivation: AggregateDerivation, type: string): string {
  return once(derivation, derivation.types.havings, type, 'Having', (name) => {
    const fields = inputFields(derivation, type, 'Having', '', (result) => derivation.scalarFilter(result.type));
    return `"Conditions on the aggregates of a group; all that are given must hold." input ${name} { and: [${name}!] or: [${name}!] not: ${name} count: ${derivation.scalarFilter('Int')} ${fields} }`;
  });
}

function addGroupOrder(derivation: AggregateDerivation, type: string): string {
  return once(derivation, derivation.types.groupOrders, type, 'GroupOrder', (name) => {
    const direction = derivation.direction();
    const order = derivation.orderOf(type);
    const keys = order === undefined ? '' : `"A field that groupBy names." keys: ${order}`;
    const fields = inputFields(derivation, type, 'Order', ' @oneOf', () => direction);
    return `"One sort key of groups." input ${name} @oneOf { ${keys} count: ${direction} ${fields} }`;
  });
}
