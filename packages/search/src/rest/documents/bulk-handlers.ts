// Many writes in one request, each answered by itself.
import { changes, type Endpoint } from '../request/endpoint.ts';
import { ONLY_SOURCE, TYPE } from '../request/route-params.ts';
import { checkCount } from '../request/active-shards.ts';
import { isSharded } from '../request/shard-of-routing.ts';
import { type Answer, type Call, bodyIndex, flagParam, param } from '../request/request.ts';
import { readSourceFilter, type SourceFilter } from '../../fetch/source-filter.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';
import { concatenate } from '../../tasks/copy-bytes.ts';
import type { Index } from '../../engine/engine-api.ts';
import { type Json, asBoolean, asInteger, asObject, asString, textOf } from '../../json/json.ts';
import { PrintedJson, printJson } from '../../json/print-json.ts';
import { validationError } from '../../errors/request-error.ts';

import { APART, LARGE, readJson } from '../../thread/read-json.ts';
import { checkId, newId } from './document-id.ts';
import { writeIndex } from '../request/index-names.ts';
import { nothingMeant } from '../request/resolve-indices.ts';
import {
  adoptType,
  checkPipeline,
  checkType,
  checkRefresh,
  forcesRefresh,
  indexForWrite,
  readConditions,
  refreshAfter,
  written,
} from './writing.ts';
import { isElsewhere, notThere, routingOf, sourceFilterOf } from './read-document.ts';
import { BulkRun } from './bulk-run.ts';
import { BULK_TYPES, type BulkItem, readBulk } from './read-bulk.ts';
import { checkUpdatedType, laterUpdate, update, type UpdateAnswer, type UpdateSpec } from './update.ts';
import { asUpdateBody, updateProblems } from './update-body.ts';

const encoder = new TextEncoder();
/** Bytes of updates whose bodies stay read between their check and their turn. */
const MOST_HELD = 1 << 22;

/** `POST /_bulk`. Items are answered one by one; one failing leaves the others alone. */
async function bulk(call: Call): Promise<Answer> {
  const started = performance.now();
  checkPipeline(param(call, 'pipeline'));
  checkRefresh(call);
  checkCount(call);
  const slices = new TimeSlices();
  const items = await readBulk(call, slices, call.state.maxBulkOperations);
  if (items.length === 0) throw validationError('no requests added');
  const forced = forcesRefresh(call);
  // All of them before the first is written: a refused request leaves nothing behind.
  const { names, bodies } = await checkItems(items, call, slices);
  const notMade = await makeIndices(items, names, call, slices);
  const work: BulkWork = { call, forced, run: new BulkRun(slices, forced), touched: new Set(), bodies, notMade };
  for (const [at, item] of items.entries()) {
    if (slices.isOver) await slices.yield();
    await writeItem(work, item, names[at]!);
  }
  const { run, touched } = work;
  await run.flush(true);
  for (const index of touched) await refreshAfter(index, call);
  const head = { took: Math.round(performance.now() - started), errors: run.errors };
  return { json: await withItems(head, run.answers, slices) };
}

/** What the items of one request share. */
interface BulkWork {
  readonly call: Call;
  readonly forced: boolean;
  readonly run: BulkRun;
  /** The indices that are written to. */
  readonly touched: Set<Index>;
  /** Bodies of updates that stay read. */
  readonly bodies: ReadonlyMap<BulkItem, Json>;
  /** Why indices that were to be made are not there, by name. */
  readonly notMade: ReadonlyMap<string, unknown>;
}

/** Problems of items that are named in one refusal. */
const MOST_PROBLEMS = 100;

