// Cache of decompressed blocks of sources. One cache per process, bounded in bytes, with second-chance eviction (clock): the oldest block
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

const blocks = new Map<number, SourceBlock>();
let held = 0;
let owners = 0;

/** Maximum blocks of one owner. */
const BLOCKS_EACH = 2 ** 24;

/** Returns the number of a new owner, whose block n has the key `owner + n`. */
export function blockOwner(): number {
  owners++;
  return owners * BLOCKS_EACH;
}

/** The block of a key; undefined if it was evicted. */
export function cachedBlock(key: number): SourceBlock | undefined {
  const found = blocks.get(key);
  if (found !== undefined) found.used = true;
  return found;
}

/** Adds a block. */
export function keepBlock(key: number, block: SourceBlock): void {
  const { length } = block.bytes;
  if (length > CAPACITY / 8) return;
  blocks.set(key, block);
  held += length;
  trimBlocks(CAPACITY);
}

/** Evicts blocks until they take no more than so many bytes. */
export function trimBlocks(bytes: number): void {
  for (const [key, block] of blocks) {
    if (held <= bytes) return;
    blocks.delete(key);
    if (block.used) {
      // This loop reaches it again, then unused.
      block.used = false;
      blocks.set(key, block);
    } else held -= block.bytes.length;
  }
}
