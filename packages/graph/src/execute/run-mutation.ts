// Carries out a planned mutation: each field through the writer, in order, its answer read by one statement in the same
// transaction. A field that fails, or whose answer breaks a promise of the schema, is completed by graphql-js together with
// all after it (`rest`), so errors, paths and null propagation are graphql-js's own.
import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type VariableValues,
} from 'graphql';
import type { Principal } from '@lockstitch/kernel';
import { type MutationField, type MutationPlan, WRITTEN } from '../plan/build-mutation-plan.ts';
import { type Plan, readParameters } from '../plan/build-plan.ts';
import type { Limits } from '../plan/limits.ts';
import { VIOLATION } from '../sql/sql.ts';
import { AttemptUndone, type MaybePromise, type Session, type SqlValue, type Store } from '../store/store.ts';
import type { Writer, WrittenRows } from '../write/writer.ts';
import type { GraphResponse } from './contracts.ts';
import type { OperationStop } from './stop.ts';
import { readAnswer } from './answer-size.ts';
import { Reader, type ReaderContext, toKeyList } from './reader.ts';
import type { DoneField } from './run-fallback.ts';

/** A field with everything read from the request, so that nothing can be refused once writing has begun. */
export interface PreparedCall {
  readonly field: MutationField;
  readonly args: Readonly<Record<string, unknown>>;
  /** What the answer's statement binds; the keys are filled in after the write. */
  readonly values: SqlValue[];
}

/** One mutation to carry out. */
export interface MutationRequest {
  readonly calls: readonly PreparedCall[];
  readonly variables: VariableValues | undefined;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly principal: Principal;
  readonly writer: Writer;
  readonly reader: ReaderContext;
  readonly stop: OperationStop;
  /** Where it is written. */
  readonly store: Store;
}

/** What has been written so far. */
export interface Written {
  /** `"key":value` of the fields that are complete. */
  readonly members: readonly string[];
  /** The feed's position of the last change; 0 when there was none. */
  readonly position: number;
  /** The first field that is not complete, with its outcome, and the nodes of it and all that follow. */
  readonly rest: { readonly done: DoneField; readonly nodes: readonly FieldNode[] } | undefined;
}

/** Reads the arguments of all fields. @throws GraphQLError or ProductError when one is refused */
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
 * Carries out a mutation of one plain field here and now; undefined when it cannot (Writer.attempt), or when graphql-js has
 * to complete the answer: nothing has been written then. `again` carries it out in the general way when it was undone together
 * with another; `fail` is told what kept it from being committed.
 */
export function attemptMutation(
  request: Pick<MutationRequest, 'calls' | 'principal' | 'writer'> & { readonly limits: Limits },
  again: () => MaybePromise<GraphResponse>,
  fail: (written: Written) => MaybePromise<GraphResponse>,
): Promise<GraphResponse> | undefined {
  const { calls, principal, writer, limits } = request;
  const [call] = calls;
  const plan = call?.field.answer;
  if (calls.length !== 1 || plan === undefined) return undefined;
  const { field, args } = call!;
  const { key, nodes } = field;
  return writer.attempt<string, GraphResponse>({
    field: field.definition.name,
    args,
    principal,
    answer(session, rows) {
      const text = readAnswer(session.prepare(plan.sql), bind(call!, plan, rows), limits);
      if (text instanceof Promise || !isPlain(text, field, plan)) throw new Error('graphql-js completes the answer');
      return plan.normalize ? JSON.stringify(JSON.parse(text)) : text;
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
  for (let index = 0; index < parameters.length; index++) if (parameters[index] === WRITTEN) values[index] = keys;
  return values;
}

/** Writes. Never rejects for what a field came to. */
export async function runMutation(request: MutationRequest): Promise<Written> {
  const { calls, principal, writer, stop, store } = request;
  const members: string[] = [];
  let position = 0;
  let taken = 0;
  for (const [index, call] of calls.entries()) {
    // The response has been sent; nothing more is begun.
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

/** The answer as JSON text, or what graphql-js must complete. */
function answer(
  request: MutationRequest,
  call: PreparedCall,
  session: Session,
  rows: WrittenRows,
  taken: number,
): MaybePromise<string | { readonly value: unknown }> {
  const { field } = call;
  const plan = field.answer!;
  const finish = (text: string | null): MaybePromise<string | { readonly value: unknown }> =>
    isPlain(text, field, plan)
      ? plan.normalize
        ? JSON.stringify(JSON.parse(text))
        : text
      : prefetch(request, field, session, rows);
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
    reader.model.entities.get(written.entity)!,
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

/** The response when every field is complete. */
export function respondWritten({ members, position }: Written): GraphResponse {
  return respondData(members.join(','), position);
}

function respondData(members: string, position: number): GraphResponse {
  const body = `{"data":{${members}}}`;
  return position === 0 ? { body, executed: true } : { body, executed: true, position };
}

/** The data of a response whose last fields graphql-js has completed. */
export function joinData(before: Written | undefined, data: unknown): string {
  const rest = JSON.stringify(data);
  if (before === undefined || before.members.length === 0 || data === null) return rest;
  return `{${before.members.join(',')},${rest.slice(1)}`;
}

/** A document of the fields that are left, as nodes of the original one: locations hold. */
export function documentOf(
  operation: OperationDefinitionNode,
  nodes: readonly FieldNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): DocumentNode {
  const rest = { ...operation, selectionSet: { ...operation.selectionSet, selections: nodes } };
  return { kind: Kind.DOCUMENT, definitions: [rest, ...fragments.values()] };
}
