// Runs the documents of a bulk request through their pipelines, before anything is written: a failed one is its item's result.
import { RequestError } from '../../errors/request-error.ts';
import { printExactly } from '../../json/exact-json.ts';
import { asString, isObject, type Json } from '../../json/json.ts';
import { isMembers, parseValue } from '../../ingest/ingest-values.ts';
import { APART, readJson } from '../../thread/read-json.ts';
import type { TimeSlices } from '../../tasks/scheduler.ts';
import type { BulkItem } from '../documents/read-bulk.ts';
import { checkMayWrite } from '../documents/writing.ts';
import { bodyIndex, type Call, param } from '../request/request.ts';
import { type PipelinesOf, pipelinesOf } from './pipelines.ts';
import { MOST_BYTES, type Outgoing, sourceOf, throughPipelines } from './through-pipelines.ts';

/** What became of an item that is not written. */
export type Settled =
  | { readonly kind: 'dropped'; readonly answer: Json }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The items as they are written, and what became of the others by their place. */
export interface PassedItems {
  readonly items: readonly BulkItem[];
  readonly names: readonly string[];
  readonly settled: ReadonlyMap<number, Settled>;
  /** Milliseconds; undefined where no item has a pipeline. */
  readonly took: number | undefined;
}

/** Bytes by which pipelines may make the documents of one request larger: all are held until they are written. */
const MOST_GROWN = 1 << 25;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** @param names the index of each item */
export async function passPipelines(
  items: readonly BulkItem[],
  names: readonly string[],
  call: Call,
  slices: TimeSlices,
): Promise<PassedItems> {
  const started = performance.now();
  const asked = param(call, 'pipeline');
  const known = new Map<unknown, Map<string, PipelinesOf | undefined>>();
  const pipelinesFor = (name: string, own: unknown): PipelinesOf | undefined => {
    let byName = known.get(own);
    if (byName === undefined) known.set(own, (byName = new Map()));
    if (!byName.has(name)) byName.set(name, pipelinesOf(call.engine, name, own));
    return byName.get(name);
  };
  const settled = new Map<number, Settled>();
  let sent: BulkItem[] | undefined;
  let to: string[] | undefined;
  let grown = 0;
  for (const [at, item] of items.entries()) {
    if (item.action === 'delete') continue;
    const name = names[at]!;
    try {
      // An update has those of the request for what it makes of nothing. A damaged index has none to be known.
      const pipelines = pipelinesFor(name, item.action === 'update' ? asked : (item.meta['pipeline'] ?? asked));
      if (pipelines === undefined) continue;
      checkMayWrite(name, call);
      if (slices.isOver) await slices.yield();
      sent ??= [...items];
      to ??= [...names];
      const passed =
        item.action === 'update'
          ? await passUpdate(item, name, call, pipelines, pipelinesFor)
          : passItem(item, name, call, pipelines);
      if (passed === undefined) settled.set(at, { kind: 'dropped', answer: droppedAnswer(item, name) });
      else {
        grown += Math.max(0, passed[0].source!.length - item.source!.length);
        if (grown > MOST_GROWN) throw grownTooMuch();
        [sent[at], to[at]] = passed;
      }
    } catch (error) {
      settled.set(at, { kind: 'failed', error });
    }
  }
  return {
    items: sent ?? items,
    names: to ?? names,
    settled,
    took: sent === undefined ? undefined : Math.round(performance.now() - started),
  };
}

/** With the status that makes clients send an item again, in a request of fewer. */
const grownTooMuch = (): Error =>
  new RequestError(
    'SEARCH_TOO_MANY_REQUESTS',
    'es_rejected_execution_exception',
    `the pipelines of one bulk request make its documents larger by more than [${MOST_GROWN}] bytes`,
    { hint: 'Send the documents in several requests.' },
  );

/** What is answered of a document that is dropped. @param version as the request has it */
export function droppedDocument(index: string, id: string | undefined, version: number): Json {
  return {
    _index: index,
    _type: '_doc',
    _id: id ?? 'auto-generated',
    _version: version,
    result: 'noop',
    _shards: { total: 0, successful: 0, failed: 0 },
  };
}

/** The versions by which Java says that any will do, and that there must be none. */
export const ANY_VERSION = -3;
export const NO_VERSION = -4;

function droppedAnswer({ action, meta }: BulkItem, name: string): Json {
  const version =
    meta['version'] === undefined ? (action === 'create' ? NO_VERSION : ANY_VERSION) : Number(meta['version']);
  return { ...droppedDocument(name, idOf(meta), version), status: 200 };
}

const idOf = (meta: Json): string | undefined => (meta['_id'] === undefined ? undefined : asString(meta['_id'], '_id'));

function passItem(
  item: BulkItem,
  name: string,
  call: Call,
  pipelines: PipelinesOf,
): readonly [BulkItem, string] | undefined {
  const { meta, source } = item;
  const routing = meta['routing'] ?? param(call, 'routing');
  const passed = throughPipelines(
    call,
    {
      index: name,
      id: idOf(meta),
      routing: routing === undefined ? undefined : asString(routing, 'routing'),
      source: source!,
      version: meta['version'],
      versionType: meta['version_type'],
    },
    pipelines,
  );
  if (passed === undefined) return undefined;
  return [{ ...item, meta: metaOf(meta, passed), source: passed.source }, targetOf(call, name, passed)];
}

/** The index that a document goes to. @throws RequestError for one that the caller's path does not allow */
export function targetOf(call: Call, name: string, { index }: Outgoing): string {
  return index === name ? name : bodyIndex(call, index);
}

function metaOf(meta: Json, { id, routing, version, versionType }: Outgoing): Json {
  const { _id, routing: _routing, version: _version, version_type: _type, ...rest } = meta;
  const given = Object.entries({ _id: id, routing, version, version_type: versionType });
  return { ...rest, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
}

/** Whether an update says what to make of nothing; others are not read, however large they are. */
async function mayUpsert(source: Uint8Array): Promise<boolean> {
  const text = Buffer.from(source.buffer, source.byteOffset, source.length);
  if (!text.includes('upsert') && !text.includes('\\u')) return false;
  if (source.length <= MOST_BYTES) return true;
  const body = await readJson(source, APART);
  return isObject(body) && (body['upsert'] !== undefined || body['doc_as_upsert'] !== undefined);
}

/** The document that an update makes where there is none: all else is written as it is. */
async function passUpdate(
  item: BulkItem,
  name: string,
  call: Call,
  pipelines: PipelinesOf,
  pipelinesFor: (name: string, own: unknown) => PipelinesOf | undefined,
): Promise<readonly [BulkItem, string] | undefined> {
  if (!(await mayUpsert(item.source!))) return [item, name];
  const body = sourceOf(item.source!);
  const isUpsert = body['doc_as_upsert'] === true || body['doc_as_upsert'] === 'true';
  const member = isUpsert ? 'doc' : 'upsert';
  const own = isUpsert ? pipelinesFor(name, undefined) : pipelines;
  const document = body[member];
  if (own === undefined || !isMembers(document)) return [item, name];
  const source = encoder.encode(printExactly(document));
  const passed = throughPipelines(call, { index: name, id: idOf(item.meta), routing: undefined, source }, own);
  if (passed === undefined) return undefined;
  body[member] = parseValue(decoder.decode(passed.source));
  return [{ action: item.action, meta: item.meta, source: encoder.encode(printExactly(body)) }, name];
}
