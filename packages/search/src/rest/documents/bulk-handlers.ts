// Many writes in one request, each answered by itself.
import { isSharded } from '../request/shard-of-routing.ts';
import { type Answer, type Call, bodyIndex, param } from '../request/request.ts';
import { readSourceFilter, type SourceFilter } from '../../api/source-filter.ts';
import { joined, Stretches } from '../../drive.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import type { WriteConditions } from '../../index/operation.ts';
import { type Json, asBoolean, asInteger, asObject, asString, parseJson } from '../../json.ts';
import { PrintedJson, printJson } from '../../print-json.ts';
import { unsupported, validationError } from '../../request-error.ts';
import { APART, LARGE, readJson } from '../../thread/read-json.ts';
import { checkId, newId } from './document-id.ts';
import { conditions, indexForWrite, refreshAfter, written } from './writing.ts';
import { checkRouting, isElsewhere, notThere, sourceFilterOf } from './read-document.ts';
import { BulkRun } from './bulk-run.ts';
import { readBulk } from './read-bulk.ts';
import { laterUpdate, update, type UpdateAnswer, type UpdateSpec } from './update.ts';

const encoder = new TextEncoder();

/** `POST /_bulk`. Items are answered one by one; one failing leaves the others alone. */
export async function bulk(engine: Engine, call: Call, mostOperations: number): Promise<Answer> {
  const started = performance.now();
  const pipeline = param(call, 'pipeline');
  if (pipeline !== undefined && pipeline !== '_none') throw unsupported('[pipeline]');
  const stretches = new Stretches();
  const items = await readBulk(call, stretches, mostOperations);
  if (items.length === 0) throw validationError('no requests added');
  const touched = new Set<Index>();
  const run = new BulkRun(stretches);
  // All of them before the first is written: a refused request leaves nothing behind. What an item lacks refuses the whole request, as in
  // Elasticsearch; of a hundred thousand such items a hundred are named.
  const problems: string[] = [];
  for (const { action, meta } of items) {
    if (stretches.isOver) await stretches.pause();
    if (meta['_index'] !== undefined) bodyIndex(call, asString(meta['_index'], '_index'));
    else if (call.path['index'] === undefined) problems.push('index is missing');
    if ((action === 'delete' || action === 'update') && (meta['_id'] ?? undefined) === undefined)
      problems.push('id is missing');
    if (problems.length >= 100) break;
  }
  if (problems.length > 0) throw validationError(...problems);
  for (const item of items) {
    if (stretches.isOver) await stretches.pause();
    const { action, meta } = item;
    const name =
      meta['_index'] === undefined ? call.path['index']! : bodyIndex(call, asString(meta['_index'], '_index'));
    const given = meta['_id'] === undefined || meta['_id'] === null ? undefined : asString(meta['_id'], '_id');
    try {
      if (given !== undefined) checkId(given);
      if (meta['pipeline'] !== undefined) throw unsupported('[pipeline]');
      const requireAlias =
        meta['require_alias'] === undefined ? undefined : asBoolean(meta['require_alias'], 'require_alias');
      const index = await indexForWrite(engine, name, call, requireAlias);
      touched.add(index);
      const id = given ?? newId();
      const routingValue = meta['routing'] ?? param(call, 'routing');
      const routing = routingValue === undefined ? undefined : asString(routingValue, 'routing');
      checkRouting(index, id, routing);
      const conditionOf = (body: Json): WriteConditions =>
        conditions({
          seqNo: body['if_seq_no'] ?? meta['if_seq_no'],
          term: body['if_primary_term'] ?? meta['if_primary_term'],
          version: meta['version'],
          type: meta['version_type'],
        });
      const condition = conditionOf(meta);
      if (action === 'update') {
        const retries = meta['retry_on_conflict'];
        const often = retries === undefined ? 0 : asInteger(retries, 'retry_on_conflict');
        const asked = (json: unknown): UpdateSpec => {
          const body = asObject(json, 'UpdateRequest');
          const source = shownOf(call, body['_source'] ?? meta['_source']);
          return { id, body, routing, condition: conditionOf(body), source };
        };
        if (item.source!.length < LARGE) {
          // Read when its turn comes, so that not all of them are held at once.
          const { write, answer } = laterUpdate(index, id, () => asked(parseJson(item.source!)));
          await run.add(index, action, write, (result) => answer(result).then(withStatus));
        } else {
          await run.flush();
          run.done(action, withStatus(await update(index, asked(await readJson(item.source!, APART)), often)));
        }
        continue;
      }
      if (action === 'delete' && isSharded(index)) {
        await run.flush();
        if (await isElsewhere(index, id, routing)) {
          run.done(action, { ...written(index, notThere(id), false), status: 404 });
          continue;
        }
      }
      await run.add(
        index,
        action,
        action === 'delete'
          ? { kind: 'delete', id, routing, ...condition }
          : { kind: 'index', id, source: item.source!, routing, create: action === 'create', ...condition },
      );
    } catch (error) {
      await run.flush();
      run.refuse(action, name, given ?? null, error);
    }
  }
  await run.flush(true);
  for (const index of touched) await refreshAfter(index, param(call, 'refresh'));
  const head = { took: Math.round(performance.now() - started), errors: run.errors };
  return { json: await withItems(head, run.answers, stretches) };
}

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
async function withItems(head: Json, items: readonly Json[], stretches: Stretches): Promise<Json | PrintedJson> {
  if (items.length <= PRINTED_TOGETHER) return { ...head, items };
  const parts: Uint8Array[] = [];
  for (let at = 0; at < items.length; at += PRINTED_TOGETHER) {
    await stretches.pause();
    const printed = printJson(items.slice(at, at + PRINTED_TOGETHER), false).slice(1, -1);
    parts.push(encoder.encode(at === 0 ? `${JSON.stringify(head).slice(0, -1)},"items":[${printed}` : `,${printed}`));
  }
  parts.push(encoder.encode(']}'));
  return new PrintedJson(await joined(parts, stretches));
}
