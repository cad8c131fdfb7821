// Executes a planned mutation: writes each field in order and reads its response by one statement in the same
// transaction. From the first field that fails or violates non-null, graphql-js completes the rest (`rest`), so that
// errors, paths and null propagation are exactly its own.
import {
  Kind,
  locatedError,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type OperationDefinitionNode,
  type VariableValues,
} from 'graphql';
import type { Principal } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { entityOf } from '../schema/model.ts';
import { type MutationField, type MutationPlan, WRITTEN } from '../plan/build-mutation-plan.ts';
import { type Plan, readParameters } from '../plan/build-plan.ts';
import type { Limits } from '../plan/limits.ts';
import { VIOLATION } from '../sql/sql.ts';
import {
  AttemptUndone,
  ConstraintViolation,
  type MaybePromise,
  type Session,
  type SqlValue,
  type Store,
} from '../store/store.ts';
import { constraintError } from '../write/constraint-error.ts';
import type { Writer, WrittenRows } from '../write/writer.ts';
import type { GraphResponse } from './contracts.ts';
import type { OperationDeadline } from './operation-deadline.ts';
import { readAnswer } from './response-size.ts';
import { Reader, type ReaderContext, toKeyList } from './reader.ts';
import type { DoneField } from './run-fallback.ts';
import { required } from '../present.ts';

/** A field with all arguments read, so that nothing is rejected once writing has begun. */
export interface PreparedCall {
  readonly field: MutationField;
  readonly args: Readonly<Record<string, unknown>>;
  /** The values that the reading statement binds; keys are filled in after the write. */
  readonly values: SqlValue[];
}

/** One mutation to execute. */
export interface MutationRequest {
  readonly calls: readonly PreparedCall[];
  readonly variables: VariableValues | undefined;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly principal: Principal;
  readonly writer: Writer;
  readonly reader: ReaderContext;
  readonly stop: OperationDeadline;
  /** The store to write to. */
  readonly store: Store;
}

/** The result so far. */
export interface Written {
  /** `"key":value` of the complete fields. */
  readonly members: readonly string[];
  /** Feed position of the last change; 0 if there was none. */
  readonly position: number;
  /** The first incomplete field with its outcome, and the nodes from it on. */
  readonly rest: { readonly done: DoneField; readonly nodes: readonly FieldNode[] } | undefined;
}

/** Reads the arguments of all fields. @throws GraphQLError or ProductError for invalid arguments */
export function prepareCalls(
  plan: MutationPlan,
  variables: VariableValues | undefined,
  policy: (part: number) => unknown,
): readonly PreparedCall[] {
  return plan.fields.map((field) => ({
    field,
    args: field.readArguments(variables),
    values: field.answer === undefined ? [] : readParameters(field.answer, variables, policy),
  }));
}

/**
 * Fast path: executes a mutation of one plain field synchronously. Undefined if that is impossible (Writer.attempt) or
 * if graphql-js must complete the response; nothing is written then. `again` executes it the general way if it was
 * rolled back with another; `fail` receives a commit error.
 */
export function attemptMutation(
  request: Pick<MutationRequest, 'calls' | 'principal' | 'writer'> & { readonly limits: Limits },
  again: () => MaybePromise<GraphResponse>,
  fail: (written: Written) => MaybePromise<GraphResponse>,
): Promise<GraphResponse> | undefined {
  const { calls, principal, writer, limits } = request;
  const [call] = calls;
  const plan = call?.field.answer;
  if (calls.length !== 1 || call === undefined || plan === undefined) return undefined;
  const { field, args } = call;
  const { key, nodes } = field;
  return writer.attempt<string, GraphResponse>({
    field: field.definition.name,
    args,
    principal,
    answer(session, rows) {
      const text = readAnswer(session.prepare(plan.sql), bind(call, plan, rows), limits);
      if (text instanceof Promise || !isPlain(text, field, plan)) throw new Error('graphql-js completes the answer');
      return plan.printReals?.(text) ?? text;
    },
    respond: (text, position) => respondData(`"${key}":${text}`, position),
    lost: (error) =>
      error instanceof AttemptUndone
        ? again()
        : fail({ members: [], position: 0, rest: { done: { key, outcome: { error } }, nodes } }),
  });
}

function bind({ values }: PreparedCall, { parameters }: Plan, rows: WrittenRows): readonly SqlValue[] {
  const keys = rows.many ? toKeyList(rows.keys) : (rows.keys[0] ?? null);
  for (let index = 0; index < parameters.length; index++) {
    const parameter = parameters[index]!;
    if (parameter === WRITTEN) values[index] = keys;
    else if (parameter.kind === 'input' && parameter.part?.of === WRITTEN) values[index] = parameter.part.take(keys);
  }
  return values;
}

