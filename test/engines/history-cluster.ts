// Requests of a random history that ask about the cluster as a whole, tables, numbers, and mistakes of HTTP.
import { type Step, step } from './ask.ts';
import { type HistoryWords, INDICES, joined, type MakeStep } from './history-words.ts';

const CAT: Readonly<Record<string, readonly string[]>> = {
  indices: [
    'health,status,index,pri,rep,docs.count,docs.deleted',
    'i,dc',
    'index',
    'h,s,i',
    'docsCount,idx',
    'absent,index',
    'p,r,i',
  ],
  'indices/{index}': ['index,docs.count', 'i,status'],
  aliases: ['alias,index,filter,routing.index,routing.search,is_write_index', 'a,i', ''],
  'aliases/c*': ['a,i', ''],
  'aliases/absent': [''],
  shards: ['index,shard,prirep,state,docs', 'i,s,p,st,d'],
  'shards/{index}': ['index,docs'],
  count: ['count'],
  'count/{index}': ['count', 'dc'],
  health: [
    'status,node.total,node.data,shards,pri,relo,init,unassign,pending_tasks,max_task_wait_time,active_shards_percent',
    'st,sh',
  ],
  master: [''],
  nodes: ['node.role,master,version', 'r,m'],
  nodeattrs: [],
  allocation: ['shards'],
  templates: ['name,index_patterns,order,version,composed_of', ''],
  'templates/t*': [''],
  pending_tasks: [''],
  thread_pool: [],
  'thread_pool/search': ['name,active,queue,rejected', ''],
  recovery: ['index,shard,type,stage'],
  segments: ['index,shard,prirep'],
  fielddata: ['field'],
  tasks: ['action,type'],
  repositories: [''],
  '': [''],
};

function cat(w: HistoryWords): Step | readonly Step[] {
  const { random } = w;
  const table = random.pick(Object.keys(CAT));
  const path = table.replace('{index}', () => w.names());
  const columns = random.pick([...CAT[table]!, '']);
  if (random.once(6)) return step(`GET /_cat/${path}?help`);
  const h =
    columns === '' ? (table.startsWith('aliases') || table.startsWith('templates') ? '' : 'h=index') : `h=${columns}`;
  const first = columns === '' ? 'index' : columns.split(',')[0]!;
  const more = w.some(3, {
    v: ['', 'true', 'false'],
    s: [first, `${first}:desc`, 'absent', `${first}:wrong`],
    format: ['json', 'text', 'yaml'],
    bytes: ['b', 'kb'],
    time: ['ms'],
    ts: ['false'],
  });
  const query = joined(h === '' ? '' : `?${h}`, more, random.once(6) ? w.expanding() : '');
  return [step('POST /_refresh'), step(`GET /_cat${path === '' ? '' : `/${path}`}${query}`)];
}

