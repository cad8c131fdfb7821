// The graph: a model over a store, ready to execute operations. It decides who answers (one statement, or graphql-js) and
// turns every outcome into the text of a response.
import { createHash } from 'node:crypto';
import { ANONYMOUS, silentLog, systemClock, type Principal } from '@lockstitch/kernel';
import {
  getVariableValues,
  OperationTypeNode,
  type ExecutionResult,
  type GraphQLError,
  type OperationDefinitionNode,
  type VariableValues,
} from 'graphql';
import { graphErrors } from '../errors.ts';
import { createFeed, type Feed } from '../feed/feed.ts';
import { applyMigration } from '../migrate/apply-migration.ts';
import { createHttpHandler } from '../http/graphql-http.ts';
import { createPersistedOperations } from '../http/persisted-operations.ts';
import { buildMutationPlan } from '../plan/build-mutation-plan.ts';
import { buildPlan, type Plan, type PlanRequest, readParameters } from '../plan/build-plan.ts';
import { checkCost, estimateCost } from '../plan/cost.ts';
import { NotCompilable } from '../plan/environment.ts';
import { checkVariableNesting } from '../plan/nesting.ts';
import { ReadPolicies, type CallerView } from '../plan/policy.ts';
import { DEFAULT_LIMITS, type Limits } from '../plan/limits.ts';
import type { Entity, Model } from '../schema/model.ts';
import { checkResolvers, type Resolvers } from '../schema/resolvers.ts';
import type { Dialect } from '../sql/dialect.ts';
import { postgresDialect } from '../sql/dialect-postgres.ts';
import { sqliteDialect } from '../sql/dialect-sqlite.ts';
import { VIOLATION } from '../sql/sql.ts';
import type { MaybePromise, SqlValue, Statement, Store } from '../store/store.ts';
import { matchesKey, outlineSubscription } from './subscription.ts';
import { createSubscriptions } from '../subscribe/subscriptions.ts';
import { createImporter } from '../write/import-rows.ts';
import { createWriter, type Writer } from '../write/writer.ts';
import { readAnswer } from './answer-size.ts';
import {
  Documents,
  findOperation,
  locatedDefinitions,
  type PreparedDocument,
  type PreparedOperation,
} from './documents.ts';
import { explainRead, type ReadExplanation } from './explain-read.ts';
import { identityOf } from './identity.ts';
import { readableKeys } from './readable-keys.ts';
import { refuseVariables, Responder } from './respond.ts';
import { countDocuments, loadDocuments, type DocumentRange, type LoadedDocument } from './load-documents.ts';
import { ChangedObject } from './prefetched.ts';
import type { GraphContext, GraphRequest, GraphResponse, PreparedSubscription } from './contracts.ts';
import type { Graph, GraphOptions } from './graph.ts';
import { asksToExplain, Explanation } from './explain.ts';
import { inPhase, type Observer, observeStore } from './observe.ts';
import { traceOperation, traceStore } from './tracing.ts';
import { type OperationStop, startStop, storeUntil } from './stop.ts';
import type { ReaderContext } from './reader.ts';
import { runFallback } from './run-fallback.ts';
import {
  attemptMutation,
  documentOf,
  prepareCalls,
  type PreparedCall,
  respondWritten,
  runMutation,
  type Written,
} from './run-mutation.ts';

/**
 * Opens a graph: checks the resolvers, brings the store to the model (additions only), and starts nothing.
 *
 * @throws ProductError GRAPH_RESOLVER_MISSING, GRAPH_MIGRATION_REFUSED
 */
export async function createGraph(options: GraphOptions): Promise<Graph> {
  checkResolvers(options.model, options.resolvers ?? {});
  await applyMigration(options.model, options.store);
  return new StoredGraph(options);
}

