// Every endpoint of the API that answers about an index, with requests to it, right and wrong; and those that are left out, with the
// reason. Requests that follow from each other's answers are in ask-pages.ts.
import { randomQuery } from './queries.ts';
import { randomSearch } from './search-bodies.ts';
import { spoil } from './spoil.ts';
import type { Words } from './words.ts';

/** One request: method and path, and a body. */
export interface Asked {
  readonly target: string;
  readonly body?: unknown;
}

/** What is asked of a path: parameters and body. */
interface Sent {
  readonly query?: Readonly<Record<string, string>> | string;
  readonly body?: unknown;
}

/** A path with the methods that are asked, and what is sent. */
interface Endpoint {
  /** How often it is asked among those that tell of documents; one of the others by default. */
  readonly weight?: number;
  readonly methods: readonly string[];
  readonly send: readonly ((words: Words) => Sent)[];
  /** Whether it would change an index that nobody keeps from being changed. */
  readonly writes?: true;
}

const plain = (...queries: readonly string[]): Endpoint => ({
  methods: ['GET'],
  send: queries.length === 0 ? [() => ({})] : queries.map((query) => () => ({ query })),
});

const ask = (methods: string, weight: number, ...send: Endpoint['send']): Endpoint => ({
  methods: methods.split(' '),
  weight,
  send,
});

/** A change of an index. */
const write = (methods: string, ...send: Endpoint['send']): Endpoint => ({
  methods: methods.split(' '),
  send,
  writes: true,
});

const query = (depth: number) => (words: Words) => ({ body: { query: randomQuery(words, depth) } });
const search = (words: Words): Sent => ({ body: randomSearch(words) });
const id = (words: Words): string => words.id();

/** A search all of whose wishes stand in its URL. */
function inUrl(words: Words): Sent {
  const { random } = words;
  const some: readonly (readonly [string, () => string])[] = [
    ['sort', () => `${words.column()}:desc`],
    ['_source_includes', () => words.pattern()],
    ['_source_excludes', () => words.pattern()],
    ['docvalue_fields', () => words.column()],
    ['stored_fields', () => '_source'],
    ['explain', () => 'true'],
    ['version', () => 'true'],
    ['track_scores', () => 'true'],
    ['rest_total_hits_as_int', () => 'true'],
    ['analyze_wildcard', () => 'true'],
    ['typed_keys', () => 'true'],
    ['size', () => String(words.isWrong() ? words.noNumber() : 2)],
    ['track_total_hits', () => random.pick(['1', 'true', words.isWrong() ? 'x' : 'false'])],
    ['preference', () => '_local'],
    ['routing', () => words.id()],
  ];
  const suggest = { suggest_field: words.text(), suggest_text: `${words.plainWord()}x`, suggest_mode: 'always' };
  return {
    query: {
      q: random.pick([
        words.plainWord(),
        `${words.text()}:${words.plainWord()}*`,
        `${words.field().replaceAll('*', '')}:${words.isWrong() ? '(' : words.plainWord()}`,
      ]),
      ...(random.once(2) ? { df: words.text() } : {}),
      ...(words.isWrong() ? {} : { lenient: 'true' }),
      ...Object.fromEntries(some.filter(() => random.once(4)).map(([name, make]) => [name, make()])),
      ...(random.once(4) ? suggest : {}),
    },
  };
}

const countInUrl = (w: Words): Sent => ({ query: { q: `${w.text()}:${w.plainWord()}`, lenient: 'true' } });
const explanation = (w: Words): Sent => ({
  body: { query: randomQuery(w, 1) },
  ...(w.random.once(4) ? { query: { _source_includes: w.pattern() } } : {}),
});
const analysis = (w: Words): Sent => ({
  body: w.isWrong()
    ? { analyzer: 'nobody', text: w.word() }
    : { field: w.random.once(2) ? w.text() : w.field(), text: w.words() },
});
const searches = (w: Words): Sent => ({
  body: [
    {},
    { query: randomQuery(w, 1) },
    { index: w.otherIndex() },
    randomSearch(w),
    { index: w.names() },
    { query: randomQuery(w, 1) },
  ],
});
const fieldCaps = (w: Words): Sent => ({
  query: { fields: w.pattern(), ...(w.random.once(2) ? { include_unmapped: 'true' } : {}) },
});
const filteredCaps = (w: Words): Sent => ({
  query: { fields: w.random.pick(['*', w.field()]) },
  body: { index_filter: randomQuery(w, 1) },
});
const one = (w: Words): Sent =>
  w.random.pick([
    {},
    { query: { _source_includes: w.pattern() } },
    { query: { _source_excludes: w.pattern(), version: '1', realtime: 'true' } },
    { query: { stored_fields: w.field(), version: '1' } },
    { query: { routing: w.id(), refresh: 'true' } },
  ]);
