// The words of a text as bytes: the same rules as standard-tokenizer.ts without a string and without a call a word, lower-cased on the
// way. What stands between two blanks, brackets and the like and is not ASCII throughout goes through standard-tokenizer.ts itself.
import { characterClass, DIGIT, JOINER, LETTER, MID_BOTH, MID_LETTER, MID_NUMBER } from './character-class.ts';
import { lowerCase } from './letter-case.ts';
import { standardWords } from './standard-tokenizer.ts';

const encoder = new TextEncoder();

/** Words in a row: word i is `bytes[bounds[2 * i], bounds[2 * i + 1])`. At least twelve bytes follow each, whatever they are. */
export interface WordRow {
  readonly bytes: Uint8Array;
  readonly bounds: Int32Array;
  readonly count: number;
}

/** What a byte does, above the eight bits of its lower case. */
const IN_WORD = 1 << 8;
const FOREIGN = 1 << 9;
const IS_JOINER = 1 << 10;
const IS_LETTER = 1 << 11;
const IS_DIGIT = 1 << 12;
/** How far these are above the two they bind. */
const BINDS = 2;
const BINDS_LETTERS = IS_LETTER << BINDS;
const BINDS_DIGITS = IS_DIGIT << BINDS;
const roles = Uint16Array.from({ length: 256 }, (_, code) => {
  if (code > 127) return code | FOREIGN;
  const lower = code >= 0x41 && code <= 0x5a ? code + 32 : code;
  switch (characterClass(code)) {
    case LETTER:
      return lower | IN_WORD | IS_LETTER;
    case DIGIT:
      return lower | IN_WORD | IS_DIGIT;
    case JOINER:
      return lower | IN_WORD | IS_JOINER;
    case MID_LETTER:
      return lower | BINDS_LETTERS;
    case MID_NUMBER:
      return lower | BINDS_DIGITS;
    case MID_BOTH:
      return lower | BINDS_LETTERS | BINDS_DIGITS;
    default:
      return lower;
  }
});
/** Nothing binds across a byte with none of these. */
const BINDING = IN_WORD | FOREIGN | BINDS_LETTERS | BINDS_DIGITS;
const UNDERSCORE = 0x5f;

/** Bytes that a reader of a word may look at behind it. */
const BEHIND = 12;
/** Longer texts are read in parts. */
const PART = 1 << 14;

/** Cuts texts into words; those of the text before are overwritten. */
export class ByteWords implements WordRow {
  bytes = new Uint8Array(0);
  bounds = new Int32Array(0);
  count = 0;
  private spare = new Int32Array(0);
  /** Words that are not ASCII lie behind the text. */
  private end = 0;

  /**
   * Finds the words of a text from a place on: of all of it, or of a part that ends where no word can.
   *
   * @param maxLength longer words are cut there; UTF-16 units
   * @returns where the next part begins
   */
  read(text: string, from: number, maxLength: number): number {
    const to = partEnd(from, text.length, (at) => breaksAfter(text.charCodeAt(at)));
    const part = from === 0 && to === text.length ? text : text.slice(from, to);
    this.makeRoom(part.length * 3);
    const length = encoder.encodeInto(part, this.bytes).written;
    this.find(length, length === part.length, maxLength);
    return to;
  }

  /**
   * Finds the words of a text in UTF-8 that ends at `end`, as `read` does.
   *
   * @param ascii whether there is nothing else in all of it
   */
  readBytes(text: Uint8Array, from: number, end: number, ascii: boolean, maxLength: number): number {
    const to = partEnd(from, end, (at) => breaksAfter(text[at]!));
    this.makeRoom(to - from);
    this.bytes.set(text.subarray(from, to));
    this.find(to - from, ascii, maxLength);
    return to;
  }

  private makeRoom(length: number): void {
    const room = length + BEHIND;
    if (room > this.bytes.length || this.bytes.length > 8 * PART) this.bytes = new Uint8Array(Math.max(room, 4 * PART));
  }

  /** Finds the words of the bytes at hand. */
  private find(length: number, ascii: boolean, maxLength: number): void {
    // Zeros break words: none goes on behind the text.
    this.bytes.fill(0, length, length + 2);
    this.end = length + 2;
    if (this.bounds.length > 8 * PART) this.bounds = this.spare = new Int32Array(0);
    this.count = 0;
    let seen = 0;
    for (let at = 0; at < length;) {
      let foreign = length;
      if (!ascii) for (foreign = at; foreign < length && this.bytes[foreign]! < 128;) foreign++;
      const begin = foreign < length ? this.lastBreak(at, foreign) : length;
      seen |= this.cut(at, begin);
      at = foreign < length ? this.readForeign(begin, foreign, maxLength) : length;
    }
    if ((seen & IS_JOINER) !== 0 || this.longest(length) > maxLength) this.amend(length, maxLength);
  }

