// Asks Elasticsearch and this engine searches that have every documented option of aggregations, sorts and searches, with values that fit,
// that nearly do, and that do not.
import { createRandom } from '@lockstitch/search/requests';
import { step } from './ask.ts';
import type { DifferOptions, Outcome } from './comparison.ts';
import { compareSearches, isAsked } from './differ.ts';
import { normalize } from './normalize-answer.ts';
import { randomOptions } from './random-options.ts';

/** Compares, index by index. @param url of the other engine */
export function compareOptions(url: string, options: DifferOptions): Promise<Outcome> {
  return compareSearches(url, options, async (comparison, random, surface) => {
    const { target, body } = randomOptions(createRandom(random.int(2 ** 31)), surface);
    if (isAsked(target, body)) await comparison.ask(step(target, body), normalize);
  });
}
