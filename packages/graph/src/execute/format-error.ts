// What an error looks like to a client: message, locations, path and extensions.code (GraphQL §7.1.2). Errors of ours and
// those that resolvers raise on purpose are shown; everything else is masked under an id that the log has too.
import { randomUUID } from 'node:crypto';
import { isProductError, type Log, type ProductError } from '@lockstitch/kernel';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { graphErrors, isOutage } from '../errors.ts';

/** Formats the errors of an execution. What failed for one cause, in however many fields, is one line of the log. */
export function formatErrors(errors: readonly GraphQLError[], log: Log): readonly GraphQLFormattedError[] {
  const failures = new Map<string, Failure>();
  const shown = errors.map((error) => formatError(error, failures));
  for (const { level, facts, fields } of failures.values())
    log.write(level, 'A field failed', fields === 1 ? facts : { ...facts, fields });
  return shown;
}

/** A line of the log to be. */
interface Failure {
  readonly level: 'warn' | 'error';
  /** The path is that of the first field. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** How many fields failed so. */
  fields: number;
}

/** Counts a field among those that failed alike; `describe` is asked for the first. */
function note(failures: Map<string, Failure>, key: string, describe: () => Omit<Failure, 'fields'>): Failure {
  let failure = failures.get(key);
  if (failure === undefined) failures.set(key, (failure = { ...describe(), fields: 0 }));
  failure.fields++;
  return failure;
}

/** Formats errors that kept an operation from running: syntax, validation, variables. */
export function formatRequestErrors(errors: readonly GraphQLError[], code: string): readonly GraphQLFormattedError[] {
  return errors.map((error) => shape(error, error.message, { code, ...error.extensions }));
}

function formatError(error: GraphQLError, failures: Map<string, Failure>): GraphQLFormattedError {
  const original = originalOf(error);
  if (original === undefined || isGraphQLError(original)) {
    return shape(error, error.message, { code: 'GRAPH_REQUEST_INVALID', ...error.extensions });
  }
  // 500 marks a fault of ours. 502 and 503 are about others (a service away, a setting missing): the client is told, and
  // the log has the cause. Without one it is a state that we foresaw, and a stack would point at nothing.
  if (isProductError(original) && original.status !== 500) {
    const { code, message, cause } = original;
    if (original.status > 500) {
      note(failures, `${code} ${message} ${cause instanceof Error ? cause.message : ''}`, () => {
        const path = error.path?.join('.');
        return cause === undefined
          ? { level: 'warn', facts: { path, code, reason: message } }
          : { level: 'error', facts: { path, error: original } };
      });
    }
    return shape(error, message, codeOf(original));
  }
  if (error.message.startsWith('Cannot return null for non-nullable field ')) {
    return shape(error, error.message, codeOf(graphErrors.create('GRAPH_NULL_VALUE', { message: error.message })));
  }
  if (original.name === 'AbortError' || original.name === 'TimeoutError') {
    return shape(error, 'The operation was stopped.', { code: 'GRAPH_TOO_SLOW' });
  }
  // Thrown from the same place with the same words: one cause, and one id to find it by.
  const { facts } = note(failures, original.stack ?? String(original), () => ({
    level: 'error',
    facts: { id: randomUUID().slice(0, 13), path: error.path?.join('.'), error: original },
  }));
  const { id } = facts;
  const masked = graphErrors.create('GRAPH_INTERNAL', { id: String(id) });
  return shape(error, masked.message, { ...codeOf(masked), id });
}

/** The first error that says that the database could not be used. */
export function outageAmong(errors: readonly GraphQLError[]): ProductError | undefined {
  for (const error of errors) {
    const original = originalOf(error);
    if (isOutage(original)) return original;
  }
  return undefined;
}

/** What was thrown, behind graphql-js's wrapping. */
function originalOf(error: GraphQLError): Error | undefined {
  let original: Error | undefined = error.originalError ?? undefined;
  while (isGraphQLError(original) && original.originalError != null) original = original.originalError;
  return original;
}

/** By its tag too: a resolver may throw that of a copy of graphql which the application has for itself. */
function isGraphQLError(error: Error | undefined): error is GraphQLError {
  return error instanceof GraphQLError || Object.prototype.toString.call(error) === '[object GraphQLError]';
}

function codeOf(error: { readonly code: string; readonly hint: string | undefined }): Record<string, unknown> {
  return error.hint === undefined ? { code: error.code } : { code: error.code, hint: error.hint };
}

function shape(error: GraphQLError, message: string, extensions: Record<string, unknown>): GraphQLFormattedError {
  return {
    message,
    ...(error.locations === undefined ? {} : { locations: error.locations }),
    ...(error.path === undefined ? {} : { path: error.path }),
    extensions,
  };
}

/** The error as graphql-js would show it, for a refusal that concerns the whole request. */
export function toGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  if (isProductError(error)) {
    // What lies behind a service that is away is for the log.
    const originalError = error.status > 500 && error.cause !== undefined ? error : undefined;
    return new GraphQLError(error.message, { extensions: codeOf(error), originalError });
  }
  return new GraphQLError('Internal error', {
    originalError: error instanceof Error ? error : new Error(String(error)),
  });
}
