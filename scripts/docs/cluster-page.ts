// Prints docs/reference/cluster.md from the verdicts of the search package.
import { clusterVerdicts } from '../../packages/search/src/aggs/definitions.ts';
import { OFFERED } from '../../packages/search/src/cluster-api/offered-endpoints.ts';
import { SEARCH_VERDICTS, SORT_VERDICTS } from '../../packages/search/src/cluster/search-verdicts.ts';
import type { Verdict } from '../../packages/search/src/query/cluster/verdict.ts';
import { KINDS } from '../../packages/search/src/query/kinds.ts';

/** The page. */
export function printClusterPage(): string {
  return `${[
    '# Searches on a cluster',
    '',
    'Generated from `packages/search/src/cluster` by `npm run docs`.',
    '',
    '[`search.engine`](../guide/search-on-a-cluster.md) puts the indexes on a search cluster. This page says what Elasticsearch or OpenSearch may be asked so that an answer shows nothing of documents that the caller may not see. A filter alone does not do it:',
    'hidden documents share the dictionaries, the statistics and the order of an index with visible ones. The compiler of queries follows these tables, and `npm run test:engines -- test/engines/cluster.peer.ts test/engines/cluster-doors.peer.ts` holds it to them on Elasticsearch 7.10 and OpenSearch 2.19 and 3.8; [ADR 0055](../adr/0055-score-on-a-cluster-by-numbers-of-the-request.md) has the reasons and the figures.',
    '',
    '## Requests',
    '',
    'The REST API offers these over a cluster. Each other request of [the embedded engine](../compatibility.md) is refused by name, writes too. Mistakes are answered in the words of the embedded engine, and what hits show (sources, fields, highlights, sort values) is made by it from the documents that the cluster found.',
    'An answer is whole, or an error: shards that fail, a time that is over or a cluster that is busy or away answer 503 (`SEARCH_CLUSTER_FAILED`). What the cluster says of its errors is not passed on.',
    '',
    ...OFFERED.map(
      ({ methods, paths }) =>
        `- ${methods.map((method) => `\`${method}\``).join(', ')} ${paths.map((path) => `\`${path}\``).join(', ')}`,
    ),
    '',
    'A search takes one request to the cluster, and one more before it where words are new, or where a histogram shows empty buckets. A scroll is one of the cluster. Only the caller who opened a scroll or a point in time can use it, on the server where it was opened.',
    '',
    '## Searches',
    '',
    '*safe*: asked as it is, under the filter. *rewritten*: asked in other words. *limited*: some forms only, the others are refused. *refused*: an error names it (`SEARCH_NOT_ON_CLUSTER`).',
    '',
    '### Queries',
    '',
    'By the kinds of the query tree, which the words of requests become: `match` becomes `term`, `boolean` or `phrase`, and so on.',
    '',
    '| Kind | As a filter | With its score |',
    '|---|---|---|',
    ...rowsOf(KINDS, ({ cluster: { filter, score } }) =>
      filter === score ? [cellOf(filter), 'the same'] : [cellOf(filter), cellOf(score)],
    ),
    ...table('Aggregations', 'Aggregation', clusterVerdicts()),
    ...table('Orders', 'Sort key', SORT_VERDICTS),
    ...table('The rest of a search', 'Member', SEARCH_VERDICTS),
  ].join('\n')}\n`;
}

function table(title: string, head: string, verdicts: Readonly<Record<string, Verdict>>): readonly string[] {
  return ['', `### ${title}`, '', `| ${head} | Verdict |`, '|---|---|', ...rowsOf(verdicts, (each) => [cellOf(each)])];
}

function rowsOf<T>(verdicts: Readonly<Record<string, T>>, cells: (verdict: T) => readonly string[]): readonly string[] {
  return Object.keys(verdicts)
    .toSorted()
    .map((name) => `| \`${name}\` | ${cells(verdicts[name]!).join(' | ')} |`);
}

function cellOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'safe':
      return 'safe';
    case 'rewritten':
      return `rewritten: ${verdict.as}`;
    case 'limited':
      return `limited to ${verdict.to}: ${verdict.why}`;
    case 'refused':
      return `refused: ${verdict.why}`;
  }
}
