// Derives types that a schema may name without defining them: filters (`PhotoFilter`), orders (`PhotoOrder`), Relay
// connections (`PhotoConnection`) and search results (`PhotoSearchConnection`) of its stored types. A type is derived
// if some field or argument names it. Not here: how the types are resolved, connections that the schema defines itself
// (find-connections.ts), and the types of aggregates (derive-aggregates.ts).
import { Kind, visit, type DocumentNode, type FieldDefinitionNode } from 'graphql';
import {
  AGGREGATE_ENDINGS,
  deriveAggregate,
  noAggregateTypes,
  type AggregateDerivation,
  type AggregateTypes,
} from './derive-aggregates.ts';
import { createValueFilters, type ValueFilterParts, type ValueFilters } from './derive-value-filters.ts';
import { checkParts, findConnections } from './find-connections.ts';
import { listLevels, nameOfType, type TypeDefinitions } from './find-entities.ts';
import { derivedName } from './names.ts';
import { isNodeId } from './node-ids.ts';
import { derivePayloads } from './payloads.ts';
import type { Problems } from './problems.ts';
import { registeredScalar, resolverOf, type Resolvers } from './resolvers.ts';
import { hasOrder } from './scalars.ts';

/** Derived type name → the stored type it is derived from. */
export interface DerivedTypes extends Readonly<AggregateTypes> {
  readonly filters: ReadonlyMap<string, string>;
  readonly orders: ReadonlyMap<string, string>;
  readonly connections: ReadonlyMap<string, string>;
  readonly searches: ReadonlyMap<string, string>;
  /** Scalars marked with @ordered. */
  readonly ordered: ReadonlySet<string>;
  /** SDL of the derived types; empty if none is named. */
  readonly sdl: string;
}

const PAGE_INFO =
  '"Where a page stands in its list." type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }';
const ORDER_DIRECTION =
  '"Smallest first, or largest first. Rows without a value count as smallest." enum OrderDirection { ASC DESC }';
const SEARCH_HIGHLIGHT =
  '"Pieces of a field in which a search found something." type SearchHighlight { "Dotted where it is of a related object: postedBy.name." field: String! "HTML: what was found stands in <em>, all else is escaped." fragments: [String!]! }';

/** The state of the derivation: what the schema has, and the types derived so far. */
interface Derivation extends ValueFilterParts, ValueFilters {
  readonly entities: ReadonlyMap<string, string>;
  readonly abstracts: ReadonlyMap<string, readonly string[]>;
  readonly problems: Problems;
  readonly filters: Map<string, string>;
  readonly orders: Map<string, string>;
  readonly connections: Map<string, string>;
  readonly searches: Map<string, string>;
}

/** Derives the types that the document names and does not define. */
export function deriveTypes(
  document: DocumentNode,
  definitions: TypeDefinitions,
  entities: ReadonlyMap<string, string>,
  resolvers: Resolvers,
  problems: Problems,
): DerivedTypes {
  const abstracts = storedAbstracts(definitions, entities);
  const isStored = (type: string): boolean => entities.has(type) || abstracts.has(type);
  const { referred, ordered, ...names } = namesIn(document);
  const isOrderedScalar = (name: string): boolean => names.scalars.has(name) && hasOrder(name, { resolvers, ordered });
  const connections = new Map(findConnections(definitions, isStored, resolvers, problems));
  const [filters, orders, searches] = [new Map<string, string>(), new Map<string, string>(), new Map<string, string>()];
  const parts: string[] = [];
  const values = { ...names, isOrderedScalar, definitions, resolvers, isStored, helpers: new Set<string>(), parts };
  const derivation = {
    ...values,
    ...createValueFilters(values),
    entities,
    abstracts,
    problems,
    filters,
    orders,
    connections,
    searches,
  };
  const aggregates = aggregatesOf(derivation, names.scalars);
  const types = [...entities.keys(), ...abstracts.keys()];
  for (const name of referred) {
    if (names.defined.has(name)) continue;
    for (const type of types) {
      // Of the names of a thousand types times those that fields have, few begin alike.
      if (!name.startsWith(type)) continue;
      if (name === derivedName(type, 'Filter', names.defined)) addFilter(derivation, type);
      else if (name === derivedName(type, 'Order', names.defined) && hasSortKey(derivation, type))
        addOrder(derivation, type);
      else if (name === `${type}Connection`) addConnection(derivation, type);
      else if (name === `${type}SearchConnection` && entities.has(type)) addSearch(derivation, type);
      else deriveAggregate(aggregates, type, name);
    }
  }
  parts.push(...derivePayloads(fieldsOf(definitions, 'Mutation'), names.defined, entities));
  return { filters, orders, connections, searches, ...aggregates.types, ordered, sdl: parts.join('\n') };
}

/** The names of the types that are derived from stored ones where the schema names them. */
export function derivableNames(types: readonly string[]): readonly string[] {
  const endings = ['Filter', 'Order', 'Connection', 'SearchConnection', ...AGGREGATE_ENDINGS];
  return types.flatMap((type) => endings.map((ending) => `${type}${ending}`));
}

