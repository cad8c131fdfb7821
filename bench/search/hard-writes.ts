// Requests that change an index, each at its largest, over indices that the requests before them have filled; and readings that
// are kept apart from the hard requests because they need a scroll. In the order in which they are sent, once each.
import { randomBytes } from 'node:crypto';
import type { ViewOf } from '../../packages/search/src/view/viewed-engine.ts';
import { corpusLines } from './debian-index.ts';
import type { HardRequest } from './hard-requests.ts';

const MEGABYTE = 1 << 20;

/** Documents of the corpus as a bulk request of about so many bytes, from the number `first` on. */
function bulkOf(corpus: string, bytes: number, first: number, head: (id: number) => object): Uint8Array {
  const parts: Buffer[] = [];
  let size = 0;
  let id = first;
  for (const line of corpusLines(corpus)) {
    const action = Buffer.from(`${JSON.stringify(head(id++))}\n`);
    parts.push(action, line, Buffer.from('\n'));
    size += action.length + line.length + 1;
    if (size >= bytes) break;
  }
  return Buffer.concat(parts);
}

const index = (id: number): object => ({ index: { _id: String(id) } });

/** All of them. Bodies are made when they are asked for. */
export function* hardWrites(corpus: string): Generator<HardRequest> {
  const write = (
    name: string,
    path: string,
    body: object | string | Uint8Array = {},
    method = 'POST',
  ): HardRequest => ({
    name,
    path,
    body,
    method,
  });
  const keyword = { type: 'keyword' };
  const text = { type: 'text' };
  yield write(
    'deleting what is not there',
    '/more,copied,wide,kinds,shingled,widest,large,parts,seen,wider?ignore_unavailable=true',
    {},
    'DELETE',
  );
  yield write(
    'creating an index of 900 fields',
    '/wide',
    {
      mappings: {
        properties: Object.fromEntries(
          Array.from({ length: 450 }, (_, at) => [`f${at}`, { ...text, fields: { k: keyword } }]),
        ),
      },
    },
    'PUT',
  );
  yield write(
    'creating an index',
    '/more',
    {
      settings: { index: { refresh_interval: '-1' } },
      mappings: {
        dynamic: false,
        properties: { name: keyword, section: keyword, maintainer: keyword, summary: text, description: text },
      },
    },
    'PUT',
  );
  yield write('_bulk of 10 MB', '/more/_bulk', bulkOf(corpus, 10 * MEGABYTE, 0, index));
  yield write('_bulk of 90 MB', '/more/_bulk', bulkOf(corpus, 90 * MEGABYTE, 0, index));
  yield write('_refresh', '/more/_refresh');
  yield write('_bulk of 90 MB, again, refreshed', '/more/_bulk?refresh=true', bulkOf(corpus, 90 * MEGABYTE, 0, index));
  const lines = (count: number, line: (at: number) => readonly object[]): string =>
    Array.from({ length: count }, (_, at) =>
      line(at)
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(''),
    ).join('');
  yield write(
    '_bulk of 50,000 that exist',
    '/more/_bulk',
    lines(50_000, (at) => [{ create: { _id: String(at) } }, { name: 'x' }]),
  );
  yield write(
    '_bulk of 20,000 updates',
    '/more/_bulk',
    lines(20_000, (at) => [{ update: { _id: String(at) } }, { doc: { section: `s${at}` } }]),
  );
  yield write(
    '_bulk of 50,000 deletions',
    '/more/_bulk?refresh=true',
    lines(50_000, (at) => [{ delete: { _id: String(at) } }]),
  );
  yield write('a document of 1 MB', '/more/_doc/long', { description: 'many words of one text '.repeat(43_000) });
  const words = (bytes: number): string => 'many words of one text '.repeat(bytes / 23);
  yield write('an index of many kinds', '/kinds', { settings: { index: { refresh_interval: '-1' } } }, 'PUT');
  for (const megabytes of [10, 50]) {
    yield write(`a document of ${megabytes} MB`, '/kinds/_doc/long', { description: words(megabytes * MEGABYTE) });
  }
  yield write('a document of 10 MB of values', '/kinds/_doc/values', {
    keys: Array.from({ length: 500_000 }, (_, at) => `value ${at}`),
    numbers: Array.from({ length: 300_000 }, (_, at) => at),
  });
  yield write(
    'a document of 900 new fields',
    '/kinds/_doc/fields',
    Object.fromEntries(Array.from({ length: 450 }, (_, at) => [`field ${at}`, `text ${at}`])),
  );
  yield write(
    '_bulk of 20 documents of 1 MB',
    '/kinds/_bulk',
    lines(20, (at) => [index(at), { text: words(MEGABYTE) }]),
  );
  yield write('getting 10 MB, not refreshed', '/kinds/_doc/values', '', 'GET');
  yield write('_refresh of large ones', '/kinds/_refresh');
  yield write('getting 50 MB', '/kinds/_doc/long', '', 'GET');
  yield write('getting a part of 10 MB', '/kinds/_doc/values?_source=numbers', '', 'GET');
  yield write('getting 10 MB, pretty', '/kinds/_doc/values?pretty', '', 'GET');
  yield write('_mget of 10 and 50 MB', '/kinds/_mget', { ids: ['long', 'values'] });
  yield write('_search of 10 and 50 MB', '/kinds/_search', { query: { ids: { values: ['long', 'values'] } } });
  yield write('_update of 10 MB', '/kinds/_update/values', { doc: { more: 1 } });
  yield write('_update by 10 MB', '/kinds/_update/1', { doc: { text: words(10 * MEGABYTE) } });
  yield write(
    'an index of shingles of 90 words',
    '/shingled',
    {
      settings: {
        index: {
          max_shingle_diff: 100,
          analysis: {
            filter: { far: { type: 'shingle', min_shingle_size: 2, max_shingle_size: 90 } },
            analyzer: { far: { tokenizer: 'standard', filter: ['far'] } },
          },
        },
      },
      mappings: { properties: { text: { type: 'text', analyzer: 'far' } } },
    },
    'PUT',
  );
  yield write('a document of shingles', '/shingled/_doc/1', { text: words(15_000) });
  yield write(
    'creating an index of 10,000 fields',
    '/widest',
    {
      settings: { index: { 'mapping.total_fields.limit': 10_000 } },
      mappings: {
        properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, keyword])),
      },
    },
    'PUT',
  );
  const fields = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`field ${at}`, `text ${at}`]));
  yield write(
    'a document of 10,000 fields',
    '/widest/_doc/1',
    Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, `text ${at}`])),
  );
  yield write('_flush of 10,000 fields', '/widest/_flush');
  yield write(
    'creating an index without fields',
    '/wider',
    { settings: { index: { 'mapping.total_fields.limit': 10_000 } } },
    'PUT',
  );
  yield write('a document of 10,000 new fields', '/wider/_doc/1', fields(5000));
  yield write('another of the same fields', '/wider/_doc/2', fields(5000));
  yield write('_flush of 10,000 fields, twice', '/wider/_flush');
  yield write('deleting those of many fields', '/kinds,shingled,widest,wider', {}, 'DELETE');
  yield* largeSources(write, words);
  yield write('_update_by_query', '/more/_update_by_query?refresh=true', { query: { term: { section: 'libs' } } });
  yield write('_delete_by_query', '/more/_delete_by_query?refresh=true', { query: { prefix: { name: 'lib' } } });
  yield write('_reindex', '/_reindex', { source: { index: 'more', size: 10_000 }, dest: { index: 'copied' } });
  yield write('_flush', '/_flush');
  yield write('_forcemerge', '/more/_forcemerge?max_num_segments=1');
  yield write(
    '_mapping of 900 fields, again',
    '/wide/_mapping',
    {
      properties: Object.fromEntries(
        Array.from({ length: 450 }, (_, at) => [`f${at}`, { ...text, fields: { k: keyword } }]),
      ),
    },
    'PUT',
  );
  yield write('closing an index', '/more/_close');
  yield write('opening an index', '/more/_open');
  yield write('deleting indices', '/more,copied,wide', {}, 'DELETE');
}

