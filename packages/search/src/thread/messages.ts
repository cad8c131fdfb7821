// Messages between the main thread and a search thread: values that structured clone keeps. Segments are sent once, as arrays
// in shared memory, and referenced by number from then on.
import type { SearchOptions } from '../search/search.ts';
import type { ValidateOptions } from '../search/validate.ts';
import type { SearchBody } from '../search/search-body.ts';
import type { Matches } from '../search/matches.ts';
import type { ParseOptions } from '../search/parse-search.ts';
import type { AskedVectors } from '../search/term-vectors.ts';
import type { IndexDefinition, IndexSettings } from '../engine/engine-api.ts';
import type { SearchLimits } from '../collect/searcher.ts';
import type { SortValue } from '../index/search-request.ts';
import type { SegmentMeta, SourcesFile } from '../index/segment-data.ts';
import type { SectionArray } from '../index/shared.ts';
import type { Json } from '../json.ts';
import type { Similarity } from '../query/bm25.ts';
import type { PartQuery } from '../query/query.ts';
import type { PlainError } from './plain-error.ts';
import type { SourceFilter } from '../search/source-filter.ts';
import type { IndexView } from '../view/index-view.ts';
import type { DocumentRules } from '../view/mask-source.ts';

/** A segment's content. Its sources are among the sections, or in the file. */
export interface CoreContent {
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

/** What an index is besides its documents. */
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

/** What is to be done. */
export type Work =
  | { readonly kind: 'search'; readonly body: SearchBody; readonly options: Omit<SearchOptions, 'now'> }
  | { readonly kind: 'count'; readonly query: unknown; readonly options: Pick<SearchOptions, 'allowance'> }
  | { readonly kind: 'matches'; readonly query: Json | undefined; readonly options: Pick<SearchOptions, 'allowance'> }
  | {
      readonly kind: 'explain';
      readonly id: string;
      readonly json: Json;
      readonly options: Pick<SearchOptions, 'allowance'>;
    }
  | {
      readonly kind: 'vectors';
      /** One document, or several. */
      readonly asked: AskedVectors | readonly AskedVectors[];
      readonly options: Pick<SearchOptions, 'allowance'>;
    }
  /** Reads a query for each index. */
  | { readonly kind: 'validate'; readonly query: unknown; readonly options: ValidateOptions }
  /** Reads the body of a search for its mistakes. */
  | { readonly kind: 'parse'; readonly json: Json; readonly options: Omit<ParseOptions, 'now'> }
  | JsonWork;

/** Work on JSON alone, which asks no documents. */
export type JsonWork =
  /** A body, to be divided (`divideJson`). */
  | { readonly kind: 'read'; readonly text: Uint8Array; readonly apart: readonly string[] }
  /** A partial document, to be merged into a whole one (`mergeDocument`). */
  | { readonly kind: 'merge'; readonly source: Uint8Array; readonly change: unknown }
  /** A source, to be filtered, and the values that it has at paths. */
  | {
      readonly kind: 'show';
      readonly source: Uint8Array;
      readonly filters: readonly SourceFilter[];
      readonly paths: readonly string[];
    }
  /** A source, to be shown as far as a view allows. */
  | { readonly kind: 'mask'; readonly source: Uint8Array; readonly rules: DocumentRules }
  /** A request of `_analyze`; with the index that is asked, if one is. */
  | {
      readonly kind: 'analyze';
      readonly text: Uint8Array;
      readonly most: number;
    }
  | {
      readonly kind: 'print';
      readonly text: Uint8Array;
      readonly pretty: boolean;
      readonly filter: string | undefined;
    };

/** A body without its large members, and those, as JSON each. */
export interface JsonRead {
  readonly inline: Uint8Array;
  readonly apart: readonly (readonly [name: string, text: Uint8Array])[];
}

/** One piece of work, with everything it needs but what went over before. */
export interface Job {
  readonly id: number;
  readonly work: Work;
  readonly now: number;
  readonly targets: readonly TargetContent[];
  /** Documents of terms lookups that were asked for in an earlier attempt, by index and id. */
  readonly found: ReadonlyMap<string, unknown>;
}

/** A message to the thread. The thread keeps what has a number until a `forget` names it. */
export type ThreadMessage =
  | { readonly kind: 'core'; readonly id: number; readonly content: CoreContent }
  /** The sources of a segment were written to a file: the memory they took is to be let go of. */
  | { readonly kind: 'moved'; readonly id: number; readonly sourcesFile: SourcesFile }
  | { readonly kind: 'state'; readonly id: number; readonly content: StateContent }
  | { readonly kind: 'index'; readonly id: number; readonly content: IndexContent }
  | { readonly kind: 'forget'; readonly what: 'core' | 'state' | 'index'; readonly id: number }
  | { readonly kind: 'job'; readonly job: Job };

/** What became of a piece of work. */
export type Outcome =
  /** Of no job: the thread has come up. */
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'search';
      readonly response: Uint8Array;
      readonly hits: number;
      readonly positions: readonly (readonly SortValue[] | undefined)[];
    }
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'matches'; readonly matches: Matches }
  /** undefined: there is no such document. */
  | { readonly kind: 'explain'; readonly response: Uint8Array | undefined }
  | { readonly kind: 'vectors'; readonly response: Uint8Array }
  | { readonly kind: 'print'; readonly text: Uint8Array }
  | ({ readonly kind: 'read' } & JsonRead)
  | { readonly kind: 'analyze'; readonly response: Uint8Array }
  /** The document, unless nothing has changed. */
  | { readonly kind: 'merge'; readonly text: Uint8Array | undefined }
  | { readonly kind: 'show'; readonly text: Uint8Array; readonly values: readonly (readonly unknown[])[] }
  | { readonly kind: 'mask'; readonly text: Uint8Array }
  /** What the query is for each index, as JSON. */
  | { readonly kind: 'validate'; readonly explanations: readonly string[] }
  /** The body has no mistake. */
  | { readonly kind: 'parse' }
  /** A terms lookup names a document that only the main thread can fetch. */
  | { readonly kind: 'lookup'; readonly index: string; readonly id: string }
  | { readonly kind: 'refused'; readonly error: PlainError }
  /** What a segment's sources are read from is gone: merged away since. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly reason: string };

/** From the thread. */
export interface Reply {
  readonly id: number;
  readonly outcome: Outcome;
}

/** The name of a looked-up document. */
export const lookupKey = (index: string, id: string): string => `${index}\n${id}`;
