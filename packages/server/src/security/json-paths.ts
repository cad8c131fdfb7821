// Paths that take JSON and do nothing that a page of another origin could abuse: paths that a configuration may exclude
// from CSRF protection. Shared by applications, examples and `lockstitch init` (ADR 0006).

/** A request that needs no CSRF token. */
export interface JsonPath {
  readonly ant: string;
  readonly method?: 'POST' | 'DELETE';
}

// Names that start with "_" are not indexes or types: /notes/_create/_search writes the document "_search".
const INDEX = '{index:_all|[^_].*}';
const TYPE = '{type:[^_].*}';

/** Read endpoints for all indexes, for some, and for a type. */
const EVERYWHERE = [
  '_search',
  '_count',
  '_msearch',
  '_mget',
  '_validate/query',
  '_mtermvectors',
  '_search/template',
  '_msearch/template',
];
/** Read endpoints for all indexes or for some. */
const BY_INDEX = ['_field_caps', '_search_shards', '_analyze', '_rank_eval'];
/** Read endpoints for one index. */
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
  // Subscriptions by server-sent events also use PUT and DELETE.
  { ant: '/graphql/stream' },
  ...EVERYWHERE.flatMap((name) => [post(`/${name}`), post(`/${INDEX}/${name}`), post(`/${INDEX}/${TYPE}/${name}`)]),
  ...BY_INDEX.flatMap((name) => [post(`/${name}`), post(`/${INDEX}/${name}`)]),
  ...OF_INDEX.map((name) => post(`/${INDEX}/${name}`)),
  post('/_render/template'),
  post('/_render/template/*'),
  post('/_search/scroll'),
  post('/_search/scroll/*'),
  remove('/_search/scroll'),
  remove('/_search/scroll/*'),
  remove('/_pit'),
  remove('/_search/point_in_time'),
];
