// Writes documents that are copied or written again, through the pipelines that they have.
import { isProductError } from '@lockstitch/kernel';
import type { Index } from '../../engine/engine-api.ts';
import type { Operation, OperationResult } from '../../index/operation.ts';
import { checkRouting } from '../documents/read-document.ts';
import { newId } from '../documents/document-id.ts';
import { checkMayWrite, indexForWrite, versionedBy } from '../documents/writing.ts';
import { type Call, param } from '../request/request.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';
import { targetOf } from './bulk-pipelines.ts';
import { type PipelinesOf, pipelinesOf } from './pipelines.ts';
import { throughPipelines } from './through-pipelines.ts';

/** The result of one write, and the index that it went to; undefined for a document that its pipelines drop or refuse. */
interface Written {
  readonly name: string;
  readonly index: Index | undefined;
  readonly result: OperationResult;
}

type Failed = Extract<OperationResult, { kind: 'failed' }>;

/** An index that may not exist until its first document has passed its pipelines. */
export interface Destination {
  readonly name: string;
  readonly open: () => Index | Promise<Index>;
}

/** Writes documents to an index, or where their pipelines send them. @param asked the pipeline that the request names */
export async function* writtenThrough(
  call: Call,
  to: Destination,
  operations: readonly Operation[],
  asked: unknown = param(call, 'pipeline'),
): AsyncGenerator<Written> {
  const { name } = to;
  const pipelines = pipelinesOf(call.engine, name, asked);
  if (pipelines === undefined) {
    const index = await to.open();
    const refused = operations.map((operation) => refusal(index, operation));
    for (const result of refused) if (result !== undefined) yield { name, index, result };
    for (const result of await index.apply(operations.filter((_, at) => refused[at] === undefined)))
      yield { name, index, result };
    return;
  }
  checkMayWrite(name, call);
  const slices = new TimeSlices();
  for (const operation of operations) {
    if (slices.isOver) await slices.yield();
    yield operation.kind === 'index'
      ? await writeThrough(call, to, operation, pipelines)
      : await write(name, await to.open(), operation);
  }
}

/** Why a document cannot go to an index: it has no routing where one is required. */
function refusal(index: Index, { kind, id, routing }: Operation): Failed | undefined {
  if (kind !== 'index') return undefined;
  try {
    checkRouting(index, id, routing);
    return undefined;
  } catch (error) {
    if (!isProductError(error)) throw error;
    return { kind: 'failed', id, error };
  }
}

async function write(name: string, index: Index, operation: Operation): Promise<Written> {
  const result = refusal(index, operation) ?? (await index.apply([operation]))[0]!;
  return { name, index, result };
}

async function writeThrough(
  call: Call,
  to: Destination,
  operation: Extract<Operation, { kind: 'index' }>,
  pipelines: PipelinesOf,
): Promise<Written> {
  const { id, routing, source, version, versionType } = operation;
  try {
    const passed = throughPipelines(call, { index: to.name, id, routing, source, version, versionType }, pipelines);
    // One that is dropped counts as written again.
    if (passed === undefined)
      return {
        name: to.name,
        index: undefined,
        result: { kind: 'done', id, result: 'noop', version: 0, seqNo: -2, primaryTerm: 0 },
      };
    const name = targetOf(call, to.name, passed);
    const index = await (name === to.name ? to.open() : indexForWrite(call.engine, name, call));
    const versioned = versionedBy(passed, operation);
    const sent = {
      ...operation,
      ...versioned,
      id: passed.id ?? newId(),
      routing: passed.routing,
      source: passed.source,
    };
    return await write(name, index, sent);
  } catch (error) {
    if (!isProductError(error)) throw error;
    return { name: to.name, index: undefined, result: { kind: 'failed', id, error } };
  }
}