const several = (w: Words): Sent => ({
  body: w.random.pick<unknown>([
    { ids: [...w.index.ids.slice(0, 5), 'absent'] },
    {
      docs: [
        { _index: w.index.name, _id: w.id(), _source: w.patterns() },
        { _index: w.otherIndex(), _id: w.id(), stored_fields: ['_source'] },
        ...(w.isWrong()
          ? [
              { _id: 7, version: 99 },
              { _index: 'absent', _id: '1' },
            ]
          : []),
      ],
    },
  ]),
});
const severalByIds = (w: Words): Sent => ({ body: { ids: [w.id(), w.id(), 'absent'] } });
const vectors = (w: Words): Sent => ({
  query: { term_statistics: 'true', field_statistics: 'true', fields: w.pattern() },
  ...(w.isWrong()
    ? { body: { filter: { min_term_freq: w.noNumber() }, per_field_analyzer: { [w.text()]: 'nobody' } } }
    : {}),
});
const vectorsOfText = (w: Words): Sent => ({
  query: { offsets: 'false' },
  body: { doc: { [w.text()]: w.words(), [w.isWrong() ? w.number() : w.text()]: w.word() }, term_statistics: true },
});
const manyVectors = (w: Words): Sent => ({
  body: {
    docs: [
      { _id: w.id(), fields: w.patterns(), field_statistics: true, positions: w.random.once(2) },
      { doc: { [w.text()]: w.words(), [w.field()]: w.word() }, term_statistics: true },
    ],
  },
});
const written = (w: Words): Sent => ({
  body: { [w.text()]: 'written' },
  ...(w.random.once(2) ? { query: { if_seq_no: String(w.random.int(9)), if_primary_term: '1' } } : {}),
});
const byQuery = (w: Words): Sent => ({ body: { query: randomQuery(w, 1) } });

