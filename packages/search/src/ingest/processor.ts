// Types of processors, and of the steps that pipelines consist of.
import type { IngestDocument } from './ingest-document.ts';
import type { Pipeline } from './pipeline.ts';
import type { ConfigReader } from './read-config.ts';

/** What a step can use besides its document. */
export interface IngestContext {
  /** Returns a stored pipeline; undefined if there is none. */
  readonly pipelineOf: (name: string) => Pipeline | undefined;
  readonly now: number;
  /** Called with the result of each step. Default: none. */
  readonly trace?: ((result: StepResult) => void) | undefined;
}

/** The result of one step, as `_simulate?verbose` shows it. */
export type StepResult = { readonly step: Step } & (
  | { readonly status: 'success' | 'dropped' }
  | { readonly status: 'error' | 'error_ignored'; readonly error: unknown }
);

/** What becomes of a document. */
export type Outcome = 'kept' | 'dropped';

/** Changes a document, which is kept unless the function returns 'dropped'. @throws RequestError */
export type Run = (document: IngestDocument, context: IngestContext) => Outcome | void;

/** A configured processor in a pipeline. */
export interface Step {
  readonly type: string;
  readonly tag: string | undefined;
  readonly description: string | undefined;
  readonly run: Run;
  readonly ignoresFailure: boolean;
  readonly onFailure: readonly Step[];
}

/** Reads a list of steps: for processors with nested ones. */
export type ReadSteps = (configs: readonly unknown[]) => readonly Step[];

/** Creates a processor from its configuration. @throws RequestError for an invalid one */
export type CreateProcessor = (config: ConfigReader, readSteps: ReadSteps) => Run;

/** Processors by type. */
export type Processors = Readonly<Record<string, CreateProcessor>>;
