// Formats errors for clients: message, locations, path and extensions.code (GraphQL §7.1.2). Product errors and
// deliberate errors of resolvers are shown; all others are masked with an id that is also logged.
import { randomUUID } from 'node:crypto';
import { isProductError, type Log, type ProductError, textAt, toError, toText } from '@lockstitch/kernel';
import { type FieldNode, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { graphErrors, isOutage } from '../errors.ts';

/** Formats the errors of an execution. Fields that fail for the same cause share one log line. */
export function formatErrors(errors: readonly GraphQLError[], log: Log): readonly GraphQLFormattedError[] {
  const failures = new Map<string, Failure>();
  const shown = errors.map((error) => formatError(error, failures));
  for (const { level, facts, fields } of failures.values())
    log.write(level, 'A field failed', fields === 1 ? facts : { ...facts, fields });
  return shown;
}

/** A pending log line. */
interface Failure {
  readonly level: 'warn' | 'error';
  /** The path of the first field. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Number of fields that failed with it. */
  fields: number;
}

/** Counts a field with the same cause; `describe` is called for the first. */
function note(failures: Map<string, Failure>, key: string, describe: () => Omit<Failure, 'fields'>): Failure {
  let failure = failures.get(key);
  if (failure === undefined) failures.set(key, (failure = { ...describe(), fields: 0 }));
  failure.fields++;
  return failure;
}

/** Formats errors that prevented execution: syntax, validation, variables. */
export function formatRequestErrors(errors: readonly GraphQLError[], code: string): readonly GraphQLFormattedError[] {
  return errors.map((error) => shape(error, error.message, { code, ...hintOf(error), ...error.extensions }));
}

/** The code of each error. */
export function codesOf(errors: readonly GraphQLFormattedError[]): readonly string[] {
  return errors.map(({ extensions }) => toText(extensions?.['code']));
}

/** What to do about an error of graphql-js: incremental delivery is not offered, and an order has a step for each field. */
function hintOf({ message }: GraphQLError): { readonly hint?: string } {
  if (/Within OneOf Input Object type "\w*Order_*", exactly one/.test(message))
    return { hint: 'Write a list with one step for each field, such as [{ title: DESC }, { id: ASC }].' };
  if (!/^Unknown directive "@(?:defer|stream)"/.test(message)) return {};
  return {
    hint: 'Incremental delivery is not offered. Leave the directive out, or ask for the slow part by an operation of its own.',
  };
}

function formatError(error: GraphQLError, failures: Map<string, Failure>): GraphQLFormattedError {
  const original = originalOf(error);
  if (original === undefined || isGraphQLError(original))
    return shape(error, error.message, { code: 'GRAPH_REQUEST_INVALID', ...error.extensions });
  // Status 500 is our fault. 502 and 503 concern others (an unavailable service, a missing setting): the client sees
  // the error, and its cause is logged. Without a cause the state was expected, and a stack trace would not help.
  if (isProductError(original) && original.status !== 500) {
    const { code, message, cause } = original;
    if (original.status > 500)
      note(failures, `${code} ${message} ${cause instanceof Error ? cause.message : ''}`, () => {
        const path = error.path?.join('.');
        return cause === undefined
          ? { level: 'warn', facts: { path, code, reason: message } }
          : { level: 'error', facts: { path, error: original } };
      });
    return shape(error, message, codeOf(original));
  }
  if (error.message.startsWith('Cannot return null for non-nullable field '))
    return shape(error, error.message, codeOf(graphErrors.create('GRAPH_NULL_VALUE', { message: error.message })));
  if (original.name === 'AbortError' || original.name === 'TimeoutError')
    return shape(error, 'The operation was stopped.', { code: 'GRAPH_TOO_SLOW' });
  // Errors with the same stack and message have one cause and share one id.
  const { facts } = note(failures, original.stack ?? String(original), () => ({
    level: 'error',
    facts: { id: randomUUID().slice(0, 13), path: error.path?.join('.'), error: original },
  }));
  const id = textAt(facts, 'id');
  const masked = graphErrors.create('GRAPH_INTERNAL', { id });
  return shape(error, masked.message, { ...codeOf(masked), id });
}

/** The first error that reports an unavailable database. */
export function outageAmong(errors: readonly GraphQLError[]): ProductError | undefined {
  for (const error of errors) {
    const original = originalOf(error);
    if (isOutage(original)) return original;
  }
  return undefined;
}

/** The thrown value, without graphql-js's wrapping. */
function originalOf(error: GraphQLError): Error | undefined {
  let original: Error | undefined = error.originalError ?? undefined;
  while (isGraphQLError(original) && original.originalError != null) original = original.originalError;
  return original;
}

/** Tested by tag too: a resolver may use its own copy of graphql. */
function isGraphQLError(error: Error | undefined): error is GraphQLError {
  return error instanceof GraphQLError || Object.prototype.toString.call(error) === '[object GraphQLError]';
}

function codeOf({ code, facts, hint }: Pick<ProductError, 'code' | 'facts' | 'hint'>): Record<string, unknown> {
  return { code, ...(hint === undefined ? {} : { hint }), ...facts };
}

function shape(error: GraphQLError, message: string, extensions: Record<string, unknown>): GraphQLFormattedError {
  return {
    message,
    ...(error.locations === undefined ? {} : { locations: error.locations }),
    ...(error.path === undefined ? {} : { path: error.path }),
    extensions,
  };
}

/** An error of the request at fields of its text. */
export function requestErrorAt(error: ProductError, nodes: readonly FieldNode[]): GraphQLError {
  return new GraphQLError(error.message, { nodes, extensions: codeOf(error) });
}

/** The error in graphql-js's form, for a rejection of the whole request. */
export function toGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  if (isProductError(error)) {
    // The cause of an unavailable service is logged only.
    const originalError = error.status > 500 && error.cause !== undefined ? error : undefined;
    return new GraphQLError(error.message, { extensions: codeOf(error), originalError });
  }
  return new GraphQLError('Internal error', {
    originalError: toError(error),
  });
}