/** Documents of 1 to 50 MB, got, found, copied and rewritten. */
function* largeSources(
  write: (name: string, path: string, body?: object | string | Uint8Array, method?: string) => HardRequest,
  words: (bytes: number) => string,
): Generator<HardRequest> {
  const settings = { index: { refresh_interval: '-1', 'highlight.max_analyzed_offset': 20 * MEGABYTE } };
  const properties = { noise: { type: 'keyword', index: false, doc_values: false } };
  yield write('an index of large documents', '/large', { settings, mappings: { properties } }, 'PUT');
  const keys = Array.from({ length: 100_000 }, (_, at) => `value ${at}`);
  for (let at = 0; at < 8; at++) {
    const text = words((at < 3 ? 10 : 1) * MEGABYTE);
    yield write(`large document ${at}`, `/large/_doc/${at}`, { at, secret: 'x', section: 'libs', keys, text });
  }
  // What compression leaves as it is, or nearly.
  for (const megabytes of [10, 50])
    yield write(`a document of ${megabytes} MB of noise`, `/large/_doc/noise${megabytes}`, {
      at: 100,
      noise: randomBytes((megabytes * MEGABYTE * 3) / 4).toString('base64'),
    });
  yield write('_refresh of those', '/large/_refresh');
  const hidden: ViewOf = (name) => (name === 'large' ? { hidden: ['secret'] } : undefined);
  const guarded: ViewOf = (name) =>
    name === 'large'
      ? { guarded: [{ path: 'secret', when: { kind: 'number_range', field: 'at', from: 0, to: 0 } }] }
      : undefined;
  const ids = { ids: ['0', '1', '2', '3', 'noise10', 'noise50'] };
  const small = { query: { range: { at: { lt: 100 } } } };
  for (const [kind, view] of [
    ['', undefined],
    [', a field hidden', hidden],
    [', a field guarded', guarded],
  ] as const) {
    const ask = (name: string, path: string, body: object | string = '', method = 'POST'): HardRequest => ({
      ...write(`${name}${kind}`, path, body, method),
      ...(view === undefined ? {} : { view }),
    });
    yield ask('getting 50 MB of noise', '/large/_doc/noise50', '', 'GET');
    yield ask('getting 10 MB of words', '/large/_doc/1', '', 'GET');
    yield ask('getting 1 MB', '/large/_doc/5', '', 'GET');
    yield ask('getting a part', '/large/_doc/1?_source=section', '', 'GET');
    yield ask('_mget of 90 MB', '/large/_mget', ids);
    yield ask('_search of large ones', '/large/_search', small);
    yield ask('_search of parts', '/large/_search', { ...small, _source: ['keys', 'section'] });
    yield ask('_search of noise', '/large/_search', { query: { term: { at: 100 } } });
    yield ask('_search for fields', '/large/_search', { ...small, _source: false, fields: ['section', 'keys'] });
    yield ask('_search, highlighted', '/large/_search', {
      // Of one text of 1 MB: more of them take longer than a search may.
      size: 1,
      query: { bool: { must: { match: { text: 'words' } }, filter: { range: { at: { gte: 3 } } } } },
      _source: false,
      highlight: { fields: { text: {} } },
    });
    yield ask('a scroll of large ones', '/large/_search?scroll=1m', { ...small, size: 3 });
    yield ask('_reindex of large ones', '/_reindex', { source: { index: 'large' }, dest: { index: 'seen' } });
    yield ask('_reindex of parts', '/_reindex', {
      source: { index: 'large', _source: ['keys', 'section'] },
      dest: { index: 'parts' },
    });
    yield write('deleting the copies', '/seen,parts', {}, 'DELETE');
  }
  yield write('_update_by_query of large ones', '/large/_update_by_query?refresh=true');
  yield write('_delete_by_query of large ones', '/large/_delete_by_query?refresh=true', { query: { match_all: {} } });
  yield write('deleting the large ones', '/large', {}, 'DELETE');
}

