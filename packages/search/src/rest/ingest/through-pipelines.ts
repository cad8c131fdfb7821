// Runs a document that is to be written through its pipelines: what is written of it then, where and under which name.
import type { Engine } from '../../engine/engine-api.ts';
import { illegalArgument, RequestError } from '../../errors/request-error.ts';
import { IngestDocument } from '../../ingest/ingest-document.ts';
import { isMembers, type Members, parseValue, textOfValue } from '../../ingest/ingest-values.ts';
import { type Pipeline, reasonOfFailure, runPipeline } from '../../ingest/pipeline.ts';
import { printExactly } from '../../json/exact-json.ts';
import type { Call } from '../request/request.ts';
import { existingPipeline, pipelineOf, type PipelinesOf, pipelinesOf } from './pipelines.ts';

/** A document that is to be written. */
export interface Outgoing {
  readonly index: string;
  /** undefined: it gets one. */
  readonly id: string | undefined;
  readonly routing: string | undefined;
  readonly source: Uint8Array;
  /** As the request or a pipeline says it. */
  readonly version?: unknown;
  readonly versionType?: unknown;
}

/** Bytes of a document that pipelines take: it is read where others wait. */
export const MOST_BYTES = 5_000_000;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Runs a document through its pipelines. @returns undefined: it is dropped @throws RequestError what failed */
export function throughPipelines(
  call: Pick<Call, 'engine' | 'now'>,
  document: Outgoing,
  pipelines: PipelinesOf,
): Outgoing | undefined {
  const { engine } = call;
  const first = pipelines.first === undefined ? undefined : existingPipeline(engine, pipelines.first);
  const ingest = new IngestDocument(metadataOf(document), sourceOf(document.source), new Date(call.now).toISOString());
  const { index } = document;
  if (first !== undefined && !run(call, ingest, first)) return undefined;
  const to = textOfValue(ingest.members['_index'] ?? '');
  if (to === '') throw illegalArgument('a pipeline took the name of the index away');
  const { final } = to === index ? pipelines : (pipelinesOf(engine, to, '_none') ?? { final: undefined });
  if (final !== undefined) {
    if (!run(call, ingest, existingPipeline(engine, final))) return undefined;
    if (ingest.members['_index'] !== to)
      throw new RequestError(
        'SEARCH_ILLEGAL_ARGUMENT',
        'illegal_state_exception',
        `final pipeline [${final}] can't change the target index`,
      );
  }
  return outcomeOf(ingest, to);
}

function run(
  { engine, now }: { readonly engine: Engine; readonly now: number },
  ingest: IngestDocument,
  pipeline: Pipeline,
): boolean {
  try {
    return runPipeline(pipeline, ingest, { pipelineOf: (name) => pipelineOf(engine, name), now }) === 'kept';
  } catch (error) {
    throw reasonOfFailure(error);
  }
}

function metadataOf({ index, id, routing, version, versionType }: Outgoing): Members {
  return {
    _index: index,
    _type: '_doc',
    ...(id === undefined ? {} : { _id: id }),
    ...(routing === undefined ? {} : { _routing: routing }),
    ...(version === undefined ? {} : { _version: version }),
    ...(versionType === undefined ? {} : { _version_type: versionType }),
  };
}

/** The source as values. @throws RequestError for what is no object, and for what is too large */
export function sourceOf(bytes: Uint8Array): Members {
  if (bytes.length > MOST_BYTES)
    throw new RequestError(
      'SEARCH_TOO_LARGE',
      'illegal_argument_exception',
      `a document of [${bytes.length}] bytes is larger than the [${MOST_BYTES}] that pipelines take`,
    );
  const text = decoder.decode(bytes);
  if (!/^\s*\{/.test(text))
    throw new RequestError(
      'SEARCH_PARSING',
      'not_x_content_exception',
      'Compressor detection can only be called on some xcontent bytes or compressed xcontent bytes',
    );
  try {
    const value = parseValue(text);
    if (isMembers(value)) return value;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    throw new RequestError('SEARCH_PARSING', 'parse_exception', 'Failed to parse content to map', {
      causedBy: { type: error.type, reason: error.message },
    });
  }
  throw illegalArgument('a document is an object');
}

function outcomeOf(ingest: IngestDocument, index: string): Outgoing {
  const text = (name: string): string | undefined => {
    const value = ingest.members[name] ?? undefined;
    return value === undefined ? undefined : textOfValue(value);
  };
  return {
    index,
    id: text('_id'),
    routing: text('_routing'),
    source: encoder.encode(printExactly(ingest.source)),
    version: ingest.members['_version'] ?? undefined,
    versionType: ingest.members['_version_type'] ?? undefined,
  };
}