/** Writes the fields. Never rejects for a field's error. */
export async function runMutation(request: MutationRequest): Promise<Written> {
  const { calls, principal, writer, stop, store } = request;
  const members: string[] = [];
  let position = 0;
  let taken = 0;
  for (const [index, call] of calls.entries()) {
    // The response has been sent, so no further field is started.
    if (stop.reason !== undefined) throw stop.reason;
    const { field, args } = call;
    let outcome: DoneField['outcome'] | undefined;
    let text: string | undefined;
    try {
      const written = await writer.mutate({ field: field.definition.name, args, principal, store }, (session, rows) =>
        answer(request, call, session, rows, taken),
      );
      position = Math.max(position, written.position);
      if (written.kind === 'scalar') text = JSON.stringify(written.value);
      else if (typeof written.value === 'string') text = written.value;
      else outcome = written.value;
    } catch (error) {
      outcome = { error };
    }
    if (outcome !== undefined) {
      const nodes = calls.slice(index).flatMap((each) => each.field.nodes);
      return { members, position, rest: { done: { key: field.key, outcome }, nodes } };
    }
    taken += text?.length ?? 0;
    members.push(`"${field.key}":${text}`);
  }
  return { members, position, rest: undefined };
}

/**
 * Writes all fields in one transaction, or none.
 *
 * @throws GraphQLError of the field that failed; everything is rolled back then
 */
export async function runTransaction(request: MutationRequest): Promise<Written> {
  const { store, reader, calls } = request;
  const work = async (session: Session): Promise<Written> => {
    // The fields join this transaction instead of opening their own.
    const joined: Store = {
      ...store,
      prepare: (sql) => session.prepare(sql),
      transaction: async (join) => join(session),
    };
    const written = await runMutation({ ...request, store: joined, reader: { ...reader, session } });
    const { rest } = written;
    if (rest === undefined) return written;
    const { key, outcome } = rest.done;
    if ('error' in outcome) throw atField(outcome.error, key, rest.nodes);
    // graphql-js completes this field, and would write those behind it outside of the transaction.
    if (written.members.length + 1 === calls.length) return written;
    const reason = `the response of "${key}" has errors, or is completed by TypeScript, and other fields follow`;
    throw atField(graphErrors.create('GRAPH_TRANSACTION_IMPOSSIBLE', { reason }), key, rest.nodes);
  };
  try {
    return await store.transaction(work);
  } catch (error) {
    // What the database checks at the commit belongs to no field.
    if (!(error instanceof ConstraintViolation)) throw error;
    throw constraintError(error, 'The transaction', reader.model, undefined);
  }
}

function atField(error: unknown, key: string, nodes: readonly FieldNode[]): GraphQLError {
  return locatedError(error, nodes.slice(0, 1), [key]);
}

/** The response as JSON text, or what graphql-js must complete. */
function answer(
  request: MutationRequest,
  call: PreparedCall,
  session: Session,
  rows: WrittenRows,
  taken: number,
): MaybePromise<string | { readonly value: unknown }> {
  const { field } = call;
  const plan = required(field.answer, 'the plan of the answer');
  const finish = (text: string | null): MaybePromise<string | { readonly value: unknown }> =>
    isPlain(text, field, plan) ? (plan.printReals?.(text) ?? text) : prefetch(request, field, session, rows);
  const text = readAnswer(session.prepare(plan.sql), bind(call, plan, rows), request.reader.limits, taken);
  return text instanceof Promise ? text.then(finish) : finish(text);
}

function isPlain(text: string | null, field: MutationField, plan: Plan): text is string {
  if (text === null || (text === 'null' && !field.nullable)) return false;
  return (!plan.mayViolate || !text.includes(VIOLATION)) && plan.checks.pass(text, undefined);
}

async function prefetch(
  request: MutationRequest,
  field: MutationField,
  session: Session,
  written: WrittenRows,
): Promise<{ readonly value: unknown }> {
  const { reader, variables, fragments } = request;
  const rows = await new Reader(reader).byKeys(
    entityOf(reader.model, written.entity),
    written.keys,
    {
      fieldNodes: field.nodes,
      fragments: Object.fromEntries(fragments),
      variableValues: variables ?? { sources: {}, coerced: {} },
    },
    session,
  );
  return { value: written.many ? rows : rows[0] };
}

/** The response if every field is complete. */
export function respondWritten({ members, position }: Written): GraphResponse {
  return respondData(members.join(','), position);
}

function respondData(members: string, position: number): GraphResponse {
  const body = `{"data":{${members}}}`;
  return position === 0 ? { body, executed: true } : { body, executed: true, position };
}

/** The data of a response whose last fields graphql-js completed. */
export function joinData(before: Written | undefined, data: unknown): string {
  const rest = JSON.stringify(data);
  if (before === undefined || before.members.length === 0 || data === null) return rest;
  return `{${before.members.join(',')},${rest.slice(1)}`;
}

/** A document of the remaining fields with the original nodes, so that locations are correct. */
export function documentOf(
  operation: OperationDefinitionNode,
  nodes: readonly FieldNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): DocumentNode {
  const rest = { ...operation, selectionSet: { ...operation.selectionSet, selections: nodes } };
  return { kind: Kind.DOCUMENT, definitions: [rest, ...fragments.values()] };
}