/** Mistakes of HTTP and of JSON. */
const MISTAKES: readonly MakeStep[] = [
  (w) =>
    step(
      `${w.random.pick(['DELETE', 'PUT', 'POST', 'GET', 'HEAD', 'PATCH', 'OPTIONS'])} ${w.random.pick(['/_search', '/notes/_doc', '/notes/_doc/1', '/_bulk', '/notes/_settings', '/_alias', '/_cat/indices', '/_cluster/health', '/notes', '/_mget', '/notes/_mapping', '/_refresh', '/notes/_update/1', '/_reindex', '/_template/t1', '/', '/_nodes', '/_aliases', '/_stats'])}`,
    ),
  (w) =>
    step(
      `GET ${w.random.pick(['/_nothing', '/notes/_nothing', '/_cat/nothing', '/notes/a/b/c/d', '/_search/nothing', '/_cluster/nothing', '/_ingest/nothing', '/notes/_doc', '/_cat/'])}`,
    ),
  (w) =>
    step(
      `${w.random.pick(['GET /notes/_search', 'GET /notes/_doc/1', 'GET /_cat/indices', 'GET /_cluster/health', 'GET /notes/_count', 'GET /notes', 'GET /_mget', 'GET /notes/_stats', 'POST /notes/_refresh', 'DELETE /notes/_doc/1'])}?${w.random.pick(['sise=1', 'rooting=1', 'prety', 'zzzz=1', 'form=1&sise=2', 'expand_wildcard=open', 'refesh=true', 'levl=shards', 'h=index&x=1', '_sorce=1'])}`,
    ),
  (w) => ({
    target: w.random.pick([
      'PUT /notes/_doc/1',
      'POST /notes/_search',
      'POST /notes/_update/1',
      'PUT /notes/_settings',
      'PUT /notes/_mapping',
      'PUT /made',
      'POST /_aliases',
      'POST /_reindex',
      'PUT /_template/t1',
      'POST /notes/_count',
      'PUT /_cluster/settings',
      'POST /_mget',
      'PUT /_index_template/i1',
      'POST /notes/_delete_by_query',
    ]),
    body: w.random.pick([
      '{',
      '',
      '[]',
      '"x"',
      '7',
      'null',
      '{"a":1,"a":2}',
      '{"n":1,"n":2}',
      '{a:1}',
      "{'a':1}",
      '{"a":1}}',
      '{"a":01}',
      '{"a":1,}',
      '\n',
      '{"a":"\u0001"}',
      '{"query":{"match_all":{}}}{"x":1}',
      '{"query":{"match_all":{}} /* x */}',
      'not json',
    ]),
    type: 'application/json',
  }),
  (w) => ({
    target: w.random.pick(['PUT /notes/_doc/1', 'POST /notes/_search', 'POST /_bulk']),
    body: '{"n":1}',
    type: w.random.pick([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'application/json; charset=utf-8',
      'application/x-ndjson',
      'wrong',
      'application/vnd.api+json',
      'text/html',
    ]),
  }),
  (w) => ({
    target: w.random.pick(['POST /_bulk', 'POST /notes/_bulk', 'POST /_msearch']),
    body: w.random.pick([
      '',
      '\n',
      '\n\n',
      '{"index":{"_index":"notes","_id":"1"}}\n{"n":1}',
      '{"index":{"_index":"notes","_id":"1"}}\n',
      '{"index":{"_index":"notes"}}\n\n',
      '{"delete":{"_index":"notes","_id":"1"}}',
      '{"delete":{"_index":"notes","_id":"1"}}\n\n',
      '{}\n{}\n',
      '[]\n{}\n',
      'x\n',
      '{"index":1}\n{}\n',
      '{"wrong":{"_id":"1"}}\n{}\n',
      '{"index":{"_index":"notes","_id":"1"}\n{"n":1}\n',
      '{"index":{"_index":"notes","_id":"5"}}\r\n{"n":1}\r\n',
      '{"index":{"_index":"notes","_id":"1"}}\n{"n":\n',
      '{"index":{"_index":"notes","_id":"1"}}\n"x"\n',
      '{"update":{"_index":"notes","_id":"1"}}\n{"n":1}\n',
      '{"update":{"_index":"notes","_id":"1"}}\n{"doc":1}\n',
      '{"index":{"_index":"notes","_id":"1"},"create":{}}\n{"n":1}\n',
      '{"index":{"_index":"notes","_id":{"a":1}}}\n{"n":1}\n',
      '{"index":{"_index":"notes","_id":"1"}} x\n{"n":1}\n',
      '{"create":{"_index":"notes"}}\n{"n":1}\n',
      '{"delete":{"_index":"notes"}}\n',
      '{"update":{"_index":"notes"}}\n{"doc":{}}\n',
      '{"index":null}\n{"n":1}\n',
    ]),
    type: w.random.pick(['application/x-ndjson', 'application/json']),
  }),
  (w) => step(`PUT /${w.random.pick(INDICES)}/_doc/${'x'.repeat(w.random.pick([512, 513]))}`, { n: 1 }),
  (w) =>
    step(
      w.random.pick([
        'PUT /notes/_doc/1?pipeline=absent',
        'POST /notes/_update/1?pipeline=x',
        'GET /_ingest/pipeline',
        'GET /_ingest/pipeline/absent',
        'DELETE /_ingest/pipeline/absent',
      ]),
    ),
  (w) =>
    step(
      `PUT /notes/_doc/1?${w.random.pick(['refresh=maybe', 'op_type=wrong', 'version=1&op_type=create', 'timeout=x', 'timeout=10', 'pretty=maybe', 'if_seq_no=x&if_primary_term=1', 'pipeline=_none', 'wait_for_active_shards=x', 'wait_for_active_shards=-2', 'filter_path=_id,result', 'filter_path=-_shards'])}`,
      { n: 1 },
    ),
];

/** What of `_nodes` tells of the host. */
const OF_HOST = [
  '',
  '/_all',
  '/_local',
  '/stats',
  '/stats/jvm',
  '/stats/os',
  '/stats/fs',
  '/stats/process',
  '/stats/jvm,os',
  '/http',
  '/os',
  '/jvm',
  '/stats/thread_pool',
  '/stats/breaker',
  '/stats/transport',
  '/stats/http',
  '/settings',
  '/plugins',
  '/process',
  '/_all/jvm',
];

