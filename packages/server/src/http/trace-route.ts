// Names of few values for the spans of requests: the route of a path, and the endpoint of search that it asks for. Paths
// name indexes, documents and whatever a client writes, so they cannot name spans themselves.

/** Paths that are their own routes. */
const EXACT: ReadonlySet<string> = new Set([
  '/',
  '/graphql',
  '/graphql/stream',
  '/healthz',
  '/readyz',
  '/metrics',
  '/login',
  '/logout',
  '/csrf',
]);

/** Endpoints of search that clients use most; others have no route. */
const ENDPOINTS: ReadonlySet<string> = new Set(
  [
    '_alias _aliases _analyze _async_search _bulk _cat _close _cluster _count _create _delete_by_query _doc _explain',
    '_field_caps _flush _forcemerge _index_template _mapping _mget _msearch _mtermvectors _nodes _open _pit _refresh',
    '_reindex _rank_eval _render _rollover _scripts _search _settings _source _stats _tasks _template _termvectors',
    '_update _update_by_query _validate',
  ].flatMap((line) => line.split(' ')),
);

/** Endpoints that a document's id follows. */
const OF_DOCUMENTS: ReadonlySet<string> = new Set([
  '_doc',
  '_create',
  '_source',
  '_update',
  '_explain',
  '_termvectors',
]);

/** The route of a path, by OpenTelemetry's `http.route`; undefined if it has no name of few values. */
export function routeOf(path: string): string | undefined {
  if (EXACT.has(path)) return path;
  const { endpoint, index, rest } = splitPath(path);
  if (endpoint === undefined) return undefined;
  const before = index === undefined ? '' : '/{index}';
  const after = rest === 0 ? '' : OF_DOCUMENTS.has(endpoint) ? '/{id}' : '/{rest}';
  return `${before}/${endpoint}${after}`;
}

/** The operation of a search request and the indexes that its path names. */
export function endpointOf(
  path: string,
  method: string,
): { readonly operation: string; readonly index: string | undefined } {
  const { endpoint, index } = splitPath(path);
  return { operation: endpoint?.slice(1) ?? `${method.toLowerCase()}_index`, index: index?.slice(0, LONGEST) };
}

/** Elasticsearch's longest name of an index. */
const LONGEST = 255;

interface SplitPath {
  readonly index: string | undefined;
  /** Undefined if it is unknown, or the path names the index alone. */
  readonly endpoint: string | undefined;
  /** Number of parts behind the endpoint. */
  readonly rest: number;
}

function splitPath(path: string): SplitPath {
  const parts = path.split('/').slice(1);
  const at = parts.findIndex((part) => ENDPOINTS.has(part));
  const index = at === 0 || parts[0] === '' || parts[0]!.startsWith('_') ? undefined : parts[0];
  return at === -1
    ? { index, endpoint: undefined, rest: 0 }
    : { index, endpoint: parts[at], rest: parts.length - at - 1 };
}
