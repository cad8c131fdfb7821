// Executes an operation with graphql-js: mutations, introspection, resolvers, and operations that need exact errors.
// Stored data is still prefetched by one statement per root field, including the columns that resolvers need.
import {
  execute,
  getNamedType,
  GraphQLError,
  isAbstractType,
  isLeafType,
  isObjectType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLTypeResolver,
} from 'graphql';
import type { Principal } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { toBound } from '../plan/bound-value.ts';
import { toNodeId } from '../plan/node-id.ts';
import { collectFields, selectionSetsOf } from '../plan/collect-fields.ts';
import type { Entity, Model } from '../schema/model.ts';
import { resolverOf, type ResolverContext, type Resolvers, type ResolverWithNeeds } from '../schema/resolvers.ts';
import { CLIENT_MUTATION_ID, payloadFieldOf } from '../schema/payloads.ts';
import type { MaybePromise, Session, SqlValue, Store } from '../store/store.ts';
import { declaredField, objectType } from '../schema/declared-field.ts';
import { publicSchemaOf } from '../schema/public-schema.ts';
import { argumentCheckOf } from '../write/check-constraint.ts';
import { checkReading } from '../write/prepare-mutation.ts';
import type { Writer, WrittenRows } from '../write/writer.ts';
import type { FullText } from './full-text.ts';
import { ChangedObject, DENIED, isDenied, Prefetched, wrapFetched } from './prefetched.ts';
import { Reader, type ReaderContext } from './reader.ts';
import { isOfShape, isStoredValue } from './stored-value.ts';
import { first, hasMembers, listOf, membersIn, textAt } from '../present.ts';

/** One operation to execute. */
export interface FallbackRequest extends ReaderContext {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly resolvers: Resolvers;
  readonly writer: Writer;
  /** The store for mutations. */
  readonly store: Store;
  readonly principal: Principal;
  readonly fullText: FullText | undefined;
  readonly signal: AbortSignal | undefined;
  readonly services: unknown;
  readonly hideSuggestions: boolean;
  /** Called with the feed position after each mutation field that changed something. */
  readonly onWrite: (position: number) => void;
  /** The root value of a subscription event. */
  readonly rootValue?: unknown;
  /** Mutation fields that have been executed, by response key. */
  readonly done?: DoneField | undefined;
}

/** An executed mutation field, with its value or error, for graphql-js to complete. */
export interface DoneField {
  readonly key: string;
  readonly outcome: { readonly value: unknown } | { readonly error: unknown };
}

/**
 * Executes with graphql-js.
 *
 * Root fields of a query run concurrently but are executed separately: graphql-js would report only the first failed
 * non-null field and drop the others.
 */
export function runFallback(request: FallbackRequest): ExecutionResult | Promise<ExecutionResult> {
  const run = new Run(request);
  const parts = rootByRoot(request.document, request.operationName);
  if (parts === undefined) return executeDocument(request, run, request.document);
  return Promise.all(parts.map(async (document) => await executeDocument(request, run, document))).then(joinRoots);
}

/**
 * Splits the document into one per root field; undefined if there is only one, or if the root fields cannot be read
 * directly.
 */
