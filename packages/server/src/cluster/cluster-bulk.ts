// Writes documents to an index on a cluster. Each write has a version, the position of the feed before its row was read, and a document
// never becomes older: a write may be sent twice, late, or by two servers, and the result is the same. Items that the cluster has no room
// for are sent again; a document that it cannot take is left out by name, and its former version deleted.
import { createHash } from 'node:crypto';
import { isProductError } from '@lockstitch/kernel';
import { keyMembers } from '@lockstitch/search/cluster';
import { sleep } from '../sync/sleep.ts';
import { serverErrors } from '../errors.ts';
import { BLOCKED, type ClusterAnswer, readJson, refusal } from './cluster-answer.ts';
import type { ClusterClient } from './cluster-client.ts';

export interface VersionedWrite {
  readonly key: string;
  readonly version: number;
  /** The bytes of a JSON object; undefined: the document is gone. */
  readonly source: Uint8Array | undefined;
}

export interface BulkResult {
  readonly written: number;
  /** Writes that were too late: something newer is there. */
  readonly superseded: number;
  /** Documents that the cluster cannot take, with the type of its error. */
  readonly rejected: readonly { readonly key: string; readonly type: string }[];
}

export interface BulkOptions {
  /** Ends the waiting for room. */
  readonly signal: AbortSignal;
  /** Called when the cluster takes nothing for now, with the type of its error. */
  readonly onPause?: (type: string) => void;
  /** Called when it has taken what it did not before. */
  readonly onTaken?: () => void;
}

/** Bytes and documents of one request at most. */
const MOST_BYTES = 5 * 2 ** 20;
const MOST_DOCUMENTS = 1000;
/** Milliseconds before the first repetition; twice as long before each further one. */
const PAUSE = 50;
const LONGEST_PAUSE = 10_000;
/** Longest `_id` in bytes. */
const LONGEST_ID = 512;

/** A delete through an alias that is gone: the cluster would create an index of its name, which none can have. */
const NO_ALIAS = 'invalid_index_name_exception';

/** What is said of a document that cannot be taken, or of too many at once; other errors are those of the cluster. */
const AT_FAULT: ReadonlySet<number> = new Set([400, 413]);

/**
 * Writes, in order. Resolves once every write is acknowledged or rejected.
 *
 * @param alias an alias that only the present writer may use
 * @throws ProductError SERVER_CLUSTER_FENCED where there is no such alias any more
 */
export async function writeBulk(
  client: ClusterClient,
  alias: string,
  writes: readonly VersionedWrite[],
  options: BulkOptions,
): Promise<BulkResult> {
  const writer = new BulkWriter(client, alias, options);
  for (const batch of batchesOf(writes, MOST_DOCUMENTS)) await writer.write(batch);
  return writer;
}

class BulkWriter implements BulkResult {
  written = 0;
  superseded = 0;
  readonly rejected: { readonly key: string; readonly type: string }[] = [];
  readonly #client: ClusterClient;
  readonly #alias: string;
  readonly #options: BulkOptions;

  constructor(client: ClusterClient, alias: string, options: BulkOptions) {
    this.#client = client;
    this.#alias = alias;
    this.#options = options;
  }

  async write(batch: readonly VersionedWrite[]): Promise<void> {
    let left = batch;
    let size = batch.length;
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt > 0) await this.#rest(attempt);
      const again: VersionedWrite[] = [];
      for (const part of batchesOf(left, size)) again.push(...(await this.#send(part)));
      // What a busy cluster takes at once grows smaller.
      if (again.length > 0) size = Math.max(1, size >> 1);
      if (attempt > 0 && again.length < left.length) this.#options.onTaken?.();
      left = again;
    }
  }

