// Writes to an index and their results, as plain values.

/** Conditions on the stored document that a write can make. */
export interface WriteConditions {
  /** Refuses (`SEARCH_VERSION_CONFLICT`) unless the document stands at this sequence number and term. */
  readonly ifSeqNo?: number;
  readonly ifPrimaryTerm?: number;
  /** External version: with `external` it must be greater than the stored one, with `external_gte` not smaller. */
  readonly version?: number;
  readonly versionType?: 'internal' | 'external' | 'external_gte';
}

/** One write. */
export type Operation =
  | ({
      readonly kind: 'index';
      readonly id: string;
      readonly source: Uint8Array;
      readonly routing?: string | undefined;
      /** Refuses (`SEARCH_VERSION_CONFLICT`) when the document exists. */
      readonly create?: boolean;
    } & WriteConditions)
  | ({ readonly kind: 'delete'; readonly id: string; readonly routing?: string | undefined } & WriteConditions);

/**
 * A write computed from the current document, after all earlier writes of its batch and of others. No
 * other write runs in between.
 */
export interface Update {
  readonly kind: 'update';
  readonly id: string;
  /**
   * Makes it; undefined when nothing is to change. What it throws is the error of the write. It must not wait for a write of the same index.
   */
  make(current: StoredDocument | undefined): Operation | undefined | Promise<Operation | undefined>;
}

/** Any write. */
export type Write = Operation | Update;

/** The result of one write. A refused write results in its error and does not affect the others. */
export type OperationResult =
  | {
      readonly kind: 'done';
      readonly id: string;
      /** `noop`: an update that changes nothing; version and sequence number are those of the document, -1 if there is none. */
      readonly result: 'created' | 'updated' | 'deleted' | 'not_found' | 'noop';
      readonly version: number;
      readonly seqNo: number;
      readonly primaryTerm: number;
    }
  | { readonly kind: 'failed'; readonly id: string; readonly error: Error };

/** A document as the latest write left it, whether or not it was refreshed. */
export interface StoredDocument {
  readonly id: string;
  readonly source: Uint8Array;
  /** For sources so large that decompressing them would block the event loop: reads in the background. `source` reads synchronously. */
  readonly readSource?: (() => Promise<Uint8Array>) | undefined;
  readonly version: number;
  readonly seqNo: number;
  readonly primaryTerm: number;
  readonly routing: string | undefined;
}