interface RequestState {
  readonly principal: Principal;
  readonly context: GraphContext;
  readonly hideSuggestions: boolean;
  readonly view: CallerView;
  /** Where the operation reads and writes; see storeUntil. */
  readonly store: Store;
  /** Ends the work early. A query on SQLite has none: nothing can reach it before it is done. */
  readonly stop: OperationStop | undefined;
  readonly writer: Writer;
  /** Watches the operation; undefined as a rule. */
  readonly observer: Observer | undefined;
}

/** What graphql-js goes on from. */
interface Completion {
  readonly rootValue?: unknown;
  readonly written?: Written;
  readonly operation?: OperationDefinitionNode;
}

class StoredGraph implements Graph {
  readonly model: Model;
  readonly store: Store;
  readonly feed: Feed;
  readonly limits: Limits;
  readonly #options: GraphOptions;
  readonly #resolvers: Resolvers;
  readonly #responder: Responder;
  readonly #dialect: Dialect;
  readonly #documents: Documents;
  readonly #statements = new WeakMap<Plan, Statement>();
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
    this.#responder = new Responder(this.limits, options.log ?? silentLog);
    this.#dialect = options.store.dialect === 'sqlite' ? sqliteDialect : postgresDialect;
    this.#documents = new Documents(options.model.schema, this.limits);
    this.feed = createFeed(options.store, options.clock ?? systemClock);
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
    this.handleHttp = createHttpHandler(this, options.persisted, persisted);
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

  execute(request: GraphRequest, context: GraphContext = {}): MaybePromise<GraphResponse> {
    const { tracing } = this.#options;
    const explains = asksToExplain(request);
    if (tracing === undefined && !explains) return this.#execute(request, this.#stateOf(context));
    if (tracing === undefined) return this.#explain(request, context);
    return traceOperation(tracing, request.query, (observer) =>
      explains ? this.#explain(request, context) : this.#execute(request, { ...this.#stateOf(context), observer }),
    );
  }

  /** The same, watched, for those who may know. */
  #explain(request: GraphRequest, context: GraphContext): MaybePromise<GraphResponse> {
    const state = this.#stateOf(context);
    const { explain = false } = this.#options;
    if (!(typeof explain === 'function' ? explain(state.principal) : explain))
      return this.#responder.failed(graphErrors.create('GRAPH_EXPLAIN_FORBIDDEN'));
    const observer = new Explanation();
    const store = observeStore(this.store, observer);
    const answer = this.#execute(request, { ...state, observer, store, writer: this.#createWriter(store) });
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

  #execute(request: GraphRequest, state: RequestState): MaybePromise<GraphResponse> {
    const { observer } = state;
    try {
      const prepared = this.#documents.get(request.query, state.hideSuggestions, observer);
      if (prepared.kind === 'refused') return { body: prepared.body, executed: false };
      if (prepared.introspects && state.hideSuggestions) throw graphErrors.create('GRAPH_INTROSPECTION_OFF');
      const operation = findOperation(prepared, request.operationName);
      if (operation === undefined) return this.#fallback(prepared, request, state);
      observer?.operation(operation.node.operation, operation.node.name?.value);
      this.#checkRequest(prepared, operation, request);
      if (operation.node.operation === OperationTypeNode.SUBSCRIPTION)
        throw graphErrors.create('GRAPH_SUBSCRIPTION_BY_REQUEST');
      // Its promises do not reject: each takes care of its own errors.
      if (operation.node.operation === OperationTypeNode.MUTATION)
        return this.#mutation(prepared, operation, request, state);
      const answer =
        this.store.dialect === 'sqlite'
          ? this.#query(prepared, operation, request, state)
          : this.#bounded(state, (bounded) => this.#query(prepared, operation, request, bounded));
      return answer instanceof Promise ? answer.catch((error: unknown) => this.#responder.failed(error)) : answer;
    } catch (error) {
      return this.#responder.failed(error);
    }
  }