/** @param scalars the schema's scalars; those of results are added */
function aggregatesOf(derivation: Derivation, scalars: Set<string>): AggregateDerivation {
  return {
    ...derivation,
    isEntity: (type) => derivation.entities.has(type),
    isRegistered: (scalar) => registeredScalar(derivation.resolvers, scalar) !== undefined,
    storedFields: (type) => storedFields(derivation, type),
    orderOf: (type) => (hasSortKey(derivation, type) ? addOrder(derivation, type) : undefined),
    direction() {
      addHelper(derivation, 'OrderDirection', ORDER_DIRECTION);
      return 'OrderDirection';
    },
    addScalar(name) {
      addHelper(derivation, name, `scalar ${name}`);
      scalars.add(name);
    },
    addHelper: (name, sdl) => addHelper(derivation, name, sdl),
    types: noAggregateTypes(),
  };
}

/** The stored fields of a type; for an interface or union, those that all its types have with the same type. */
function storedFields({ abstracts, definitions, resolvers }: Derivation, type: string): readonly FieldDefinitionNode[] {
  const [first = [], ...rest] = (abstracts.get(type) ?? [type]).map((entity) =>
    fieldsOf(definitions, entity).filter(
      (field) =>
        resolverOf(resolvers, entity, field.name.value) === undefined && !isOtherForm(field) && !isNodeId(field),
    ),
  );
  return first.filter((field) => rest.every((fields) => fields.some((other) => isAlike(field, other))));
}

/** Whether a field returns the objects of another one in another form, by which nothing is filtered or sorted. */
function isOtherForm(field: FieldDefinitionNode): boolean {
  const relation = field.directives?.find(({ name }) => name.value === 'relation');
  return relation?.arguments?.some(({ name }) => name.value === 'sameAs') ?? false;
}

/** The stored type of a connection's nodes. */
function nodeOf(derivation: Derivation, type: string): string | undefined {
  const node = type.replace(/Connection$/, '');
  const isDerived = node !== type && !derivation.defined.has(type) && derivation.isStored(node);
  return derivation.connections.get(type) ?? (isDerived ? node : undefined);
}

function addFilter(derivation: Derivation, type: string): string {
  const { definitions, abstracts, filters, parts } = derivation;
  const name = derivedName(type, 'Filter', derivation.defined);
  if (filters.has(name)) return name;
  filters.set(name, type);
  const taken = fieldNames(abstracts.get(type) ?? [type], definitions);
  const connectives = [`and: [${name}!]`, `or: [${name}!]`, `not: ${name}`];
  // A field named like a connective shadows it.
  const lines = connectives.filter((each) => !taken.has(each.slice(0, each.indexOf(':'))));
  const index = parts.push('') - 1;
  for (const field of storedFields(derivation, type)) {
    const inner = filterOfField(derivation, type, field);
    if (inner !== undefined) lines.push(`${field.name.value}: ${inner}`);
  }
  for (const member of filterableMembers(type, definitions, abstracts))
    lines.push(`"It is a ${member} that satisfies this." ${member}: ${addFilter(derivation, member)}`);
  parts[index] = `"Conditions on a ${type}; all that are given must hold." input ${name} { ${lines.join(' ')} }`;
  return name;
}

function filterOfField(derivation: Derivation, owner: string, field: FieldDefinitionNode): string | undefined {
  const target = nameOfType(field.type);
  const node = nodeOf(derivation, target);
  if (node !== undefined) return addListFilter(derivation, node);
  if (!derivation.isStored(target)) return field.arguments?.length ? undefined : derivation.valueFilter(owner, field);
  return listLevels(field.type) > 0 ? addListFilter(derivation, target) : addFilter(derivation, target);
}

function addListFilter(derivation: Derivation, type: string): string {
  const { filters, parts } = derivation;
  const name = derivedName(type, 'ListFilter', derivation.defined);
  if (filters.has(name)) return name;
  filters.set(name, type);
  const index = parts.push('') - 1;
  const inner = addFilter(derivation, type);
  parts[index] =
    `"Conditions on a list of ${type}." input ${name} { "Some element satisfies it." any: ${inner} "Every element satisfies it." all: ${inner} "No element satisfies it." none: ${inner} }`;
  return name;
}

function isSortKey(derivation: Derivation, { type, arguments: given }: FieldDefinitionNode): boolean {
  const target = nameOfType(type);
  if (listLevels(type) > 0) return false;
  // A related object without sort keys would yield an empty order type.
  if (derivation.entities.has(target))
    return storedFields(derivation, target).some(
      (each) => !derivation.entities.has(nameOfType(each.type)) && isSortKey(derivation, each),
    );
  return (derivation.isOrderedScalar(target) || derivation.enums.has(target)) && !given?.length;
}

function hasSortKey(derivation: Derivation, type: string): boolean {
  return storedFields(derivation, type).some((field) => isSortKey(derivation, field));
}

