// A few documents that lie on a cluster, a view of them, and requests to the REST API over it with the answers of engines to what the API
// asks them. `RECORD=1 npm run test:engines -- test/engines/cluster-doors.peer.ts` records the answers again.
import type { RestResponse } from '@lockstitch/search';
import type { IndexView } from '../../src/view/index-view.ts';

export const MAPPINGS = {
  dynamic: 'strict',
  properties: {
    title: { type: 'text', fields: { raw: { type: 'keyword' } } },
    tag: { type: 'keyword' },
    price: { type: 'double' },
    views: { type: 'long' },
    at: { type: 'date' },
    secret: { type: 'keyword' },
    note: { type: 'text' },
    owner: { type: 'keyword' },
  },
};

/** The caller sees their own documents, no secret, and notes of documents tagged `open`. */
const VIEW: IndexView = {
  rows: { kind: 'terms', field: 'owner', terms: ['ann'] },
  hidden: ['secret', 'owner'],
  guarded: [{ path: 'note', when: { kind: 'term', field: 'tag', term: 'open' } }],
};

/** By key; as texts, for numbers that a double does not hold. */
export const DOCUMENTS: Readonly<Record<string, string>> = {
  '1': '{"title":"red fox","tag":"open","price":1.50,"views":9007199254740993,"at":"2026-01-01","secret":"s1","note":"fox den","owner":"ann"}',
  '2': '{"title":"red stone, \\"quoted\\" {braces}","tag":["a","b"],"price":2,"at":"2026-01-02","note":"fox","owner":"ann"}',
  '10': '{"title":"fox and fox","tag":"open","views":3,"secret":"s10","note":"den","owner":"ann"}',
  x: '{"title":"amber","price":2,"views":4,"owner":"ann"}',
  '3': '{"title":"hidden fox","tag":"open","price":0,"views":1,"secret":"s3","note":"fox","owner":"bob"}',
};

export const HIDDEN = '3';

/** What is asked: method and path, and a body; lines of JSON are text. */
export type DoorRequest = readonly [target: string, body?: unknown];

export const REQUESTS: readonly DoorRequest[] = [
  ['POST /w/_search', { query: { match: { title: 'fox' } } }],
  [
    'POST /w/_search',
    { query: { match: { title: 'red fox' } }, highlight: { fields: { title: {}, note: {} } }, from: 1, size: 2 },
  ],
  ['POST /w/_search', { sort: [{ price: 'desc' }], _source: ['price'], docvalue_fields: ['at', 'price'] }],
  ['POST /w/_search', { sort: ['price'], search_after: [2], fields: ['at', 'tag'] }],
  ['POST /w/_search', { sort: ['views'], search_after: [3] }],
  ['POST /w/_search', { sort: [{ views: { order: 'desc', missing: '_first' } }, '_id'], search_after: [null, '2'] }],
  ['POST /w/_search', { query: { match: { note: 'fox' } }, sort: [{ _score: 'desc' }, { _id: 'asc' }] }],
  ['POST /w/_search', { size: 0, aggs: { tags: { terms: { field: 'tag' } }, price: { sum: { field: 'price' } } } }],
  [
    'POST /w/_search',
    { query: { term: { tag: { value: 'open', _name: 'is open' } } }, post_filter: { exists: { field: 'views' } } },
  ],
  ['POST /w/_search', { collapse: { field: 'tag' }, query: { term: { tag: 'open' } } }],
  ['GET /w/_search?q=title:amber&track_total_hits=false'],
  ['GET /*/_count?q=fox'],
  ['GET /w/_doc/1'],
  ['GET /w/_source/10?_source_excludes=views'],
  ['HEAD /w/_doc/3'],
  ['POST /w/_mget', { docs: [{ _id: '1', _source: 'title' }, { _id: '3' }, { _id: 'none' }] }],
  ['POST /_msearch', '{"index":"w"}\n{"size":1}\n{"index":"none"}\n{}\n'],
];

/** Sends a request to an API. */
export interface Door {
  handle(request: object): Promise<RestResponse>;
}

export async function knock(
  door: Door,
  [target, body]: DoorRequest,
  { caller = 'ann', view = VIEW }: { readonly caller?: string; readonly view?: IndexView } = {},
): Promise<RestResponse> {
  const [method, path = ''] = target.split(' ');
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  return await door.handle({
    method,
    path: pathname,
    query: searchParams,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }),
    view: () => view,
    caller,
  });
}

/** An answer without what no two have in common. */
export function comparable({ body, status }: RestResponse): string {
  return `${status} ${body.replaceAll(/"took":\d+/g, '"took":0')}`;
}

/** Reads all hits in pages; answers each without names of what is open. Nobody else may read on, and what is closed is gone. */
export async function readPages(door: Door, how: 'scroll' | 'pit'): Promise<readonly string[]> {
  const answers: string[] = [];
  const send = async (request: DoorRequest, caller?: string): Promise<Page> => {
    const answer = await knock(door, request, caller === undefined ? {} : { caller });
    const page = JSON.parse(answer.body) as Page;
    const name = page._scroll_id ?? page.pit_id ?? page.id ?? '';
    answers.push(name === '' ? comparable(answer) : comparable(answer).replaceAll(name, ''));
    return page;
  };
  const search = { size: 2, sort: [{ price: 'desc' }] };
  if (how === 'scroll') {
    const { _scroll_id: id = '' } = await send(['POST /w/_search?scroll=1m', search]);
    const next: DoorRequest = ['POST /_search/scroll', { scroll_id: id }];
    for (let page = await send(next); page.hits?.hits.length !== 0; page = await send(next));
    answers.push(comparable(await knock(door, next, { caller: 'bob' })).replaceAll(id, ''));
    await send(['DELETE /_search/scroll', { scroll_id: id }]);
    answers.push(comparable(await knock(door, next)).replaceAll(id, ''));
    return answers;
  }
  const { id = '' } = await send(['POST /w/_pit?keep_alive=1m']);
  const pit = { pit: { id } };
  const first = await send(['POST /_search', { ...search, sort: ['_id'], ...pit }]);
  await send(['POST /_search', { ...search, sort: ['_id'], ...pit, search_after: first.hits?.hits.at(-1)?.sort }]);
  answers.push(
    comparable(await knock(door, ['POST /_search', { ...search, ...pit }], { caller: 'bob' })).replaceAll(id, ''),
  );
  await send(['DELETE /_pit', { id }]);
  return answers;
}

interface Page {
  readonly _scroll_id?: string;
  readonly pit_id?: string;
  readonly id?: string;
  readonly hits?: { readonly hits: readonly { readonly sort?: unknown }[] };
}
