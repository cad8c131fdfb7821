// What the thread for large documents is asked and what it answers: plain values, large ones over shared memory.
import type { LearnedField } from '../index/indexed-document.ts';
import type { PlainError } from '../thread/plain-error.ts';
import type { IndexDefinition } from './engine-api.ts';
import type { SentSegment } from './packed-segment.ts';

/** What the thread is asked. */
export type DocumentJob = MakeSegment | CheckJson;

/** Whether a source is a JSON object. */
interface CheckJson {
  readonly kind: 'check';
  readonly source: Uint8Array;
}

/** One document to make a segment of. */
export interface MakeSegment {
  readonly kind: 'segment';
  /** Names the mapping of the index as it stands. */
  readonly mapping: number;
  /** What the mapping is made of; left out where the thread was given it already. */
  readonly definition: IndexDefinition | undefined;
  /** Of the segment. */
  readonly name: string;
  /** A new file for the source; undefined: it comes back among the sections. */
  readonly path: string | undefined;
  readonly id: string;
  /** Over shared memory. */
  readonly source: Uint8Array;
  readonly routing: string | undefined;
  readonly version: number;
  readonly seqNo: number;
}

/** What became of it. */
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
  /** The thread was not given the mapping, or has forgotten it. */
  | { readonly outcome: 'unknown mapping' };
