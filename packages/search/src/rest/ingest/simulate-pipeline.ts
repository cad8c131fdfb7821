// `_ingest/pipeline/_simulate`: what a pipeline would make of documents.
import { isProductError } from '@lockstitch/kernel';
import { illegalArgument } from '../../errors/request-error.ts';
import { type Growth, IngestDocument } from '../../ingest/ingest-document.ts';
import { copyOf, isMembers, type Members, parseValue, textOfValue } from '../../ingest/ingest-values.ts';
import { type Pipeline, reasonOfFailure, runPipeline, runUnnamed } from '../../ingest/pipeline.ts';
import type { IngestContext, StepResult } from '../../ingest/processor.ts';
import { ConfigReader } from '../../ingest/read-config.ts';
import { readPipeline } from '../../ingest/read-pipeline.ts';
import { UnhandledFailure } from '../../ingest/unhandled-failure.ts';
import { errorBody } from '../../json/error-shape.ts';
import { printExactly } from '../../json/exact-json.ts';
import { type Json } from '../../json/json.ts';
import { RawJson } from '../../json/print-json.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';
import { asVersionType } from '../documents/writing.ts';
import { type Answer, type Call, flagParam, mapBody, missingBody } from '../request/request.ts';
import { pipelineOf } from './pipelines.ts';

/** Documents of one request. */
const MOST_DOCUMENTS = 1000;

const decoder = new TextDecoder();

/** `GET|POST /_ingest/pipeline[/{name}]/_simulate`. */
export async function simulate(call: Call): Promise<Answer> {
  const verbose = flagParam(call, 'verbose');
  const body = bodyOf(call);
  const pipeline = pipelineFor(call, body);
  // The documents of a request are held together.
  const growth = { characters: 0 };
  const documents = body.list('docs').map((each) => documentOf(each, call.now, growth));
  if (documents.length === 0) throw illegalArgument('must specify at least one document in [docs]');
  if (documents.length > MOST_DOCUMENTS)
    throw illegalArgument(
      `at most [${MOST_DOCUMENTS}] documents are taken in [docs], and there are [${documents.length}]`,
    );
  const context = { pipelineOf: (name: string) => pipelineOf(call.engine, name), now: call.now };
  const slices = new TimeSlices();
  const docs: unknown[] = [];
  for (const document of documents) {
    if (slices.isOver) await slices.yield();
    docs.push(verbose ? traced(pipeline, document, context) : outcome(pipeline, document, context));
  }
  return { json: new RawJson(printExactly({ docs })) };
}

/** The body, whose numbers keep how they are written. */
function bodyOf(call: Call): ConfigReader {
  const body = mapBody(call);
  if (body === undefined) throw missingBody(true);
  const { body: bytes } = call.request;
  const exact = bytes === undefined || bytes.length === 0 ? body : parseValue(decoder.decode(bytes));
  return new ConfigReader(isMembers(exact) ? exact : body);
}

function pipelineFor(call: Call, body: ConfigReader): Pipeline {
  const { name } = call.path;
  if (name === undefined) return readPipeline('_simulate_pipeline', body.map('pipeline'));
  const found = pipelineOf(call.engine, name);
  if (found === undefined) throw illegalArgument(`pipeline [${name}] does not exist`);
  return found;
}

/** A document of the body. */
function documentOf(given: unknown, now: number, growth: Growth): IngestDocument {
  if (!isMembers(given)) throw illegalArgument('malformed [docs] section, should include an inner object');
  const config = new ConfigReader(given);
  const source = config.map('_source');
  const versionType = config.optionalText('_version_type');
  const metadata: Members = {
    _index: config.optionalText('_index') ?? '_index',
    _type: config.optionalText('_type') ?? '_doc',
    _id: config.optionalText('_id') ?? '_id',
    _routing: textOrUndefined(config.take('_routing')),
    _version: config.take('_version'),
    _version_type: versionType === undefined ? undefined : asVersionType(versionType.toLowerCase()),
    _if_seq_no: config.take('_if_seq_no'),
    _if_primary_term: config.take('_if_primary_term'),
  };
  return new IngestDocument(metadata, source, new Date(now).toISOString(), growth);
}

const textOrUndefined = (value: unknown): string | undefined => (value === undefined ? undefined : textOfValue(value));

/** A document as it is shown. */
function shown(document: IngestDocument): Json {
  const { _version: version, ...metadata } = document.metadata;
  const versioned = version === undefined ? {} : { _version: textOfValue(version) };
  return { ...metadata, ...versioned, _source: copyOf(document.source), _ingest: copyOf(document.ingest) };
}

const shownError = (error: unknown): unknown => errorBody(reasonOfFailure(error)).body['error'];

function outcome(pipeline: Pipeline, document: IngestDocument, context: IngestContext): unknown {
  try {
    return runUnnamed(pipeline, document, context) === 'dropped' ? null : { doc: shown(document) };
  } catch (error) {
    if (error instanceof UnhandledFailure) throw error.failure;
    return { error: shownError(error) };
  }
}

function traced(pipeline: Pipeline, document: IngestDocument, context: IngestContext): unknown {
  const results: Json[] = [];
  const trace = (result: StepResult): void => {
    const { type, tag, description } = result.step;
    const isShown = type !== 'pipeline' && (result.status === 'success' || result.status === 'error_ignored');
    const doc = isShown ? shown(document) : undefined;
    const told = {
      processor_type: type,
      status: result.status,
      ...(description === undefined ? {} : { description }),
      ...(tag === undefined ? {} : { tag }),
      ...(result.status === 'error' ? { error: shownError(result.error) } : {}),
      ...(result.status === 'error_ignored' ? { ignored_error: { error: shownError(result.error) } } : {}),
      ...(doc === undefined ? {} : { doc }),
    };
    // What each step leaves is as much to print as the document itself.
    document.grow(JSON.stringify(told).length);
    results.push(told);
  };
  try {
    runPipeline(pipeline, document, { ...context, trace });
  } catch (error) {
    if (error instanceof UnhandledFailure) throw error.failure;
    if (!isProductError(reasonOfFailure(error))) throw error;
  }
  return { processor_results: results };
}
