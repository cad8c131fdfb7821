// Makes one random request to an endpoint of the API: chooses the endpoint, the names in its path and the body.
import { ENDPOINTS } from './endpoints.ts';
import { spoil } from './spoil.ts';
import type { Words } from './words.ts';

/** One request: method and path, and a body. */
export interface Asked {
  readonly target: string;
  readonly body?: unknown;
}

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

const PATHS = Object.keys(ENDPOINTS);
const WRITES = PATHS.filter((path) => ENDPOINTS[path]!.writes === true);
/** The endpoints that answer about documents, each as often as its weight says. */
const ABOUT_DOCUMENTS = PATHS.flatMap((path) => Array.from({ length: ENDPOINTS[path]!.weight ?? 0 }, () => path));
const OTHERS = PATHS.filter((path) => !WRITES.includes(path) && !ABOUT_DOCUMENTS.includes(path));

/** Makes a request. */
export function randomEndpoint(words: Words): Asked {
  const { random, surface } = words;
  if (words.mistake === 'risky') {
    const path = random.pick(WHERE_IT_IS_COMPUTED);
    // Where a write is not refused, it would change what is asked about.
    return endpointOf(words, surface.isReadOnly || ENDPOINTS[path]!.writes !== true ? path : '/{index}/_search');
  }
  if (surface.isReadOnly && random.once(25)) return endpointOf(words, random.pick(WRITES));
  const asked = endpointOf(words, random.pick(random.once(7) ? OTHERS : ABOUT_DOCUMENTS));
  // Not for a write: it could change another index, which is not read-only.
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
      return words.id();
    case 'fields':
      return words.pattern();
    case 'name':
      return random.pick(['*', 'absent', index.name, ...index.aliases]);
    case 'metric':
      return random.pick(['_all', 'indices', 'docs,store', 'metadata', 'search,indexing']);
    case 'scroll_id':
      // Not `_all`: the caller's own from other requests would be counted.
      return 'absent';
    case 'target':
      return 'cloned';
    case 'block':
      return 'write';
    default:
      return '_all';
  }
}
