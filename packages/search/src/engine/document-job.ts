// Messages to and from the thread for large documents: plain values, large ones in shared memory.
import type { LearnedField } from '../index/indexed-document.ts';
import type { PlainError } from '../errors/plain-error.ts';
import type { IndexDefinition } from '../settings/index-definition.ts';
import type { SentSegment } from './packed-segment.ts';

/** A request to the thread. */
export type DocumentJob = MakeSegment | CheckJson;

/** Whether a source is a JSON object. */
interface CheckJson {
  readonly kind: 'check';
  readonly source: Uint8Array;
}

/** One document that becomes a segment. */
export interface MakeSegment {
  readonly kind: 'segment';
  /** Number of the current mapping. */
  readonly mapping: number;
  /** The content of the mapping; left out if the thread has it already. */
  readonly definition: IndexDefinition | undefined;
  /** Of the segment. */
  readonly name: string;
  /** A new file for the source; undefined if it comes back among the sections. */
  readonly path: string | undefined;
  readonly id: string;
  /** Over shared memory. */
  readonly source: Uint8Array;
  readonly routing: string | undefined;
  readonly version: number;
  readonly seqNo: number;
}

/** The outcome. */
export type DocumentMade =
  | {
      readonly outcome: 'segment';
      readonly sent: SentSegment;
      /** How many bytes of the source are in the file of the job. */
      readonly sourcesBytes: number | undefined;
      /** Fields that the document brought, in order. */
      readonly learned: readonly LearnedField[];
    }
  | { readonly outcome: 'refused'; readonly error: PlainError; readonly learned: readonly LearnedField[] }
  | { readonly outcome: 'checked'; readonly isObject: boolean }
  /** The thread does not have the mapping (any more). */
  | { readonly outcome: 'unknown mapping' };
