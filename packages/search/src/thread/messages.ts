// Messages between the main thread and a search thread: values that structured clone keeps. Segments are sent once, as arrays
// in shared memory, and referenced by number from then on.
import type { IndexDefinition, IndexSettings } from '../settings/index-definition.ts';
import type { SearchLimits } from '../collect/searcher.ts';
import type { SegmentMeta, SourcesFile } from '../index/segment-data.ts';
import type { SectionArray } from '../index/shared.ts';
import type { Similarity } from '../query/bm25.ts';
import type { PartQuery } from '../query/kinds/part.ts';
import type { RequestLimits } from '../tasks/request-budget.ts';
import type { JsonJobKind } from './json-jobs.ts';
import type { PlainError } from '../errors/plain-error.ts';
import type { SearchJobKind } from './search-jobs.ts';
import type { IndexView } from '../view/index-view.ts';

/** A segment's content. Its sources are among the sections, or in the file. */
export interface CoreContent {
  /** Number of its engine. */
  readonly engine: number;
  readonly meta: SegmentMeta;
  readonly sections: ReadonlyMap<string, SectionArray>;
  readonly sourcesFile: SourcesFile | undefined;
  readonly label: string;
}

/** One state of an index: its segments as one refresh shows them. */
export interface StateContent {
  readonly segments: readonly {
    readonly core: number;
    readonly live: Int32Array | undefined;
    readonly generation: number;
    readonly base: number;
  }[];
  readonly similarity: Similarity;
  readonly limits: SearchLimits;
}

/** An index without its documents. */
export interface IndexContent {
  readonly name: string;
  readonly uuid: string;
  readonly createdAt: number;
  readonly settings: Required<IndexSettings>;
  readonly maxClauses: number;
  readonly definition: IndexDefinition;
}

/** One index of a request. */
export interface TargetContent {
  readonly index: number;
  readonly state: number;
  readonly view: IndexView | undefined;
  readonly typeName: string;
  readonly filters: readonly unknown[];
  readonly part: PartQuery | undefined;
  readonly defaultField: readonly string[];
  readonly aliases: readonly string[];
  readonly allowsExpensive: boolean | undefined;
}

/** A kind of job with its input. */
export type Work =
  | {
      readonly lane: 'search';
      readonly kind: SearchJobKind;
      readonly input: unknown;
      /** Milliseconds that an attempt on the main thread took. */
      readonly spent: number;
    }
  | { readonly lane: 'json'; readonly kind: JsonJobKind; readonly input: object };

/** One job, with everything that was not sent before. */
export interface Job {
  readonly id: number;
  readonly work: Work;
  readonly limits: RequestLimits;
  readonly now: number;
  readonly targets: readonly TargetContent[];
  /** Documents of terms lookups from an earlier attempt, by index and id. */
  readonly found: ReadonlyMap<string, unknown>;
}

/** A message to the thread. The thread keeps what has a number until a `forget` names it. */
export type ThreadMessage =
  | { readonly kind: 'core'; readonly id: number; readonly content: CoreContent }
  /** The sources of a segment were written to a file: release their memory. */
  | { readonly kind: 'moved'; readonly id: number; readonly sourcesFile: SourcesFile }
  | { readonly kind: 'state'; readonly id: number; readonly content: StateContent }
  | { readonly kind: 'index'; readonly id: number; readonly content: IndexContent }
  | { readonly kind: 'forget'; readonly what: 'engine' | 'core' | 'state' | 'index'; readonly id: number }
  | { readonly kind: 'job'; readonly job: Job };

/** Outcome of a job. */
export type Outcome =
  /** The result, as its definition sends it. */
  | { readonly kind: 'done'; readonly sent: unknown }
  /** A terms lookup names a document that only the main thread can fetch. */
  | { readonly kind: 'lookup'; readonly index: string; readonly id: string }
  | { readonly kind: 'refused'; readonly error: PlainError }
  /** The file of a segment's sources is gone: it was merged away. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly reason: string };

/** From the thread. */
export interface Reply {
  readonly id: number;
  /** Missing in the first reply, which reports that the thread has started. */
  readonly outcome?: Outcome;
}

/** The name of a looked-up document. */
export const lookupKey = (index: string, id: string): string => `${index}\n${id}`;
