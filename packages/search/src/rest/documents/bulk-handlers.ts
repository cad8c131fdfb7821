// Many writes in one request, each answered by itself.
import { causeOf } from '../../error-shape.ts';
import { isSharded } from '../request/shard-of-routing.ts';
import { type Answer, type Call, bodyIndex, param } from '../request/request.ts';
import { readSourceFilter } from '../../api/source-filter.ts';
import { joined, Stretches } from '../../drive.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import type { Operation } from '../../index/operation.ts';
import { type Json, asBoolean, asInteger, asObject, asString } from '../../json.ts';
import { PrintedJson, printJson } from '../../print-json.ts';
import { unsupported, validationError } from '../../request-error.ts';
import { APART, readJson } from '../../thread/read-json.ts';
import { checkId, newId } from './document-id.ts';
import { conditions, enriched, indexForWrite, refreshAfter, written } from './writing.ts';
import { checkRouting, isElsewhere, notThere, sourceFilterOf } from './read-document.ts';
import { type BulkItem, readBulk } from './read-bulk.ts';
import { update } from './update-handlers.ts';

const encoder = new TextEncoder();

/** `POST /_bulk`. Items are answered one by one; one failing leaves the others alone. */
export async function bulk(engine: Engine, call: Call): Promise<Answer> {
  const started = performance.now();
  const pipeline = param(call, 'pipeline');
  if (pipeline !== undefined && pipeline !== '_none') throw unsupported('[pipeline]');
  const stretches = new Stretches();
  const items = await readBulk(call, stretches);
  if (items.length === 0) throw validationError('no requests added');
  const answers: Json[] = [];
  const touched = new Set<Index>();
  let errors = false;
  // Runs of plain writes to one index go to the engine together; an update needs what came before it.
  let run: { index: Index; operations: Operation[]; items: BulkItem[] } | undefined;
  const flush = async (): Promise<void> => {
    if (run === undefined) return;
    const { index, operations, items: own } = run;
    run = undefined;
    const results = await index.apply(operations);
    for (const [at, result] of results.entries()) {
      const { action } = own[at]!;
      if (stretches.isOver) await stretches.pause();
      if (result.kind === 'failed') {
        errors = true;
        answers.push({ [action]: failure(index.name, result.id, enriched(result.error, index)) });
      } else {
        const status = result.result === 'created' ? 201 : result.result === 'not_found' ? 404 : 200;
        answers.push({ [action]: { ...written(index, result, false), status } });
      }
    }
  };
  // All of them before the first is written: a refused request leaves nothing behind.
  for (const { meta } of items) {
    if (stretches.isOver) await stretches.pause();
    if (meta['_index'] !== undefined) bodyIndex(call, asString(meta['_index'], '_index'));
  }
  for (const item of items) {
    if (stretches.isOver) await stretches.pause();
    const { action, meta } = item;
    const name =
      meta['_index'] === undefined ? call.path['index'] : bodyIndex(call, asString(meta['_index'], '_index'));
    const given = meta['_id'] === undefined || meta['_id'] === null ? undefined : asString(meta['_id'], '_id');
    try {
      if (name === undefined) throw validationError('index is missing');
      if (given !== undefined) checkId(given);
      if (given === undefined && action !== 'index' && action !== 'create') throw validationError('id is missing');
      if (meta['pipeline'] !== undefined) throw unsupported('[pipeline]');
      const requireAlias =
        meta['require_alias'] === undefined ? undefined : asBoolean(meta['require_alias'], 'require_alias');
      const index = await indexForWrite(engine, name, call, requireAlias);
      touched.add(index);
      const id = given ?? newId();
      const routingValue = meta['routing'] ?? param(call, 'routing');
      const routing = routingValue === undefined ? undefined : asString(routingValue, 'routing');
      checkRouting(index, id, routing);
      const condition = conditions({
        seqNo: meta['if_seq_no'],
        term: meta['if_primary_term'],
        version: meta['version'],
        type: meta['version_type'],
      });
      if (action === 'update') {
        await flush();
        const retries = meta['retry_on_conflict'];
        const body = asObject(await readJson(item.source!, APART), 'UpdateRequest');
        const url = ['_source', '_source_includes', '_source_excludes'].some((name) => param(call, name) !== undefined);
        const source = body['_source'] ?? meta['_source'];
        const answer = await update(index, {
          id,
          body,
          routing,
          condition,
          retries: retries === undefined ? 0 : asInteger(retries, 'retry_on_conflict'),
          source:
            source === undefined
              ? url
                ? sourceFilterOf(call)
                : undefined
              : readSourceFilter(
                  Array.isArray(source) && source.length === 1 && /^(?:true|false)$/.test(String(source[0]))
                    ? source[0]
                    : source,
                ),
        });
        answers.push({ update: { ...answer.json, status: answer.status } });
        continue;
      }
      if (action === 'delete' && isSharded(index)) {
        await flush();
        if (isElsewhere(index, id, routing)) {
          answers.push({ delete: { ...written(index, notThere(id), false), status: 404 } });
          continue;
        }
      }
      if (run !== undefined && run.index !== index) await flush();
      run ??= { index, operations: [], items: [] };
      run.items.push(item);
      run.operations.push(
        action === 'delete'
          ? { kind: 'delete', id, routing, ...condition }
          : {
              kind: 'index',
              id,
              source: item.source!,
              routing,
              create: action === 'create',
              ...condition,
            },
      );
    } catch (error) {
      await flush();
      errors = true;
      answers.push({ [action]: failure(name ?? '', given ?? null, error) });
    }
  }
  await flush();
  for (const index of touched) await refreshAfter(index, param(call, 'refresh'));
  const head = { took: Math.round(performance.now() - started), errors };
  return { json: await withItems(head, answers, stretches) };
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

function failure(index: string, id: string | null, error: unknown): Json {
  const cause = causeOf(error);
  return { _index: index, _type: '_doc', _id: id, status: cause.status, error: cause.error };
}
