// Decompressed blocks of sources, kept for the next hit in them: one cache for the process, bounded in bytes, the block that came first
// leaves first, or is given another turn if it was used since. Decompressing one costs 30 to 90 µs, and the hits of a page lie in as many blocks.

/** What all blocks together may take. */
const CAPACITY = 32 * 2 ** 20;

/** A decompressed block. */
export interface SourceBlock {
  /** All of a buffer that holds nothing else. */
  readonly bytes: Buffer<ArrayBuffer>;
  /** Where each source begins, and where the last one ends; its bytes are among those of the block. */
  readonly starts: Uint32Array;
  /** Whether it was used since it was looked at for leaving. */
  used: boolean;
}

const blocks = new Map<number, SourceBlock>();
let held = 0;
let owners = 0;

/** Room for blocks of one owner in the numbers that name blocks. */
const BLOCKS_EACH = 2 ** 24;

/** A number of its own for whoever keeps blocks here; block n of it has the key `owner + n`. */
export function blockOwner(): number {
  owners++;
  return owners * BLOCKS_EACH;
}

/** The block of a key, when it is still here. */
export function cachedBlock(key: number): SourceBlock | undefined {
  const found = blocks.get(key);
  if (found !== undefined) found.used = true;
  return found;
}

/** Keeps a block. */
export function keepBlock(key: number, block: SourceBlock): void {
  const { length } = block.bytes;
  if (length > CAPACITY / 8) return;
  blocks.set(key, block);
  held += length;
  trimBlocks(CAPACITY);
}

/** Lets go of blocks until they take no more than so many bytes. */
export function trimBlocks(bytes: number): void {
  for (const [key, block] of blocks) {
    if (held <= bytes) return;
    blocks.delete(key);
    if (block.used) {
      // Comes by once more in this loop at the latest, unused.
      block.used = false;
      blocks.set(key, block);
    } else held -= block.bytes.length;
  }
}