  /**
   * Finds where words begin and end among ASCII, and lower-cases it. Without a branch but the loop's: where a word ends nobody can foresee, the
   * processor neither. With a loop for each word one took 22 ns.
   *
   * @returns the bits of all roles that were seen
   */
  private cut(from: number, to: number): number {
    let place = this.count * 2;
    // A word and what ends it are two bytes.
    if (place + to - from + 2 > this.bounds.length) this.bounds = grown(this.bounds, place + to - from + 2);
    const { bytes, bounds } = this;
    let seen = 0;
    let inside = 0;
    let before = 0;
    let role = roles[bytes[from]!]!;
    for (let at = from; at < to; at++) {
      const next = roles[bytes[at + 1]!]!;
      // WB6, WB7, WB11, WB12: what stands between binds letters to letters or digits to digits.
      const bound = before & next & (role >> BINDS) & (IS_LETTER | IS_DIGIT);
      const within = (role | (bound >> 3) | (bound >> 4)) & IN_WORD;
      bytes[at] = role;
      bounds[place] = at;
      place += (within ^ inside) >> 8;
      inside = within;
      seen |= role;
      before = role;
      role = next;
    }
    bounds[place] = to;
    this.count = (place + (inside >> 8)) >> 1;
    return seen;
  }

  /** The length of the longest word within the text. */
  private longest(length: number): number {
    const { bounds, count } = this;
    let longest = 0;
    for (let i = 0; i < count; i++)
      if (bounds[2 * i]! < length) longest = Math.max(longest, bounds[2 * i + 1]! - bounds[2 * i]!);
    return longest;
  }

  /** Drops words of joiners alone, which are none, and cuts long ones; what lies behind the text came from the other tokenizer. */
  private amend(length: number, maxLength: number): void {
    const { bytes, bounds, count } = this;
    this.bounds = this.spare;
    this.spare = bounds;
    this.count = 0;
    for (let i = 0; i < count; i++) {
      const start = bounds[2 * i]!;
      const end = bounds[2 * i + 1]!;
      if (start < length) {
        let other = start;
        while (other < end && bytes[other] === UNDERSCORE) other++;
        if (other === end) continue;
        if (end - start > maxLength) {
          // A sign that the cut leaves at an end binds nothing there.
          const piece = Buffer.from(bytes.buffer, start, end - start).toString('latin1');
          standardWords(piece, (from, to) => this.push(start + from, start + to), maxLength);
          continue;
        }
      }
      this.push(start, end);
    }
  }

  private push(start: number, end: number): void {
    const place = this.count++ * 2;
    if (place + 2 > this.bounds.length) this.bounds = grown(this.bounds, place + 2);
    this.bounds[place] = start;
    this.bounds[place + 1] = end;
  }

  /** The place behind the last byte between two that nothing binds across. */
  private lastBreak(from: number, to: number): number {
    let at = to;
    while (at > from && (roles[this.bytes[at - 1]!]! & BINDING) !== 0) at--;
    return at;
  }

  /**
   * Reads from the last break on, as what is not ASCII may bind to what stands before it, to the next one behind which there is ASCII
   * again: a text in another script is one piece.
   */
  private readForeign(begin: number, from: number, maxLength: number): number {
    const { bytes } = this;
    let to = from;
    while ((roles[bytes[to]!]! & BINDING) !== 0 || (roles[bytes[to + 1]!]! & FOREIGN) !== 0) to++;
    const piece = Buffer.from(this.bytes.buffer, begin, to - begin).toString();
    standardWords(
      piece,
      (start, end) => {
        const word = lowerCase(piece.slice(start, end));
        const needed = this.end + word.length * 3 + BEHIND;
        if (needed > this.bytes.length) {
          const bytes = new Uint8Array(needed * 2);
          bytes.set(this.bytes);
          this.bytes = bytes;
        }
        const { written } = encoder.encodeInto(word, this.bytes.subarray(this.end));
        this.push(this.end, this.end + written);
        this.end += written;
      },
      maxLength,
    );
    return to;
  }
}

function grown(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(length * 2);
  copy.set(array);
  return copy;
}

/** Where a part of a text that begins at `from` ends: behind a character that nothing binds across, or with the text. */
function partEnd(from: number, end: number, breaksBehind: (at: number) => boolean): number {
  const most = from + PART;
  if (end <= most) return end;
  for (let at = most; at > from; at--) if (breaksBehind(at - 1)) return at;
  let at = most;
  while (at < end && !breaksBehind(at)) at++;
  return at;
}

/** Whether nothing binds across a UTF-16 unit, or a byte of UTF-8. */
function breaksAfter(code: number): boolean {
  return code < 128 && (roles[code]! & BINDING) === 0;
}
