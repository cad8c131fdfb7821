// How random requests ask every endpoint that reads, and some that write. Endpoints are defined in `rest/endpoints.ts`; here are those that
// take more than their path. Not here: bodies (endpoint-bodies.ts), and sequences of requests such as pages and scrolls (ask-pages.ts).
import { ENDPOINTS as DEFINED } from '../rest/endpoints.ts';
import {
  analysis,
  byQuery,
  countInUrl,
  explanation,
  fieldCaps,
  filteredCaps,
  inUrl,
  manyVectors,
  one,
  query,
  rankings,
  search,
  searches,
  several,
  severalByIds,
  simulated,
  template,
  templates,
  vectors,
  vectorsOfText,
  written,
  type Sent,
} from './endpoint-bodies.ts';
import type { Words } from './words.ts';

/** How a path is asked. */
export interface Asking {
  /** Its weight among the endpoints that answer about documents; undefined for other endpoints. */
  readonly weight?: number;
  readonly methods: readonly string[];
  readonly send: readonly ((words: Words) => Sent)[];
  /** Whether it would change an index that is not read-only. */
  readonly writes?: true;
}

/** With one of several URL queries. */
const queries = (...given: readonly string[]): Pick<Asking, 'send'> => ({
  send: given.map((query) => () => ({ query })),
});

const ask = (methods: string, weight: number, ...send: Asking['send']): Asking => ({
  methods: methods.split(' '),
  weight,
  send,
});

/** A change of an index. */
const write = (methods: string, ...send: Asking['send']): Asking => ({
  methods: methods.split(' '),
  send,
  writes: true,
});

/** Columns of `_cat` tables that count something. */
const NUMBERS =
  'docs*,store*,pri.*,indexing.*,get.*,search.*,merges.*,refresh.*,flush.*,segments.*,fielddata.*,completion.*,memory.*';