/** By path, as the routes have it: those of a schema's index that would change it are refused, which must tell nothing either. */
export const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/': plain(),
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
  '/_search_shards': plain('filter_path=indices,nodes'),
  '/{index}/_search_shards': plain('filter_path=indices,nodes'),
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

  '/_mapping': plain(),
  '/_mappings': plain(),
  '/_mapping/{type}': plain('include_type_name=true'),
  '/{index}/_mapping': plain(),
  '/{index}/_mappings': plain(),
  '/{index}/_mapping/{type}': { ...plain('include_type_name=true'), methods: ['GET', 'HEAD'] },
  '/_mapping/field/{fields}': plain(),
  '/{index}/_mapping/field/{fields}': { ...plain('', 'include_defaults=true'), weight: 2 },
  '/_mapping/{type}/field/{fields}': plain('include_type_name=true'),
  '/{index}/_mapping/{type}/field/{fields}': plain('include_type_name=true'),
  '/_settings': plain('flat_settings=true'),
  '/_settings/{name}': plain(),
  '/{index}/_settings': plain('', 'include_defaults=true'),
  '/{index}/_settings/{name}': plain(),
  '/_alias': plain(),
  '/_alias/{name}': { ...plain(), methods: ['GET', 'HEAD'] },
  '/_aliases': plain(),
  '/{index}/_alias': plain(),
  '/{index}/_alias/{name}': { ...plain(), methods: ['GET', 'HEAD'] },
  '/{index}': { ...plain('', 'flat_settings=true'), methods: ['GET', 'HEAD'] },
  '/_stats': plain(),
  '/_stats/{metric}': plain(),
  '/{index}/_stats': { ...plain('', 'fields=*&fielddata_fields=*', 'level=shards'), weight: 2 },
  '/{index}/_stats/{metric}': plain(),
  '/_segments': plain(),
  '/{index}/_segments': plain(),
  '/_recovery': plain('filter_path=*.shards.index.files.total'),
  '/{index}/_recovery': plain('filter_path=*.shards.index.files.total'),
  '/_shard_stores': plain('status=all&filter_path=indices.*.shards.*.stores.allocation'),
  '/{index}/_shard_stores': plain('status=all&filter_path=indices.*.shards.*.stores.allocation'),
  '/_template': plain(),
  '/_template/{name}': { ...plain(), methods: ['GET', 'HEAD'] },
  '/_index_template': plain(),
  '/_index_template/{name}': { ...plain(), methods: ['GET', 'HEAD'] },
  '/_component_template': plain(),
  '/_component_template/{name}': { ...plain(), methods: ['GET', 'HEAD'] },
  '/_index_template/_simulate_index/{name}': ask('POST', 1, () => ({})),
  '/_resolve/index/{name}': plain(),
  '/_cluster/health': plain(),
  '/_cluster/health/{index}': plain('level=shards'),
  '/_cluster/settings': plain('include_defaults=true'),
  '/_cluster/state': plain('filter_path=metadata.indices.*.mappings'),
  '/_cluster/state/{metric}': plain('filter_path=metadata.indices.*.mappings,nodes.*.roles,blocks'),
  '/_cluster/state/{metric}/{index}': plain('filter_path=metadata.indices.*.mappings,routing_table.indices.*.shards'),
  '/_cluster/stats': plain('filter_path=indices'),
  '/_cluster/pending_tasks': plain(),
  '/_tasks': plain(),
  '/_cat': plain(),
  '/_cat/indices': plain(
    'h=index,docs.count,docs.deleted,store.size',
    'format=json&bytes=b',
    'v&h=health,status,index,pri,rep,docs.count,docs.deleted,store.size,feed.lag',
  ),
  '/_cat/indices/{index}': plain('h=index,docs.count'),
  '/_cat/health': plain('h=status,node.total,shards'),
  '/_cat/count': plain('h=count'),
  '/_cat/count/{index}': plain('h=count'),
  '/_cat/aliases': plain(),
  '/_cat/aliases/{name}': plain(),
  '/_cat/nodes': plain('h=node.role'),
  '/_cat/master': plain('h=node'),
  '/_cat/shards': plain('h=index,shard,prirep,state,docs,store'),
  '/_cat/shards/{index}': plain('h=index,shard,prirep,state,docs,store'),
  '/_cat/templates': plain(),
  '/_cat/templates/{name}': plain(),
  '/_cat/allocation': plain('h=shards,disk.indices'),
  '/_cat/fielddata': plain(),
  '/_cat/fielddata/{fields}': plain(),
  '/_cat/recovery': plain('h=index,stage,files'),
  '/_cat/recovery/{index}': plain('h=index,stage,files'),
  '/_cat/segments': plain(),
  '/_cat/segments/{index}': plain(),
  '/_cat/tasks': plain('h=action'),
  '/_nodes': plain('filter_path=nodes.*.roles'),
  '/_nodes/{node_id}': plain('filter_path=nodes.*.roles'),
  '/_nodes/{node_id}/{metric}': plain('filter_path=nodes.*.roles'),
  '/_nodes/stats': plain('filter_path=nodes.*.indices'),
  '/_nodes/{node_id}/stats': plain('filter_path=nodes.*.indices'),
  '/_nodes/stats/{metric}': plain('filter_path=nodes.*.indices'),
  '/_nodes/{node_id}/stats/{metric}': plain('filter_path=nodes.*.indices'),

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

