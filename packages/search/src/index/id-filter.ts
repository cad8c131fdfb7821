// Bloom filter of the ids of an index. Most ids of a bulk load are new, and without it each would be looked up in the buffers and
// in every segment (0.9 of 13 µs a document on the main thread, with a dozen segments).

/** Capacity of the first part, and the growth factor of each further part. Few parts, because a look-up touches a cache line of each. */
const FIRST_PART = 1 << 12;
const GROWTH = 16;
/** Maximum parts: seventeen million ids, in as many bytes. */
const MOST_PARTS = 4;

/** A growing Bloom filter; false-positive rate at most 10 %. */
export class IdFilter {
  /** Words of 32 bits, three of which an id sets in one word; one word serves four ids. */
  private parts: Int32Array[] = [];
  /** Remaining capacity of the last part. */
  private room = 0;
  /** Whether the last part is full: then every id may be present. Otherwise memory would grow with every id ever written. */
  private full = false;
  private readonly mostParts: number;

  constructor(mostParts = MOST_PARTS) {
    this.mostParts = mostParts;
  }

  /** Bytes held. */
  get memory(): number {
    return this.parts.reduce((sum, part) => sum + part.byteLength, 0);
  }

  /** Whether the id of that hash may have been added. */
  mayHave(hash: number): boolean {
    if (this.full) return true;
    const bits = bitsOf(hash);
    const place = placeOf(hash);
    for (const part of this.parts) if ((part[place & (part.length - 1)]! & bits) === bits) return true;
    return false;
  }

  /** Adds the id of that hash, unless it may have been added already. */
  add(hash: number): void {
    if (this.mayHave(hash)) return;
    if (this.room === 0) this.grow();
    const part = this.parts.at(-1);
    if (part === undefined) return;
    part[placeOf(hash) & (part.length - 1)]! |= bitsOf(hash);
    this.room--;
  }

  private grow(): void {
    this.full = this.parts.length === this.mostParts;
    if (this.full) {
      this.parts = [];
      return;
    }
    this.room = FIRST_PART * GROWTH ** this.parts.length;
    this.parts.push(new Int32Array(this.room / 4));
  }
}

const bitsOf = (hash: number): number => (1 << (hash >>> 27)) | (1 << (hash >>> 22)) | (1 << (hash >>> 17));

/** Other bits than those, mixed. */
function placeOf(hash: number): number {
  const mixed = Math.imul(hash, 0x2c1b3c6d);
  return mixed ^ (mixed >>> 15);
}
