// The paths that take JSON and do nothing that a page of another origin could profit from: what a configuration may exclude from CSRF
// protection. One list for applications, examples and what `lockstitch init` writes (ADR 0006).

/** A request that needs no token. */
export interface JsonPath {
  readonly ant: string;
  readonly method?: 'POST' | 'DELETE';
}

// Names that start with "_" are no indexes and types: /notes/_create/_search writes the document "_search".
const INDEX = '{index:_all|[^_].*}';
const TYPE = '{type:[^_].*}';

/** What reads, asked of all indexes, of some, and of a type. */
const EVERYWHERE = ['_search', '_count', '_msearch', '_mget', '_validate/query', '_mtermvectors'];
/** What reads, asked of all indexes or of some. */
const BY_INDEX = ['_field_caps', '_search_shards', '_analyze'];
/** What reads, asked of an index. */
const OF_INDEX = ['_explain/*', '_termvectors', '_termvectors/*', '_pit', '_search/point_in_time'];

const post = (ant: string): JsonPath => ({ ant, method: 'POST' });
const remove = (ant: string): JsonPath => ({ ant, method: 'DELETE' });

/**
 * The GraphQL endpoint, and the endpoints of search that read, closing scrolls and points in time included.
 *
 * @example
 * export default defineConfig({ csrf: { ignore: JSON_PATHS } });
 */
export const JSON_PATHS: readonly JsonPath[] = [
  post('/'),
  post('/graphql'),
  // Subscriptions by server-sent events: PUT and DELETE as well.
  { ant: '/graphql/stream' },
  ...EVERYWHERE.flatMap((name) => [post(`/${name}`), post(`/${INDEX}/${name}`), post(`/${INDEX}/${TYPE}/${name}`)]),
  ...BY_INDEX.flatMap((name) => [post(`/${name}`), post(`/${INDEX}/${name}`)]),
  ...OF_INDEX.map((name) => post(`/${INDEX}/${name}`)),
  post('/_search/scroll'),
  post('/_search/scroll/*'),
  remove('/_search/scroll'),
  remove('/_search/scroll/*'),
  remove('/_pit'),
  remove('/_search/point_in_time'),
];
