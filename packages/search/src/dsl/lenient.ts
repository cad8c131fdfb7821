// The queries that stand for words that a field has no query for: a text without words, an unmapped field, and with `lenient` a value that
// does not fit its field.
import { reasonOf } from '@lockstitch/kernel';
import { causeOfFailedQuery, RequestError } from '../errors/request-error.ts';
import type { Query } from '../query/query.ts';
import { isLimit } from '../tasks/request-budget.ts';

/** The query for a text without words. */
export const NO_TERMS: Query = {
  kind: 'match_none',
  reason: 'Matching no documents because no terms present',
};

/** The query for an unmapped field. */
export function unmapped(name: string): Query {
  return { kind: 'match_none', reason: `unmapped fields [${name}]` };
}

/** With `lenient`: the query for a value that does not fit its field (Queries.newLenientFieldQuery). */
export function lenientNone(name: string, error: unknown): Query {
  const { message, type } =
    error instanceof RequestError ? causeOf(error) : { message: reasonOf(error), type: 'exception' };
  return { kind: 'match_none', reason: `failed [${name}] query, caused by ${type}:[${message}]` };
}

/** The cause of a failed query. */
function causeOf(error: RequestError): { readonly type: string; readonly message: string } {
  const cause = causeOfFailedQuery(error);
  return cause === undefined ? error : { type: cause.type, message: cause.reason };
}

/** With `lenient`, a value that does not fit its field matches nothing. */
export function leniently(name: string, make: () => Query, { lenient }: { readonly lenient?: boolean }): Query {
  if (lenient !== true) return make();
  try {
    return make();
  } catch (error) {
    if (error instanceof Error && !(error instanceof TypeError) && !isLimit(error)) return lenientNone(name, error);
    throw error;
  }
}

/** The query for a field that refuses the words. @throws RequestError the refusal, without `lenient` */
export function refused(name: string, error: RequestError, { lenient }: { readonly lenient?: boolean }): Query {
  if (lenient !== true) throw error;
  return lenientNone(name, error);
}
