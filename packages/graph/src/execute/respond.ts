// What an operation came to → the text of its response: data and errors, or the error that concerned the whole request.
import type { Log, ProductError } from '@lockstitch/kernel';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { graphErrors, isOutage } from '../errors.ts';
import type { Limits } from '../plan/limits.ts';
import { isLongerThan } from '../store/text-limit.ts';
import { tooLarge } from './answer-size.ts';
import type { GraphResponse } from './contracts.ts';
import { formatErrors, formatRequestErrors, outageAmong, toGraphQLError } from './format-error.ts';
import { joinData, type Written } from './run-mutation.ts';

/** Makes responses. */
export class Responder {
  readonly #limits: Limits;
  readonly #log: Log;

  constructor(limits: Limits, log: Log) {
    this.#limits = limits;
    this.#log = log;
  }

  /** Of what graphql-js made; `before` was written already, `position` is that of the last change in the feed. */
  respond(result: ExecutionResult, position: number, before: Written | undefined): GraphResponse {
    const executed = result.data !== undefined;
    const written = position === 0 ? {} : { position };
    let data = '';
    try {
      if (executed) data = `"data":${joinData(before, result.data)}`;
    } catch (error) {
      // Longer than any string can be.
      if (error instanceof RangeError) return { ...this.failed(tooLarge(this.#limits)), ...written };
      throw error;
    }
    if (isLongerThan(data, this.#limits.answerSize)) return { ...this.failed(tooLarge(this.#limits)), ...written };
    if (result.errors === undefined) return { body: `{${data}}`, executed, ...written };
    const errors = executed
      ? formatErrors(inOrder(result.errors, result.data ?? {}), this.#log)
      : formatRequestErrors(result.errors, 'GRAPH_REQUEST_INVALID');
    const told = `"errors":${JSON.stringify(errors)}`;
    const body = executed ? `{${data},${told}}` : `{${told}}`;
    return { body, executed, ...written, ...withOutage(outageAmong(result.errors)) };
  }

  /** Something concerned the whole request. */
  failed(error: unknown): GraphResponse {
    // Out of time, or the caller is gone and nobody reads this.
    const isStopped = error instanceof Error && error.name === 'AbortedGraphQLExecutionError';
    const located = toGraphQLError(
      isStopped ? graphErrors.create('GRAPH_TOO_SLOW', { limit: this.#limits.time }) : error,
    );
    const { code } = located.extensions;
    // By now the operation has run, or nearly so; all else with a code kept it from running.
    if (code !== undefined && !RAN.has(code))
      return {
        body: JSON.stringify({ errors: formatRequestErrors([located], 'GRAPH_REQUEST_INVALID') }),
        executed: false,
      };
    const body = JSON.stringify({ data: null, errors: formatErrors([located], this.#log) });
    return { body, executed: true, ...withOutage(isOutage(error) ? error : undefined) };
  }
}

function withOutage(outage: ProductError | undefined): Pick<GraphResponse, 'outage'> {
  return outage === undefined ? {} : { outage };
}

/**
 * Errors in the order of the root fields they are about. Root fields wait for the database side by side: without this the order would tell
 * which statement came back first.
 */
function inOrder(errors: readonly GraphQLError[], data: object): readonly GraphQLError[] {
  if (errors.length < 2) return errors;
  const places = new Map<unknown, number>(Object.keys(data).map((key, at) => [key, at]));
  const place = ({ path }: GraphQLError): number => places.get(path?.[0]) ?? -1;
  return errors.toSorted((a, b) => place(a) - place(b));
}

/** What stops an operation that has begun. */
const RAN: ReadonlySet<unknown> = new Set([
  'GRAPH_ANSWER_TOO_LARGE',
  'GRAPH_TOO_SLOW',
  'GRAPH_CANCELLED',
  'GRAPH_STORE_UNAVAILABLE',
]);

/** Variables that do not fit. */
export function refuseVariables(errors: readonly GraphQLError[]): GraphResponse {
  return { body: JSON.stringify({ errors: formatRequestErrors(errors, 'GRAPH_VARIABLES_INVALID') }), executed: false };
}
