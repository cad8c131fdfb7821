// Sources and texts of unflushed documents, end to end in large pieces: one array for a thousand of them instead of
// one each, which the garbage collector would have to trace and the flush thread could not share.
import { IntList, uint8 } from './shared.ts';

const LARGEST_PIECE = 1 << 20;
/** Maximum bytes that may stay empty at the end of a piece. */
const SURE_ROOM = 1 << 13;

/** The content in the form that another thread takes over. */
export interface PooledBytes {
  readonly pieces: readonly Uint8Array[];
  /** By number, the piece and the offset in it. */
  readonly pieceOf: Int32Array;
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
}

/** Collects bytes by number, from 0 on. */
export class BytePool {
  private readonly pieces: Buffer[] = [];
  private readonly pieceOf: IntList;
  private readonly starts: IntList;
  private readonly lengths: IntList;
  private readonly firstPiece: number;
  /** The piece being filled, and up to where. */
  private piece = -1;
  private end = 0;
  /** Bytes of all. */
  used = 0;

  /**
   * @param firstPiece bytes of the first piece; each is twice as long as the one before, up to a megabyte
   * @param capacity initial number of entries
   */
  constructor(firstPiece: number, capacity: number) {
    this.firstPiece = firstPiece;
    this.pieceOf = new IntList(capacity);
    this.starts = new IntList(capacity);
    this.lengths = new IntList(capacity);
  }

  /** Bytes held. */
  get memory(): number {
    return this.pieces.reduce((sum, piece) => sum + piece.length, 0) + this.starts.values.length * 12;
  }

  /** Adds the next entry. */
  add(bytes: Uint8Array): void {
    const { length } = bytes;
    this.makeRoom(length);
    this.pieces[this.piece]!.set(bytes, this.end);
    this.take(length);
  }

  /** Adds a text in UTF-8; returns its bytes. */
  addText(text: string): number {
    // A unit takes three bytes at most; to count those of a long text is cheaper than to leave so much room empty.
    const most = text.length * 3;
    this.makeRoom(most < SURE_ROOM ? most : Buffer.byteLength(text));
    // Of 400 characters `write` takes 0.1 µs, `encodeInto` with the array that it needs 0.2.
    const length = this.pieces[this.piece]!.write(text, this.end);
    this.take(length);
    return length;
  }

  /** Reserves memory, so that later additions cannot fail half-way: a partial addition would shift the numbers of those that follow. */
  private makeRoom(length: number): void {
    const numbers = this.starts.length + 1;
    this.pieceOf.reserve(numbers);
    this.starts.reserve(numbers);
    this.lengths.reserve(numbers);
    while (this.piece < 0 || this.end + length > this.pieces[this.piece]!.length) this.nextPiece(length);
  }

  private take(length: number): void {
    this.pieceOf.push(this.piece);
    this.starts.push(this.end);
    this.lengths.push(length);
    this.end += length;
    this.used += length;
  }

  /** Adds an empty entry. */
  skip(): void {
    this.pieceOf.push(0);
    this.starts.push(0);
    this.lengths.push(0);
  }

  private nextPiece(length: number): void {
    if (this.piece + 1 === this.pieces.length) {
      const before = this.pieces.at(-1)?.length ?? 0;
      const { buffer } = uint8(Math.max(length, Math.min(LARGEST_PIECE, Math.max(this.firstPiece, before * 2))));
      this.pieces.push(Buffer.from(buffer));
    }
    this.piece++;
    this.end = 0;
  }

  /** Returns a copy of an entry. */
  get(number: number): Uint8Array {
    const length = this.lengths.values[number]!;
    const start = this.starts.values[number]!;
    // The array of an array copies its bytes; `slice` of a buffer would be a view.
    return length === 0
      ? nothing
      : new Uint8Array(this.pieces[this.pieceOf.values[number]!]!.subarray(start, start + length));
  }

  /** Clears all; pieces of the usual size are reused. */
  clear(): void {
    const usual = this.pieces.filter((piece) => piece.length === LARGEST_PIECE);
    this.pieces.splice(0, this.pieces.length, ...usual);
    this.pieceOf.length = 0;
    this.starts.length = 0;
    this.lengths.length = 0;
    this.piece = -1;
    this.used = 0;
  }

  content(): PooledBytes {
    const { pieces } = this;
    return { pieces, pieceOf: this.pieceOf.values, starts: this.starts.values, lengths: this.lengths.values };
  }
}

const nothing = new Uint8Array(0);
