// Many writes in one request, each answered by itself.
import { causeOf } from '../request/error-shape.ts';
import { isSharded } from '../request/shard-of-routing.ts';
import { type Answer, type Call, bodyIndex, bodyLines, param } from '../request/request.ts';
import { readSourceFilter } from '../../api/source-filter.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import type { Operation } from '../../index/operation.ts';
import { type Json, asBoolean, asChoice, asInteger, asObject, asString, isObject, parseJson } from '../../json.ts';
import { illegalArgument, unsupported, validationError } from '../../request-error.ts';
import { checkId, newId } from './document-id.ts';
import { conditions, enriched, indexForWrite, refreshAfter, written } from './writing.ts';
import { checkRouting, isElsewhere, notThere, sourceFilterOf } from './read-document.ts';
import { update } from './update-handlers.ts';

const ACTION_KEYS = [
  '_index',
  '_type',
  '_id',
  'routing',
  'version',
  'version_type',
  'if_seq_no',
  'if_primary_term',
  'retry_on_conflict',
  'pipeline',
  '_source',
  'require_alias',
  'op_type',
];

interface BulkItem {
  readonly action: 'index' | 'create' | 'delete' | 'update';
  readonly meta: Json;
  readonly source: Uint8Array | undefined;
}

/** `POST /_bulk`. Items are answered one by one; one failing leaves the others alone. */
export async function bulk(engine: Engine, call: Call): Promise<Answer> {
  const started = performance.now();
  const items = readBulk(bodyLines(call));
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
    results.forEach((result, at) => {
      const { action } = own[at]!;
      if (result.kind === 'failed') {
        errors = true;
        answers.push({ [action]: failure(index.name, result.id, enriched(result.error, index)) });
      } else {
        const status = result.result === 'created' ? 201 : result.result === 'not_found' ? 404 : 200;
        answers.push({ [action]: { ...written(index, result, false), status } });
      }
    });
  };
  // All of them before the first is written: a refused request leaves nothing behind.
  for (const { meta } of items) if (meta['_index'] !== undefined) bodyIndex(call, asString(meta['_index'], '_index'));
  for (const item of items) {
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
        const body = asObject(parseJson(item.source!), 'UpdateRequest');
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
  return { json: { took: Math.round(performance.now() - started), errors, items: answers } };
}

function failure(index: string, id: string | null, error: unknown): Json {
  const cause = causeOf(error);
  return { _index: index, _type: '_doc', _id: id, status: cause.status, error: cause.error };
}

function readBulk(lines: readonly Uint8Array[]): BulkItem[] {
  const items: BulkItem[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.length === 0) continue;
    const head = parseJson(line);
    const number = at + 1;
    if (!isObject(head) || Object.keys(head).length !== 1) {
      const empty = isObject(head) && Object.keys(head).length === 0;
      throw illegalArgument(
        `Malformed action/metadata line [${number}], expected ${empty ? 'FIELD_NAME but found [END_OBJECT]' : 'START_OBJECT or END_OBJECT but found [VALUE_STRING]'}`,
      );
    }
    const [action, value] = Object.entries(head)[0]!;
    if (action !== 'index' && action !== 'create' && action !== 'delete' && action !== 'update') {
      throw illegalArgument(
        `Malformed action/metadata line [${number}], expected field [create], [delete], [index] or [update] but found [${action}]`,
      );
    }
    if (!isObject(value))
      throw illegalArgument(
        `Malformed action/metadata line [${number}], expected START_OBJECT but found [VALUE_STRING]`,
      );
    for (const key of Object.keys(value)) {
      if (!ACTION_KEYS.includes(key))
        throw illegalArgument(`Action/metadata line [${number}] contains an unknown parameter [${key}]`);
    }
    if (action === 'delete') {
      items.push({ action, meta: value, source: undefined });
      continue;
    }
    const source = lines[++at];
    if (source === undefined || source.length === 0)
      throw illegalArgument('The bulk request must be terminated by a newline [\\n]');
    const opType = action === 'index' ? asChoice(value['op_type'] ?? 'index', 'op_type', ['index', 'create']) : action;
    items.push({ action: opType, meta: value, source });
  }
  return items;
}