function rootByRoot(document: DocumentNode, operationName: string | undefined): readonly DocumentNode[] | undefined {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const operation =
    operationName === undefined && operations.length === 1
      ? operations[0]
      : operations.find(({ name }) => name?.value === operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return undefined;
  const { selections } = operation.selectionSet;
  const names = new Set<string>();
  for (const selection of selections) {
    if (selection.kind !== Kind.FIELD || (selection.directives ?? []).length > 0) return undefined;
    names.add((selection.alias ?? selection.name).value);
  }
  if (names.size < 2 || names.size < selections.length) return undefined;
  const rest = document.definitions.filter((definition) => definition !== operation);
  return selections.map((selection) => ({
    ...document,
    definitions: [{ ...operation, selectionSet: { ...operation.selectionSet, selections: [selection] } }, ...rest],
  }));
}

function joinRoots(results: readonly ExecutionResult[]): ExecutionResult {
  const errors = results.flatMap((result) => result.errors ?? []);
  // Rejected before execution; each part has the same errors.
  const refused = results.find(({ data }) => data === undefined);
  if (refused !== undefined) return refused;
  const isNull = results.some(({ data }) => data === null);
  const data = Object.assign(Object.create(null), ...results.map((result) => result.data));
  return { data: isNull ? null : data, ...(errors.length > 0 ? { errors } : {}) };
}

function executeDocument(
  request: FallbackRequest,
  run: Run,
  document: DocumentNode,
): ExecutionResult | Promise<ExecutionResult> {
  return execute({
    schema: publicSchemaOf(request.model.schema),
    document,
    rootValue: request.rootValue,
    contextValue: run.resolverContext,
    variableValues: request.variables,
    operationName: request.operationName,
    fieldResolver: run.resolveField,
    typeResolver: resolveType,
    abortSignal: request.signal,
    hideSuggestions: request.hideSuggestions,
  });
}

const resolveType: GraphQLTypeResolver<unknown, unknown> = (value) => {
  if (value instanceof Prefetched || value instanceof ChangedObject) return value.typeName;
  const named = membersIn(value)['__typename'];
  return typeof named === 'string' ? named : undefined;
};

type Args = Readonly<Record<string, unknown>>;

/** The payload of a mutation. */
class WrittenPayload {
  readonly id: unknown;
  /** What was written, by response key. */
  readonly rows: ReadonlyMap<string, unknown>;

  constructor(id: unknown, rows: ReadonlyMap<string, unknown>) {
    this.id = id;
    this.rows = rows;
  }
}

/** The id that the client gave its mutation, in an input or as an argument. */
function clientMutationIdIn(args: Args): unknown {
  const inputs = [args, ...Object.values(args).flatMap((value) => listOf(value ?? []))];
  return inputs.map((each) => membersIn(each)[CLIENT_MUTATION_ID]).find((id) => id !== undefined) ?? null;
}

class Run {
  readonly #request: FallbackRequest;
  readonly #model: Model;
  readonly #reader: Reader;
  /** Embedded objects as the database stores them. */
  readonly #embedded = new WeakSet<object>();
  readonly resolverContext: ResolverContext;

  constructor(request: FallbackRequest) {
    this.#request = request;
    this.#model = request.model;
    this.#reader = new Reader(request);
    this.resolverContext = {
      principal: request.principal,
      signal: request.signal,
      services: request.services,
      load: (entity, key) => this.#reader.wholeByKey(this.#entity(entity), key),
    };
  }

  readonly resolveField: GraphQLFieldResolver<unknown, ResolverContext> = (source, args, context, info) => {
    const resolver = resolverOf(this.#request.resolvers, info.parentType.name, info.fieldName);
    if (source instanceof ChangedObject && info.path.prev !== undefined)
      return this.#resolveChanged(source, args, context, info);
    if (source instanceof WrittenPayload)
      return info.fieldName === CLIENT_MUTATION_ID ? source.id : source.rows.get(String(info.path.key));
    if (source instanceof Prefetched) return this.#resolvePrefetched(source, args, context, info, resolver);
    if (resolver !== undefined) {
      checkRootArguments(this.#model, args, info);
      return this.#complete(resolver.resolve(source, args, context, info), info);
    }
    if (info.path.prev === undefined) return this.#resolveRoot(source, args, info);
    const value = readProperty(source, args, context, info);
    if (hasMembers(source) && this.#embedded.has(source)) return this.#checkStored(value, info);
    return this.#complete(value, info);
  };

  #resolveRoot(source: unknown, args: Args, info: GraphQLResolveInfo): unknown {
    const binding = this.#model.roots.get(`${info.parentType.name}.${info.fieldName}`);
    if (binding === undefined) throw new Error(`Nothing is bound to ${info.parentType.name}.${info.fieldName}.`);
    const definition = info.parentType.getFields()[info.fieldName]!;
    switch (binding.kind) {
      case 'create':
      case 'update':
      case 'upsert':
      case 'delete':
      case 'restore':
      case 'purge':
      case 'connect':
      case 'disconnect': {
        const entity = this.#entity(binding.entity);
        return this.#mutate(entity, args, info);
      }
      case 'changes':
        return source instanceof ChangedObject ? this.#loadChanged(source, info) : this.#complete(source, info);
      case 'resolver':
        throw graphErrors.create('GRAPH_RESOLVER_MISSING', { fields: `${info.parentType.name}.${info.fieldName}` });
      case 'service':
        if (this.#request.hideSuggestions) throw graphErrors.create('GRAPH_INTROSPECTION_OFF');
        return { sdl: this.#model.subgraph?.sdl };
      case 'search': {
        const { fullText: port, principal, signal } = this.#request;
        return this.#reader.search(binding, definition, info, { port, principal, signal });
      }
      default:
        return this.#reader.root(binding, definition, info);
    }
  }

  /** The object of an event: its values at the event; other fields as stored now. */
  #loadChanged(change: ChangedObject, info: GraphQLResolveInfo): MaybePromise<ChangedObject> {
    const entity = this.#entity(change.typeName);
    const rows = this.#reader.byKeys(entity, [toBound(this.#model.schema, entity.key, change.key)], info);
    const take = ([row]: readonly unknown[]): ChangedObject => change.with(row instanceof Prefetched ? row : null);
    return rows instanceof Promise ? rows.then(take) : take(rows);
  }

  #resolveChanged(source: ChangedObject, args: Args, context: ResolverContext, info: GraphQLResolveInfo): unknown {
    const field = this.#entity(source.typeName).fields.get(info.fieldName);
    const known = source.values !== undefined && Object.hasOwn(source.values, info.fieldName);
    if (known && source.values[info.fieldName] === DENIED) return this.#withhold(info);
    const denied = source.stored !== null && this.#isWithheld(source.stored.get(String(info.path.key)), info);
    if (field?.kind === 'column' && known && !denied) return source.values[info.fieldName];
    const resolver = resolverOf(this.#request.resolvers, info.parentType.name, info.fieldName);
    if (source.stored !== null) return this.#resolvePrefetched(source.stored, args, context, info, resolver);
    if (resolver !== undefined)
      return this.#complete(resolver.resolve(readableOf(source.values), args, context, info), info);
    if (field?.kind === 'nodeId') return toNodeId(source.typeName, source.key);
    // The object is deleted: its to-one relations still have keys, its lists are empty.
    if (field?.kind === 'form') return field.form === 'count' ? 0 : field.form === 'list' ? [] : null;
    if (field?.kind !== 'relation') return null;
    if (field.many) return [];
    const target = known ? source.values[info.fieldName] : null;
    if (!hasMembers(target)) return this.#complete(target, info);
    const entity = this.#entity(textAt(target, 'type'));
    return this.#reader.byKey(entity, toBound(this.#model.schema, entity.key, target['key']), info);
  }

  async #mutate(entity: Entity, args: Args, info: GraphQLResolveInfo): Promise<unknown> {
    const { done } = this.#request;
    if (done !== undefined && done.key === info.path.key) {
      if ('error' in done.outcome) throw done.outcome.error;
      return done.outcome.value;
    }
    const call = { field: info.fieldName, args, principal: this.#request.principal, store: this.#request.store };
    const payload = payloadFieldOf(info.returnType, this.#model.entities);
    if (payload !== undefined) {
      const { position, value } = await this.#request.writer.mutate(call, (session, written) =>
        this.#readPayload(entity, written, info, session),
      );
      this.#request.onWrite(position);
      return value instanceof Map ? new WrittenPayload(clientMutationIdIn(args), value) : value;
    }
    const outcome = await this.#request.writer.mutate(call, async (session, written) => {
      const rows = await this.#reader.byKeys(entity, written.keys, info, session);
      return written.many ? rows : rows[0];
    });
    this.#request.onWrite(outcome.position);
    return outcome.value;
  }

  /** What was written, by the response keys of the payload's fields. */
  async #readPayload(
    entity: Entity,
    written: WrittenRows,
    info: GraphQLResolveInfo,
    session: Session,
  ): Promise<ReadonlyMap<string, unknown>> {
    const { schema, fieldNodes, fragments, variableValues } = info;
    const context = { schema, fragments: new Map(Object.entries(fragments)), variables: variableValues };
    const type = objectType(schema, getNamedType(info.returnType).name);
    const rows = new Map<string, unknown>();
    for (const [key, nodes] of collectFields(context, type, selectionSetsOf(fieldNodes))) {
      const { value: name } = first(nodes).name;
      if (name === CLIENT_MUTATION_ID || name === '__typename') continue;
      const found = await this.#reader.byKeys(entity, written.keys, { ...info, fieldNodes: nodes }, session);
      rows.set(key, written.many ? found : found[0]);
    }
    return rows;
  }

  #resolvePrefetched(
    source: Prefetched,
    args: Args,
    context: ResolverContext,
    info: GraphQLResolveInfo,
    resolver: ResolverWithNeeds | undefined,
  ): unknown {
    if (resolver !== undefined) return this.#complete(resolver.resolve(source.needs(), args, context, info), info);
    const node = first(info.fieldNodes);
    if (this.#reader.refused.has(node)) throw this.#reader.refused.get(node);
    const value = source.get(String(info.path.key));
    if (this.#isWithheld(value, info)) return this.#withhold(info);
    const isColumn = this.#model.entities.get(info.parentType.name)?.fields.get(info.fieldName)?.kind === 'column';
    if (isColumn || isLeafType(getNamedType(info.returnType))) return this.#checkStored(value, info);
    // A stored JSON value is returned unchanged, whatever its keys.
    if (typeof value !== 'object' || value === null) return value;
    return wrapFetched(value);
  }

  /** A stored value; embedded objects are checked field by field on access. */
  #checkStored(value: unknown, { fieldName, parentType, returnType }: GraphQLResolveInfo): unknown {
    const isRight = isLeafType(getNamedType(returnType))
      ? isStoredValue(returnType, value, this.#model.customScalars)
      : isOfShape(returnType, value, (object) => this.#embedded.add(object));
    if (isRight) return value;
    const field = `${parentType.name}.${fieldName}`;
    throw graphErrors.create('GRAPH_VALUE_DAMAGED', { field, type: String(returnType) });
  }

  /** The result of a field whose value the caller may not read. @throws GRAPH_FIELD_FORBIDDEN unless it is null */
  #withhold(info: GraphQLResolveInfo): null {
    const field = this.#model.entities.get(info.parentType.name)?.fields.get(info.fieldName);
    if (field?.auth?.deniedIsNull === true) return null;
    throw forbidden(info);
  }

  /** Without a rule, the mark is a stored value. */
  #isWithheld(value: unknown, { parentType, fieldName }: GraphQLResolveInfo): boolean {
    return (
      isDenied(value) && this.#model.entities.get(parentType.name)?.fields.get(fieldName)?.auth?.read !== undefined
    );
  }

  /** Converts a resolver's result for a stored type to prefetched objects by key, one statement per tick. */
  #complete(value: unknown, info: GraphQLResolveInfo): unknown {
    const named = getNamedType(info.returnType);
    const stored = isObjectType(named)
      ? this.#model.entities.has(named.name)
      : isAbstractType(named) && this.#model.abstractTypes.has(named.name);
    if (!stored) return value;
    return value instanceof Promise
      ? value.then((settled) => this.#completeStored(settled, named.name, info))
      : this.#completeStored(value, named.name, info);
  }

  #completeStored(value: unknown, typeName: string, info: GraphQLResolveInfo): unknown {
    if (
      value === null ||
      value === undefined ||
      value instanceof Error ||
      value instanceof Prefetched ||
      value instanceof ChangedObject
    )
      return value;
    if (value instanceof Promise) return value.then((settled) => this.#completeStored(settled, typeName, info));
    if (typeof value === 'object' && Symbol.iterator in value)
      return Array.from(value as Iterable<unknown>, (each) => this.#completeStored(each, typeName, info));
    const entity = this.#entityOf(value, typeName, info);
    if (entity === undefined) return value;
    const key = keyOf(this.#model, entity, value);
    // An object without its key was built by the resolver and is used unchanged.
    return key === undefined ? value : this.#reader.byKey(entity, key, info);
  }

  #entityOf(value: unknown, typeName: string, info: GraphQLResolveInfo): Entity | undefined {
    const entity = this.#model.entities.get(typeName);
    if (entity !== undefined) return entity;
    const named = membersIn(value)['__typename'];
    if (typeof named === 'string' && this.#model.abstractTypes.get(typeName)?.includes(named))
      return this.#model.entities.get(named);
    throw new GraphQLError(
      `The resolver of ${info.parentType.name}.${info.fieldName} must say "__typename" for a ${typeName}.`,
    );
  }

  #entity(name: string): Entity {
    const entity = this.#model.entities.get(name);
    if (entity === undefined) throw new Error(`${name} is not a stored type.`);
    return entity;
  }
}

/** Checks the arguments of a root field against their constraints. @throws GRAPH_INPUT_INVALID with all violations */
function checkRootArguments({ schema }: Model, args: Args, { parentType, fieldName, path }: GraphQLResolveInfo): void {
  if (path.prev !== undefined) return;
  const check = argumentCheckOf(schema, declaredField(schema, parentType.name, fieldName));
  if (check === undefined) return;
  const reading = { violations: [], missing: [] };
  check(args, reading);
  checkReading(reading, fieldName);
}

function forbidden({ parentType, fieldName }: GraphQLResolveInfo): Error {
  return graphErrors.create('GRAPH_FIELD_FORBIDDEN', { field: `${parentType.name}.${fieldName}` });
}

/** The value that resolvers receive for a deleted object. */
function readableOf(values: ChangedObject['values']): ChangedObject['values'] {
  return values && Object.fromEntries(Object.entries(values).filter(([, value]) => value !== DENIED));
}

/** The key in a resolver's result: the object's key field, or the result itself. */
function keyOf(model: Model, entity: Entity, value: unknown): SqlValue | undefined {
  const raw = hasMembers(value) ? value[entity.key.name] : value;
  if (raw === undefined || raw === null) return undefined;
  return toBound(
    model.schema,
    entity.key,
    typeof raw === 'number' && entity.key.storage === 'text' ? String(raw) : raw,
  );
}

/**
 * graphql-js's default resolver: a property of the source, or the result of a method. Only own properties count, so
 * `__proto__` finds nothing.
 */
function readProperty(source: unknown, args: unknown, context: unknown, info: GraphQLResolveInfo): unknown {
  if (!hasMembers(source)) return undefined;
  const value: unknown =
    info.fieldName in Object.prototype && !Object.hasOwn(source, info.fieldName) ? undefined : source[info.fieldName];
  return typeof value === 'function' ? Reflect.apply(value, source, [args, context, info]) : value;
}