/** Checks all items. What one lacks refuses the whole request, as in Elasticsearch. @returns the index that each names, and bodies of updates */
async function checkItems(
  items: readonly BulkItem[],
  call: Call,
  slices: TimeSlices,
): Promise<{ readonly names: readonly string[]; readonly bodies: ReadonlyMap<BulkItem, Json> }> {
  const problems: string[] = [];
  const names: string[] = [];
  const bodies = new Map<BulkItem, Json>();
  let held = 0;
  for (const item of items) {
    const { action, meta, source } = item;
    if (slices.isOver) await slices.yield();
    const named =
      meta['_index'] === undefined ? call.path['index'] : bodyIndex(call, asString(meta['_index'], '_index'));
    if (named === undefined) problems.push('index is missing');
    else names.push(named);
    if ((action === 'delete' || action === 'update') && (meta['_id'] === undefined || meta['_id'] === ''))
      problems.push('id is missing');
    checkPipeline(meta['pipeline']);
    if (action !== 'update') problems.push(...readConditions(askedOf(meta, meta), action === 'create').problems);
    else if (source!.length < LARGE) {
      const json = asUpdateBody(source!);
      problems.push(...updateProblems(json, readConditions(askedOf(json, meta)), retriesOf(meta)));
      // As many as memory does not feel; the others are read again when their turn comes.
      if ((held += source!.length) < MOST_HELD) bodies.set(item, json);
    }
    if (problems.length >= MOST_PROBLEMS) break;
  }
  if (problems.length > 0) throw validationError(...problems);
  return { names, bodies };
}

/** Makes the indices that are not there before the first item, as Elasticsearch does: what deletes from one finds it. @returns why some were not made */
async function makeIndices(
  items: readonly BulkItem[],
  names: readonly string[],
  call: Call,
  slices: TimeSlices,
): Promise<ReadonlyMap<string, unknown>> {
  const notMade = new Map<string, unknown>();
  const asked = new Set<string>();
  for (const [at, { action, meta }] of items.entries()) {
    if (slices.isOver) await slices.yield();
    const name = names[at]!;
    if (asked.has(name) || !createsIndex(action, meta, call)) continue;
    asked.add(name);
    await makeIndex(name, call).catch((error: unknown) => notMade.set(name, error));
  }
  return notMade;
}

/** Writes one item, or hands it to the run, which writes several together. What fails is its own answer. */
async function writeItem(work: BulkWork, item: BulkItem, name: string): Promise<void> {
  const { call, run, touched } = work;
  const { action, meta } = item;
  const type = meta['_type'] === undefined ? (call.path['type'] ?? '_doc') : asString(meta['_type'], '_type');
  const given = meta['_id'] === undefined ? undefined : asString(meta['_id'], '_id');
  try {
    if (given !== undefined) checkId(given);
    const index = await indexOfItem(work, item, name);
    touched.add(index);
    const typed = { ...call, path: { ...call.path, type } };
    if (action !== 'update' && type !== '_doc') {
      await adoptType(index, typed);
      checkType(index, typed);
    }
    const id = given ?? newId();
    const asked = meta['routing'] ?? param(call, 'routing');
    const routing = routingOf(index, name, id, asked === undefined ? undefined : asString(asked, 'routing'));
    if (action === 'update') return await updateItem(work, item, index, { id, type, routing }, typed);
    if (action === 'delete' && isSharded(index)) {
      await run.flush();
      if (await isElsewhere(index, id, routing)) {
        run.done(action, { ...written(index, notThere(id), work.forced, type), status: 404 });
        return;
      }
    }
    // A document that is given its id now is new whatever its item says.
    const condition = given === undefined ? {} : readConditions(askedOf(meta, meta), action === 'create').condition;
    await run.add(
      index,
      action,
      action === 'delete'
        ? { kind: 'delete', id, routing, ...condition }
        : { kind: 'index', id, source: item.source!, routing, create: action === 'create', ...condition },
      type,
    );
  } catch (error) {
    await run.flush();
    run.refuse(action, name, type, given ?? null, error);
  }
}

/** The index that an item is written to. @throws what the item is refused with */
function indexOfItem({ call, notMade }: BulkWork, { action, meta }: BulkItem, name: string): Promise<Index> {
  const { engine } = call;
  if (action === 'delete' && !createsIndex(action, meta, call) && writeIndex(engine, name) === undefined)
    throw notMade.get(name) ?? nothingMeant(name);
  const alias = meta['require_alias'];
  // A deletion does not ask.
  const requiresAlias =
    action === 'delete' ? false : alias === undefined ? undefined : asBoolean(alias, 'require_alias');
  return indexForWrite(engine, name, call, requiresAlias);
}

