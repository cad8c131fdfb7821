// Binds each field of Query, Mutation and Subscription to what it does, by its return type and arguments. A field
// without a binding is a problem whose remedy says what to write. Not here: arguments (bind-arguments.ts) and mutations
// (write/bind-mutation.ts).
import {
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { aggregateForm, bindAggregates } from './bind-aggregates.ts';
import { isGatewayField, SERVICE_FIELD } from './federation.ts';
import { bindMutation } from '../write/bind-mutation.ts';
import { bindSearch } from './bind-search.ts';
import { entityOf, type ArgumentBindings, type Entity, type RootBinding } from './model.ts';
import { plural } from './names.ts';
import { bindArguments, type ArgumentContext } from './bind-arguments.ts';
import { resolverOf, type Resolvers } from './resolvers.ts';
import { first } from '../present.ts';

interface RootContext extends ArgumentContext {
  readonly schema: GraphQLSchema;
  readonly resolvers: Resolvers;
  readonly isSubgraph: boolean;
}

/** Binds every root field. Key of the result: `Query.allPhotos`. */
export function bindRoots(context: RootContext): ReadonlyMap<string, RootBinding> {
  const roots = new Map<string, RootBinding>();
  const { schema } = context;
  for (const [type, bind] of [
    [schema.getQueryType(), bindQuery],
    [schema.getMutationType(), bindWrite],
    [schema.getSubscriptionType(), bindChanges],
  ] as const) {
    if (type == null) continue;
    for (const field of Object.values(type.getFields())) {
      const binding = bindField(context, type, field, bind);
      if (binding !== undefined) roots.set(`${type.name}.${field.name}`, binding);
    }
  }
  return roots;
}

type Bind = (
  context: RootContext,
  coordinate: string,
  field: GraphQLField<unknown, unknown>,
) => RootBinding | undefined;

function bindField(
  context: RootContext,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  bind: Bind,
): RootBinding | undefined {
  if (resolverOf(context.resolvers, type.name, field.name) !== undefined) return { kind: 'resolver' };
  if (context.isSubgraph && isGatewayField(type.name, field.name, context.schema))
    return { kind: field.name === SERVICE_FIELD ? 'service' : 'entities' };
  return bind(context, `${type.name}.${field.name}`, field);
}

const bindQuery: Bind = (context, coordinate, field) => {
  const named = getNamedType(field.type);
  const list = isListType(getNullableType(field.type));
  const connection = context.derived.connections.get(named.name);
  if (connection !== undefined && !list)
    return { kind: 'connection', type: connection, arguments: bindArguments(context, coordinate, field, connection) };
  const aggregated = aggregateForm(context, field);
  if (aggregated !== undefined)
    return { ...aggregated, arguments: bindAggregates(context, coordinate, field, aggregated) };
  const searched = context.derived.searches.get(named.name);
  if (searched !== undefined && !list) return bindSearch(context, coordinate, field, searched);
  if (context.entities.has(named.name) || context.abstracts.has(named.name)) {
    const bindings = bindArguments(context, coordinate, field, named.name);
    const byKeys = list ? keysArgument(context, field, named.name, bindings) : undefined;
    checkKeys(context, coordinate, field, named.name, bindings, byKeys);
    if (list) return { kind: 'list', type: named.name, arguments: bindings, byKeys };
    if (field.args.length === 0) {
      context.problems.add(
        field.astNode,
        `${coordinate} returns one ${named.name} and has no argument to find it by.`,
        `Add an argument named like a field of ${named.name}, or answer it with a resolver.`,
      );
      return undefined;
    }
    return { kind: 'lookup', type: named.name, arguments: bindings };
  }
  if (named.name === 'Int' && !list) {
    const type = countedType(context, field);
    if (type !== undefined) return { kind: 'count', type, arguments: bindArguments(context, coordinate, field, type) };
  }
  context.problems.add(
    field.astNode,
    `${coordinate}: ${String(field.type)} cannot be answered from stored types.`,
    named.name === 'Int'
      ? `Call it like a type to count (totalPhotos, photoCount), or give it a resolver: resolvers.${coordinate}.`
      : isLeafType(named)
        ? `Give the field a resolver: resolvers.${coordinate}.`
        : `Put @entity on ${named.name} if it is to be stored, or give the field a resolver: resolvers.${coordinate}.`,
  );
  return undefined;
};

/** The entities of a type: itself, or the members of an interface or union. */
function membersOf({ entities, abstracts }: RootContext, type: string): readonly Entity[] {
  return (abstracts.get(type) ?? [type]).map((name) => entityOf({ entities }, name));
}

/**
 * The keys argument of a list, if it has one. A list of nullable elements returns one element per key, null where no
 * object has the key (as Relay's `nodes`). In a list of non-null elements, the argument is a filter.
 */
function keysArgument(
  context: RootContext,
  field: GraphQLField<unknown, unknown>,
  type: string,
  bindings: ArgumentBindings,
): string | undefined {
  const list = getNullableType(field.type);
  if (!isListType(list) || isNonNullType(list.ofType) || isListType(list.ofType) || bindings.size !== 1)
    return undefined;
  const [[name, argument] = []] = bindings;
  if (name === undefined || (argument?.kind !== 'equals' && argument?.kind !== 'nodeId') || !argument.list)
    return undefined;
  if (argument.kind === 'nodeId') return name;
  return membersOf(context, type).every(({ key }) => key.name === argument.field) ? name : undefined;
}

/**
 * Reports look-ups among types with sequential keys: each type has an object 1, so only the first type's objects are
 * ever found.
 */
function checkKeys(
  context: RootContext,
  coordinate: string,
  field: GraphQLField<unknown, unknown>,
  type: string,
  bindings: ArgumentBindings,
  byKeys: string | undefined,
): void {
  const args = [...bindings].filter(
    ([name, argument]) => argument.kind === 'equals' && (!argument.list || name === byKeys),
  );
  // A filter can name the type.
  if ([...bindings.values()].some(({ kind }) => kind === 'where')) return;
  for (const [name, argument] of args) {
    const counted = membersOf(context, type).filter(
      ({ key }) => argument.kind === 'equals' && key.name === argument.field && key.default?.kind === 'identity',
    );
    if (counted.length < 2) continue;
    const names = counted.map((each) => each.name);
    context.problems.add(
      field.args.find((each) => each.name === name)?.astNode,
      `${coordinate} looks up a ${type} by "${name}", and ${names.join(' and ')} have sequential keys from 1: a key that both have only ever finds the ${first(names)}.`,
      `Look up by a node id (nodeId: ID! @nodeId on the interface and its types, and the argument nodeId), use keys that no two objects share (${first(counted).key.name}: ID! @id @default(value: "uuid")), look up each type by a field of its own, or answer ${coordinate} with a resolver.`,
    );
    return;
  }
}

/** Returns Photo for totalPhotos, countPhotos, photoCount, photosTotal and numberOfPhotos; a filter says which of several. */
function countedType(context: RootContext, { name, args }: GraphQLField<unknown, unknown>): string | undefined {
  const words = [
    /^(?:total|count|numberOf)(?<what>[A-Z]\w*)$/.exec(name)?.groups?.['what'],
    /^(?<what>\w+?)(?:Count|Total)$/.exec(name)?.groups?.['what'],
  ].flatMap((word) => word?.toLowerCase() ?? []);
  if (words.length === 0) return undefined;
  const filter = args.find((argument) => argument.name === 'where')?.type;
  const filtered = filter === undefined ? undefined : context.derived.filters.get(getNamedType(filter).name);
  return (
    filtered ??
    [...context.entities.keys(), ...context.abstracts.keys()].find(
      (type) => words.includes(type.toLowerCase()) || words.includes(plural(type).toLowerCase()),
    )
  );
}

const bindWrite: Bind = (context, coordinate, field) => {
  const { schema, entities, derived } = context;
  const bound = bindMutation(field, { schema, entities, filters: derived.filters });
  if ('kind' in bound) return bound;
  context.problems.add(bound.node ?? field.astNode, `${coordinate} ${bound.problem}`, bound.remedy);
  return undefined;
};

const bindChanges: Bind = (context, coordinate, field) => {
  const named = getNamedType(field.type);
  if (context.entities.has(named.name) && !isListType(getNullableType(field.type))) {
    const words = field.name.toLowerCase();
    const operation = /^new|created|added|posted|inserted/.test(words)
      ? 'created'
      : /deleted|removed/.test(words)
        ? 'deleted'
        : /updated|edited/.test(words)
          ? 'updated'
          : 'any';
    const bindings = bindArguments(context, coordinate, field, named.name);
    for (const [name, { kind }] of bindings) {
      if (kind === 'equals' || kind === 'nodeId' || (kind === 'where' && operation !== 'deleted')) continue;
      context.problems.add(
        field.args.find((argument) => argument.name === name)?.astNode,
        kind === 'where'
          ? `${coordinate}: "${name}" filters by the database, where a deleted object no longer exists.`
          : `${coordinate}: "${name}" is for lists; changes are delivered one by one.`,
        `Take arguments named like fields of ${named.name}.`,
      );
    }
    return { kind: 'changes', entity: named.name, operation, arguments: bindings };
  }
  context.problems.add(
    field.astNode,
    `${coordinate}: ${String(field.type)} is not a stored type whose changes can be followed.`,
    'Return a type with @entity (newPhoto: Photo!).',
  );
  return undefined;
};
