// Random requests to the index of every-field.ts: what the catalogue of the API has, over its fields, which may be hidden, guarded or
// open.
import fc from 'fast-check';
import {
  createRandom,
  fieldsOf,
  randomSearchRequest,
  type SearchAsked,
  type Surface,
} from '@lockstitch/search/requests';
import { EVERY_FIELD } from './every-field.ts';

export type { Asked } from '@lockstitch/search/requests';

/** The index `t` by the names it has: an alias may have a filter, which may ask a field that is hidden. */
export const SURFACE: Surface = {
  indexes: [
    {
      name: 't',
      aliases: ['mine', 'hushed', 'mine,hushed', 'any*,-hushed'],
      type: '_doc',
      ...fieldsOf(EVERY_FIELD),
      ids: Array.from({ length: 9 }, (_, at) => String(at)),
    },
  ],
  words: ['red', 'blue', 'fox', 'dog', 're', 'secret', 'ann', 'bob', 'zed', 'x', 'y'],
  isReadOnly: true,
  asksMetadata: true,
};

/** Any request. */
export const arbitraryRequest: fc.Arbitrary<SearchAsked> = requestsOf(SURFACE);

/** Requests that fail on what documents hold. */
export const riskyRequest: fc.Arbitrary<SearchAsked> = requestsOf(SURFACE, 'risky');

/** Any request that changes nothing. */
export const arbitraryRead: fc.Arbitrary<SearchAsked> = requestsOf({ ...SURFACE, isReadOnly: false });

function requestsOf(surface: Surface, mistake?: 'risky'): fc.Arbitrary<SearchAsked> {
  return fc.noBias(fc.noShrink(fc.integer())).map((seed) => randomSearchRequest(createRandom(seed), surface, mistake));
}