function addOrder(derivation: Derivation, type: string): string {
  const { entities, orders, parts } = derivation;
  const name = derivedName(type, 'Order', derivation.defined);
  if (orders.has(name)) return name;
  orders.set(name, type);
  addHelper(derivation, 'OrderDirection', ORDER_DIRECTION);
  const index = parts.push('') - 1;
  const lines = storedFields(derivation, type)
    .filter((field) => isSortKey(derivation, field))
    .map((field) => {
      const target = nameOfType(field.type);
      return `${field.name.value}: ${entities.has(target) ? addOrder(derivation, target) : 'OrderDirection'}`;
    });
  parts[index] = `"One sort key of a ${type}." input ${name} @oneOf { ${lines.join(' ')} }`;
  return name;
}

function addHelper({ defined, helpers, parts }: Derivation, name: string, sdl: string): void {
  if (defined.has(name) || helpers.has(name)) return;
  helpers.add(name);
  parts.push(sdl);
}

function addPageInfo(derivation: Derivation): void {
  const own = derivation.definitions.objects.get('PageInfo');
  if (own === undefined) addHelper(derivation, 'PageInfo', PAGE_INFO);
  else checkParts(own, 'page', derivation.problems);
}

function addConnection(derivation: Derivation, type: string): void {
  const { definitions, problems, connections, parts } = derivation;
  const name = `${type}Connection`;
  if (connections.has(name)) return;
  connections.set(name, type);
  addPageInfo(derivation);
  const edge = definitions.objects.get(`${type}Edge`);
  if (edge !== undefined)
    problems.add(
      edge.node,
      `Type ${edge.name} has the name of the edges of ${name}, which the schema does not define.`,
      `Define ${name} too, with edges: [${edge.name}!]! and pageInfo: PageInfo!, or rename the type.`,
    );
  else parts.push(`"An object and its place in the list." type ${type}Edge { cursor: String! node: ${type}! }`);
  parts.push(
    `"A page of ${type} objects." type ${name} { edges: [${type}Edge!]! "The objects without their cursors." nodes: [${type}!]! pageInfo: PageInfo! "How many there are on all pages." totalCount: Int! }`,
  );
}

function addSearch(derivation: Derivation, entity: string): void {
  const { searches, parts } = derivation;
  const name = `${entity}SearchConnection`;
  if (searches.has(name)) return;
  searches.set(name, entity);
  addPageInfo(derivation);
  addHelper(derivation, 'SearchHighlight', SEARCH_HIGHLIGHT);
  parts.push(
    `"A page of the ${entity} objects that a search finds, best first." type ${name} { edges: [${entity}SearchEdge!]! "The objects without scores." nodes: [${entity}!]! pageInfo: PageInfo! "How many there are on all pages, of those that you may read." totalCount: Int }`,
    `"A ${entity} that a search found." type ${entity}SearchEdge { cursor: String! node: ${entity}! "How well it matches; comparable within one answer." score: Float! "Where it matches." highlights: [SearchHighlight!]! }`,
  );
}

/** Interfaces and unions whose types are all stored, with those types. */
export function storedAbstracts(
  definitions: TypeDefinitions,
  entities: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...definitions.abstracts].filter(
      ([, members]) => members.length > 0 && members.every((member) => entities.has(member)),
    ),
  );
}

/** The member types that a filter can name; a type named like a field is left out. */
function filterableMembers(
  type: string,
  definitions: TypeDefinitions,
  abstracts: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const members = abstracts.get(type) ?? [];
  const fields = fieldNames(members, definitions);
  return members.filter((member) => !fields.has(member));
}

function fieldsOf(definitions: TypeDefinitions, type: string): readonly FieldDefinitionNode[] {
  return definitions.objects.get(type)?.fields ?? [];
}

function fieldNames(types: readonly string[], definitions: TypeDefinitions): ReadonlySet<string> {
  return new Set(types.flatMap((each) => fieldsOf(definitions, each).map(({ name }) => name.value)));
}

function isAlike(one: FieldDefinitionNode, other: FieldDefinitionNode): boolean {
  return (
    one.name.value === other.name.value &&
    nameOfType(one.type) === nameOfType(other.type) &&
    listLevels(one.type) === listLevels(other.type)
  );
}

function namesIn(document: DocumentNode) {
  const defined = new Set<string>();
  const enums = new Set<string>();
  const scalars = new Set<string>(['String', 'ID', 'Int', 'Float', 'Boolean']);
  const ordered = new Set<string>();
  const referred = new Set<string>();
  for (const node of document.definitions) {
    if ('name' in node && node.name !== undefined && node.kind !== Kind.DIRECTIVE_DEFINITION)
      defined.add(node.name.value);
    if (node.kind === Kind.ENUM_TYPE_DEFINITION) enums.add(node.name.value);
    if (node.kind === Kind.SCALAR_TYPE_DEFINITION) scalars.add(node.name.value);
    const isScalar = node.kind === Kind.SCALAR_TYPE_DEFINITION || node.kind === Kind.SCALAR_TYPE_EXTENSION;
    if (isScalar && node.directives?.some(({ name }) => name.value === 'ordered')) ordered.add(node.name.value);
  }
  visit(document, { NamedType: (node) => void referred.add(node.name.value) });
  return { defined, enums, scalars, ordered, referred };
}
