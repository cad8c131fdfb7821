// Runs documents through the steps of pipelines, and handles their failures.
import { isProductError } from '@lockstitch/kernel';
import { RequestError } from '../errors/request-error.ts';
import type { IngestDocument } from './ingest-document.ts';
import type { IngestContext, Outcome, Step } from './processor.ts';
import { UnhandledFailure } from './unhandled-failure.ts';

/** A pipeline that was read. */
export interface Pipeline {
  readonly id: string;
  readonly steps: readonly Step[];
  readonly onFailure: readonly Step[];
}

/** A failure that no step handled, with the step that failed. */
class StepFailure extends Error {
  readonly step: Step;
  readonly failure: unknown;
  readonly pipeline: string | undefined;

  /** @param pipeline the nested pipeline that failed, if it was one */
  constructor(step: Step, failure: unknown, pipeline?: string) {
    super('a step of a pipeline failed');
    this.step = step;
    this.failure = failure;
    this.pipeline = pipeline;
  }
}

/** Runs a document through a pipeline. @throws StepFailure; RequestError if the document is in this pipeline already */
export function runPipeline(pipeline: Pipeline, document: IngestDocument, context: IngestContext): Outcome {
  if (document.pipelines.includes(pipeline.id))
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'illegal_state_exception',
      `Cycle detected for pipeline: ${pipeline.id}`,
    );
  const outer = document.ingest['pipeline'];
  document.pipelines.push(pipeline.id);
  document.ingest['pipeline'] = pipeline.id;
  try {
    return runUnnamed(pipeline, document, context);
  } finally {
    document.pipelines.pop();
    if (outer === undefined) delete document.ingest['pipeline'];
    else document.ingest['pipeline'] = outer;
  }
}

/** Runs a pipeline as a step of another one: a failure names the inner pipeline. @throws StepFailure, RequestError */
export function runNested(pipeline: Pipeline, document: IngestDocument, context: IngestContext): Outcome {
  try {
    return runPipeline(pipeline, document, context);
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    throw new StepFailure(error.step, error.failure, error.pipeline ?? pipeline.id);
  }
}

/** Runs a pipeline that is not stored: documents do not learn its name. @throws StepFailure */
export function runUnnamed({ steps, onFailure }: Pipeline, document: IngestDocument, context: IngestContext): Outcome {
  return handled(onFailure, document, context, () => runSteps(steps, document, context));
}

/** The error that caused a failure. */
export function reasonOfFailure(error: unknown): unknown {
  if (error instanceof StepFailure || error instanceof UnhandledFailure) return reasonOfFailure(error.failure);
  return error;
}

/** Runs steps in their order. @throws StepFailure of the first that fails */
export function runSteps(steps: readonly Step[], document: IngestDocument, context: IngestContext): Outcome {
  return document.nest(() =>
    steps.some((step) => runStep(step, document, context) === 'dropped') ? 'dropped' : 'kept',
  );
}

function runStep(step: Step, document: IngestDocument, context: IngestContext): Outcome {
  document.spend(1);
  const { trace } = context;
  // The steps of a nested pipeline are traced one by one.
  const traceStep = step.type === 'pipeline' ? undefined : trace;
  if (step.type === 'pipeline') trace?.({ step, status: 'success' });
  return handled(step.onFailure, document, context, () => {
    try {
      const outcome = step.run(document, context) ?? 'kept';
      traceStep?.({ step, status: outcome === 'dropped' ? 'dropped' : 'success' });
      return outcome;
    } catch (error) {
      if (!isExpected(error)) throw error;
      traceStep?.({ step, status: step.ignoresFailure ? 'error_ignored' : 'error', error: reasonOfFailure(error) });
      if (step.ignoresFailure) return 'kept';
      if (step.type === 'pipeline' && error instanceof StepFailure) throw error;
      throw new StepFailure(step, reasonOfFailure(error));
    }
  });
}

/** Whether the document or its pipeline caused an error, and not a fault of the engine. */
function isExpected(error: unknown): boolean {
  return error instanceof StepFailure || (isProductError(error) && error.status < 500);
}

/** Runs `run`, and `onFailure` if it fails. @throws StepFailure if there is no `onFailure` */
function handled(
  onFailure: readonly Step[],
  document: IngestDocument,
  context: IngestContext,
  run: () => Outcome,
): Outcome {
  if (onFailure.length === 0) return run();
  try {
    return run();
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    const { ingest } = document;
    const reason = reasonOfFailure(error);
    ingest['on_failure_message'] = reason instanceof Error ? reason.message : null;
    ingest['on_failure_processor_type'] = error.step.type;
    ingest['on_failure_processor_tag'] = error.step.tag ?? null;
    if (error.pipeline !== undefined) ingest['on_failure_pipeline'] = error.pipeline;
    try {
      return runSteps(onFailure, document, context);
    } finally {
      for (const name of FAILURE_MEMBERS) delete ingest[name];
    }
  }
}

const FAILURE_MEMBERS = [
  'on_failure_message',
  'on_failure_processor_type',
  'on_failure_processor_tag',
  'on_failure_pipeline',
];