/** Each as often as its weight says. */
export const CLUSTER_STEPS: readonly (readonly [weight: number, MakeStep])[] = [
  [8, cat],
  [10, (w) => w.random.pick(MISTAKES)(w)],
  [
    2,
    (w) =>
      step(
        `GET /_cluster/health${w.random.once(2) ? '' : `/${w.names()}`}${joined('?timeout=0s', w.some(5, { level: ['indices', 'shards', 'cluster', 'wrong'], local: ['true'], wait_for_nodes: ['1', '>=1'] }), w.random.once(4) ? w.expanding() : '')}`,
      ),
  ],
  [1, (w) => step(`GET /_cluster/settings${w.some(3, { flat_settings: ['true'] })}`)],
  [
    2,
    (w) =>
      step(
        `PUT /_cluster/settings${w.some(5, { flat_settings: ['true'] })}`,
        w.random.pick<unknown>([
          { persistent: { 'search.max_buckets': 1000 } },
          { transient: { search: { max_buckets: 2000 } } },
          { persistent: { 'search.max_buckets': null } },
          { transient: { 'search.*': null } },
          { persistent: { 'action.auto_create_index': w.random.pick<unknown>(['true', null, true]) } },
          { transient: { wrong: 1 } },
          { persistent: { 'search.max_buckets': 'x' } },
          {},
          { wrong: {} },
          { persistent: {} },
          { transient: { 'action.destructive_requires_name': w.random.pick<unknown>([false, null]) } },
          { persistent: { 'search.max_keep_alive': '1d' } },
          { persistent: { 'cluster.max_shards_per_node': 900 } },
          { transient: { 'indices.recovery.max_bytes_per_sec': '50mb' } },
        ]),
      ),
  ],
  [
    1,
    (w) =>
      step(
        `GET /_cluster/state/${w.random.pick(['metadata', 'routing_table', 'blocks', 'version', 'nodes', 'master_node', 'metadata,blocks', '_all'])}${w.random.once(2) ? `/${w.names()}` : ''}?filter_path=${w.random.pick(['metadata.indices.*.state,blocks', 'metadata.indices.*.aliases', 'metadata.indices.*.settings.index.number_of_replicas', 'routing_table.indices.*.shards.*.state', 'metadata.templates', 'blocks'])}`,
      ),
  ],
  [
    2,
    (w) => [
      step('POST /_refresh'),
      step(
        `GET ${w.random.once(3) ? '' : `/${w.names()}`}/_stats${w.random.once(2) ? `/${w.random.pick(['docs', 'docs,indexing', 'get', 'wrong', '_all', 'refreshh', 'store', 'search'])}` : ''}${joined(`?filter_path=${encodeURIComponent(w.random.pick(['_shards', '**.docs', '_all.primaries.docs', 'indices.*.total.docs', 'indices.*.primaries.indexing.index_total,indices.*.primaries.indexing.delete_total', 'error,status,_shards']))}`, w.some(9, { level: ['shards', 'cluster', 'wrong'] }), w.random.once(4) ? w.expanding() : '')}`,
      ),
    ],
  ],
  [1, (w) => step(`GET /${w.names()}/_segments?filter_path=_shards,error,status`)],
  [1, (w) => step(`GET /${w.names()}/_recovery?filter_path=*.shards.id,*.shards.stage,error`)],
  [1, (w) => step(`GET /${w.names()}/_search_shards?filter_path=indices,shards.index,shards.shard,shards.state`)],
  [
    1,
    (w) =>
      step(
        `GET /_cluster/stats?filter_path=${w.random.pick(['indices.count', 'indices.docs', 'status', 'indices.shards', 'indices.mappings', 'nodes.os', 'nodes.jvm', 'nodes.fs', 'indices.analysis'])}`,
      ),
  ],
  // Those that tell of the host are seldom asked: what we leave out is the same in all.
  [
    1,
    (w) =>
      step(
        `GET /_nodes${w.random.pick(w.random.once(4) ? OF_HOST : ['/stats/indices', '/stats/indices/docs', '/stats/wrong', '/absent'])}`,
      ),
  ],
  [
    1,
    (w) =>
      step(
        `GET ${w.random.pick(['/_tasks', '/_tasks/x:1', '/_tasks/wrong', '/_cluster/pending_tasks', '/_remote/info', '/_cluster/state/wrong', '/_nodes/usage', '/_cluster/allocation/explain', '/_snapshot', '/_scripts/absent', '/_ingest/pipeline', '/_ilm/policy', '/_xpack', '/_license', '/_security/_authenticate'])}`,
      ),
  ],
];
