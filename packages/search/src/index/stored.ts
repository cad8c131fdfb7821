// Stored sources of a segment's documents: blocks of about 20 KB, each compressed and checksummed by itself, so that they can
// stay on disk and a hit reads one block. Good for a page of hits, not for passes over all documents.
import { promisify } from 'node:util';
import { codeOf } from '@lockstitch/kernel';
import { constants, crc32, zstdCompressSync, zstdDecompress, zstdDecompressSync } from '../directory/zlib.ts';
import { TimeSlices } from '../tasks/scheduler.ts';
import { searchError } from '../errors/search-errors.ts';
import { reportDamage } from './damage.ts';
import { countBytes } from '../tasks/request-budget.ts';
import { BlockCache, type SourceBlock } from './block-cache.ts';
import type { WrittenSections } from './sections.ts';
import { ByteList, IntList, sharedFloat64 } from './shared.ts';

/** From 16 KB on zstd takes smaller tables: 20 KB are compressed in 45 µs per 16 KB instead of 54, 2 % smaller, and a hit costs the same. */
const BLOCK_BYTES = 20480;
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** A usual block comes out in one piece; with the default of 16 KB it costs 34 µs instead of 24. */
const unpacking = { chunkSize: 2 * BLOCK_BYTES };

/** Where compressed sources go: a file, or memory. */
export interface SourcesOut {
  /** Bytes so far. */
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** Reads what was appended. */
  read(position: number, length: number): Uint8Array;
}

/** The stored sources of a segment. */
export interface StoredSources {
  /** With the sources themselves, if they stayed in memory. */
  readonly sections: WrittenSections;
  readonly readSources: (position: number, length: number) => Uint8Array;
}

const nothing = new Uint8Array(0);

/** Documents of a block at most, and the room that their lengths take before them. */
const BLOCK_DOCS = 4096;
const HEAD = 4 + 4 * BLOCK_DOCS;

/** Writes the sources of a segment in document order. */
export class StoredWriter {
  private readonly memory = new ByteList(BLOCK_BYTES);
  private readonly out: Pick<SourcesOut, 'length' | 'append'>;
  private readonly file: SourcesOut | undefined;
  private readonly firstDocs = new IntList();
  private readonly offsets: number[] = [];
  /** The block at hand: its sources from `HEAD` on; what precedes them is put right before them in the end. */
  private raw = new Uint8Array(HEAD + 2 * BLOCK_BYTES);
  private readonly lengths = new Int32Array(BLOCK_DOCS);
  private readonly checksum = new DataView(new ArrayBuffer(4));
  private pending = 0;
  private pendingBytes = 0;
  /** Sources that lie side by side are copied together: those added last and not copied yet. */
  private run: Uint8Array = nothing;
  private runStart = 0;
  private runEnd = 0;
  private runTo = HEAD;
  private docs = 0;

  /** @param out a file; memory without it */
  constructor(out?: SourcesOut) {
    this.file = out;
    this.out = out ?? this.memory;
  }

  /** Adds the source `bytes[start, end)`, which must not change until the writer is finished. */
  add(bytes: Uint8Array, start = 0, end = bytes.length): void {
    const length = end - start;
    if (length > 0) {
      if (bytes !== this.run || start !== this.runEnd) {
        this.copyRun();
        this.run = bytes;
        this.runStart = start;
      }
      this.runEnd = end;
    }
    this.lengths[this.pending++] = length;
    this.pendingBytes += length;
    this.docs++;
    if (this.pendingBytes >= BLOCK_BYTES || this.pending === BLOCK_DOCS) this.endBlock();
  }

  private copyRun(): void {
    const { runStart, runEnd, runTo } = this;
    if (runStart === runEnd) return;
    const end = runTo + runEnd - runStart;
    if (end > this.raw.length) {
      const grown = new Uint8Array(end * 2);
      grown.set(this.raw.subarray(0, runTo));
      this.raw = grown;
    }
    this.raw.set(this.run.subarray(runStart, runEnd), runTo);
    this.runTo = end;
    this.runStart = runEnd;
  }

  /** Adds a whole block of another segment as it is: `frame` holds `docs` documents. */
  addBlock(frame: Uint8Array, docs: number): void {
    this.endBlock();
    this.firstDocs.push(this.docs);
    this.offsets.push(this.out.length);
    this.out.append(frame);
    this.docs += docs;
  }

