// Which parts a word has for `word_delimiter` and `word_delimiter_graph`: where its characters change between letters, digits and what
// is neither, between small and capital, and where an English possessive ends. What is made of the parts is in `word-delimiter.ts`.
import { RequestError } from '../errors/request-error.ts';
import { unescape, wrongRule } from './part-definition.ts';

/** Kinds of characters, as bits. */
const LOWER = 1;
const UPPER = 2;
export const DIGIT = 4;
/** Neither letter nor digit. */
const DELIMITER = 8;
export const ALPHA = LOWER | UPPER;

/** What `type_table` calls them. */
const KINDS: Readonly<Record<string, number>> = {
  LOWER,
  UPPER,
  ALPHA,
  DIGIT,
  ALPHANUM: ALPHA | DIGIT,
  SUBWORD_DELIM: DELIMITER,
};

/** One part of a word: `[from, to)`; its kind is that of its first character, `ALPHA` for letters of either case. */
export interface WordPart {
  readonly from: number;
  readonly to: number;
  readonly kind: number;
}

/** The parts of a word. */
export interface WordParts {
  readonly parts: readonly WordPart[];
  /** Whether there is one part and around it, besides a possessive, only delimiters. */
  readonly single: boolean;
}

/** Where words are cut. */
export interface PartOptions {
  readonly splitOnCase: boolean;
  readonly splitOnNumerics: boolean;
  readonly stemPossessive: boolean;
  /** Kinds of characters (UTF-16 units) that differ from the usual ones. */
  readonly kinds: ReadonlyMap<number, number> | undefined;
}

/** Reads `type_table`: `$ => DIGIT`. @throws RequestError for a rule that names no single character or no kind */
export function parseKinds(rules: readonly string[]): ReadonlyMap<number, number> {
  // As Java says it of a table without rules, whose last character it asks for.
  if (rules.length === 0)
    throw new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'no_such_element_exception', '[type_table] has no rules');
  const kinds = new Map<number, number>();
  for (const text of rules) {
    const match = /^(.*)\s*=>\s*(.*)\s*$/s.exec(text);
    if (match === null) throw wrongRule(`Invalid Mapping Rule : [${text}]`);
    const character = unescape(match[1]!.trim());
    if (character.length !== 1)
      throw wrongRule(`Invalid Mapping Rule : [${text}]. Only a single character is allowed.`);
    const kind = match[2]!.trim();
    if (!Object.hasOwn(KINDS, kind)) throw wrongRule(`Invalid Mapping Rule : [${text}]. Illegal type.`);
    kinds.set(character.charCodeAt(0), KINDS[kind]!);
  }
  return kinds;
}

const isAlpha = /[\p{Lt}\p{Lm}\p{Lo}\p{M}]/u;

function usualKind(unit: number): number {
  // Halves of characters beyond the basic plane bind to everything, so that none is cut.
  if (unit >= 0xd800 && unit <= 0xdfff) return ALPHA | DIGIT;
  const character = String.fromCharCode(unit);
  if (/\p{Lu}/u.test(character)) return UPPER;
  if (/\p{Ll}/u.test(character)) return LOWER;
  if (isAlpha.test(character)) return ALPHA;
  return /\p{N}/u.test(character) ? DIGIT : DELIMITER;
}

/** Lucene has a table of its own for Latin-1, in which ª and º are small letters and ², ³, ¹ and fractions no digits. */
function latinKind(unit: number): number {
  const character = String.fromCharCode(unit);
  if (/\p{Lowercase}/u.test(character)) return LOWER;
  if (/\p{Uppercase}/u.test(character)) return UPPER;
  return /\p{Nd}/u.test(character) ? DIGIT : DELIMITER;
}

/** Makes what cuts words into parts. */
export function createPartReader(options: PartOptions): (word: string) => WordParts {
  const { splitOnCase, splitOnNumerics, stemPossessive, kinds } = options;
  // 0: not asked for yet.
  const known = new Uint8Array(0x10000);
  const kindAt = (word: string, at: number): number => {
    const unit = word.charCodeAt(at);
    let kind = known[unit]!;
    if (kind === 0) {
      kind = kinds?.get(unit) ?? (kinds === undefined && unit < 256 ? latinKind(unit) : usualKind(unit));
      known[unit] = kind;
    }
    return kind;
  };
  const breaks = (before: number, after: number): boolean => {
    if ((before & after) !== 0) return false;
    const [alphaBefore, alphaAfter] = [(before & ALPHA) !== 0, (after & ALPHA) !== 0];
    if (alphaBefore && alphaAfter && (!splitOnCase || (before & UPPER) !== 0)) return false;
    const numeric = (alphaBefore && (after & DIGIT) !== 0) || ((before & DIGIT) !== 0 && alphaAfter);
    return splitOnNumerics || !numeric;
  };
  return (word) => {
    let start = 0;
    let end = word.length;
    while (start < end && (kindAt(word, start) & DELIMITER) !== 0) start++;
    while (end > start && (kindAt(word, end - 1) & DELIMITER) !== 0) end--;
    const isPossessive = (to: number): boolean =>
      stemPossessive &&
      to > 2 &&
      word[to - 2] === "'" &&
      (word[to - 1] === 's' || word[to - 1] === 'S') &&
      (kindAt(word, to - 3) & ALPHA) !== 0 &&
      (to === end || (kindAt(word, to) & DELIMITER) !== 0);
    const parts: WordPart[] = [];
    for (let at = start; ;) {
      while (at < end && (kindAt(word, at) & DELIMITER) !== 0) at++;
      if (at >= end) break;
      const first = kindAt(word, at);
      let to = at + 1;
      for (let before = first; to < end; to++) {
        const kind = kindAt(word, to);
        if (breaks(before, kind)) break;
        before = kind;
      }
      parts.push({ from: at, to, kind: first === LOWER || first === UPPER ? ALPHA : first });
      at = to < end - 1 && isPossessive(to + 2) ? to + 2 : to;
    }
    const one = parts[0];
    return {
      parts,
      single: one !== undefined && one.from === start && one.to === (isPossessive(end) ? end - 2 : end),
    };
  };
}
