// Limits the size of a response: the database builds no longer text, and a larger response is one error code.
import { graphErrors } from '../errors.ts';
import type { Limits } from '../plan/limits.ts';
import type { MaybePromise, SqlValue, Statement, Stop } from '../store/store.ts';
import { TextTooLong } from '../store/text-limit.ts';

/**
 * Runs a statement whose text becomes part of a response. `taken`: bytes of the response used so far.
 *
 * @throws ProductError GRAPH_ANSWER_TOO_LARGE
 */
export function readAnswer(
  statement: Statement,
  values: readonly SqlValue[],
  limits: Limits,
  taken = 0,
  stop?: Stop,
): MaybePromise<string | null> {
  if (taken >= limits.answerSize) throw tooLarge(limits);
  try {
    const text = statement.text(values, limits.answerSize - taken, stop);
    return text instanceof Promise ? text.catch((error: unknown) => refuse(error, limits)) : text;
  } catch (error) {
    return refuse(error, limits);
  }
}

/**
 * The same for a text that is the whole response and is sent unread.
 *
 * @throws ProductError GRAPH_ANSWER_TOO_LARGE
 */
export function readWholeAnswer(
  statement: Statement,
  values: readonly SqlValue[],
  limits: Limits,
  stop: Stop | undefined,
): MaybePromise<string | Buffer | null> {
  if (statement.textOrBytes === undefined) return readAnswer(statement, values, limits, 0, stop);
  try {
    return statement.textOrBytes(values, limits.answerSize);
  } catch (error) {
    return refuse(error, limits);
  }
}

/** The error for a response beyond the limit. */
export function tooLarge(limits: Limits): Error {
  return graphErrors.create('GRAPH_ANSWER_TOO_LARGE', { limit: limits.answerSize });
}

function refuse(error: unknown, limits: Limits): never {
  throw error instanceof TextTooLong ? tooLarge(limits) : error;
}
