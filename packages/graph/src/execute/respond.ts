// Builds the response text of an operation: data and errors, or the error of the whole request.
import type { Log, ProductError } from '@lockstitch/kernel';
import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { graphErrors, isOutage } from '../errors.ts';
import type { Limits } from '../plan/limits.ts';
import { isLongerThan } from '../store/text-limit.ts';
import { tooLarge } from './response-size.ts';
import type { GraphResponse } from './contracts.ts';
import type { RefusedDocument } from './documents.ts';
import { codesOf, formatErrors, formatRequestErrors, outageAmong, toGraphQLError } from './format-error.ts';
import { joinData, type Written } from './run-mutation.ts';

/** Builds responses. */
export class Responder {
  readonly #limits: Limits;
  readonly #log: Log;
  readonly #onError: (code: string) => void;

  /** @param onError called with the code of each error of an answer */
  constructor(limits: Limits, log: Log, onError: (code: string) => void = () => undefined) {
    this.#limits = limits;
    this.#log = log;
    this.#onError = (code) => onError(code);
  }

  /**
   * The response of a graphql-js execution; `before` was written already, `position` is the feed position of the last
   * change.
   */
  respond(result: ExecutionResult, position: number, before: Written | undefined): GraphResponse {
    const executed = result.data !== undefined;
    const written = position === 0 ? {} : { position };
    let data = '';
    try {
      if (executed) data = `"data":${joinData(before, result.data)}`;
    } catch (error) {
      // The text exceeds V8's maximum string length.
      if (error instanceof RangeError) return { ...this.failed(tooLarge(this.#limits)), ...written };
      throw error;
    }
    if (isLongerThan(data, this.#limits.answerSize)) return { ...this.failed(tooLarge(this.#limits)), ...written };
    if (result.errors === undefined) return { body: `{${data}}`, executed, ...written };
    const errors = executed
      ? formatErrors(inOrder(result.errors, result.data ?? {}), this.#log)
      : formatRequestErrors(result.errors, 'GRAPH_REQUEST_INVALID');
    this.#report(errors);
    const told = `"errors":${JSON.stringify(errors)}`;
    const body = executed ? `{${data},${told}}` : `{${told}}`;
    return { body, executed, hasErrors: true, ...written, ...withOutage(outageAmong(result.errors)) };
  }

  /** The response for an error of the whole request. */
  failed(error: unknown): GraphResponse {
    // The operation timed out, or the caller has disconnected.
    const isStopped = error instanceof Error && error.name === 'AbortedGraphQLExecutionError';
    const located = toGraphQLError(
      isStopped ? graphErrors.create('GRAPH_TOO_SLOW', { limit: this.#limits.time }) : error,
    );
    const { code } = located.extensions;
    // The operation had started; other coded errors prevented its execution.
    const executed = code === undefined || RAN.has(code);
    const errors = executed
      ? formatErrors([located], this.#log)
      : formatRequestErrors([located], 'GRAPH_REQUEST_INVALID');
    this.#report(errors);
    if (!executed) return { body: JSON.stringify({ errors }), executed };
    const body = JSON.stringify({ data: null, errors });
    return { body, executed, hasErrors: true, ...withOutage(isOutage(error) ? error : undefined) };
  }

  /** The response for an invalid document. */
  refused({ body, codes }: RefusedDocument): GraphResponse {
    codes.forEach(this.#onError);
    return { body, executed: false };
  }

  /** The response for invalid variables. */
  refuseVariables(invalid: readonly GraphQLError[]): GraphResponse {
    const errors = formatRequestErrors(invalid, 'GRAPH_VARIABLES_INVALID');
    this.#report(errors);
    return { body: JSON.stringify({ errors }), executed: false };
  }

  #report(errors: readonly GraphQLFormattedError[]): void {
    codesOf(errors).forEach(this.#onError);
  }
}

function withOutage(outage: ProductError | undefined): Pick<GraphResponse, 'outage'> {
  return outage === undefined ? {} : { outage };
}

/**
 * Sorts errors by root field. Root fields query the database concurrently, so the order of errors would reveal which
 * statement finished first.
 */
function inOrder(errors: readonly GraphQLError[], data: object): readonly GraphQLError[] {
  if (errors.length < 2) return errors;
  const places = new Map<unknown, number>(Object.keys(data).map((key, at) => [key, at]));
  const place = ({ path }: GraphQLError): number => places.get(path?.[0]) ?? -1;
  return errors.toSorted((a, b) => place(a) - place(b));
}

/** Errors that abort a running operation. */
const RAN: ReadonlySet<unknown> = new Set([
  'GRAPH_ANSWER_TOO_LARGE',
  'GRAPH_TOO_SLOW',
  'GRAPH_CANCELLED',
  'GRAPH_STORE_UNAVAILABLE',
]);