  subscription(request: GraphRequest, context: GraphContext = {}): PreparedSubscription | GraphResponse {
    try {
      const state = this.#stateOf(context);
      const prepared = this.#documents.get(request.query, state.hideSuggestions);
      if (prepared.kind === 'refused') return { body: prepared.body, executed: false };
      const operation = findOperation(prepared, request.operationName);
      if (operation?.node.operation !== OperationTypeNode.SUBSCRIPTION) {
        throw graphErrors.create('GRAPH_REQUEST_INVALID', { message: 'The request asks for no subscription.' });
      }
      this.#checkRequest(prepared, operation, request);
      const { model } = this;
      const coerced = this.#variablesOf(prepared, operation, request, state);
      if ('errors' in coerced) return refuseVariables(coerced.errors);
      const outline = outlineSubscription(model, operation.node, prepared.fragments, coerced.variables);
      // An answer may be given to several subscribers: it does not end because one of them leaves.
      const lasting = { ...state, context: { ...context, signal: undefined } };
      const answer = (rootValue: unknown): MaybePromise<GraphResponse> =>
        this.#fallback(prepared, request, lasting, { rootValue });
      return {
        ...outline,
        alike: this.#alike(request, state),
        restricts: (type) => state.view.restricts(type),
        matches: (key) =>
          matchesKey(
            { model, dialect: this.#dialect, limits: this.limits, view: state.view, store: this.store },
            outline,
            key,
          ),
        respond: (key, values) =>
          answer(new ChangedObject('entity' in outline.binding ? outline.binding.entity : '', key, values)),
        respondWith: (value) => answer({ [outline.field]: value }),
      };
    } catch (error) {
      return this.#responder.failed(error);
    }
  }

  #alike(request: GraphRequest, { principal, context, hideSuggestions }: RequestState): string | undefined {
    // Resolvers may look at anything the context holds.
    const rights =
      Object.keys(this.#resolvers).length === 0
        ? this.#policies.signatureOf(principal)
        : `${identityOf(principal)} ${identityOf(context.services)}`;
    if (rights === undefined) return undefined;
    const parts = [request.query, request.operationName, request.variables, hideSuggestions, rights];
    // As short as can be: each subscriber keeps one.
    return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
  }

  /** Refuses what the variables make too much of. */
  #checkRequest(prepared: PreparedDocument, operation: PreparedOperation, request: GraphRequest): void {
    const { limits } = this;
    if (request.variables !== undefined) checkVariableNesting(request.variables, limits);
    if (!operation.costly) return;
    const { fragments } = prepared;
    checkCost(estimateCost(this.model.schema, operation.node, fragments, limits, request.variables ?? {}), limits);
  }