async function updateItem(
  { call, forced, run, bodies }: BulkWork,
  item: BulkItem,
  index: Index,
  named: Pick<UpdateSpec, 'id' | 'type' | 'routing'>,
  typed: Call,
): Promise<void> {
  const { action, meta } = item;
  const source = item.source!;
  const asked = (body: Json): UpdateSpec => {
    const shown = shownOf(call, body['_source'] ?? meta['_source']);
    checkUpdatedType(index, typed, body, named.id);
    return { ...named, body, condition: readConditions(askedOf(body, meta)).condition, source: shown };
  };
  if (source.length < LARGE) {
    // Read when its turn comes, so that not all of them are held at once.
    const read = (): UpdateSpec => asked(bodies.get(item) ?? asUpdateBody(source));
    const { write, answer } = laterUpdate(index, named.id, read, forced);
    await run.add(index, action, write, named.type, (result) => answer(result).then(withStatus));
    return;
  }
  await run.flush();
  const body = asObject(await readJson(source, APART), 'UpdateRequest');
  const problems = updateProblems(body, readConditions(askedOf(body, meta)), retriesOf(meta));
  if (problems.length > 0) throw validationError(...problems);
  run.done(action, withStatus(await update(index, asked(body), retriesOf(meta))));
}

/** Whether an item makes the index that it names: a deletion does only if it brings a version that is to be remembered. */
function createsIndex(
  action: BulkItem['action'],
  { version_type: type, require_alias: alias }: Json,
  call: Call,
): boolean {
  if (action === 'delete') return typeof type === 'string' && type.startsWith('external');
  return !(alias === undefined ? flagParam(call, 'require_alias') : textOf(alias) === 'true');
}

/** Makes the index of an item unless it is there. @throws what the item, and others of the same index, are refused with */
async function makeIndex(name: string, call: Call): Promise<void> {
  if (writeIndex(call.engine, name) === undefined) await indexForWrite(call.engine, name, call);
}

/** What an item asks of the document that is there: an update says it in its body as well. */
const askedOf = (body: Json, meta: Json): Parameters<typeof readConditions>[0] => ({
  seqNo: body['if_seq_no'] ?? meta['if_seq_no'],
  term: body['if_primary_term'] ?? meta['if_primary_term'],
  version: meta['version'],
  type: meta['version_type'],
});

const retriesOf = ({ retry_on_conflict: retries = 0 }: Json): number => asInteger(retries, 'retry_on_conflict');

const withStatus = ({ json, status }: UpdateAnswer): Json => ({ ...json, status });

/** Which parts of an updated document are answered. */
function shownOf(call: Call, given: unknown): SourceFilter | undefined {
  if (given === undefined) {
    const url = ['_source', '_source_includes', '_source_excludes'].some((name) => param(call, name) !== undefined);
    return url ? sourceFilterOf(call) : undefined;
  }
  const isFlag = Array.isArray(given) && given.length === 1 && /^(?:true|false)$/.test(String(given[0]));
  return readSourceFilter(isFlag ? given[0] : given);
}

/** Items that are printed at once: a millisecond's worth. */
const PRINTED_TOGETHER = 1000;

/** The answer; printed where it is long, for that, too, would hold the others up. */
async function withItems(head: Json, items: readonly Json[], slices: TimeSlices): Promise<Json | PrintedJson> {
  if (items.length <= PRINTED_TOGETHER) return { ...head, items };
  const parts: Uint8Array[] = [];
  for (let at = 0; at < items.length; at += PRINTED_TOGETHER) {
    await slices.yield();
    const printed = printJson(items.slice(at, at + PRINTED_TOGETHER), false).slice(1, -1);
    parts.push(encoder.encode(at === 0 ? `${JSON.stringify(head).slice(0, -1)},"items":[${printed}` : `,${printed}`));
  }
  parts.push(encoder.encode(']}'));
  return new PrintedJson(await concatenate(parts, slices));
}

/** Many writes at once. */
export const BULK_ENDPOINTS: readonly Endpoint[] = [
  changes(
    'PUT POST',
    ['/_bulk', '/{index}/_bulk', '/{index}/{type}/_bulk'],
    {
      ...ONLY_SOURCE,
      ...TYPE,
      refresh: 'text',
      routing: 'text',
      timeout: 'time',
      wait_for_active_shards: 'text',
      pipeline: 'text',
      require_alias: 'flag',
    },
    bulk,
    { readsBody: true, ...BULK_TYPES },
  ),
];
