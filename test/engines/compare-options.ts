// Asks Elasticsearch and this engine searches that have every documented option of aggregations, sorts, queries and searches, with values
// that fit, that nearly do, and that do not.
import { createRandom } from '@lockstitch/search/requests';
import type { DifferOptions, Outcome } from './comparison.ts';
import { asStep, compareSearches, isAsked } from './differ.ts';
import { normalize } from './normalize-answer.ts';
import { randomOptions } from './random-options.ts';
import { randomSearchApi } from './random-search-apis.ts';

/** Compares, index by index. @param url of the other engine */
export function compareOptions(url: string, options: DifferOptions): Promise<Outcome> {
  return compareSearches(url, options, async (comparison, random, surface) => {
    const choice = { random: createRandom(random.int(2 ** 31)), surface };
    const asked = random.once(2) ? randomSearchApi(choice) : randomOptions(choice.random, surface);
    if (isAsked(asked.target, asked.body)) await comparison.ask(asStep(asked), normalize);
  });
}
