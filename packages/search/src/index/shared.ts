// Typed arrays over shared memory, so that worker threads read a segment without a copy. Reading one costs the same as
// reading an array over private memory (measured).

/** The element types of a segment's sections, by the name stored in files. */
export const elementTypes = {
  i32: Int32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
  f64: Float64Array,
} as const;

export type ElementType = keyof typeof elementTypes;

/** The arrays of each element type, over any memory. */
export interface ElementArrays {
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly u16: Uint16Array;
  readonly u8: Uint8Array;
  readonly f64: Float64Array;
}

export type SectionArray = ElementArrays[ElementType];

/** The stored name of an array's element type. */
export function elementTypeOf(array: SectionArray): ElementType {
  if (array instanceof Int32Array) return 'i32';
  if (array instanceof Uint32Array) return 'u32';
  if (array instanceof Uint16Array) return 'u16';
  if (array instanceof Float64Array) return 'f64';
  return 'u8';
}

/**
 * From 32 MB on the C library takes memory from the system piece by piece and gives it back when it is freed; what is smaller stays with
 * the process, in holes (150 MB of them after loading 636,660 documents). Pages that are never touched take no memory.
 */
const SLAB = 33 << 20;
let slab: SharedArrayBuffer | undefined;
let slabEnd = 0;
let slabBytes = SLAB;
/** Whether what is shared lies in slabs; and whether this is a thread that makes segments, where nothing else does. */
let together = false;
let inSlabs = false;

/** Runs a function that makes a large segment; what it shares lies together, and is given back together when the segment is. */
export function allocateTogether<T>(work: () => T): T {
  inSlabs = true;
  together = true;
  try {
    return work();
  } finally {
    inSlabs = false;
    together = false;
    slab = undefined;
  }
}

/**
 * Runs the steps of a work that shares many small arrays: they lie together, while what others share between the steps does not. A message
 * with many shared buffers takes the square of their number (0.3 s for 30,000); with as many parts of one it takes 3 ms.
 */
export function* allocatingTogether<T>(steps: Generator<void, T>): Generator<void, T> {
  let own: SharedArrayBuffer | undefined;
  let ownEnd = 0;
  for (;;) {
    slab = own;
    slabEnd = ownEnd;
    slabBytes = SMALL_SLAB;
    together = true;
    let step: IteratorResult<void, T>;
    try {
      step = steps.next();
    } finally {
      own = slab;
      ownEnd = slabEnd;
      slab = undefined;
      slabBytes = SLAB;
      together = false;
    }
    if (step.done === true) return step.value;
    yield;
  }
}

const SMALL_SLAB = 1 << 18;

function shared<T>(
  type: new (buffer: SharedArrayBuffer, start?: number, length?: number) => T,
  bytes: number,
  length: number,
): T {
  if (!together) return new type(new SharedArrayBuffer(bytes));
  if (slab === undefined || slabEnd + bytes > slab.byteLength) {
    slab = new SharedArrayBuffer(Math.max(slabBytes, bytes));
    slabEnd = 0;
  }
  const start = slabEnd;
  slabEnd += Math.ceil(bytes / 8) * 8;
  return new type(slab, start, length);
}

/** Temporary memory of one field, in a thread that makes segments: every flush reuses it. */
let scratch = new ArrayBuffer(0);
let scratchEnd = 0;
let missing = 0;

/** Memory for so many numbers until `freeScratch`. All zero. */
export function scratchInt32(length: number): Int32Array {
  if (!inSlabs) return new Int32Array(length);
  const start = scratchEnd;
  const end = start + length * 4;
  if (end > scratch.byteLength) {
    missing += length * 4;
    return new Int32Array(length);
  }
  scratchEnd = end;
  return new Int32Array(scratch, start, length).fill(0);
}

/** Frees everything that `scratchInt32` returned. */
export function freeScratch(): void {
  if (missing > 0) scratch = new ArrayBuffer(Math.max(SLAB, (scratch.byteLength + missing) * 1.25));
  scratchEnd = 0;
  missing = 0;
}

