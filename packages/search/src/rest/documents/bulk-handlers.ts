// `_bulk`: many writes in one request, each with its own result.
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
import { RequestError, validationError } from '../../errors/request-error.ts';

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
import { isElsewhere, notThere, routingOf, sourceFilterOf, asksForSource } from './read-document.ts';
import { type PassedItems, passPipelines, type Settled } from '../ingest/bulk-pipelines.ts';
import { BulkRun } from './bulk-run.ts';
import { BULK_TYPES, type BulkItem, readBulk } from './read-bulk.ts';
import { checkUpdatedType, laterUpdate, update, type UpdateAnswer, type UpdateSpec } from './update.ts';
import { asUpdateBody, updateProblems } from './update-body.ts';

const encoder = new TextEncoder();

/** `POST /_bulk`. A failed item does not affect the others. */
async function bulk(call: Call): Promise<Answer> {
  const started = performance.now();
  checkPipeline(param(call, 'pipeline'));
  if (call.path['type'] === '') throw validationError('type is missing');
  checkRefresh(call);
  checkCount(call);
  const slices = new TimeSlices();
  const items = await readBulk(call, slices, call.state.maxBulkOperations);
  if (items.length === 0) throw validationError('no requests added');
  const forced = forcesRefresh(call);
  // Checks all items before the first write: a refused request writes nothing.
  const names = await checkItems(items, call, slices);
  const passed = await passPipelines(items, names, call, slices);
  const notMade = await makeIndices(passed, call, slices);
  const work: BulkWork = { call, forced, run: new BulkRun(slices, forced), touched: new Set(), notMade };
  for (const [at, item] of passed.items.entries()) {
    if (slices.isOver) await slices.yield();
    const settled = passed.settled.get(at);
    if (settled === undefined) await writeItem(work, item, passed.names[at]!);
    else await settle(work, item, passed.names[at]!, settled);
  }
  const { run, touched } = work;
  await run.flush(true);
  for (const index of touched) await refreshAfter(index, call);
  const head = {
    took: Math.round(performance.now() - started),
    ...(passed.took === undefined ? {} : { ingest_took: passed.took }),
    errors: run.errors,
  };
  return { json: await withItems(head, run.answers, slices) };
}

/** Shared state of the items of one request. */
interface BulkWork {
  readonly call: Call;
  readonly forced: boolean;
  readonly run: BulkRun;
  /** The indices that are written to. */
  readonly touched: Set<Index>;
  /** By name, why an index could not be created. */
  readonly notMade: ReadonlyMap<string, unknown>;
}

/** Maximum problems that one error lists. */
const MOST_PROBLEMS = 100;

/** Checks all items; one invalid item refuses the request, as in Elasticsearch. @returns the index of each */
async function checkItems(items: readonly BulkItem[], call: Call, slices: TimeSlices): Promise<readonly string[]> {
  const problems: string[] = [];
  const names: string[] = [];
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
      const json = item.body ?? asUpdateBody(source!);
      problems.push(...updateProblems(json, readConditions(askedOf(json, meta)), retriesOf(meta)));
    }
    if (problems.length >= MOST_PROBLEMS) break;
  }
  if (problems.length > 0) throw validationError(...problems);
  return names;
}

/** Creates missing indices before the first item, as Elasticsearch does, so that deletions find them. @returns why some failed */
async function makeIndices(
  { items, names, settled }: PassedItems,
  call: Call,
  slices: TimeSlices,
): Promise<ReadonlyMap<string, unknown>> {
  const notMade = new Map<string, unknown>();
  const asked = new Set<string>();
  for (const [at, { action, meta }] of items.entries()) {
    if (slices.isOver) await slices.yield();
    const name = names[at]!;
    if (settled.has(at) || asked.has(name) || !createsIndex(action, meta, call)) continue;
    asked.add(name);
    await makeIndex(name, call).catch((error: unknown) => notMade.set(name, error));
  }
  return notMade;
}