  private endBlock(): void {
    const { pending, lengths, checksum } = this;
    if (pending === 0) return;
    this.copyRun();
    const start = HEAD - 4 - 4 * pending;
    const view = new DataView(this.raw.buffer, start);
    view.setUint32(0, pending, true);
    for (let i = 0; i < pending; i++) view.setUint32(4 + i * 4, lengths[i]!, true);
    const packed = zstdCompressSync(this.raw.subarray(start, this.runTo), options);
    checksum.setUint32(0, crc32(packed), true);
    this.firstDocs.push(this.docs - pending);
    this.offsets.push(this.out.length);
    this.out.append(new Uint8Array(checksum.buffer));
    this.out.append(packed);
    this.pending = 0;
    this.pendingBytes = 0;
    this.run = nothing;
    this.runStart = 0;
    this.runEnd = 0;
    this.runTo = HEAD;
  }

  finish(): StoredSources {
    this.endBlock();
    this.offsets.push(this.out.length);
    const offsets = sharedFloat64(this.offsets.length);
    offsets.set(this.offsets);
    const sections = { sourceFirstDocs: this.firstDocs.toShared(), sourceOffsets: offsets };
    const { file } = this;
    if (file !== undefined) return { sections, readSources: (position, length) => file.read(position, length) };
    const sources = this.memory.toShared();
    return {
      sections: { sources, ...sections },
      readSources: (position, length) => sources.subarray(position, position + length),
    };
  }
}

const zstdDecompressLater = promisify<Uint8Array, { chunkSize: number }, Buffer>(zstdDecompress);

/** Bytes of a block from which it is decompressed beside the main thread where its reader can wait. */
const LARGE = 256 * 1024;

/** Bytes of a large block that are read and checked at once. */
const PIECE = 512 << 10;

function checksumOf(framed: Uint8Array): number {
  return framed.length < 4 ? 0 : new DataView(framed.buffer, framed.byteOffset).getUint32(0, true);
}

