// Executes an operation: a query as one statement, a mutation as one per field, or by graphql-js, from the start or
// from the point where statements do not suffice. Every outcome becomes a response. Not here: the caller
// (create-graph.ts), planning (plan/) and writing (write/).
import type { Clock, Principal } from '@lockstitch/kernel';
import {
  getVariableValues,
  OperationTypeNode,
  type ExecutionResult,
  type GraphQLError,
  type OperationDefinitionNode,
  type VariableValues,
} from 'graphql';
import { graphErrors } from '../errors.ts';
import { buildMutationPlan, type MutationPlan } from '../plan/build-mutation-plan.ts';
import { buildPlan, type Plan, type PlanRequest, readParameters } from '../plan/build-plan.ts';
import { type VerifiedColumns } from '../plan/response-check.ts';
import { checkCost, estimateCost } from '../plan/cost.ts';
import { NotCompilable } from '../plan/environment.ts';
import { checkVariableNesting } from '../plan/nesting.ts';
import type { CallerView } from '../plan/policy.ts';
import type { Limits } from '../plan/limits.ts';
import type { Model } from '../schema/model.ts';
import type { Resolvers } from '../schema/resolvers.ts';
import type { Dialect } from '../sql/dialect.ts';
import { VIOLATION } from '../sql/sql.ts';
import type { MaybePromise, SqlValue, Statement, Store } from '../store/store.ts';
import type { Writer } from '../write/writer.ts';
import { readAnswer, readWholeAnswer } from './response-size.ts';
import { createVerifiedColumns } from './verified-columns.ts';
import {
  type CachedPlan,
  type Documents,
  findOperation,
  locatedDefinitions,
  type PreparedDocument,
  type PreparedOperation,
} from './documents.ts';
import type { Responder } from './respond.ts';
import type { GraphContext, GraphRequest, GraphResponse } from './contracts.ts';
import { requestErrorAt } from './format-error.ts';
import { inPhase, type Observer } from './observe.ts';
import { type OperationDeadline, startDeadline, storeUntil } from './operation-deadline.ts';
import type { ReaderContext } from './reader.ts';
import type { ReplicaReads } from './replica-reads.ts';
import { runFallback } from './run-fallback.ts';
import {
  attemptMutation,
  documentOf,
  prepareCalls,
  type PreparedCall,
  respondWritten,
  runMutation,
  runTransaction,
  type Written,
} from './run-mutation.ts';
import type { FullText } from './full-text.ts';

/** What the executor works with. */
export interface ExecutorParts {
  readonly model: Model;
  readonly store: Store;
  readonly replica: ReplicaReads | undefined;
  readonly dialect: Dialect;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly documents: Documents;
  readonly resolvers: Resolvers;
  readonly responder: Responder;
  readonly fullText: FullText | undefined;
}

/** One request: its caller, stores and deadline. */
export interface RequestState {
  readonly principal: Principal;
  readonly context: GraphContext;
  readonly hideSuggestions: boolean;
  readonly view: CallerView;
  /** The store for this operation; see storeUntil. */
  readonly store: Store;
  /** Aborts the work. Undefined for a query on SQLite: it is synchronous, so nothing can interrupt it. */
  readonly stop: OperationDeadline | undefined;
  readonly writer: Writer;
  /** Observes the operation; usually undefined. */
  readonly observer: Observer | undefined;
}

/** Where graphql-js continues. */
interface Completion {
  readonly rootValue?: unknown;
  readonly written?: Written;
  readonly operation?: OperationDefinitionNode;
}

function isTransaction({ node }: PreparedOperation): boolean {
  return node.directives?.some(({ name }) => name.value === 'transaction') ?? false;
}

/** Why a mutation is no transaction: the reason for which its plan cannot be built. */
function noTransaction(build: () => unknown): GraphQLError {
  try {
    build();
  } catch (error) {
    if (!(error instanceof NotCompilable)) throw error;
    return requestErrorAt(graphErrors.create('GRAPH_TRANSACTION_IMPOSSIBLE', { reason: error.message }), error.nodes);
  }
  throw new Error('The plan of a mutation was built that is none.');
}