/** Answers an item that pipelines dropped or refused. */
async function settle(
  { call, run }: BulkWork,
  { action, meta }: BulkItem,
  name: string,
  settled: Settled,
): Promise<void> {
  await run.flush();
  if (settled.kind === 'dropped') return run.done(action, settled.answer);
  const id = meta['_id'] === undefined ? null : asString(meta['_id'], '_id');
  run.refuse(action, name, call.path['type'] ?? '_doc', id, settled.error);
}

/** Executes one item, or adds it to the run, which writes several together. A failure is the item's result. */
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
    // A document with a generated id is always new.
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
    run.refuse(
      action,
      isBlock(error) ? (writeIndex(call.engine, name)?.name ?? name) : name,
      type,
      given ?? null,
      error,
    );
  }
}

/** A block is one of the index behind an alias. */
const isBlock = (error: unknown): boolean => error instanceof RequestError && error.type === 'cluster_block_exception';

/** Returns the index of an item. @throws the error of the item */
function indexOfItem({ call, notMade }: BulkWork, { action, meta }: BulkItem, name: string): Promise<Index> {
  const { engine } = call;
  if (action === 'delete' && !createsIndex(action, meta, call) && writeIndex(engine, name) === undefined)
    throw notMade.get(name) ?? nothingMeant(name);
  const alias = meta['require_alias'];
  // A deletion does not check it.
  const requiresAlias =
    action === 'delete' ? false : alias === undefined ? asksForAlias(call) : asBoolean(alias, 'require_alias');
  return indexForWrite(engine, name, call, requiresAlias);
}

async function updateItem(
  { call, forced, run }: BulkWork,
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
    // Parsed when it is executed, so that not all are in memory.
    const read = (): UpdateSpec => asked(item.body ?? asUpdateBody(source));
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

/** Whether items need an alias that say nothing of it. The parameter without a value says nothing either. */
function asksForAlias(call: Call): boolean {
  return param(call, 'require_alias') !== '' && flagParam(call, 'require_alias');
}

/** Whether an item creates its index; a deletion does only with an external version, which must be stored. */
function createsIndex(
  action: BulkItem['action'],
  { version_type: type, require_alias: alias }: Json,
  call: Call,
): boolean {
  if (action === 'delete') return typeof type === 'string' && type.startsWith('external');
  return !(alias === undefined ? asksForAlias(call) : textOf(alias) === 'true');
}

/** Creates the index of an item if it is missing. @throws the error of the items of this index */
async function makeIndex(name: string, call: Call): Promise<void> {
  if (writeIndex(call.engine, name) === undefined) await indexForWrite(call.engine, name, call);
}

/** The version conditions of an item; an update may have them in its body, too. */
const askedOf = (body: Json, meta: Json): Parameters<typeof readConditions>[0] => ({
  seqNo: body['if_seq_no'] ?? meta['if_seq_no'],
  term: body['if_primary_term'] ?? meta['if_primary_term'],
  version: meta['version'],
  type: meta['version_type'],
});

const retriesOf = ({ retry_on_conflict: retries = 0 }: Json): number => asInteger(retries, 'retry_on_conflict');

const withStatus = ({ json, status }: UpdateAnswer): Json => ({ ...json, status });

/** Source filter of the result of an update. */
function shownOf(call: Call, given: unknown): SourceFilter | undefined {
  if (given === undefined) {
    return asksForSource(call) ? sourceFilterOf(call) : undefined;
  }
  const isFlag = Array.isArray(given) && given.length === 1 && /^(?:true|false)$/.test(String(given[0]));
  return readSourceFilter(isFlag ? given[0] === 'true' : given);
}

/** Items printed per slice: about a millisecond. */
const PRINTED_TOGETHER = 1000;

/** Builds the response; a long one is printed in slices. */
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

/** Bulk endpoints. */
export const BULK_ENDPOINTS: readonly Endpoint[] = [
  changes(
    'PUT POST',
    '/_bulk /{index}/_bulk /{index}/{type}/_bulk',
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
