// Cache of decompressed blocks of sources. One cache per engine, bounded in bytes, with second-chance eviction (clock): the oldest block
// is evicted unless it was used since. Decompressing a block costs 30 to 90 µs, and each hit of a page usually lies in another block.

/** Maximum bytes of all blocks. */
const CAPACITY = 32 * 2 ** 20;

/** A decompressed block. */
export interface SourceBlock {
  /** Fills its buffer. */
  readonly bytes: Buffer<ArrayBuffer>;
  /** Where each source begins, and where the last one ends; its bytes are among those of the block. */
  readonly starts: Uint32Array;
  /** Whether it was used since eviction last considered it. */
  used: boolean;
}

/** Maximum blocks of one owner. */
const BLOCKS_EACH = 2 ** 24;

/** The cached blocks, by the number of their owner and their own. */
export class BlockCache {
  readonly #blocks = new Map<number, SourceBlock>();
  #held = 0;
  #owners = 0;

  /** Returns the number of a new owner, whose block n has the key `owner + n`. */
  owner(): number {
    return ++this.#owners * BLOCKS_EACH;
  }

  /** The block of a key; undefined if it was evicted. */
  get(key: number): SourceBlock | undefined {
    const found = this.#blocks.get(key);
    if (found !== undefined) found.used = true;
    return found;
  }

  add(key: number, block: SourceBlock): void {
    const { length } = block.bytes;
    if (length > CAPACITY / 8) return;
    this.#blocks.set(key, block);
    this.#held += length;
    this.trim(CAPACITY);
  }

  /** Evicts blocks until they take no more than so many bytes. */
  trim(bytes: number): void {
    for (const [key, block] of this.#blocks) {
      if (this.#held <= bytes) return;
      this.#blocks.delete(key);
      if (block.used) {
        // This loop reaches it again, then unused.
        block.used = false;
        this.#blocks.set(key, block);
      } else this.#held -= block.bytes.length;
    }
  }
}