/** Executes operations. */
export class Executor {
  readonly #parts: ExecutorParts;
  readonly #statements = new WeakMap<Plan, Statement>();

  readonly #trust: VerifiedColumns | undefined;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
    this.#trust = parts.store.dialect === 'sqlite' ? createVerifiedColumns(parts.store, parts.dialect) : undefined;
  }

  /** Executes one operation. Never throws for a client's mistake. */
  execute(request: GraphRequest, state: RequestState): MaybePromise<GraphResponse> {
    const { observer } = state;
    try {
      const prepared = this.#parts.documents.get(request.query, state.hideSuggestions, observer);
      if (prepared.kind === 'refused') return this.#parts.responder.refused(prepared);
      if (prepared.introspects && state.hideSuggestions) throw graphErrors.create('GRAPH_INTROSPECTION_OFF');
      const operation = findOperation(prepared, request.operationName);
      if (operation === undefined) return this.complete(prepared, request, state);
      observer?.operation(operation.node.operation, operation.node.name?.value);
      this.checkRequest(prepared, operation, request);
      if (operation.node.operation === OperationTypeNode.SUBSCRIPTION)
        throw graphErrors.create('GRAPH_SUBSCRIPTION_BY_REQUEST');
      // These promises never reject: each handles its own errors.
      if (operation.node.operation === OperationTypeNode.MUTATION)
        return this.#mutation(prepared, operation, request, state);
      if (this.#parts.store.dialect === 'postgres')
        return this.#bounded(state, (bounded) => this.#query(prepared, operation, request, bounded));
      const answer = this.#query(prepared, operation, request, state);
      return answer instanceof Promise ? answer.catch((error: unknown) => this.#parts.responder.failed(error)) : answer;
    } catch (error) {
      return this.#parts.responder.failed(error);
    }
  }

  /** Rejects an operation that the variables make too costly. */
  checkRequest(prepared: PreparedDocument, operation: PreparedOperation, request: GraphRequest): void {
    const { limits } = this.#parts;
    if (request.variables !== undefined) checkVariableNesting(request.variables, limits);
    if (!operation.costly) return;
    const { fragments } = prepared;
    checkCost(
      estimateCost(this.#parts.model.schema, operation.node, fragments, limits, request.variables ?? {}),
      limits,
    );
  }

  /** Runs work that ends at the deadline or when the caller disconnects. */
  #bounded(
    state: RequestState,
    run: (state: RequestState & { readonly stop: OperationDeadline }) => MaybePromise<GraphResponse>,
  ): MaybePromise<GraphResponse> {
    const { stop: known } = state;
    if (known !== undefined) return run({ ...state, stop: known });
    const stop = startDeadline(state.context, this.#parts.limits.time);
    const failed = (error: unknown): GraphResponse => {
      stop.settle();
      return this.#parts.responder.failed(error);
    };
    try {
      const answer = run({ ...state, stop });
      if (answer instanceof Promise) return stop.guard(answer, failed);
      stop.settle();
      return answer;
    } catch (error) {
      return failed(error);
    }
  }

  /** Executes a query by its plan, if it has one. */
  #query(
    prepared: PreparedDocument,
    operation: PreparedOperation,
    request: GraphRequest,
    state: RequestState,
  ): MaybePromise<GraphResponse> {
    const coerced = this.variablesOf(prepared, operation, request, state);
    if ('errors' in coerced) return this.#parts.responder.refuseVariables(coerced.errors);
    const { variables } = coerced;
    const key = operation.shapeKey(variables) + state.view.key;
    let plan: CachedPlan;
    let values: SqlValue[];
    try {
      plan = operation.plans.get(key) ?? this.#compile(key, buildPlan, prepared, operation, variables, state);
      if (plan === 'fallback' || !('sql' in plan)) return this.complete(prepared, request, state);
      values = readParameters(plan, variables, state.view.value);
    } catch {
      // Invalid arguments: graphql-js reports the field and resolves the others.
      return this.complete(prepared, request, state);
    }
    const { checks, mayViolate, printReals } = plan;
    const finish = (text: string | Buffer | null): MaybePromise<GraphResponse> => {
      if (text === null || (mayViolate && text.includes(VIOLATION)) || !checks.pass(text, this.#trust))
        return this.complete(prepared, request, state);
      if (typeof text !== 'string') return new BytesResponse(text);
      const body = printReals === undefined ? text : printReals(text);
      return { body, executed: true, isRuleFree: !plan.asksRules };
    };
    const { observer, stop } = state;
    observer?.answeredBy('statement');
    const isUnread = state.context.takesBytes === true && printReals === undefined;
    const read = (statement: Statement): MaybePromise<string | Buffer | null> =>
      isUnread
        ? readWholeAnswer(statement, values, this.#parts.limits, stop)
        : readAnswer(statement, values, this.#parts.limits, 0, stop);
    const text = inPhase(observer, 'execute', () => {
      const ofStore = (): MaybePromise<string | Buffer | null> => read(this.#statementOf(plan, state));
      // Explanations read from a store of their own.
      const replica = state.store === this.#parts.store ? this.#parts.replica : undefined;
      if (replica === undefined) return ofStore();
      return replica.read(plan, { minPosition: state.context.minPosition ?? 0, read, ofStore });
    });
    return text instanceof Promise ? text.then(finish) : finish(text);
  }

  /**
   * Executes a mutation, writing and reading back field by field; graphql-js completes the rest from the first field
   * that is not plain.
   */
  #mutation(
    prepared: PreparedDocument,
    operation: PreparedOperation,
    request: GraphRequest,
    state: RequestState,
  ): MaybePromise<GraphResponse> {
    const { principal, view, context, observer, writer } = state;
    if (context.signal?.aborted === true) throw graphErrors.create('GRAPH_CANCELLED');
    const coerced = this.variablesOf(prepared, operation, request, state);
    if ('errors' in coerced) return this.#parts.responder.refuseVariables(coerced.errors);
    const { variables } = coerced;
    const key = operation.shapeKey(variables) + view.key;
    let calls: readonly PreparedCall[];
    try {
      const plan =
        operation.plans.get(key) ?? this.#compile(key, buildMutationPlan, prepared, operation, variables, state);
      if (plan === 'fallback' || 'sql' in plan) {
        if (isTransaction(operation))
          return this.#parts.responder.failed(
            noTransaction(() => this.#build(buildMutationPlan, prepared, operation, variables, state)),
          );
        return this.complete(prepared, request, state);
      }
      calls = prepareCalls(plan, variables, view.value);
      observer?.answeredBy('statement');
      const attempted = inPhase(observer, 'execute', () =>
        attemptMutation(
          { calls, principal, writer, limits: this.#parts.limits },
          () => this.#mutateInSteps(prepared, operation, request, state, { calls, variables }),
          (written) => this.#respondWritten(written, prepared, operation, request, state),
        ),
      );
      if (attempted !== undefined) return attempted;
    } catch (error) {
      if (isTransaction(operation)) return this.#parts.responder.failed(error);
      // Invalid arguments before anything was written: graphql-js reports the field and executes the others.
      return this.complete(prepared, request, state);
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
        model: this.#parts.model,
        dialect: this.#parts.dialect,
        limits: this.#parts.limits,
        clock: this.#parts.clock,
        view,
        policy: view.value,
        session: store,
      };
      const work = { calls, variables, fragments, principal, writer, reader, stop, store };
      const run = isTransaction(operation) ? runTransaction : runMutation;
      return inPhase(observer, 'execute', () => run(work)).then((written) =>
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
      : this.complete(prepared, request, state, { written, operation: operation.node });
  }

  /** The coerced variables of a request, or their errors. */
  variablesOf(
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
    const coerced = getVariableValues(this.#parts.model.schema, locatedDefinitions(prepared, operation), given, {
      maxErrors: 50,
      hideSuggestions: state.hideSuggestions,
    });
    return coerced.errors === undefined ? { variables: coerced.variableValues } : { errors: coerced.errors };
  }

  /** Compiles an operation, and caches its plan. */
  #compile(
    key: string,
    build: (request: PlanRequest) => Plan | MutationPlan,
    prepared: PreparedDocument,
    operation: PreparedOperation,
    variables: VariableValues | undefined,
    state: RequestState,
  ): CachedPlan {
    const compile = (): CachedPlan => {
      try {
        return this.#build(build, prepared, operation, variables, state);
      } catch (error) {
        if (error instanceof NotCompilable) return 'fallback';
        throw error;
      }
    };
    const plan = inPhase(state.observer, 'compile', compile);
    operation.plans.set(key, plan);
    return plan;
  }

  #build<P>(
    build: (request: PlanRequest) => P,
    prepared: PreparedDocument,
    operation: PreparedOperation,
    variables: VariableValues | undefined,
    { view }: RequestState,
  ): P {
    const { model, dialect, limits, clock } = this.#parts;
    const { fragments } = prepared;
    return build({ model, dialect, limits, clock, view, fragments, operation: operation.node, variables });
  }

  #statementOf(plan: Plan, { store }: RequestState): Statement {
    if (store !== this.#parts.store) return store.prepare(plan.sql);
    let statement = this.#statements.get(plan);
    if (statement === undefined) {
      statement = this.#parts.store.prepare(plan.sql);
      this.#statements.set(plan, statement);
    }
    return statement;
  }

  /** Executes with graphql-js, from the start or from where a mutation stopped. */
  complete(
    prepared: PreparedDocument,
    request: GraphRequest,
    state: RequestState,
    from: Completion = {},
  ): MaybePromise<GraphResponse> {
    return this.#bounded(state, (bounded) => this.#completeNow(prepared, request, bounded, from));
  }

  #completeNow(
    prepared: PreparedDocument,
    request: GraphRequest,
    state: RequestState & { readonly stop: OperationDeadline },
    from: Completion,
  ): MaybePromise<GraphResponse> {
    const { context, principal, hideSuggestions, stop, observer, writer } = state;
    const store = storeUntil(state.store, stop);
    observer?.answeredBy('graphql-js');
    const { rootValue, written: before, operation } = from;
    const rest = before?.rest;
    let position = before?.position ?? 0;
    let isRuleFree = true;
    const run = (): ExecutionResult | Promise<ExecutionResult> =>
      runFallback({
        model: this.#parts.model,
        dialect: this.#parts.dialect,
        limits: this.#parts.limits,
        clock: this.#parts.clock,
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
        resolvers: this.#parts.resolvers,
        writer,
        principal,
        fullText: this.#parts.fullText,
        signal: stop.signal,
        services: context.services,
        hideSuggestions,
        rootValue,
        done: rest?.done,
        onWrite: (written) => (position = Math.max(position, written)),
        onRule: () => void (isRuleFree = false),
      });
    const respond = (result: ExecutionResult): GraphResponse => ({
      ...this.#parts.responder.respond(result, position, before),
      isRuleFree,
    });
    try {
      const result = inPhase(observer, 'execute', run);
      if (!(result instanceof Promise)) return respond(result);
      return result.then(respond, (error: unknown) => this.#parts.responder.failed(error));
    } catch (error) {
      return this.#parts.responder.failed(error);
    }
  }
}

/** A response that the database returned as bytes. */
class BytesResponse implements GraphResponse {
  readonly bytes: Buffer;
  readonly executed = true;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get body(): string {
    return this.bytes.toString();
  }
}
