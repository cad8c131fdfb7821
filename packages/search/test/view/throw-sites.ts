// The errors of search that random requests to small indexes provoke, for those who count them; and those that they cannot, with the
// reason. What each is, and a request that provokes it, is in value-errors.ts.
import type { ThrowSite } from '@lockstitch/search/requests';
import { VALUE_ERRORS } from './value-errors.ts';

const MANY_WORDS = 'needs more words in an index than random documents have';

/** By the site. */
const NOT_AT_RANDOM: Readonly<Record<string, string>> = {
  'query/spans.ts: a pattern that stands for too many terms': MANY_WORDS,
  'query/intervals.ts: a pattern that stands for too many terms': MANY_WORDS,
  'query/statistics.ts: a pattern that is rewritten to too many clauses': MANY_WORDS,
  'mapping/date-math.ts: a number that is no date of the calendar':
    'needs numbers whose sums are not exact: their last digits depend on the order of the index, as the guide says',
};

/** Those that are told alike are one. */
export const THROW_SITES: readonly ThrowSite[] = [
  ...new Map(
    VALUE_ERRORS.filter(({ site }) => !Object.hasOwn(NOT_AT_RANDOM, site))
      .toReversed()
      .map(({ pattern, site }) => [pattern.source, { pattern, site }]),
  ).values(),
];

for (const site of Object.keys(NOT_AT_RANDOM))
  if (!VALUE_ERRORS.some((each) => each.site === site)) throw new Error(`No errors are thrown at ${site}.`);
