// The sources of documents that were not flushed yet, laid end to end in large pieces: one array for a thousand documents instead of one
// each, which the garbage collector would have to follow and the flush thread could not share.
import { IntList, uint8 } from './shared.ts';

const FIRST_PIECE = 1 << 14;
const LARGEST_PIECE = 1 << 20;

/** The sources as another thread takes them over. */
export interface SourceContent {
  readonly pieces: readonly Uint8Array[];
  /** By document the piece, and its place there. */
  readonly pieceOf: Int32Array;
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
}

/** Collects sources by document. */
export class SourcePool {
  private readonly pieces: Uint8Array[] = [];
  private readonly pieceOf = new IntList();
  private readonly starts = new IntList();
  private readonly lengths = new IntList();
  /** The piece being filled, and up to where. */
  private piece = -1;
  private end = 0;
  /** Bytes of all sources. */
  used = 0;

  /** Bytes held. */
  get memory(): number {
    return this.pieces.reduce((sum, piece) => sum + piece.length, 0) + this.starts.values.length * 12;
  }

  /** Adds the source of the next document. */
  add(source: Uint8Array): void {
    const { length } = source;
    while (this.piece < 0 || this.end + length > this.pieces[this.piece]!.length) this.nextPiece(length);
    this.pieceOf.push(this.piece);
    this.starts.push(this.end);
    this.lengths.push(length);
    this.pieces[this.piece]!.set(source, this.end);
    this.end += length;
    this.used += length;
  }

  /** Adds a document without a source. */
  skip(): void {
    this.pieceOf.push(0);
    this.starts.push(0);
    this.lengths.push(0);
  }

  private nextPiece(length: number): void {
    this.piece++;
    this.end = 0;
    if (this.piece < this.pieces.length) return;
    const before = this.pieces.at(-1)?.length ?? 0;
    this.pieces.push(uint8(Math.max(length, Math.min(LARGEST_PIECE, Math.max(FIRST_PIECE, before * 2)))));
  }

  /** A copy of a document's source. */
  get(doc: number): Uint8Array {
    return sourceIn(this.content(), doc).slice();
  }

  /** Forgets all sources; pieces of the usual size stay for the next. */
  clear(): void {
    const usual = this.pieces.filter((piece) => piece.length === LARGEST_PIECE);
    this.pieces.splice(0, this.pieces.length, ...usual);
    this.pieceOf.length = 0;
    this.starts.length = 0;
    this.lengths.length = 0;
    this.piece = -1;
    this.used = 0;
  }

  content(): SourceContent {
    const { pieces } = this;
    return { pieces, pieceOf: this.pieceOf.values, starts: this.starts.values, lengths: this.lengths.values };
  }
}

/** The source of a document where it lies; empty for a hidden one. */
function sourceIn({ pieces, pieceOf, starts, lengths }: SourceContent, doc: number): Uint8Array {
  const start = starts[doc]!;
  const length = lengths[doc]!;
  return length === 0 ? nothing : pieces[pieceOf[doc]!]!.subarray(start, start + length);
}

const nothing = new Uint8Array(0);