/** Where queries and aggregations meet documents. */
const WHERE_IT_IS_COMPUTED: readonly string[] = [
  ...Array.from({ length: 24 }, () => '/{index}/_search'),
  '/{index}/_count',
  '/{index}/_count',
  '/{index}/_msearch',
  '/{index}/_explain/{id}',
  '/{index}/_explain/{id}',
  '/{index}/_validate/query',
  '/{index}/_field_caps',
  '/{index}/_delete_by_query',
];

/** Paths that are not asked, with the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  ...reason('a request that follows from another one’s answer: ask-pages.ts asks it', [
    '/{index}/_pit',
    '/_pit',
    '/{index}/_search/point_in_time',
    '/_search/point_in_time',
  ]),
  ...reason('knows no index: the same for all callers', [
    '/_cat/nodeattrs',
    '/_cat/pending_tasks',
    '/_cat/plugins',
    '/_cat/repositories',
    '/_cat/thread_pool',
    '/_cat/thread_pool/{pools}',
    '/_cat/allocation/{node_id}',
    '/_cluster/stats/nodes/{node_id}',
    '/_remote/info',
    '/_tasks/{task_id}',
  ]),
  ...reason('would change both states for everybody, for whatever is asked later', [
    '/_flush',
    '/{index}/_flush',
    '/_flush/synced',
    '/{index}/_flush/synced',
    '/_refresh',
    '/_forcemerge',
    '/_cache/clear',
    '/{index}/_open',
    '/{index}/_rollover/{new_index}',
    '/{index}/_shrink/{target}',
    '/{index}/_split/{target}',
    '/{index}/_aliases/{name}',
    '/_index_template/_simulate',
    '/_index_template/_simulate/{name}',
  ]),
};

function reason(text: string, paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, text]));
}

const PATHS = Object.keys(ENDPOINTS);
const WRITES = PATHS.filter((path) => ENDPOINTS[path]!.writes === true);
/** Those that tell of documents, each as often as it weighs. */
const ABOUT_DOCUMENTS = PATHS.flatMap((path) => Array.from({ length: ENDPOINTS[path]!.weight ?? 0 }, () => path));
const OTHERS = PATHS.filter((path) => !WRITES.includes(path) && !ABOUT_DOCUMENTS.includes(path));

/** Makes a request. */
export function randomEndpoint(words: Words): Asked {
  const { random, surface } = words;
  if (words.mistake === 'risky') return endpointOf(words, random.pick(WHERE_IT_IS_COMPUTED));
  if (surface.isReadOnly && random.once(25)) return endpointOf(words, random.pick(WRITES));
  const asked = endpointOf(words, random.pick(random.once(7) ? OTHERS : ABOUT_DOCUMENTS));
  // Not of a write: it might be one to another index, which nobody refuses.
  return asked.body !== undefined && words.mistake === 'wrong' && random.once(3)
    ? { ...asked, body: spoil(random, asked.body) }
    : asked;
}

/** Makes one to a path. */
export function endpointOf(words: Words, path: string): Asked {
  const { random } = words;
  const { methods, send } = ENDPOINTS[path]!;
  const sent = random.pick(send)(words);
  const method = methods.length === 1 || random.once(4) ? random.pick(methods) : methods[0]!;
  const given = sent.query ?? '';
  const wishes = typeof given === 'string' ? given : String(new URLSearchParams(given));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(stepOf(words, name, method)));
  return {
    target: `${method} ${filled}${wishes === '' ? '' : `?${wishes}`}`,
    ...(sent.body === undefined || method === 'HEAD' ? {} : { body: sent.body }),
  };
}

/** What stands in the path. */
function stepOf(words: Words, name: string, method: string): string {
  const { index, random } = words;
  switch (name) {
    case 'index':
      // By other names only where nothing is changed.
      return method === 'GET' || method === 'POST' ? words.names() : index.name;
    case 'type':
      return index.type;
    case 'id':
      return id(words);
    case 'fields':
      return words.pattern();
    case 'name':
      return random.pick(['*', 'absent', index.name, ...index.aliases]);
    case 'metric':
      return random.pick(['_all', 'indices', 'docs,store', 'metadata', 'search,indexing']);
    case 'target':
      return 'cloned';
    case 'block':
      return 'write';
    default:
      return '_all';
  }
}