/** By path. Changes of a schema's index are refused, and the refusal must reveal nothing either. */
const ROWS: Readonly<Record<string, Partial<Asking>>> = {
  '/{index}/_search': ask('POST GET', 40, search, search, search, search, inUrl),
  '/_search': ask('GET POST', 2, inUrl),
  '/{index}/{type}/_search': ask('POST', 2, search),
  '/_search/scroll': ask('POST', 1, () => ({ body: { scroll_id: 'nobody opened it' } })),
  '/_search/scroll/{scroll_id}': ask('GET DELETE', 1, () => ({})),
  '/{index}/_count': ask(
    'POST GET',
    4,
    query(2),
    query(1),
    (w) => ({ ...query(1)(w), query: 'min_score=0.1' }),
    countInUrl,
  ),
  '/_count': ask('GET', 1, countInUrl),
  '/{index}/{type}/_count': ask('POST', 1, query(1)),
  '/{index}/_msearch': ask('POST', 2, searches),
  '/_msearch': ask('POST', 1, searches),
  '/{index}/{type}/_msearch': ask('POST', 1, searches),
  '/{index}/_search/template': ask('POST', 2, template),
  '/_render/template': ask('POST', 1, template),
  '/{index}/_msearch/template': ask('POST', 1, templates),
  '/{index}/_rank_eval': ask('POST', 2, rankings),
  '/{index}/_validate/query': ask('POST', 2, (w) => ({ ...query(1)(w), query: 'explain=true' })),
  '/_validate/query': ask('POST', 1, (w) => ({ ...query(1)(w), query: 'explain=true&rewrite=true' })),
  '/{index}/{type}/_validate/query': ask('GET', 1, (w) => ({ query: { q: w.plainWord() } })),
  '/{index}/_explain/{id}': ask('POST', 3, explanation),
  '/{index}/{type}/{id}/_explain': ask('POST', 1, explanation),
  '/{index}/_termvectors/{id}': ask('GET POST', 2, vectors),
  '/{index}/_termvectors': ask('POST', 2, vectorsOfText),
  '/{index}/{type}/_termvectors': ask('POST', 1, vectorsOfText),
  '/{index}/{type}/{id}/_termvectors': ask('GET', 1, vectors),
  '/_mtermvectors': ask('POST', 1, (w) => ({
    body: { docs: [{ _index: w.index.name, _id: w.id(), term_statistics: true }] },
  })),
  '/{index}/_mtermvectors': ask('POST', 2, manyVectors),
  '/{index}/{type}/_mtermvectors': ask('POST', 1, manyVectors),
  '/_search_shards': queries('filter_path=indices,nodes'),
  '/{index}/_search_shards': queries('filter_path=indices,nodes'),
  '/_field_caps': ask('GET POST', 1, fieldCaps),
  '/{index}/_field_caps': ask('GET POST', 4, fieldCaps, filteredCaps),
  '/_analyze': ask('POST', 1, (w) => ({ body: { analyzer: 'standard', text: w.words() } })),
  '/{index}/_analyze': ask('POST', 4, analysis),
  '/_mget': ask('POST', 1, (w) => ({ body: { docs: [{ _index: w.index.name, _id: w.id(), _source: w.patterns() }] } })),
  '/{index}/_mget': ask('POST', 2, several),
  '/{index}/{type}/_mget': ask('POST', 1, severalByIds),
  '/{index}/_doc/{id}': ask('GET HEAD', 4, one),
  '/{index}/{type}/{id}': ask('GET', 2, one),
  '/{index}/_source/{id}': ask('GET HEAD', 2, (w) =>
    w.random.once(3) ? { query: { _source_includes: w.pattern() } } : {},
  ),
  '/{index}/{type}/{id}/_source': ask('GET', 1, () => ({})),

  '/_mapping/{type}': queries('include_type_name=true'),
  '/{index}/_mapping/{type}': queries('include_type_name=true'),
  '/{index}/_mapping/field/{fields}': { ...queries('', 'include_defaults=true'), weight: 2 },
  '/_mapping/{type}/field/{fields}': queries('include_type_name=true'),
  '/{index}/_mapping/{type}/field/{fields}': queries('include_type_name=true'),
  '/_settings': queries('flat_settings=true'),
  '/{index}/_settings': queries('', 'include_defaults=true'),
  '/{index}': queries('', 'flat_settings=true'),
  '/{index}/_stats': {
    ...queries('', 'fields=*&fielddata_fields=*', 'level=shards', 'level=shards&groups=*&types=*'),
    weight: 2,
  },
  '/_recovery': queries('filter_path=*.shards.index.files.total'),
  '/{index}/_recovery': queries('filter_path=*.shards.index.files.total'),
  '/_shard_stores': queries('status=all&filter_path=indices.*.shards.*.stores.allocation'),
  '/{index}/_shard_stores': queries('status=all&filter_path=indices.*.shards.*.stores.allocation'),
  '/_ingest/pipeline/_simulate': ask('POST', 1, simulated),
  '/_index_template/_simulate_index/{name}': ask('POST', 1, () => ({})),
  '/_cluster/health/{index}': queries('level=shards'),
  '/_cluster/settings': queries('include_defaults=true'),
  '/_cluster/state': queries('filter_path=metadata.indices.*.mappings'),
  '/_cluster/state/{metric}': queries('filter_path=metadata.indices.*.mappings,nodes.*.roles,blocks'),
  '/_cluster/state/{metric}/{index}': queries('filter_path=metadata.indices.*.mappings,routing_table.indices.*.shards'),
  '/_cluster/stats': queries('filter_path=indices'),
  '/_cluster/stats/nodes/{node_id}': queries('filter_path=indices'),
  '/_cat/indices': queries(
    'h=index,docs.count,docs.deleted,store.size',
    'format=json&bytes=b',
    'v&h=health,status,index,pri,rep,docs.count,docs.deleted,store.size,feed.lag',
    `h=${NUMBERS}&s=docs.count:desc`,
  ),
  '/_cat/indices/{index}': queries('h=index,docs.count'),
  '/_cat/health': queries('h=status,node.total,shards'),
  '/_cat/count': queries('h=count'),
  '/_cat/count/{index}': queries('h=count'),
  '/_cat/nodes': queries('h=node.role', `h=${NUMBERS},disk.*,heap.*,ram.*,load*,cpu`),
  '/_cat/master': queries('h=node'),
  '/_cat/shards': queries('h=index,shard,prirep,state,docs,store', `h=${NUMBERS},seq_no.*,sync_id`),
  '/_tasks': queries('', 'detailed', 'group_by=none'),
  '/_cat/shards/{index}': queries('h=index,shard,prirep,state,docs,store'),
  '/_cat/allocation': queries('h=shards,disk.indices'),
  '/_cat/allocation/{node_id}': queries('h=shards,disk.indices'),
  '/_cat/recovery': queries('h=index,stage,files'),
  '/_cat/recovery/{index}': queries('h=index,stage,files'),
  '/_cat/tasks': queries('h=action'),
  '/_nodes': queries('filter_path=nodes.*.roles'),
  '/_nodes/{node_id}': queries('filter_path=nodes.*.roles'),
  '/_nodes/{node_id}/{metric}': queries('filter_path=nodes.*.roles'),
  '/_nodes/stats': queries(
    'filter_path=nodes.*.indices',
    'filter_path=nodes.*.os.mem,nodes.*.os.cpu,nodes.*.fs.total,nodes.*.jvm.mem',
  ),
  '/_nodes/{node_id}/stats': queries('filter_path=nodes.*.indices'),
  '/_nodes/stats/{metric}': queries('filter_path=nodes.*.indices'),
  '/_nodes/{node_id}/stats/{metric}': queries('filter_path=nodes.*.indices'),
  '/_nodes/stats/{metric}/{index_metric}': queries('filter_path=nodes.*.indices'),
  '/_nodes/{node_id}/stats/{metric}/{index_metric}': queries('filter_path=nodes.*.indices'),

  '/{index}/_create/{id}': write('PUT', written),
  '/{index}/{type}/{id}/_create': write('PUT', written),
  '/{index}/_update/{id}': write('POST', (w) => ({ body: { doc: { [w.text()]: 'written' } } })),
  '/{index}/{type}/{id}/_update': write('POST', () => ({
    body: { script: { source: 'ctx.op = "delete"' }, upsert: {} },
  })),
  '/{index}/_delete_by_query': write('POST', byQuery),
  '/{index}/_update_by_query': write('POST', byQuery),
  '/_bulk': write('POST', (w) => ({
    body: [
      { update: { _index: w.index.name, _id: w.id() } },
      { doc: { [w.text()]: 'written' } },
      { delete: { _index: w.index.name, _id: w.id() } },
      { create: { _index: w.index.name, _id: w.id() } },
      { [w.text()]: 'written' },
    ],
  })),
  '/{index}/_bulk': write('POST', (w) => ({ body: [{ delete: { _id: w.id() } }] })),
  '/{index}/{type}/_bulk': write('POST', (w) => ({ body: [{ delete: { _id: w.id() } }] })),
  '/_reindex': write('POST', (w) => ({ body: { source: { index: w.index.name }, dest: { index: w.index.name } } })),
  '/_tasks/_cancel': write('POST', () => ({})),
  '/{index}/_clone/{target}': write('PUT', () => ({})),
  '/{index}/_close': write('POST', () => ({})),
  '/{index}/_forcemerge': write('POST', () => ({})),
  '/{index}/_refresh': write('POST', () => ({})),
  '/{index}/_cache/clear': write('POST', () => ({})),
  '/{index}/_rollover': write('POST', () => ({ query: 'dry_run=true' })),
  '/{index}/_block/{block}': write('PUT', () => ({})),
  '/{index}/{type}': write('POST', written),
  '/{index}/{type}/_mapping': write('PUT', (w) => ({
    query: 'include_type_name=true',
    body: { properties: { [w.field()]: { type: 'long' } } },
  })),
};

/** Every path that reads, as it stands where no row says how; and the writes that have a row. */
export const ENDPOINTS: Readonly<Record<string, Asking>> = Object.fromEntries(
  [...new Set([...DEFINED.flatMap(({ paths }) => paths), ...Object.keys(ROWS)])].flatMap((path) => {
    const methods = readingMethods(path);
    const row = ROWS[path];
    return methods.length === 0 && row === undefined ? [] : [[path, { methods, send: [() => ({})], ...row }]];
  }),
);

function readingMethods(path: string): readonly string[] {
  return DEFINED.filter(({ effect, paths }) => effect === 'reads' && paths.includes(path)).flatMap(
    ({ methods }) => methods,
  );
}
