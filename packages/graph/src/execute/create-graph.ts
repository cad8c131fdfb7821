// Creates a graph from a model and a store. Connects the executor, subscriptions, HTTP and tools, and determines the
// caller of each request.
import { createHash } from 'node:crypto';
import { ANONYMOUS, silentLog, systemClock, type Principal } from '@lockstitch/kernel';
import { OperationTypeNode } from 'graphql';
import { graphErrors } from '../errors.ts';
import { createSequencer, type Sequencer } from '../capture/sequencer.ts';
import { createFeed, type Feed } from '../feed/feed.ts';
import { adoptColumns } from '../migrate/adopt-columns.ts';
import { applyMigration } from '../migrate/apply-migration.ts';
import { createHttpHandler } from '../http/graphql-http.ts';
import { createPersistedOperations } from '../http/persisted-operations.ts';
import { estimateCost } from '../plan/cost.ts';
import { isKeyOpen } from '../plan/operands.ts';
import { ReadPolicies } from '../plan/policy.ts';
import { DEFAULT_LIMITS, type Limits } from '../plan/limits.ts';
import { entityOf, type Entity, type Model, type RelationField } from '../schema/model.ts';
import { checkResolvers, type Resolvers } from '../schema/resolvers.ts';
import type { Dialect } from '../sql/dialect.ts';
import { dialectOf } from '../sql/dialect-of.ts';
import type { MaybePromise, Store } from '../store/store.ts';
import { matchesKey, outlineSubscription } from './subscription.ts';
import { createSubscriptions } from '../subscribe/subscriptions.ts';
import { createImporter } from '../write/import-rows.ts';
import { createWriter, type Writer } from '../write/writer.ts';
import { Documents, findOperation, type PreparedOperation } from './documents.ts';
import { explainRead, type ReadExplanation } from './explain-read.ts';
import { identityOf } from './identity.ts';
import { type ReadableOptions, readableKeys } from './readable-keys.ts';
import { ReplicaReads } from './replica-reads.ts';
import { Responder } from './respond.ts';
import { type LoadedRow, loadRows, type RowRange } from './load-rows.ts';
import { isCallerIndependent } from './caller-independent.ts';
import { countDocuments, loadDocuments, type DocumentRange, type LoadedDocument } from './load-documents.ts';
import { ChangedObject } from './prefetched.ts';
import type { GraphContext, GraphRequest, GraphResponse, PreparedSubscription } from './contracts.ts';
import type { Graph, GraphOptions } from './graph.ts';
import { asksToExplain, Explanation } from './explain.ts';
import { observeStore } from './observe.ts';
import { inputNamesOf } from './redact-document.ts';
import { traceOperation, traceStore } from './tracing.ts';
import { Executor, type RequestState } from './executor.ts';

/**
 * Opens a graph: checks the resolvers and migrates the store (additions only). It starts no background work.
 *
 * @throws ProductError GRAPH_RESOLVER_MISSING, GRAPH_MIGRATION_REFUSED
 */
export async function createGraph(options: GraphOptions): Promise<Graph> {
  checkResolvers(options.model, options.resolvers ?? {});
  const { optional } =
    options.migrates === false ? { optional: [] } : await applyMigration(options.model, options.store);
  if (optional.length > 0) {
    const names = optional.map((step) => step.name).join(', ');
    (options.log ?? silentLog).write(
      'info',
      `The database holds what the schema does not know. It is left as it is; steps of "lockstitch plan" that would drop it: ${names}.`,
    );
  }
  return new StoredGraph({ ...options, model: await adoptColumns(options.model, options.store) });
}

class StoredGraph implements Graph {
  readonly model: Model;
  readonly store: Store;
  readonly feed: Feed;
  readonly sequencer: Sequencer | undefined;
  readonly limits: Limits;
  readonly #options: GraphOptions;
  readonly #resolvers: Resolvers;
  readonly #responder: Responder;
  readonly #executor: Executor;
  readonly #dialect: Dialect;
  readonly #independent = new WeakMap<PreparedOperation, boolean>();
  readonly #documents: Documents;
  /** For traces. */
  #inputNames: ReadonlySet<string> | undefined;
  readonly #writer: Writer;
  readonly #policies: ReadPolicies;

  readonly subscribe: Graph['subscribe'];
  readonly handleHttp: Graph['handleHttp'];
  readonly resolveRequest: Graph['resolveRequest'];
  readonly importRows: Graph['importRows'];