/** How much a block is when it is decompressed (RFC 8878 §3.1.1.1); 0 where its head does not say. */
function unpackedSize(packed: Uint8Array): number {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const descriptor = packed[4]!;
  const isSingle = (descriptor & 0x20) !== 0;
  const at = 5 + (isSingle ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]!;
  switch (descriptor >> 6) {
    case 0:
      return isSingle ? packed[at]! : 0;
    case 1:
      return view.getUint16(at, true) + 256;
    case 2:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}

/** Reads sources by document. */
export class StoredReader {
  private readonly cache: BlockCache;
  private readonly owner: number;
  private readonly firstDocs: Int32Array;
  private readonly offsets: Float64Array;
  private readonly readBytes: (position: number, length: number) => Uint8Array;
  private readonly label: string;

  constructor(
    firstDocs: Int32Array,
    offsets: Float64Array,
    readBytes: (position: number, length: number) => Uint8Array,
    label: string,
    cache = new BlockCache(),
  ) {
    this.cache = cache;
    this.owner = cache.owner();
    this.firstDocs = firstDocs;
    this.offsets = offsets;
    this.readBytes = readBytes;
    this.label = label;
  }

  get(doc: number): Uint8Array {
    const index = this.blockOf(doc);
    const { bytes, starts } = this.block(index);
    const at = doc - this.firstDocs[index]!;
    return new Uint8Array(bytes.buffer, starts[at], starts[at + 1]! - starts[at]!);
  }

  /** The source, or where it is large and not at hand, what decompresses it in libuv's pool. */
  read(doc: number): Uint8Array | (() => Promise<Uint8Array>) {
    const index = this.blockOf(doc);
    if (this.cache.get(this.owner + index) !== undefined) return this.get(doc);
    const at = doc - this.firstDocs[index]!;
    let known: Uint8Array | undefined;
    if (this.offsets[index + 1]! - this.offsets[index]! < LARGE) {
      known = this.frame(index).subarray(4);
      if (unpackedSize(known) < LARGE) {
        const { bytes, starts } = this.unpacked(index, zstdDecompressSync(known, unpacking));
        return new Uint8Array(bytes.buffer, starts[at], starts[at + 1]! - starts[at]!);
      }
    }
    return async () => {
      const packed = known ?? (await this.frameInPieces(index)).subarray(4);
      // In one piece: joining them would take as long as decompressing did.
      const unpacked = await zstdDecompressLater(packed, { chunkSize: unpackedSize(packed) + 64 });
      const view = new DataView(unpacked.buffer, unpacked.byteOffset);
      let start = 4 + 4 * view.getUint32(0, true);
      for (let before = 0; before < at; before++) start += view.getUint32(4 + 4 * before, true);
      return unpacked.subarray(start, start + view.getUint32(4 + 4 * at, true));
    };
  }

  /** The source as text. */
  text(doc: number): string {
    const index = this.blockOf(doc);
    const { bytes, starts } = this.block(index);
    const at = doc - this.firstDocs[index]!;
    return bytes.toString('utf8', starts[at], starts[at + 1]);
  }

  /** The source as text without its bytes `from … to - 1`. */
  textWithout(doc: number, from: number, to: number): string {
    const index = this.blockOf(doc);
    const { bytes, starts } = this.block(index);
    const at = doc - this.firstDocs[index]!;
    const start = starts[at]!;
    const end = starts[at + 1]!;
    const head = bytes.toString('utf8', start, start + from);
    // Most often only the brace is left: one character takes no call.
    return (
      head + (start + to === end - 1 ? String.fromCharCode(bytes[end - 1]!) : bytes.toString('utf8', start + to, end))
    );
  }

  /** The bytes of a source. */
  length(doc: number): number {
    const index = this.blockOf(doc);
    const { starts } = this.block(index);
    const at = doc - this.firstDocs[index]!;
    return starts[at + 1]! - starts[at]!;
  }

  /** Bytes of all blocks as they are stored. */
  get storedBytes(): number {
    return this.offsets.at(-1) ?? 0;
  }

  /** Bytes, as it is stored, of the block that holds a document. */
  blockBytes(doc: number): number {
    const index = this.blockOf(doc);
    return this.offsets[index + 1]! - this.offsets[index]!;
  }

  private blockOf(doc: number): number {
    const { firstDocs } = this;
    let low = 0;
    let high = firstDocs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (firstDocs[middle]! <= doc) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** How many blocks there are. */
  get blocks(): number {
    return this.firstDocs.length;
  }

  /** The first document of a block; of the block after the last, `docCount`. */
  firstDoc(block: number, docCount: number): number {
    return block < this.firstDocs.length ? this.firstDocs[block]! : docCount;
  }

  /** A block as it is stored, its checksum proven. */
  frame(index: number): Uint8Array {
    const start = this.offsets[index]!;
    const length = this.offsets[index + 1]! - start;
    const framed = this.bytesOf(index, start, length);
    if (framed.length !== length || crc32(framed.subarray(4)) !== checksumOf(framed)) throw this.damaged(index);
    return framed;
  }

  /** The same for a large one, with turns of the event loop in between: to read 50 MB takes 20 ms, and to check them as long. */
  private async frameInPieces(index: number): Promise<Uint8Array> {
    const start = this.offsets[index]!;
    const length = this.offsets[index + 1]! - start;
    const framed = Buffer.allocUnsafeSlow(length);
    const slices = new TimeSlices();
    let sum = 0;
    for (let at = 0; at < length; at += PIECE) {
      if (slices.isOver) await slices.yield();
      const piece = this.bytesOf(index, start + at, Math.min(PIECE, length - at));
      if (piece.length < Math.min(PIECE, length - at)) throw this.damaged(index);
      framed.set(piece, at);
      sum = crc32(at === 0 ? piece.subarray(4) : piece, sum);
    }
    if (sum !== checksumOf(framed)) throw this.damaged(index);
    return framed;
  }

  private bytesOf(index: number, position: number, length: number): Uint8Array {
    try {
      return this.readBytes(position, length);
    } catch (error) {
      if (codeOf(error) === 'EIO') throw this.damaged(index, 'cannot be read from the disk');
      throw error;
    }
  }

  private damaged(index: number, how = 'fails its checksum'): Error {
    const reason = `stored block ${index} ${how}`;
    reportDamage(this.label, reason);
    return searchError('SEARCH_DAMAGED', { file: this.label, reason });
  }

  private block(index: number): SourceBlock {
    const key = this.owner + index;
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const packed = this.frame(index).subarray(4);
    const size = unpackedSize(packed);
    if (size < LARGE) return this.unpacked(index, zstdDecompressSync(packed, unpacking));
    // Before it is decompressed, for that takes longer than a turn.
    countBytes(size);
    return this.unpacked(index, zstdDecompressSync(packed, { chunkSize: size + 64 }));
  }

  private unpacked(index: number, unpacked: Uint8Array): SourceBlock {
    // Copied, as what comes out is the head of a larger buffer.
    const bytes = Buffer.from(new Uint8Array(unpacked).buffer);
    const view = new DataView(bytes.buffer);
    const count = view.getUint32(0, true);
    // Lengths become offsets in place: adding them up per read took as long as the rest of reading a source.
    const starts = new Uint32Array(bytes.buffer, 0, count + 1);
    let start = 4 + 4 * count;
    for (let at = 0; at < count; at++) {
      const length = view.getUint32(4 + 4 * at, true);
      starts[at] = start;
      start += length;
    }
    starts[count] = start;
    const block = { bytes, starts, used: false };
    this.cache.add(this.owner + index, block);
    return block;
  }
}
