// The words of a text field in a document, analysed from its source, as texts have no column. For `significant_text`, which may skip
// passages that it saw before.
import type { SegmentReader } from '../index/segment.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { checkTime, tick } from '../tasks/request-budget.ts';
import { shardArgument } from '../errors/request-error.ts';
import { valuesAt } from '../json/values-at.ts';

/** Families whose values are words: keywords and numbers unchanged. */
const ANALYZED: readonly string[] = ['text', 'keyword', 'number'];

/** Returns the text field at a path; undefined if it is not mapped. @throws RequestError if it has no analyzer */
export function textField(path: string, mapping: Mapping): MappedField | undefined {
  const field = mapping.field(path);
  if (field !== undefined && !ANALYZED.includes(field.family))
    throw shardArgument(`Field [${path}] has no analyzer, but SignificantText requires an analyzed field`);
  return field;
}

/** Returns the distinct words of a document. @param paths of its texts @param seen filters passages seen before */
export function wordsOfTexts(
  { segment, doc }: { readonly segment: SegmentReader; readonly doc: number },
  field: MappedField,
  paths: readonly string[],
  seen?: SeenPassages,
): ReadonlySet<string> {
  const words = new Set<string>();
  // Elements of nested fields have no source.
  if (segment.nestedPath(doc) !== undefined) return words;
  checkTime();
  const text = segment.sourceText(doc);
  tick(text.length * PARSING_STEPS);
  const source: unknown = text === '' ? {} : JSON.parse(text);
  seen?.startDocument();
  for (const path of paths) {
    for (const value of valuesAt(source, path.split('.'))) {
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
      const { terms } = field.family === 'text' ? field.analyzer.analyze(String(value)) : { terms: [String(value)] };
      tick(terms.length * WORD_STEPS);
      for (const word of seen === undefined ? terms : seen.fresh(terms)) words.add(word);
    }
  }
  return words;
}

/** Estimated nanoseconds per character of a source, and per word of a text. */
const PARSING_STEPS = 4;
const WORD_STEPS = 128;

/** Words of a passage. */
const PASSAGE = 6;

/**
 * Remembers passages of six words by hashes of 53 bits, about 20 bytes each. Among a million passages, the chance of one collision is
 * 1 in 10,000.
 */
export class SeenPassages {
  readonly #numbers = new Map<string, number>();
  readonly #seen = new Set<number>();
  #last: number[] = [];

  startDocument(): void {
    this.#last = [];
  }

  /** Remembers a text; returns its words without those of passages seen before, in this text or others. */
  fresh(words: readonly string[]): string[] {
    const known = new Uint8Array(words.length);
    words.forEach((word, at) => {
      let number = this.#numbers.get(word);
      if (number === undefined) this.#numbers.set(word, (number = this.#numbers.size));
      this.#last.push(number);
      if (this.#last.length > PASSAGE) this.#last.shift();
      if (this.#last.length < PASSAGE) return;
      const hash = hashOf(this.#last);
      if (this.#seen.has(hash)) known.fill(1, Math.max(0, at - PASSAGE + 1), at + 1);
      else this.#seen.add(hash);
    });
    return words.filter((_, at) => known[at] === 0);
  }
}

/** Two hashes: FNV-1a, and one of multiplications and rotations. */
function hashOf(numbers: readonly number[]): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (const number of numbers) {
    low = Math.imul(low ^ number, 0x01000193);
    low = Math.imul(low ^ (low >>> 15), 0x85ebca6b);
    high = Math.imul(high, 0xcc9e2d51) + number;
    high = ((high << 13) | (high >>> 19)) ^ Math.imul(number, 0x1b873593);
  }
  high ^= high >>> 16;
  return (low >>> 0) + (high & 0x1f_ffff) * 2 ** 32;
}