const some: ViewOf = (name) =>
  name === 'packages' ? { rows: { kind: 'number_range', field: 'number', from: 1000, to: 600_000 } } : undefined;

/** Readings beside searches. */
export function hardReadings(words: readonly string[]): readonly HardRequest[] {
  const ids = { ids: Array.from({ length: 10_000 }, (_, at) => String(at * 50)) };
  const most = words.slice(0, 3).join(' ');
  const match = { match: { description: most } };
  const search = { query: match, aggs: { s: { terms: { field: 'section' } } } };
  const get = (path: string, view?: ViewOf): HardRequest => ({
    name: `${path}${view === undefined ? '' : ', view'}`,
    method: 'GET',
    path,
    body: '',
    ...(view === undefined ? {} : { view }),
  });
  return [
    {
      name: '_msearch of 300',
      path: '/packages/_msearch',
      body: words
        .slice(0, 300)
        .map((word) => `{}\n${JSON.stringify({ query: { match: { description: word } } })}\n`)
        .join(''),
    },
    {
      name: '_msearch of 20, view',
      path: '/packages/_msearch',
      body: words
        .slice(0, 20)
        .map(() => `{}\n${JSON.stringify(search)}\n`)
        .join(''),
      view: some,
    },
    {
      name: '10,000 hits, highlighted',
      path: '/packages/_search',
      body: { size: 10_000, query: match, highlight: { fields: { description: {} } } },
    },
    { name: 'a scroll of 10,000', path: '/packages/_search?scroll=1m', body: { size: 10_000 } },
    {
      name: '_validate/query, fuzzy',
      path: '/packages/_validate/query?explain=true',
      body: { query: { match: { description: { query: words.slice(0, 500).join(' '), fuzziness: 2 } } } },
    },
    {
      name: '_validate/query, query_string',
      path: '/packages/_validate/query?explain=true&rewrite=true',
      body: { query: { query_string: { query: words.slice(0, 900).join(' OR ') } } },
    },
    { name: '_mget of 10,000, view', path: '/packages/_mget', body: ids, view: some },
    { name: '_mget of 10,000, parts', path: '/packages/_mget?_source=name,sec*', body: ids },
    {
      name: '_mtermvectors of 1,000',
      path: '/packages/_mtermvectors',
      body: { ids: ids.ids.slice(0, 1000), parameters: { fields: ['description'], term_statistics: true } },
    },
    {
      name: '_termvectors, view',
      path: '/packages/_termvectors/5000',
      body: { fields: ['description'], term_statistics: true },
      view: some,
    },
    {
      name: '_analyze of 500 kB',
      path: '/packages/_analyze',
      body: { field: 'description', text: 'y'.repeat(500_000) },
    },
    {
      name: '_analyze of 9,000 words, explained',
      path: '/packages/_analyze',
      body: { tokenizer: 'standard', filter: ['lowercase'], text: words.join(' ').slice(0, 60_000), explain: true },
    },
    {
      name: '_analyze of 5 MB',
      path: '/packages/_analyze',
      body: { analyzer: 'english', text: words.join(' ').repeat(5_000_000 / words.join(' ').length) },
    },
    {
      name: 'ids of 10 MB',
      path: '/packages/_search',
      body: { query: { ids: { values: Array.from({ length: 800_000 }, (_, at) => `${at}`) } } },
    },
    {
      name: 'terms of 10 MB',
      path: '/packages/_search',
      body: { query: { terms: { name: Array.from({ length: 500_000 }, (_, at) => `a package ${at}`) } } },
    },
    {
      name: 'bool of 10 MB',
      path: '/packages/_search',
      body: { query: { bool: { should: Array.from({ length: 250_000 }, (_, at) => ({ term: { name: `p${at}` } })) } } },
    },
    {
      name: '_count of ids of 10 MB',
      path: '/packages/_count',
      body: { query: { ids: { values: Array.from({ length: 800_000 }, (_, at) => `${at}`) } } },
    },
    {
      name: 'a body of 10 MB that is no JSON',
      path: '/packages/_search',
      body: `{"query":{"match":{"description":"${'x'.repeat(10_000_000)}"}}`,
    },
    {
      name: 'a body that nests 100,000 deep',
      path: '/packages/_search',
      body: '['.repeat(100_000),
    },
    {
      name: 'a body of 10 MB',
      path: '/packages/_search',
      body: { query: { match: { description: 'x'.repeat(10_000_000) } } },
    },
    {
      name: 'date_histogram of 65,000 buckets',
      path: '/packages/_search',
      body: {
        size: 0,
        aggs: { h: { date_histogram: { field: 'updated', fixed_interval: '100m', min_doc_count: 1 } } },
      },
    },
    {
      name: 'composite pages of 10,000 names',
      path: '/packages/_search',
      body: { size: 0, aggs: { c: { composite: { size: 10_000, sources: [{ n: { terms: { field: 'name' } } }] } } } },
    },
    { name: '_field_caps, view', method: 'GET', path: '/_field_caps?fields=*', body: '', view: some },
    ...['/_stats', '/_cat/indices', '/_cat/count', '/_cat/shards', '/_nodes/stats', '/_cluster/stats'].flatMap(
      (path) => [get(path), get(path, some)],
    ),
  ];
}
