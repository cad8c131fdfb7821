// What changes of the feed are applied to: an index of the embedded engine, or one on a cluster.
import type { Index, Operation } from '@lockstitch/search';

import { KeptFields } from './cut-document.ts';
import { ownershipOf } from './schema-index.ts';
import { createSeen } from './seen-documents.ts';
import { type RejectedDocument, writeDocuments } from './write-documents.ts';

export interface IndexTarget {
  readonly name: string;
  /** Every change up to here is applied. */
  readonly position: number;
  /** Writes of different documents that may be under way at once. */
  readonly writesAtOnce: number;
  /** Version of the documents whose rows are read after this call. */
  version(): Promise<number>;
  /** Writes documents; returns those that the index cannot take, which it then holds no more. */
  write(operations: readonly Operation[], version: number): Promise<readonly RejectedDocument[]>;
  /** Notes that every change up to a position is applied. */
  reach(position: number): Promise<void>;
  /** Makes what was written, and the position, durable. */
  commit(): Promise<void>;
  /** Sources of documents in the order of the keys, as the latest write left them; undefined for one that is not there. */
  sources(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** Opens all documents for a comparison with the data. */
  open(): Promise<HeldDocuments>;
  /** The bytes that a source of the data is compared by. */
  comparable(source: Uint8Array): Uint8Array;
}

/** The documents of an index at one time. */
export interface HeldDocuments {
  /** As `IndexTarget.sources`. */
  sources(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** Keys of documents, among them all that `sources` was not asked for, in lists of at most `limit`. */
  others(limit: number): AsyncIterable<readonly string[]>;
  release(): void;
}

/** An index of the embedded engine. It applies writes in their order, so it needs no versions. */
export class EmbeddedTarget implements IndexTarget {
  readonly index: Index;
  readonly writesAtOnce = 1;

  constructor(index: Index) {
    this.index = index;
  }

  get name(): string {
    return this.index.name;
  }

  get position(): number {
    return this.index.position;
  }

  version(): Promise<number> {
    return Promise.resolve(0);
  }

  write(operations: readonly Operation[]): Promise<readonly RejectedDocument[]> {
    return writeDocuments(this.index, operations);
  }

  async reach(position: number): Promise<void> {
    await this.index.apply([], { position });
  }

  commit(): Promise<void> {
    return this.index.commit();
  }

  async sources(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    const found: (Uint8Array | undefined)[] = [];
    for (const key of keys) found.push((await this.index.get(key))?.source);
    return found;
  }

  async open(): Promise<HeldDocuments> {
    await this.index.refresh();
    const searcher = this.index.searcher();
    const seen = createSeen(searcher);
    return {
      sources: (keys) => Promise.resolve(keys.map((key) => seen.source(key))),
      async *others(limit) {
        yield* seen.others(limit);
      },
      release: () => searcher.release(),
    };
  }

  comparable(source: Uint8Array): Uint8Array {
    return source;
  }
}

/** An index of a former schema, gone on with until that of the schema is built. Documents are cut to the fields that it has. */
export class FormerEmbeddedTarget extends EmbeddedTarget {
  readonly #kept: KeptFields;
  /** Not stored: after a return to that schema the changes are applied again, as a field may have another source in the newer one. */
  #position: number;

  constructor(index: Index) {
    super(index);
    this.#kept = new KeptFields(ownershipOf(index)?.paths ?? []);
    this.#position = index.position;
  }

  override get position(): number {
    return this.#position;
  }

  override reach(position: number): Promise<void> {
    this.#position = position;
    return Promise.resolve();
  }

  override write(operations: readonly Operation[]): Promise<readonly RejectedDocument[]> {
    return super.write(this.#kept.cutOperations(operations));
  }

  override comparable(source: Uint8Array): Uint8Array {
    return this.#kept.cutDocument(source);
  }
}
