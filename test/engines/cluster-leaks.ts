// Requests as an application would send them to a cluster with a filter for its rules, each of which reveals hidden documents, deletions
// or merges. The comparison of worlds has to notice every one of them; else it would notice nothing.
import type { Json } from '../../packages/search/src/json/json.ts';
import { ask, NATIVE_FIELD } from './cluster-worlds.ts';

const ROWS = { terms: { '_policy.owner': ['ann', 'all'] } };
const under = (query: Json, more: Json = {}): Json => ({ query: { bool: { must: [query], filter: [ROWS] } }, ...more });
const ids: Json = { _source: false, size: 20 };

export const LEAKS: Readonly<Record<string, Json>> = {
  'scores by statistics of the index': under({ match: { [NATIVE_FIELD]: 'amber rare' } }, ids),
  'equal scores in the order of the index': under({ match_all: {} }, ids),
  'the best terms of a fuzzy query': under({ fuzzy: { title: { value: 'foxx', max_expansions: 1 } } }, ids),
  'the first terms of a phrase prefix': under(
    { match_phrase_prefix: { title: { query: 'amb', max_expansions: 1 } } },
    ids,
  ),
  'an aggregation of all documents': under(
    { match_all: {} },
    {
      size: 0,
      aggs: { all: { global: {}, aggs: { n: { value_count: { field: 'tag' } } } } },
    },
  ),
  'buckets without documents': under(
    { match_all: {} },
    {
      size: 0,
      aggs: { tags: { terms: { field: 'tag', min_doc_count: 0, size: 50, order: { _key: 'asc' } } } },
    },
  ),
};

/** What the worlds answer to a leak, if they answer differently; `nothing` if they do not. */
export async function leaksOf(url: string, worlds: readonly string[], body: Json): Promise<string> {
  const answers = new Set<string>();
  for (const world of worlds) {
    const { aggregations, hits } = await ask(url, `POST /${world}/_search`, body);
    const found = ((hits as Json)['hits'] as readonly Json[]).map(({ _id, _score }) => [_id, _score]);
    answers.add(JSON.stringify([found, aggregations]));
  }
  return answers.size === 1 ? 'nothing' : [...answers].join('\n');
}
