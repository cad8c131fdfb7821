// What an error looks like to a client: message, locations, path and extensions.code (GraphQL §7.1.2). Errors of ours and
// those that resolvers raise on purpose are shown; everything else is masked under an id that the log has too.
import { randomUUID } from 'node:crypto';
import { isProductError, type Log } from '@lockstitch/kernel';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { graphErrors } from '../errors.ts';

/** Formats the errors of an execution. */
export function formatErrors(errors: readonly GraphQLError[], log: Log): readonly GraphQLFormattedError[] {
  return errors.map((error) => formatError(error, log));
}

/** Formats errors that kept an operation from running: syntax, validation, variables. */
export function formatRequestErrors(errors: readonly GraphQLError[], code: string): readonly GraphQLFormattedError[] {
  return errors.map((error) => shape(error, error.message, { code, ...error.extensions }));
}

function formatError(error: GraphQLError, log: Log): GraphQLFormattedError {
  const original = originalOf(error);
  if (original === undefined || original instanceof GraphQLError) {
    return shape(error, error.message, { code: 'GRAPH_REQUEST_INVALID', ...error.extensions });
  }
  // 500 marks a fault of ours. 502 and 503 are about others (a service away, a setting missing): the client is told, and
  // the log has the cause. Without one it is a state that we foresaw, and a stack would point at nothing.
  if (isProductError(original) && original.status !== 500) {
    const path = error.path?.join('.');
    if (original.status > 500 && original.cause !== undefined)
      log.write('error', 'A field failed', { path, error: original });
    else if (original.status > 500) {
      log.write('warn', 'A field failed', { path, code: original.code, reason: original.message });
    }
    return shape(error, original.message, codeOf(original));
  }
  if (error.message.startsWith('Cannot return null for non-nullable field ')) {
    return shape(error, error.message, codeOf(graphErrors.create('GRAPH_NULL_VALUE', { message: error.message })));
  }
  if (original.name === 'AbortError' || original.name === 'TimeoutError') {
    return shape(error, 'The operation was stopped.', { code: 'GRAPH_TOO_SLOW' });
  }
  const id = randomUUID().slice(0, 13);
  const masked = graphErrors.create('GRAPH_INTERNAL', { id });
  log.write('error', 'A field failed', { id, path: error.path?.join('.'), error: original });
  return shape(error, masked.message, { ...codeOf(masked), id });
}

/** What was thrown, behind graphql-js's wrapping. */
function originalOf(error: GraphQLError): Error | undefined {
  let original: Error | undefined = error.originalError ?? undefined;
  while (original instanceof GraphQLError && original.originalError != null) original = original.originalError;
  return original;
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
