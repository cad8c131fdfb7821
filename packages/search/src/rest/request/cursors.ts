// Searches that stay open between requests: scrolls and points in time. Each holds states of indices until it is closed or
// its time runs out; nobody finds it but the caller who opened it, under the view it was opened with.
import { randomBytes } from 'node:crypto';
import type { ClusterSettings } from './cluster-settings.ts';
import type { SearchBody } from '../../search/search-body.ts';
import type { SearchTarget } from '../../fetch/target.ts';
import type { SearchBackend } from './search-backend.ts';
import type { SortValue } from '../../collect/search-request.ts';
import { RequestError, shardArgument } from '../../errors/request-error.ts';

/** An open search. */
export interface Cursor {
  readonly targets: readonly SearchTarget[];
  readonly body: SearchBody | undefined;
  positions: readonly (readonly SortValue[] | undefined)[];
  /** Who opened it, and what they saw then, as text. */
  readonly owner: string;
  /** The caller that opened it, if callers are distinguished. */
  readonly caller: string | undefined;
  keepAlive: number;
  expires: number;
  total: unknown;
}

/** Whose a cursor would be if the caller at hand had opened it. */
type OwnerOf = (cursor: Cursor) => string;

/** Maximum share of all cursors for one caller, if callers are distinguished. */
const SHARE = 1 / 5;

/** The open cursors of one REST API. */
export class Cursors {
  readonly #open = new Map<string, Cursor>();
  readonly #settings: ClusterSettings;
  readonly #backend: Pick<SearchBackend, 'release'>;

  constructor(settings: ClusterSettings, backend: Pick<SearchBackend, 'release'>) {
    this.#settings = settings;
    this.#backend = backend;
  }

  /** @param caller if callers are distinguished @throws RequestError 429 if too many cursors are open */
  add(cursor: Omit<Cursor, 'expires' | 'caller'>, now: number, caller: string | undefined): string {
    this.#sweep(now);
    this.#checkCount(caller);
    this.#check(cursor.keepAlive);
    const id = randomBytes(24).toString('base64url');
    this.#open.set(id, { ...cursor, caller, expires: now + cursor.keepAlive });
    return id;
  }

  /** Finds a cursor and lets it live on. @throws RequestError 404 when it is not there for this caller */
  use(id: string, now: number, keepAlive: number | undefined, ownerOf: OwnerOf): Cursor {
    this.#sweep(now);
    const found = this.#open.get(id);
    if (found === undefined || ownerOf(found) !== found.owner) throw missing(id);
    if (keepAlive !== undefined) {
      this.#check(keepAlive);
      found.keepAlive = keepAlive;
    }
    found.expires = now + found.keepAlive;
    return found;
  }

  /** Closes a cursor that is there for this caller. */
  close(id: string, ownerOf: OwnerOf): boolean {
    const found = this.#open.get(id);
    return found !== undefined && ownerOf(found) === found.owner && this.#drop(id, found);
  }

  /** Closes all that are there for a caller; without one, all. */
  closeAll(ownerOf?: OwnerOf): number {
    const own = [...this.#open].filter(([, found]) => ownerOf === undefined || ownerOf(found) === found.owner);
    for (const [id, found] of own) this.#drop(id, found);
    return own.length;
  }

  #drop(id: string, found: Cursor): boolean {
    this.#open.delete(id);
    this.#backend.release(found.targets);
    for (const { state } of found.targets) state.release();
    return true;
  }

  get size(): number {
    return this.#open.size;
  }

  #checkCount(caller: string | undefined): void {
    const most = this.#settings.maxOpenScrolls;
    const share = Math.ceil(most * SHARE);
    const own = caller === undefined ? 0 : [...this.#open.values()].filter((each) => each.caller === caller).length;
    if (this.#open.size < most && own < share) return;
    const reason =
      own >= share
        ? `Trying to create too many scroll contexts. One caller may have [${share}] of [${most}] open at once.`
        : `Trying to create too many scroll contexts. Must be less than or equal to: [${most}].`;
    throw new RequestError(
      'SEARCH_TOO_MANY_REQUESTS',
      'es_rejected_execution_exception',
      `${reason} This limit can be set by changing the [search.max_open_scroll_context] setting.`,
      { hint: 'Close scrolls and points in time once they are read: DELETE /_search/scroll, DELETE /_pit.' },
    );
  }

  #check(keepAlive: number): void {
    const { maxKeepAlive } = this.#settings;
    if (keepAlive > maxKeepAlive)
      throw shardArgument(
        `Keep alive for request (${printDuration(keepAlive)}) is too large. It must be less than (${printDuration(maxKeepAlive)}). This limit can be set by changing the [search.max_keep_alive] cluster level setting.`,
      );
  }

  #sweep(now: number): void {
    for (const [id, cursor] of this.#open) if (cursor.expires < now) this.#drop(id, cursor);
  }
}

function missing(id: string): Error {
  return new RequestError(
    'SEARCH_NOT_FOUND',
    'search_context_missing_exception',
    `No search context found for id [${id}]`,
    { phase: true },
  );
}

/** The largest unit that leaves no fraction. */
function printDuration(milliseconds: number): string {
  for (const [unit, length] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const) {
    if (milliseconds % length === 0) return `${milliseconds / length}${unit}`;
  }
  return `${milliseconds}ms`;
}
