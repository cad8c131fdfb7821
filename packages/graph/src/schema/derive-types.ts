// Derives types that a schema may name without defining them: filters (`PhotoFilter`), orders (`PhotoOrder`), Relay
// connections (`PhotoConnection`) and search results (`PhotoSearchConnection`) of its stored types. A type is derived
// if some field or argument names it. Not here: how the types are resolved, and connections that the schema defines
// itself (find-connections.ts).
import { Kind, visit, type DocumentNode, type FieldDefinitionNode } from 'graphql';
import { createValueFilters } from './derive-value-filters.ts';
import { checkParts, findConnections } from './find-connections.ts';
import { listLevels, nameOfType, type TypeDefinitions } from './find-entities.ts';
import type { Problems } from './problems.ts';
import { resolverOf, type Resolvers } from './resolvers.ts';
import { hasOrder } from './scalars.ts';

/** Derived type name → the stored type it is derived from. */
export interface DerivedTypes {
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
const SEARCH_HIGHLIGHT =
  '"Pieces of a field in which a search found something." type SearchHighlight { "Dotted where it is of a related object: postedBy.name." field: String! "HTML: what was found stands in <em>, all else is escaped." fragments: [String!]! }';

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
  const ownFields = (entity: string): readonly FieldDefinitionNode[] =>
    definitions.objects
      .get(entity)!
      .fields.filter((field) => resolverOf(resolvers, entity, field.name.value) === undefined);
  /** The stored fields of a type; for an interface or union, those that all its types have with the same type. */
  const storedFields = (type: string): readonly FieldDefinitionNode[] => {
    const [first = [], ...rest] = (abstracts.get(type) ?? [type]).map(ownFields);
    return first.filter((field) => rest.every((fields) => fields.some((other) => isAlike(field, other))));
  };
  const { defined, enums, scalars, ordered, referred } = namesIn(document);
  const isOrderedScalar = (name: string): boolean => scalars.has(name) && hasOrder(name, { resolvers, ordered });
  const filters = new Map<string, string>();
  const orders = new Map<string, string>();
  const connections = new Map(findConnections(definitions, isStored, resolvers, problems));
  const searches = new Map<string, string>();
  const parts: string[] = [];
  const helpers = new Set<string>();

  const valueFilter = createValueFilters({
    defined,
    enums,
    scalars,
    isOrderedScalar,
    definitions,
    resolvers,
    isStored,
    helpers,
    parts,
  });

  /** The stored type of a connection's nodes. */
  const nodeOf = (type: string): string | undefined => {
    const node = type.replace(/Connection$/, '');
    return connections.get(type) ?? (node !== type && !defined.has(type) && isStored(node) ? node : undefined);
  };

  const addFilter = (entity: string): string => {
    const name = `${entity}Filter`;
    if (filters.has(name)) return name;
    filters.set(name, entity);
    const taken = fieldNames(abstracts.get(entity) ?? [entity], definitions);
    const words = [`and: [${name}!]`, `or: [${name}!]`, `not: ${name}`];
    // A field named like a connective shadows it.
    const lines = words.filter((word) => !taken.has(word.slice(0, word.indexOf(':'))));
    const index = parts.push('') - 1;
    for (const field of storedFields(entity)) {
      const target = nameOfType(field.type);
      if (field.arguments?.length && !isStored(target) && nodeOf(target) === undefined) continue;
      const many = listLevels(field.type) > 0;
      const paged = nodeOf(target);
      if (paged !== undefined) lines.push(`${field.name.value}: ${addListFilter(paged)}`);
      else if (isStored(target)) {
        lines.push(`${field.name.value}: ${many ? addListFilter(target) : addFilter(target)}`);
      } else {
        const inner = valueFilter(entity, field);
        if (inner !== undefined) lines.push(`${field.name.value}: ${inner}`);
      }
    }
    for (const member of membersToAsk(entity, definitions, abstracts))
      lines.push(`"It is a ${member} that satisfies this." ${member}: ${addFilter(member)}`);
    parts[index] = `"Conditions on a ${entity}; all that are given must hold." input ${name} { ${lines.join(' ')} }`;
    return name;
  };

  const addListFilter = (entity: string): string => {
    const name = `${entity}ListFilter`;
    if (filters.has(name)) return name;
    filters.set(name, entity);
    const index = parts.push('') - 1;
    const inner = addFilter(entity);
    parts[index] =
      `"Conditions on a list of ${entity}." input ${name} { "Some element satisfies it." any: ${inner} "Every element satisfies it." all: ${inner} "No element satisfies it." none: ${inner} }`;
    return name;
  };

