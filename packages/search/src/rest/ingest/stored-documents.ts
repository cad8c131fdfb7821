// Writes documents that are copied or written again, through the pipelines that they have.
import type { Index } from '../../engine/engine-api.ts';
import { isProductError } from '@lockstitch/kernel';
import type { Operation, OperationResult } from '../../index/operation.ts';
import { newId } from '../documents/document-id.ts';
import { indexForWrite, versionedBy } from '../documents/writing.ts';
import { type Call, param } from '../request/request.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';
import { targetOf } from './bulk-pipelines.ts';
import { type PipelinesOf, pipelinesOf } from './pipelines.ts';
import { throughPipelines } from './through-pipelines.ts';

/** The result of one write, and the index that it went to. */
interface Written {
  readonly index: Index;
  readonly result: OperationResult;
}

/** Writes documents to an index, or where their pipelines send them. @param asked the pipeline that the request names */
export async function* written(
  call: Call,
  index: Index,
  operations: readonly Operation[],
  asked: unknown = param(call, 'pipeline'),
): AsyncGenerator<Written> {
  const pipelines = pipelinesOf(call.engine, index.name, asked);
  if (pipelines === undefined) {
    for (const result of await index.apply(operations)) yield { index, result };
    return;
  }
  const slices = new TimeSlices();
  for (const operation of operations) {
    if (slices.isOver) await slices.yield();
    yield operation.kind === 'index'
      ? await writeThrough(call, index, operation, pipelines)
      : { index, result: (await index.apply([operation]))[0]! };
  }
}

async function writeThrough(
  call: Call,
  index: Index,
  operation: Extract<Operation, { kind: 'index' }>,
  pipelines: PipelinesOf,
): Promise<Written> {
  const { id, routing, source, version, versionType } = operation;
  try {
    const passed = throughPipelines(call, { index: index.name, id, routing, source, version, versionType }, pipelines);
    // One that is dropped counts as written again.
    if (passed === undefined)
      return { index, result: { kind: 'done', id, result: 'noop', version: 0, seqNo: -2, primaryTerm: 0 } };
    const name = targetOf(call, index.name, passed);
    const to = name === index.name ? index : await indexForWrite(call.engine, name, call);
    const versioned = versionedBy(passed, operation);
    const sent = {
      ...operation,
      ...versioned,
      id: passed.id ?? newId(),
      routing: passed.routing,
      source: passed.source,
    };
    return { index: to, result: (await to.apply([sent]))[0]! };
  } catch (error) {
    if (!isProductError(error)) throw error;
    return { index, result: { kind: 'failed', id, error } };
  }
}
