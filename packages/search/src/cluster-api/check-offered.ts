// Refuses by name what of a search is not sent to a cluster. The verdicts say why.
import { SEARCH_VERDICTS } from '../cluster/search-verdicts.ts';
import { searchError } from '../errors/search-errors.ts';
import type { SearchTarget } from '../fetch/target.ts';
import { reasonOf } from '../query/cluster/verdict.ts';
import type { SearchBody } from '../search/search-body.ts';
import type { SearchOptions } from '../search/search.ts';

/** @throws ProductError SEARCH_NOT_ON_CLUSTER for what the verdicts say is not sent */
export function checkOffered(body: SearchBody, targets: readonly SearchTarget[], { typedKeys }: SearchOptions): void {
  const isOfSeveral = targets.length > 1;
  const { aggregations, collapse } = body;
  const asked: readonly (readonly [what: string, member: keyof SearchBody, isAsked: boolean])[] = [
    ['rescore', 'rescore', body.rescore.length > 0],
    ['profile', 'profile', body.profile],
    ['explain', 'fetch', body.fetch.explain],
    ['suggest', 'suggest', body.suggest !== undefined],
    ['slice', 'slice', body.slice !== undefined],
    ['terminate_after', 'terminateAfter', body.terminateAfter !== 0],
    ['collapse', 'collapse', collapse !== undefined && (isOfSeveral || collapse['inner_hits'] !== undefined)],
    ['aggs', 'aggregations', aggregations !== undefined && (isOfSeveral || typedKeys)],
  ];
  for (const [what, member, isAsked] of asked)
    if (isAsked) throw notOnCluster(`[${what}]`, reasonOf(SEARCH_VERDICTS[member]));
}

/** The targets for a search in which queries that read a document are refused: documents are on the cluster. */
export function withoutLookups(asked: SearchTarget): SearchTarget {
  const lookup = (): never => {
    throw notOnCluster('a query that reads a document', 'name its values in the request');
  };
  const { target, state } = asked;
  return {
    state,
    target: { ...target, context: { ...target.context, lookup } },
    get searcher() {
      return asked.searcher;
    },
  };
}

export function notOnCluster(what: string, reason: string): Error {
  return searchError('SEARCH_NOT_ON_CLUSTER', { what, reason });
}
