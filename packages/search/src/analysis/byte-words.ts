// The words of a text as bytes: the same rules as standard-tokenizer.ts without a string and without a call a word, lower-cased on the
// way. What stands between two blanks, brackets and the like and is not ASCII throughout goes through standard-tokenizer.ts itself.
import { characterClass, DIGIT, JOINER, LETTER, MID_BOTH, MID_LETTER, MID_NUMBER } from './character-class.ts';
import { standardWords } from './standard-tokenizer.ts';

const encoder = new TextEncoder();

/** Words in a row: word i is `bytes[bounds[2 * i], bounds[2 * i + 1])`. At least eight bytes follow each, whatever they are. */
export interface WordRow {
  readonly bytes: Uint8Array;
  readonly bounds: Int32Array;
  readonly count: number;
}

/** Of a byte, the low eight bits: its lower case. A word goes on through bytes above these. */
const LOWER = 0xff;
const letter = 1 << 8;
const digit = 1 << 9;
const joiner = 1 << 10;
/** Nothing binds across these; all others below are what may stand between, or is not ASCII. */
const BREAK = 0;
const BETWEEN_LETTERS = 1;
const BETWEEN_DIGITS = 2;
const FOREIGN = 4;
const roles = Uint16Array.from({ length: 256 }, (_, code) => {
  if (code > 127) return FOREIGN;
  const lower = code >= 0x41 && code <= 0x5a ? code + 32 : code;
  switch (characterClass(code)) {
    case LETTER:
      return letter | lower;
    case DIGIT:
      return digit | lower;
    case JOINER:
      return joiner | lower;
    case MID_LETTER:
      return BETWEEN_LETTERS;
    case MID_NUMBER:
      return BETWEEN_DIGITS;
    case MID_BOTH:
      return BETWEEN_LETTERS | BETWEEN_DIGITS;
    default:
      return BREAK;
  }
});

/** Bytes that a reader of a word may look at behind it. */
const BEHIND = 8;
/** More than this is not kept for the next text. */
const KEPT_BYTES = 1 << 20;

/** Cuts one text after another into words; those of the text before are overwritten. */
export class ByteWords implements WordRow {
  bytes = new Uint8Array(1 << 16);
  bounds = new Int32Array(1 << 12);
  count = 0;
  /** Words that are not ASCII lie behind the text. */
  private end = 0;

  /** Finds the words of a text; longer ones than `maxLength` UTF-16 units are cut there. */
  read(text: string, maxLength: number): void {
    const needed = text.length * 3 + BEHIND;
    if (needed > this.bytes.length || this.bytes.length > KEPT_BYTES) this.bytes = new Uint8Array(needed * 2);
    const length = encoder.encodeInto(text, this.bytes).written;
    this.end = length + 2;
    this.count = 0;
    // Zeros break words: none goes on behind the text.
    this.bytes[length] = 0;
    this.bytes[length + 1] = 0;
    let { bytes } = this;
    let at = 0;
    /** Where what stands without a break began, and how many words there were before. */
    let begin = 0;
    let before = 0;
    while (at < length) {
      let role = roles[bytes[at]!]!;
      if (role <= LOWER) {
        at++;
        if (role === BREAK) {
          begin = at;
          before = this.count;
        } else if (role === FOREIGN) {
          this.count = before;
          at = this.readForeign(begin, at, maxLength);
          ({ bytes } = this);
        }
        continue;
      }
      const start = at;
      let seen = 0;
      for (;;) {
        let last;
        do {
          bytes[at] = role;
          seen |= role;
          last = role;
          role = roles[bytes[++at]!]!;
        } while (role > LOWER);
        if (role === BREAK || role === FOREIGN) break;
        // WB6, WB7, WB11, WB12: what stands between binds letters to letters or digits to digits.
        const next = roles[bytes[at + 1]!]!;
        if (!((last & next & letter) !== 0 && (role & BETWEEN_LETTERS) !== 0)) {
          if (!((last & next & digit) !== 0 && (role & BETWEEN_DIGITS) !== 0)) break;
        }
        role = next;
        at++;
      }
      // A run of joiners alone is no word.
      if (seen >>> 8 === joiner >>> 8) continue;
      let first = start;
      for (; at - first > maxLength; first += maxLength) this.push(first, first + maxLength);
      this.push(first, at);
    }
  }

  private push(start: number, end: number): void {
    const place = this.count++ * 2;
    if (place === this.bounds.length) {
      const bounds = new Int32Array(place * 2);
      bounds.set(this.bounds);
      this.bounds = bounds;
    }
    this.bounds[place] = start;
    this.bounds[place + 1] = end;
  }

  /**
   * Reads from the last break on, as what is not ASCII may bind to what stands before it, to the next one behind which there is ASCII
   * again: a text in another script is one piece.
   */
  private readForeign(begin: number, from: number, maxLength: number): number {
    let to = from;
    while (roles[this.bytes[to]!] !== BREAK || roles[this.bytes[to + 1]!] === FOREIGN) to++;
    const piece = Buffer.from(this.bytes.buffer, begin, to - begin).toString();
    standardWords(
      piece,
      (start, end) => {
        const word = piece.slice(start, end).toLowerCase();
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
