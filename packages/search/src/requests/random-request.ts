// Makes one random request to the API, of any kind, for any index. Tests of promises about all answers use it.
import type { Paged } from './ask-pages.ts';
import { type Asked, randomEndpoint } from './random-endpoint.ts';
import { randomQuery } from './queries.ts';
import type { Random } from './random.ts';
import { randomSort } from './sorts.ts';
import type { Surface } from './surface.ts';
import { type Mistake, Words } from './words.ts';

/** One request, or several that follow from each other. */
export type SearchAsked = ({ readonly kind: 'search' } & Asked) | ({ readonly kind: 'pages' } & Paged);

/** Which mistakes are made how often. */
const MISTAKES: readonly Mistake[] = ['none', 'none', 'none', 'none', 'none', 'wrong', 'risky', 'risky', 'risky'];
/** Once in so many, it is read in pages. */
const PAGES = 20;

/** Makes one. @param mistake by chance when absent */
export function randomSearchRequest(
  random: Random,
  surface: Surface,
  mistake: Mistake = random.pick(MISTAKES),
): SearchAsked {
  // There is more to ask of numbers, and most of what documents cannot bear is computed of them.
  const counted = surface.indexes.filter(({ fields }) => fields.number.length > 0);
  const index = random.pick(mistake === 'risky' && counted.length > 0 ? counted : [...surface.indexes, ...counted]);
  const words = new Words(random, surface, index, mistake);
  if (random.once(PAGES)) return { kind: 'pages', ...randomPages(words) };
  return { kind: 'search', ...randomEndpoint(words) };
}

/** Makes a search that takes several requests. */
function randomPages(words: Words): Paged {
  const { index, random } = words;
  const how = random.pick(['scroll', 'slice', 'pit', 'search_after', 'composite', 'copy'] as const);
  const query = randomQuery(words, 1);
  const size = 1 + random.int(2);
  switch (how) {
    case 'copy':
      return { how, index: index.name, body: { query, size, slices: random.pick([1, 1, 3, 'auto']) } };
    case 'composite': {
      const sources = [
        { k: { terms: { field: words.column(), missing_bucket: random.once(2) } } },
        ...(random.once(2) ? [{ n: { terms: { field: words.number() } } }] : []),
      ];
      return { how, index: index.name, body: { query, aggs: { c: { composite: { size, sources } } } } };
    }
    default:
      return { how, index: index.name, body: { query, size, sort: [randomSort(words), '_id'] } };
  }
}

/** A request as text. */
export function printSearchAsked(asked: SearchAsked): string {
  const target = asked.kind === 'search' ? asked.target : `POST /${asked.index}/_search, in pages by ${asked.how}`;
  return asked.body === undefined ? target : `${target}\n${JSON.stringify(asked.body)}`;
}