  loadDocuments(type: string, range: DocumentRange): Promise<readonly LoadedDocument[]> {
    return loadDocuments({ model: this.model, store: this.store, dialect: this.#dialect }, this.#entity(type), range);
  }

  readableKeys(
    type: string,
    principal: Principal,
    { keys, field }: { readonly keys?: readonly string[]; readonly field?: string } = {},
  ): Promise<readonly string[]> {
    const context = { model: this.model, store: this.store, dialect: this.#dialect, policies: this.#policies };
    return readableKeys(context, this.#entity(type), keys, principal, field);
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

  /** Runs work that ends when its time is over or its caller gone. */
  #bounded(
    state: RequestState,
    run: (state: RequestState & { readonly stop: OperationStop }) => MaybePromise<GraphResponse>,
  ): MaybePromise<GraphResponse> {
    const { stop: known } = state;
    if (known !== undefined) return run({ ...state, stop: known });
    const stop = startStop(state.context, this.limits.time);
    const failed = (error: unknown): GraphResponse => {
      stop.settle();
      return this.#responder.failed(error);
    };
    try {
      const answer = run({ ...state, stop });
      if (answer instanceof Promise)
        return stop.guard(answer).then((response) => {
          stop.settle();
          return response;
        }, failed);
      stop.settle();
      return answer;
    } catch (error) {
      return failed(error);
    }
  }

  /** A query: by its plan where it has one. */
  #query(
    prepared: PreparedDocument,
    operation: PreparedOperation,
    request: GraphRequest,
    state: RequestState,
  ): MaybePromise<GraphResponse> {
    const coerced = this.#variablesOf(prepared, operation, request, state);
    if ('errors' in coerced) return refuseVariables(coerced.errors);
    const { variables } = coerced;
    const key = operation.shapeKey(variables) + state.view.key;
    let plan = operation.plans.get(key);
    let values: SqlValue[];
    try {
      if (plan === undefined) {
        plan = inPhase(state.observer, 'compile', () =>
          this.#plan(buildPlan, prepared, operation, variables, state.view),
        );
        operation.plans.set(key, plan);
      }
      if (plan === 'fallback' || !('sql' in plan)) return this.#fallback(prepared, request, state);
      values = readParameters(plan, variables, state.view.value);
    } catch {
      // Arguments were refused: graphql-js reports which field and leaves the others standing.
      return this.#fallback(prepared, request, state);
    }
    const { mayViolate, normalize } = plan;
    const finish = (text: string | null): MaybePromise<GraphResponse> => {
      if (text === null || (mayViolate && text.includes(VIOLATION))) return this.#fallback(prepared, request, state);
      return { body: normalize ? JSON.stringify(JSON.parse(text)) : text, executed: true };
    };
    const { observer, stop } = state;
    observer?.answeredBy('statement');
    const statement = this.#statementOf(plan, state);
    const text = inPhase(observer, 'execute', () => readAnswer(statement, values, this.limits, 0, stop));
    return text instanceof Promise ? text.then(finish) : finish(text);
  }

  /** A mutation: written and read back field by field; graphql-js completes whatever is not plain from there on. */
  #mutation(
    prepared: PreparedDocument,
    operation: PreparedOperation,
    request: GraphRequest,
    state: RequestState,
  ): MaybePromise<GraphResponse> {
    const { principal, view, context, observer, writer } = state;
    if (context.signal?.aborted === true) throw graphErrors.create('GRAPH_CANCELLED');
    const coerced = this.#variablesOf(prepared, operation, request, state);
    if ('errors' in coerced) return refuseVariables(coerced.errors);
    const { variables } = coerced;
    const key = operation.shapeKey(variables) + view.key;
    let calls: readonly PreparedCall[];
    try {
      let plan = operation.plans.get(key);
      if (plan === undefined) {
        plan = inPhase(state.observer, 'compile', () =>
          this.#plan(buildMutationPlan, prepared, operation, variables, view),
        );
        operation.plans.set(key, plan);
      }
      if (plan === 'fallback' || 'sql' in plan) return this.#fallback(prepared, request, state);
      calls = prepareCalls(plan, variables, view.value);
      observer?.answeredBy('statement');
      const attempted = inPhase(observer, 'execute', () =>
        attemptMutation(
          { calls, principal, writer, limits: this.limits },
          () => this.#mutateInSteps(prepared, operation, request, state, { calls, variables }),
          (written) => this.#respondWritten(written, prepared, operation, request, state),
        ),
      );
      if (attempted !== undefined) return attempted;
    } catch {
      // Arguments were refused before anything was written: graphql-js reports which field and leaves the others standing.
      return this.#fallback(prepared, request, state);
    }
    return this.#mutateInSteps(prepared, operation, request, state, { calls, variables });
  }

  #mutateInSteps(
    prepared: PreparedDocument,
    operation: PreparedOperation,
    request: GraphRequest,
    state: RequestState,
    { calls, variables }: { readonly calls: readonly PreparedCall[]; readonly variables: VariableValues | undefined },
  ): MaybePromise<GraphResponse> {
    const { principal, view, observer, writer } = state;
    const { fragments } = prepared;
    return this.#bounded(state, (bounded) => {
      const { stop } = bounded;
      const store = storeUntil(bounded.store, stop);
      const reader: ReaderContext = {
        model: this.model,
        dialect: this.#dialect,
        limits: this.limits,
        view,
        policy: view.value,
        session: store,
      };
      const work = { calls, variables, fragments, principal, writer, reader, stop, store };
      return inPhase(observer, 'execute', () => runMutation(work)).then((written) =>
        this.#respondWritten(written, prepared, operation, request, bounded),
      );
    });
  }

  #respondWritten(
    written: Written,
    prepared: PreparedDocument,
    operation: PreparedOperation,
    request: GraphRequest,
    state: RequestState,
  ): MaybePromise<GraphResponse> {
    return written.rest === undefined
      ? respondWritten(written)
      : this.#fallback(prepared, request, state, { written, operation: operation.node });
  }

  #variablesOf(
    prepared: PreparedDocument,
    operation: PreparedOperation,
    request: GraphRequest,
    state: RequestState,
  ): { readonly errors: readonly GraphQLError[] } | { readonly variables: VariableValues | undefined } {
    const definitions = operation.node.variableDefinitions;
    if (definitions === undefined || definitions.length === 0) return { variables: undefined };
    const given = request.variables ?? {};
    const variables = operation.readVariables(given);
    if (variables !== undefined) return { variables };
    const coerced = getVariableValues(this.model.schema, locatedDefinitions(prepared, operation), given, {
      maxErrors: 50,
      hideSuggestions: state.hideSuggestions,
    });
    return coerced.errors === undefined ? { variables: coerced.variableValues } : { errors: coerced.errors };
  }

  #plan<Made>(
    build: (request: PlanRequest) => Made,
    prepared: PreparedDocument,
    operation: PreparedOperation,
    variables: VariableValues | undefined,
    view: CallerView,
  ): Made | 'fallback' {
    try {
      return build({
        model: this.model,
        dialect: this.#dialect,
        limits: this.limits,
        view,
        fragments: prepared.fragments,
        operation: operation.node,
        variables,
      });
    } catch (error) {
      if (error instanceof NotCompilable) return 'fallback';
      throw error;
    }
  }

  #statementOf(plan: Plan, { store }: RequestState): Statement {
    if (store !== this.store) return store.prepare(plan.sql);
    let statement = this.#statements.get(plan);
    if (statement === undefined) {
      statement = this.store.prepare(plan.sql);
      this.#statements.set(plan, statement);
    }
    return statement;
  }

  #fallback(
    prepared: PreparedDocument,
    request: GraphRequest,
    state: RequestState,
    from: Completion = {},
  ): MaybePromise<GraphResponse> {
    return this.#bounded(state, (bounded) => this.#complete(prepared, request, bounded, from));
  }

  #complete(
    prepared: PreparedDocument,
    request: GraphRequest,
    state: RequestState & { readonly stop: OperationStop },
    from: Completion,
  ): MaybePromise<GraphResponse> {
    const { context, principal, hideSuggestions, stop, observer, writer } = state;
    const store = storeUntil(state.store, stop);
    observer?.answeredBy('graphql-js');
    const { rootValue, written: before, operation } = from;
    const rest = before?.rest;
    let position = before?.position ?? 0;
    const run = (): ExecutionResult | Promise<ExecutionResult> =>
      runFallback({
        model: this.model,
        dialect: this.#dialect,
        limits: this.limits,
        view: state.view,
        policy: (part) => state.view.value(part),
        session: store,
        store,
        document:
          rest === undefined || operation === undefined
            ? prepared.located()
            : documentOf(operation, rest.nodes, prepared.fragments),
        operationName: request.operationName ?? undefined,
        variables: request.variables ?? undefined,
        resolvers: this.#resolvers,
        writer,
        principal,
        fullText: this.#options.fullText,
        signal: stop.signal,
        services: context.services,
        hideSuggestions,
        rootValue,
        done: rest?.done,
        onWrite: (written) => (position = Math.max(position, written)),
      });
    try {
      const result = inPhase(observer, 'execute', run);
      if (!(result instanceof Promise)) return this.#responder.respond(result, position, before);
      return result.then(
        (settled) => this.#responder.respond(settled, position, before),
        (error: unknown) => this.#responder.failed(error),
      );
    } catch (error) {
      return this.#responder.failed(error);
    }
  }
}
