// What is wrong with a search by itself, whatever indices there are: Elasticsearch reads the whole body before it looks any index up, so of
// several mistakes it names the first one that needs no mapping. Asked only where a request has failed: it costs successful ones nothing.
import { BucketBudget } from '../aggs/aggregator.ts';
import { checkAggregations } from '../aggs/parse-aggs.ts';
import { standardAnalysis } from '../analysis/analysis-registry.ts';
import type { QueryContext } from '../dsl/context.ts';
import { parseQuery } from '../dsl/parse-query.ts';
import { readHighlight } from '../highlight/highlight-options.ts';
import { asObject, type Json, toList } from '../json/json.ts';
import { wholeMembers } from '../json/large-json.ts';
import { within } from '../json/object-parser.ts';
import { Mapping } from '../mapping/mapping.ts';
import { type RequestLimits, withBudget } from '../tasks/request-budget.ts';
import { isShardFailure, RequestError } from '../errors/request-error.ts';
import { runSuggest } from '../suggest/suggest.ts';
import { checkCollapse } from './collapse.ts';
import { readSort } from '../sort/sort.ts';
import { readSearchBody } from './search-body.ts';
import { parseTopHits } from './top-hits.ts';

/** A mapping without fields. Metadata fields are missing, too: a shard reports what they cannot be asked. */
class NoFields extends Mapping {
  override field(): undefined {
    return undefined;
  }
}

const MAPPING = new NoFields(undefined, standardAnalysis);

/** The surroundings of queries that are read for mistakes only. */
function parsingContext(now: number): QueryContext {
  return {
    index: '_na_',
    mapping: MAPPING,
    now,
    defaultField: ['*'],
    aliases: [],
    maxClauses: Infinity,
    parsesOnly: true,
  };
}

/** What reading may cost. */
export interface ParseOptions {
  readonly now: number;
  readonly maxAggregations: number;
  readonly limits: RequestLimits;
}

/**
 * Reads the body of a search without a mapping, in the order of its members.
 *
 * @throws RequestError for its first mistake; what is missing or contradicts itself is reported after all that cannot be read
 */
export function runParseSearch(json: Json, options: ParseOptions): void {
  const body = wholeMembers(json);
  const invalid: RequestError[] = [];
  withBudget(options.limits, () => {
    for (const [key, value] of Object.entries(body))
      try {
        ignoringShards(() => parseMember(key, value, options));
      } catch (error) {
        if (!(error instanceof RequestError) || error.code !== 'SEARCH_VALIDATION') throw error;
        invalid.push(error);
      }
  });
  if (invalid[0] !== undefined) throw invalid[0];
}

/** Runs what reads a part. Of failures on a shard another part may say more. */
function ignoringShards(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!isShardFailure(error)) throw error;
  }
}

function parseMember(key: string, value: unknown, { now, maxAggregations }: ParseOptions): void {
  const context = parsingContext(now);
  // Options that are no mapping's business are read as for a search.
  ignoringShards(() => readSearchBody({ [key]: value }));
  switch (key) {
    case 'query':
    case 'post_filter':
      parseQuery(value, context);
      break;
    case 'aggs':
    case 'aggregations':
      checkAggregations(value, {
        budget: new BucketBudget(Infinity, false),
        typedKeys: false,
        maxAggregations,
        now,
        formatOf: () => undefined,
        mapped: context.mapping,
        topHits: (name, meta, hits) => parseTopHits(name, meta, hits, context),
        parseQuery: (query) => void parseQuery(query, context),
      });
      break;
    case 'sort':
      readSort(value, context);
      break;
    case 'highlight':
      parseHighlight(asObject(value, key), context);
      break;
    case 'suggest':
      parseSuggest(asObject(value, key));
      break;
    case 'collapse':
      checkCollapse(asObject(value, key));
      break;
    case 'rescore':
      for (const pass of toList(value))
        within('query', 'rescore_query', () =>
          parseQuery(asObject(asObject(pass, key)['query'], 'query')['rescore_query'], context),
        );
  }
}

/** Reads `highlight` and the queries in it. */
function parseHighlight(highlight: Json, context: QueryContext): void {
  const parse = (where: string, query: unknown): void => {
    if (query !== undefined) within(where, 'highlight_query', () => parseQuery(query, context));
  };
  readHighlight(highlight);
  parse('highlight', highlight['highlight_query']);
  for (const each of toList(highlight['fields'] ?? []))
    for (const [field, options] of Object.entries(asObject(each, 'fields')))
      within('highlight', 'fields', () =>
        within('fields', field, () => parse('highlight_field', asObject(options, field)['highlight_query'])),
      );
}

/** Reads suggestions one by one: which fields there are, a shard knows. */
function parseSuggest({ text, ...suggestions }: Json): void {
  for (const [name, suggestion] of Object.entries(suggestions))
    ignoringShards(() => runSuggest({ ...(text === undefined ? {} : { text }), [name]: suggestion }, [], false));
}
