// What a processor of a pipeline is, and what its definition says.
import type { IngestDocument } from './ingest-document.ts';
import type { Pipeline } from './pipeline.ts';
import type { ConfigReader } from './read-config.ts';

/** What a step has to hand besides its document. */
export interface IngestContext {
  /** A stored pipeline; undefined: there is none. */
  readonly pipelineOf: (name: string) => Pipeline | undefined;
  readonly now: number;
  /** Told what each step did; absent where nobody asks. */
  readonly trace?: ((result: StepResult) => void) | undefined;
}

/** What one step did, as `_simulate?verbose` tells it. */
export type StepResult = { readonly step: Step } & (
  | { readonly status: 'success' | 'dropped' }
  | { readonly status: 'error' | 'error_ignored'; readonly error: unknown }
);

/** Whether the document goes on. */
export type Outcome = 'kept' | 'dropped';

/** Changes a document; nothing returned: it is kept. @throws RequestError where it cannot */
export type Run = (document: IngestDocument, context: IngestContext) => Outcome | void;

/** A processor where it stands in a pipeline. */
export interface Step {
  readonly type: string;
  readonly tag: string | undefined;
  readonly description: string | undefined;
  readonly run: Run;
  readonly ignoresFailure: boolean;
  readonly onFailure: readonly Step[];
}

/** Reads the steps of a list, which processors that hold others need. */
export type ReadSteps = (configs: readonly unknown[]) => readonly Step[];

/** Makes a processor of its configuration. @throws RequestError for what it does not take */
export type CreateProcessor = (config: ConfigReader, readSteps: ReadSteps) => Run;

/** Processors by type. */
export type Processors = Readonly<Record<string, CreateProcessor>>;
