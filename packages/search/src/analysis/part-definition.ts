// What definitions of char filters, tokenizers, token filters and analyzers have in common: tables by name, limits while the parts of one
// index are built, sizes of n-grams and shingles, and errors.
import { didYouMean } from '@lockstitch/kernel';
import { illegalArgument, RequestError, unsupported } from '../errors/request-error.ts';
import type { NamedPart, Options, Values } from './part-options.ts';

/** How a part costs that makes an object of each token: languages, white space, patterns (4 to 26 ms, see `PartDefinition.cost`). */
export const CHAIN = 4;
/** Of one that looks ahead or takes words apart. */
export const HARD = 8;

/** What is known of one type of part. Everything that lists types, or says what one does, reads it here. */
export interface PartDefinition<Of extends Options = Options> {
  readonly options: Of;
  /** Other names of the type. */
  readonly aliases?: readonly string[];
  /** Whether it was removed: indices that have it open, and none can be made with it. */
  readonly isRemoved?: boolean;
  /** Whether it can only be named, and no definition can have its type (Elasticsearch's PreConfiguredTokenFilter). */
  readonly isNamedOnly?: boolean;
  /** What differs from Elasticsearch, for the compatibility page. */
  readonly note?: string;
  /**
   * How many times as long as the standard analyzer it takes for a text, which decides whether a document is analysed beside the main
   * thread; `CHAIN` by default. Measured on 256 KB of package descriptions, for which the standard analyzer takes 1 ms and reading the JSON 3 ms.
   */
  cost?(values: Values<Of>): number;
}

/** Definitions of one kind of part, by type and alias. */
export class PartTable<Definition extends PartDefinition> {
  /** The types that an index can be made with, in order. */
  readonly names: readonly string[];
  readonly #byName: ReadonlyMap<string, Definition>;
  readonly #kind: string;

  /** @param kind as settings and errors call it */
  constructor(kind: string, definitions: Readonly<Record<string, Definition>>) {
    const all = Object.entries(definitions);
    this.#kind = kind;
    this.names = all.flatMap(([name, { isRemoved }]) => (isRemoved === true ? [] : [name])).sort();
    this.#byName = new Map(
      all.flatMap(([name, definition]) =>
        [name, ...(definition.aliases ?? [])].map((each) => [each, definition] as const),
      ),
    );
  }

  /** @param strict refuses types that are only available by name @throws RequestError for an unknown type */
  get(type: string, part: NamedPart, strict = true): Definition {
    const found = this.#byName.get(type);
    if (found === undefined || (found.isNamedOnly === true && strict && !part.isPlain))
      throw unknownPart(this.#kind, type, part, this.names);
    return found;
  }

  /** The definition of a type, or undefined. */
  find(type: string): Definition | undefined {
    return this.#byName.get(type);
  }
}

const ESCAPES = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);

/** Java's escapes in rules and characters. */
export function unescape(text: string): string {
  return text.replace(/\\u([0-9a-fA-F]{4})|\\(.)/g, (_, hex: string | undefined, character: string = '') =>
    hex === undefined ? (ESCAPES.get(character) ?? character) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** How far the sizes of n-grams and shingles of one part may be apart: `index.max_ngram_diff` and `index.max_shingle_diff`. */
export interface SizeLimits {
  /** 1 by default. */
  readonly ngramDiff: number;
  /** 3 by default. */
  readonly shingleDiff: number;
}

/** What holds while the parts of one index are built. */
export interface BuildLimits extends SizeLimits {
  /** Whether what takes too much is refused: not where an index exists, which is opened with whatever it holds. */
  readonly strict: boolean;
  /** Runs long work, now or later; nothing uses the part before it is done. */
  run(work: Generator<void, void>): void;
  /** @throws RequestError where a list whose every member looks at every word of a text is too long */
  count(what: string, size: number): void;
  /** @throws RequestError where the synonyms of all analyzers are too long: each analyzer reads those of its filters */
  countSynonyms(lines: readonly string[]): void;
}

/** Parts of one analyzer, chains of a multiplexer or patterns of one filter at most: each looks at every word of a text. */
const MOST_PARTS = 100;

/** Characters of synonyms that the analyzers of one index may read together: a second or two, in slices. */
const MOST_SYNONYMS = 2_000_000;

/** Counts the synonyms of all analyzers of an index. */
export function synonymCounter(): BuildLimits['countSynonyms'] {
  let characters = 0;
  return (lines) => {
    for (const line of lines) characters += line.length;
    if (characters > MOST_SYNONYMS)
      throw illegalArgument(
        `the analyzers read more than [${MOST_SYNONYMS}] characters of synonyms together; let fewer of them use the filter, or make its list shorter`,
      );
  };
}

/** Definitions of one kind in one index at most. */
const MOST_DEFINITIONS = 1000;

/** @throws RequestError for more definitions than may be */
export function checkDefinitions(kind: string, count: number): void {
  if (count > MOST_DEFINITIONS)
    throw illegalArgument(
      `[index.analysis.${kind}] has [${count}] definitions, which is more than the limit of [${MOST_DEFINITIONS}]`,
    );
}

/** @throws RequestError for more than may be */
export function checkParts(what: string, size: number): void {
  if (size > MOST_PARTS)
    throw illegalArgument(`[${what}] has [${size}] entries, which is more than the limit of [${MOST_PARTS}]`);
}

/** @throws RequestError for wrong sizes of n-grams @param allowed how far they may be apart */
export function checkGrams(min: number, max: number, allowed = Infinity): void {
  if (max - min > allowed)
    throw illegalArgument(
      `The difference between max_gram and min_gram in NGram Tokenizer must be less than or equal to: [${allowed}] but was [${max - min}]. This limit can be set by changing the [index.max_ngram_diff] index level setting.`,
    );
  if (min < 1) throw illegalArgument('minGram must be greater than zero');
  if (min > max) throw illegalArgument('minGram must not be greater than maxGram');
}

/** Parts that Elasticsearch has and this engine does not: naming another that is spelled alike would help nobody. */
const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  tokenizer: ['icu_tokenizer', 'kuromoji_tokenizer', 'nori_tokenizer', 'smartcn_tokenizer'],
  filter: 'hunspell phonetic hyphenation_decompounder icu_folding icu_normalizer'.split(' '),
  char_filter: ['icu_normalizer', 'kuromoji_iteration_mark'],
};

/** The error of a type that is not known, or known and not supported. */
function unknownPart(kind: string, type: string, { missing, name }: NamedPart, known: readonly string[]): Error {
  if (UNSUPPORTED[kind]?.includes(type) === true) return unsupported(`${kind} [${type}]`);
  if (kind === 'filter' && type === 'standard') return illegalArgument('The [standard] token filter has been removed.');
  if (missing !== undefined && type === name) return illegalArgument(`${missing} [${type}]${didYouMean(type, known)}`);
  return illegalArgument(
    type === name || name === `__anonymous__${type}`
      ? `failed to find global ${kind} under [${type}]${didYouMean(type, known)}`
      : `Unknown ${kind} type [${type}] for [${name}]${didYouMean(type, known)}`,
  );
}

/** The refusal of a rule, which Elasticsearch takes for a fault of its own. */
export function wrongRule(reason: string): Error {
  return new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'runtime_exception', reason);
}
