// A request without a mistake for every endpoint, and the indices that they are about.

/** The body of a request; undefined: none. */
export function bodyOf(method: string, path: string): unknown {
  if (/_msearch\/template/.test(path)) return [{ index: 'o' }, { source: {} }];
  if (/_search\/template|_render/.test(path)) return { source: {} };
  if (/_scripts\/\{id\}/.test(path) && /PUT|POST/.test(method)) return { script: { lang: 'mustache', source: '{}' } };
  if (/_rank_eval/.test(path)) return { requests: [{ id: 'q', request: {}, ratings: [] }], metric: { precision: {} } };
  if (/_bulk/.test(path)) return [{ update: { _index: 'o', _id: '1' } }, { doc: { t: 'x' } }];
  if (/_msearch/.test(path)) return [{ index: 'o' }, {}];
  if (/^\/_(mget|mtermvectors)/.test(path)) return { docs: [{ _index: 'o', _id: '1' }] };
  if (/_mget/.test(path)) return { ids: ['1'] };
  if (path.endsWith('_termvectors') && !path.includes('{id}')) return { doc: { t: 'fox' } };
  if (/_analyze/.test(path)) return { text: 'x' };
  if (/_update\/|_update$/.test(path)) return { doc: { t: 'x' } };
  if (/_by_query/.test(path)) return { query: { match_all: {} } };
  if (/_reindex/.test(path)) return { source: { index: 'o' }, dest: { index: 'p' } };
  if (!/PUT|POST/.test(method)) return undefined;
  if (/_split/.test(path)) return { settings: { number_of_shards: 2 } };
  if (/_component_template/.test(path)) return { template: {} };
  if (path === '/_template/{name}') return { index_patterns: ['x*'], mappings: { properties: {} } };
  if (/_template/.test(path)) return { index_patterns: ['x*'] };
  if (/_mapping/.test(path)) return { properties: { z: { type: 'long' } } };
  if (/_cluster\/settings/.test(path)) return { transient: { 'search.max_buckets': 100 } };
  if (/_settings/.test(path)) return { refresh_interval: '2s' };
  if (path === '/{index}' || path.includes('_rollover')) return { mappings: {} };
  if (path === '/_aliases') return { actions: [{ add: { index: 'o', alias: 'b' } }] };
  return /_create|\{type\}/.test(path) && !/_search|_count|_validate|_explain/.test(path) ? { t: 'y' } : undefined;
}

/** The path of a request. */
export function fill(method: string, path: string): string {
  const known = /GET|HEAD|DELETE/.test(method);
  if (method === 'DELETE' && path === '/{index}') return '/o*,missing';
  return path
    .replace(
      '{index}',
      path === '/{index}' && method === 'PUT'
        ? 'fresh'
        : path.includes('_rollover')
          ? 'ral'
          : /_(?:clone|shrink|split)/.test(path)
            ? 'r-1'
            : 'o',
    )
    .replace('{new_index}', 'o-1')
    .replace('{block}', 'write')
    .replace('{target}', 'resized')
    .replace('{type}', '_doc')
    .replace('{id}', path.includes('_create') ? '2' : '1')
    .replace('{name}', path.includes('_alias') && known ? 'al' : path.includes('_resolve') ? 'o' : 'name')
    .replace('{alias}', 'al')
    .replace('{thread_pools}', 'search')
    .replace('{fields}', 't')
    .replace('{index_metric}', '_all')
    .replace(
      '{metric}',
      path.includes('_nodes/stats') || path.includes('}/stats')
        ? 'indices'
        : path.includes('_nodes')
          ? 'jvm'
          : path.includes('_cluster')
            ? 'metadata'
            : 'docs',
    )
    .replace('{node_id}', '_all');
}

/** Requests that make an index, a document and templates of each kind. */
export const SAMPLES: readonly (readonly [target: string, body?: unknown])[] = [
  ['DELETE /_all'],
  [
    'PUT /o',
    {
      mappings: { properties: { t: { type: 'text', fielddata: true }, k: { type: 'keyword' } } },
      aliases: { al: {} },
    },
  ],
  ['PUT /o/_doc/1?refresh=true', { t: 'fox', k: 'a' }],
  ['PUT /r-1', { aliases: { ral: {} }, settings: { 'index.blocks.write': true } }],
  ['PUT /_template/name', { index_patterns: ['zz*'] }],
  ['PUT /_index_template/name', { index_patterns: ['yy*', 'name'], template: { settings: { 'index.hidden': true } } }],
  ['PUT /_component_template/name', { template: { settings: { 'index.hidden': true } } }],
];