  async #rest(attempt: number): Promise<void> {
    const { signal } = this.#options;
    await sleep(Math.min(PAUSE * 2 ** attempt, LONGEST_PAUSE) * (0.5 + Math.random() / 2), signal);
    signal.throwIfAborted();
  }

  /** @returns the writes to send again */
  async #send(batch: readonly VersionedWrite[]): Promise<readonly VersionedWrite[]> {
    const { signal } = this.#options;
    const answer = await this.#client
      .request({ ...this.#target, body: Buffer.concat(batch.flatMap(linesOf)), isRepeatable: true, signal })
      .catch((error: unknown) => {
        if (!isProductError(error) || error.code !== 'SERVER_CLUSTER_UNREACHABLE') throw error;
        this.#options.onPause?.('unreachable');
      });
    if (answer === undefined) return batch;
    const { status } = answer;
    if (status === 200) return this.#readItems(batch, answer);
    // A 403 that comes so far is a block; the client throws at others.
    if (status === 429 || status === 403) {
      this.#options.onPause?.(status === 429 ? '429' : BLOCKED);
      return batch;
    }
    if (!AT_FAULT.has(status)) throw refusal(this.#target, status, readJson(answer.body));
    const [only] = batch;
    if (only !== undefined && batch.length === 1) return this.#reject(only, status, String(status));
    // One document, or their number, is too much: it is found by halves.
    const middle = batch.length >> 1;
    return [...(await this.#send(batch.slice(0, middle))), ...(await this.#send(batch.slice(middle)))];
  }

  async #readItems(batch: readonly VersionedWrite[], answer: ClusterAnswer): Promise<readonly VersionedWrite[]> {
    const again: VersionedWrite[] = [];
    for (const [write, { error, status }] of this.#itemsOf(batch, answer)) {
      const type = error?.type ?? '';
      if (status < 300 || (status === 404 && write.source === undefined && type === '')) this.written++;
      else if (status === 409) this.superseded++;
      else if (status === 404 || type === NO_ALIAS)
        throw serverErrors.create('SERVER_CLUSTER_FENCED', { alias: this.#alias });
      else if (status === 429 || status >= 500 || type === BLOCKED) {
        this.#options.onPause?.(type);
        again.push(write);
      } else again.push(...(await this.#reject(write, status, type)));
    }
    return again;
  }

  /** Each write with its item. @throws ProductError SERVER_CLUSTER_REFUSED where one is missing: it may not be written */
  #itemsOf(
    batch: readonly VersionedWrite[],
    { body, status }: ClusterAnswer,
  ): readonly (readonly [VersionedWrite, Item])[] {
    const { items } = (readJson(body) ?? {}) as { readonly items?: readonly Readonly<Record<string, Item>>[] };
    return batch.map((write, at) => {
      const item = items?.length === batch.length ? items[at]?.[actionOf(write)] : undefined;
      if (typeof item?.status === 'number') return [write, item];
      throw refusal(this.#target, status, { error: { type: 'an answer without all items' } });
    });
  }

  get #target(): { readonly method: 'POST'; readonly path: string } {
    return { method: 'POST', path: `/${encodeURIComponent(this.#alias)}/_bulk?require_alias=true` };
  }

  /**
   * Deletes what the document was before: it must not be found any more.
   *
   * @throws ProductError SERVER_CLUSTER_REFUSED where the document is not at fault, which a deletion never is
   */
  async #reject(write: VersionedWrite, status: number, type: string): Promise<readonly VersionedWrite[]> {
    if (write.source === undefined || !AT_FAULT.has(status)) throw refusal(this.#target, status, { error: { type } });
    this.rejected.push({ key: write.key, type });
    const before = this.written;
    const again = await this.#send([{ ...write, source: undefined }]);
    this.written = before;
    return again;
  }
}

interface Item {
  readonly status: number;
  readonly error?: { readonly type?: string };
}

/** Cuts writes into requests. */
function* batchesOf(writes: readonly VersionedWrite[], most: number): Generator<readonly VersionedWrite[]> {
  let batch: VersionedWrite[] = [];
  let bytes = 0;
  for (const write of writes) {
    const size = write.source?.length ?? 0;
    if (batch.length > 0 && (batch.length === most || bytes + size > MOST_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(write);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** What the `_id` of a long key starts with; a key that does so itself is hashed too. */
const HASHED = '\u0001';

/** The `_id` of a key; long ones are hashed. */
export function clusterId(key: string): string {
  if (Buffer.byteLength(key) <= LONGEST_ID && !key.startsWith(HASHED)) return key;
  return `${HASHED}sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function actionOf({ source }: VersionedWrite): 'delete' | 'index' {
  return source === undefined ? 'delete' : 'index';
}

function linesOf(write: VersionedWrite): readonly Uint8Array[] {
  const { key, source, version } = write;
  // The same version is taken again: that of an answer that got lost.
  const meta = { _id: clusterId(key), version, version_type: 'external_gte' };
  const action = `${JSON.stringify({ [actionOf(write)]: meta })}\n`;
  if (source === undefined) return [Buffer.from(action)];
  const members = onOneLine(source.subarray(source.indexOf(0x7b) + 1));
  const isEmpty = members.find((byte) => byte !== 0x20 && byte !== 0x09) === 0x7d;
  const start = `{${keyMembers(key)}${isEmpty ? '' : ','}`;
  return [Buffer.from(action + start), members, Buffer.from('\n')];
}

/** JSON has line breaks between its tokens only; in a bulk request one would end the document, and the rest be read as an action. */
function onOneLine(json: Uint8Array): Uint8Array {
  if (!json.includes(0x0a) && !json.includes(0x0d)) return json;
  return json.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte));
}