export const sharedInt32 = (length: number): Int32Array => shared(Int32Array, length * 4, length);
export const sharedUint32 = (length: number): Uint32Array => shared(Uint32Array, length * 4, length);
export const sharedUint16 = (length: number): Uint16Array => shared(Uint16Array, length * 2, length);
export const sharedUint8 = (length: number): Uint8Array => shared(Uint8Array, length, length);
export const sharedFloat64 = (length: number): Float64Array => shared(Float64Array, length * 8, length);

/** The narrowest unsigned array that holds values up to `max`. */
export function sharedUnsigned(length: number, max: number): Uint8Array | Uint16Array | Uint32Array {
  if (max < 0x100) return sharedUint8(length);
  if (max < 0x10000) return sharedUint16(length);
  return sharedUint32(length);
}

/**
 * From so many bytes on a growing list lies in shared memory, so that another thread gets it without a copy; a small one is copied as fast.
 * Not in the threads that make segments: their lists stay with them, and shared memory counts for no garbage collector.
 */
const SHARED_FROM = 1 << 16;
const buffer = (bytes: number): ArrayBuffer | SharedArrayBuffer =>
  bytes < SHARED_FROM || inSlabs ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);

/**
 * Up to so many bytes an array lies in the heap with its elements, and takes a fifth of the time to make (V8's
 * `typed_array_max_size_in_heap`).
 */
const IN_HEAP = 64;

/** Memory for so many numbers, shared if it is much. All zero. */
export const int32 = (length: number): Int32Array =>
  length * 4 <= IN_HEAP ? new Int32Array(length) : new Int32Array(buffer(length * 4));
export const uint8 = (length: number): Uint8Array =>
  length <= IN_HEAP ? new Uint8Array(length) : new Uint8Array(buffer(length));
const float64 = (length: number): Float64Array =>
  length * 8 <= IN_HEAP ? new Float64Array(length) : new Float64Array(buffer(length * 8));

/** An Int32Array that grows by doubling; for writers. */
export class IntList {
  values: Int32Array;
  length = 0;

  constructor(capacity = 64) {
    this.values = int32(capacity);
  }

  /** Takes over the values of another list. */
  take(values: Int32Array, length: number): void {
    this.values = values;
    this.length = length;
  }

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(this.length + 1);
    this.values[this.length++] = value;
  }

  /** Makes room for `size` values in all. */
  reserve(size: number): void {
    if (size <= this.values.length) return;
    const grown = int32(Math.max(size, this.values.length * 2));
    grown.set(this.values.subarray(0, this.length));
    this.values = grown;
  }

  /** A shared copy of what was pushed. */
  toShared(): Int32Array {
    const copy = sharedInt32(this.length);
    copy.set(this.values.subarray(0, this.length));
    return copy;
  }
}

/** A Float64Array that grows by doubling; for writers. */
export class FloatList {
  values: Float64Array;
  length = 0;

  constructor(capacity = 64) {
    this.values = float64(capacity);
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = float64(this.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }
}

/** A byte buffer that grows by doubling; for writers. */
export class ByteList {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 256) {
    this.bytes = uint8(capacity);
  }

  push(value: number): void {
    if (this.length === this.bytes.length) this.reserve(this.length + 1);
    this.bytes[this.length++] = value;
  }

  append(source: Uint8Array, start = 0, end = source.length): void {
    this.reserve(this.length + end - start);
    if (end - start < 24) {
      // Copying a few bytes in a loop is faster than calling `set` (measured: terms average 8 bytes).
      for (let i = start, to = this.length; i < end; i++, to++) this.bytes[to] = source[i]!;
    } else {
      this.bytes.set(source.subarray(start, end), this.length);
    }
    this.length += end - start;
  }

  reserve(size: number): void {
    if (size <= this.bytes.length) return;
    const grown = uint8(Math.max(size, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  toShared(): Uint8Array {
    const copy = sharedUint8(this.length);
    copy.set(this.bytes.subarray(0, this.length));
    return copy;
  }
}