  const isOrdered = ({ type, arguments: given }: FieldDefinitionNode): boolean => {
    const target = nameOfType(type);
    if (listLevels(type) > 0) return false;
    // A related object without sort keys would yield an empty order type.
    if (entities.has(target))
      return storedFields(target).some((each) => !entities.has(nameOfType(each.type)) && isOrdered(each));
    return (isOrderedScalar(target) || enums.has(target)) && !given?.length;
  };

  const addOrder = (entity: string): string => {
    const name = `${entity}Order`;
    if (orders.has(name)) return name;
    orders.set(name, entity);
    if (!helpers.has('OrderDirection') && !defined.has('OrderDirection')) {
      helpers.add('OrderDirection');
      parts.push(
        '"Smallest first, or largest first. Rows without a value count as smallest." enum OrderDirection { ASC DESC }',
      );
    }
    const index = parts.push('') - 1;
    const lines: string[] = [];
    for (const field of storedFields(entity).filter(isOrdered)) {
      const target = nameOfType(field.type);
      lines.push(`${field.name.value}: ${entities.has(target) ? addOrder(target) : 'OrderDirection'}`);
    }
    parts[index] = `"One sort key of a ${entity}." input ${name} @oneOf { ${lines.join(' ')} }`;
    return name;
  };

  const addHelper = (name: string, sdl: string): void => {
    if (defined.has(name) || helpers.has(name)) return;
    helpers.add(name);
    parts.push(sdl);
  };

  const addPageInfo = (): void => {
    const own = definitions.objects.get('PageInfo');
    if (own === undefined) addHelper('PageInfo', PAGE_INFO);
    else checkParts(own, 'page', problems);
  };

  const addConnection = (entity: string): void => {
    const name = `${entity}Connection`;
    if (connections.has(name)) return;
    connections.set(name, entity);
    addPageInfo();
    const edge = definitions.objects.get(`${entity}Edge`);
    if (edge !== undefined)
      problems.add(
        edge.node,
        `Type ${edge.name} has the name of the edges of ${name}, which the schema does not define.`,
        `Define ${name} too, with edges: [${edge.name}!]! and pageInfo: PageInfo!, or call the type otherwise.`,
      );
    else parts.push(`"An object and its place in the list." type ${entity}Edge { cursor: String! node: ${entity}! }`);
    parts.push(
      `"A page of ${entity} objects." type ${name} { edges: [${entity}Edge!]! "The objects without their cursors." nodes: [${entity}!]! pageInfo: PageInfo! "How many there are on all pages." totalCount: Int! }`,
    );
  };

  const addSearch = (entity: string): void => {
    const name = `${entity}SearchConnection`;
    if (searches.has(name)) return;
    searches.set(name, entity);
    addPageInfo();
    addHelper('SearchHighlight', SEARCH_HIGHLIGHT);
    parts.push(
      `"A page of the ${entity} objects that a search finds, best first." type ${name} { edges: [${entity}SearchEdge!]! "The objects without scores." nodes: [${entity}!]! pageInfo: PageInfo! "How many there are on all pages, of those that you may read." totalCount: Int }`,
      `"A ${entity} that a search found." type ${entity}SearchEdge { cursor: String! node: ${entity}! "How well it matches; comparable within one answer." score: Float! "Where it matches." highlights: [SearchHighlight!]! }`,
    );
  };

  for (const name of referred) {
    if (defined.has(name)) continue;
    for (const entity of [...entities.keys(), ...abstracts.keys()]) {
      if (name === `${entity}Filter`) addFilter(entity);
      else if (name === `${entity}Order` && storedFields(entity).some(isOrdered)) addOrder(entity);
      else if (name === `${entity}Connection`) addConnection(entity);
      else if (name === `${entity}SearchConnection` && entities.has(entity)) addSearch(entity);
    }
  }
  return { filters, orders, connections, searches, ordered, sdl: parts.join('\n') };
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
function membersToAsk(
  type: string,
  definitions: TypeDefinitions,
  abstracts: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const members = abstracts.get(type) ?? [];
  const fields = fieldNames(members, definitions);
  return members.filter((member) => !fields.has(member));
}

function fieldNames(types: readonly string[], definitions: TypeDefinitions): ReadonlySet<string> {
  return new Set(types.flatMap((each) => definitions.objects.get(each)!.fields.map(({ name }) => name.value)));
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
