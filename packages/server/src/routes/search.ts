// Every path that no other route handles: Elasticsearch's REST API over the indexes. Indexes of the schema are
// read-only here, because they follow the data.
import type { BodyLimit } from '../http/body.ts';
import type { RouteResponse } from '../http/route-response.ts';
import type { OpenedSearch } from '../sync/opened-search.ts';
import type { Sync } from '../sync/sync.ts';
import { waitForPosition } from './consistency.ts';
import type { Handle } from '../http/router.ts';

export interface SearchRouteParts {
  readonly search: Pick<OpenedSearch, 'handle'>;
  readonly feed: { head(): Promise<number> };
  readonly sync: Pick<Sync, 'position' | 'waitFor' | 'schemaIndex' | 'status'>;
  readonly limit: BodyLimit;
  readonly bulkLimit: BodyLimit;
  /** `search.ownIndexes`. */
  readonly ownIndexes: boolean;
}

const SCHEMA_INDEX_HINT = 'This index follows the data by itself: write through the graph, POST /graphql.';
const NO_OWN_INDEXES_HINT =
  'Only the indexes of the schema exist here: write through the graph, POST /graphql ("search.ownIndexes" is off).';

/** Bodies of these paths hold many requests. */
const BULK_PATH = /\/_(?:bulk|msearch)$/;

export function searchRoute({ search, feed, sync, limit, bulkLimit, ownIndexes }: SearchRouteParts): Handle {
  return async (request): Promise<RouteResponse> => {
    const body = await request.readBody(BULK_PATH.test(request.path) ? bulkLimit : limit);
    await waitForPosition(request, { feed, sync });
    const lag = request.path.startsWith('/_cat/indices') ? (await sync.status()).lag : 0;
    const answer = await search.handle(
      {
        method: request.method,
        path: request.encodedPath,
        query: request.query,
        headers: request.headers,
        // The chain's rules know only the path, so a request must not reach indexes that its path does not name.
        indexByPathOnly: true,
        readOnly: (index) => !ownIndexes || sync.schemaIndex(index) !== undefined,
        readOnlyHint: ownIndexes ? SCHEMA_INDEX_HINT : NO_OWN_INDEXES_HINT,
        lagOf: (index) => (sync.schemaIndex(index) === undefined ? undefined : lag),
        signal: () => request.signal,
        ...(body === undefined ? {} : { body }),
      },
      request.principal,
    );
    const { status, headers, bytes } = answer;
    return { status, headers, body: bytes ?? answer.body };
  };
}