  constructor(options: GraphOptions) {
    this.#options = options;
    this.model = options.model;
    this.store = options.tracing === undefined ? options.store : traceStore(options.store, options.tracing);
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#resolvers = options.resolvers ?? {};
    this.#responder = new Responder(this.limits, options.log ?? silentLog, options.onError);
    this.#dialect = dialectOf(options.model, options.store);
    this.#documents = new Documents(options.model.schema, this.limits);
    this.#executor = new Executor({
      model: this.model,
      store: this.store,
      replica: options.replica === undefined ? undefined : new ReplicaReads(options.replica),
      dialect: this.#dialect,
      limits: this.limits,
      clock: options.clock ?? systemClock,
      documents: this.#documents,
      resolvers: this.#resolvers,
      responder: this.#responder,
      fullText: options.fullText,
    });
    this.feed = createFeed(options.store, options.clock ?? systemClock);
    const { model, store, clock = systemClock, log = silentLog } = options;
    this.sequencer = createSequencer({ model, store, clock, log });
    this.#policies = new ReadPolicies(options.model);
    this.#writer = this.#createWriter(this.store);
    this.importRows = createImporter({
      model: options.model,
      store: this.store,
      clock: options.clock ?? systemClock,
    });
    this.subscribe = createSubscriptions(this);
    const persisted = createPersistedOperations(options.persisted ?? {});
    this.resolveRequest = persisted.resolve;
    const { eventStreams } = options;
    this.handleHttp = createHttpHandler(this, { ...options.persisted, eventStreams }, persisted);
  }

  #createWriter(store: Store): Writer {
    const { model, clock = systemClock } = this.#options;
    return createWriter({ model, store, clock, limits: this.limits, policies: this.#policies });
  }

  operationKind(request: GraphRequest, context: GraphContext = {}): 'query' | 'mutation' | 'subscription' | undefined {
    const { hideSuggestions } = this.#stateOf(context);
    const prepared = this.#documents.get(request.query, hideSuggestions);
    return prepared.kind === 'document' ? findOperation(prepared, request.operationName)?.node.operation : undefined;
  }

  isCallerIndependent(request: GraphRequest, context: GraphContext = {}): boolean {
    const prepared = this.#documents.get(request.query, this.#stateOf(context).hideSuggestions);
    const operation = prepared.kind === 'document' ? findOperation(prepared, request.operationName) : undefined;
    if (prepared.kind !== 'document' || operation === undefined || asksToExplain(request)) return false;
    let found = this.#independent.get(operation);
    if (found === undefined) {
      found = isCallerIndependent(this.model, operation.node, prepared.fragments);
      this.#independent.set(operation, found);
    }
    return found;
  }

  execute(request: GraphRequest, context: GraphContext = {}): MaybePromise<GraphResponse> {
    const { tracing } = this.#options;
    const explains = asksToExplain(request);
    if (tracing === undefined && !explains) return this.#executor.execute(request, this.#stateOf(context));
    if (tracing === undefined) return this.#explain(request, context);
    this.#inputNames ??= inputNamesOf(this.model.schema);
    return traceOperation(tracing, request.query, this.#inputNames, (observer) =>
      explains
        ? this.#explain(request, context)
        : this.#executor.execute(request, { ...this.#stateOf(context), observer }),
    );
  }

  /** Executes with an explanation, for callers who may request one. */
  #explain(request: GraphRequest, context: GraphContext): MaybePromise<GraphResponse> {
    const state = this.#stateOf(context);
    const { explain = false } = this.#options;
    if (!(typeof explain === 'function' ? explain(state.principal) : explain))
      return this.#responder.failed(graphErrors.create('GRAPH_EXPLAIN_FORBIDDEN'));
    const observer = new Explanation();
    const store = observeStore(this.store, observer);
    const answer = this.#executor.execute(request, { ...state, observer, store, writer: this.#createWriter(store) });
    const tell = (settled: GraphResponse): Promise<GraphResponse> =>
      observer.tell(settled, this.store, this.#costOf(request, state));
    return answer instanceof Promise ? answer.then(tell) : tell(answer);
  }

  #costOf(request: GraphRequest, { hideSuggestions }: RequestState): number | undefined {
    const prepared = this.#documents.get(request.query, hideSuggestions);
    const operation = prepared.kind === 'document' ? findOperation(prepared, request.operationName) : undefined;
    if (prepared.kind !== 'document' || operation === undefined) return undefined;
    return estimateCost(this.model.schema, operation.node, prepared.fragments, this.limits, request.variables ?? {});
  }

  subscription(request: GraphRequest, context: GraphContext = {}): PreparedSubscription | GraphResponse {
    try {
      const state = this.#stateOf(context);
      const prepared = this.#documents.get(request.query, state.hideSuggestions);
      if (prepared.kind === 'refused') return this.#responder.refused(prepared);
      const operation = findOperation(prepared, request.operationName);
      if (operation?.node.operation !== OperationTypeNode.SUBSCRIPTION)
        throw graphErrors.create('GRAPH_REQUEST_INVALID', { message: 'The request asks for no subscription.' });
      this.#executor.checkRequest(prepared, operation, request);
      const { model } = this;
      const coerced = this.#executor.variablesOf(prepared, operation, request, state);
      if ('errors' in coerced) return this.#responder.refuseVariables(coerced.errors);
      const outline = outlineSubscription(model, operation.node, prepared.fragments, coerced.variables);
      // Several subscribers may share a response, so it does not end when one of them leaves.
      const lasting = { ...state, context: { ...context, signal: undefined } };
      return {
        ...outline,
        alike: this.#alike(request, state),
        hidesKeys: (type) => !isKeyOpen(state.view, entityOf(model, type)),
        matches: (key) =>
          matchesKey(
            {
              model,
              dialect: this.#dialect,
              limits: this.limits,
              clock: this.#options.clock ?? systemClock,
              view: state.view,
              store: this.store,
            },
            outline,
            key,
          ),
        respond: (key, values) => {
          const rootValue = new ChangedObject('entity' in outline.binding ? outline.binding.entity : '', key, values);
          return this.#executor.complete(prepared, request, lasting, { rootValue });
        },
      };
    } catch (error) {
      return this.#responder.failed(error);
    }
  }

  #alike(request: GraphRequest, { principal, context, hideSuggestions }: RequestState): string | undefined {
    // Resolvers may use anything in the context.
    const rights =
      Object.keys(this.#resolvers).length === 0
        ? this.#policies.signatureOf(principal)
        : `${identityOf(principal)} ${identityOf(context.services)}`;
    if (rights === undefined) return undefined;
    const parts = [request.query, request.operationName, request.variables, hideSuggestions, rights];
    // Kept small: each subscriber holds one.
    return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
  }

  loadDocuments(type: string, range: DocumentRange): Promise<readonly LoadedDocument[]> {
    return loadDocuments({ model: this.model, store: this.store, dialect: this.#dialect }, this.#entity(type), range);
  }

  loadRows(
    type: string,
    range: RowRange,
    isIncluded: (field: RelationField) => boolean = () => true,
  ): Promise<readonly LoadedRow[]> {
    const context = { model: this.model, store: this.store, dialect: this.#dialect };
    return loadRows(context, this.#entity(type), range, isIncluded);
  }

  readableKeys(
    type: string,
    principal: Principal,
    { keys, ...options }: ReadableOptions & { readonly keys?: readonly string[] } = {},
  ): Promise<readonly string[]> {
    const context = { model: this.model, store: this.store, dialect: this.#dialect, policies: this.#policies };
    return readableKeys(context, this.#entity(type), keys, principal, options);
  }

  explainRead(type: string, key: string, principal: Principal): Promise<ReadExplanation> {
    const context = { model: this.model, store: this.store, dialect: this.#dialect };
    return explainRead(context, this.#entity(type), key, principal);
  }

  countDocuments(type: string): Promise<number> {
    return countDocuments(this.store, this.#entity(type), this.#dialect);
  }

  #entity(name: string): Entity {
    const entity = this.model.entities.get(name);
    if (entity === undefined) throw new Error(`${name} is not a stored type.`);
    return entity;
  }

  #stateOf(context: GraphContext): RequestState {
    const principal = context.principal ?? ANONYMOUS;
    const { introspection } = this.#options;
    const allowed = typeof introspection === 'function' ? introspection(principal) : introspection !== false;
    return {
      principal,
      context,
      hideSuggestions: !allowed,
      view: this.#policies.viewOf(principal),
      store: this.store,
      stop: undefined,
      writer: this.#writer,
      observer: undefined,
    };
  }
}
