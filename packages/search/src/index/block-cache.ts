// Decompressed blocks of sources, kept for the next hit in them: one cache for the process, bounded in bytes, the least
// recently used block leaves first. Decompressing one costs 30 to 90 µs, and the hits of a page lie in as many blocks.

/** What all blocks together may take. */
const CAPACITY = 32 * 2 ** 20;

const blocks = new Map<number, Uint8Array>();
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
export function cachedBlock(key: number): Uint8Array | undefined {
  const found = blocks.get(key);
  if (found === undefined) return undefined;
  blocks.delete(key);
  blocks.set(key, found);
  return found;
}

/** Keeps a block. Its buffer must hold nothing else. */
export function keepBlock(key: number, block: Uint8Array): void {
  if (block.length > CAPACITY / 8) return;
  blocks.set(key, block);
  held += block.length;
  trimBlocks(CAPACITY);
}

/** Lets go of blocks until they take no more than so many bytes. */
export function trimBlocks(bytes: number): void {
  for (const [key, block] of blocks) {
    if (held <= bytes) return;
    blocks.delete(key);
    held -= block.length;
  }
}
