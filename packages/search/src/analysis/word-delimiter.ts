// The token filters `word_delimiter` and `word_delimiter_graph`: what they make of the parts of a word, part by part, joined and as a
// whole. They differ in where joined parts stand: the graph keeps count of the positions that a token spans. Where a word is cut is in
// `word-parts.ts`.
import { HARD } from './part-definition.ts';
import { flag, type Option, strings, texts, type Values } from './part-options.ts';
import { defineFilter, type TokenFilter } from './token-filter.ts';
import type { Token } from './token.ts';
import { ALPHA, createPartReader, DIGIT, parseKinds, type PartOptions, type WordPart } from './word-parts.ts';

/** What is made of the parts. */
interface DelimiterOptions extends PartOptions {
  readonly wordParts: boolean;
  readonly numberParts: boolean;
  readonly catenateWords: boolean;
  readonly catenateNumbers: boolean;
  readonly catenateAll: boolean;
  readonly preserveOriginal: boolean;
  /** Words left as they are. */
  readonly protectedWords: ReadonlySet<string>;
}

/** What the graph knows besides. */
interface GraphOptions extends DelimiterOptions {
  /** Whether parts have offsets of their own. */
  readonly adjustOffsets: boolean;
  readonly ignoreKeywords: boolean;
}

/** Neighbouring parts that are joined. */
interface Run {
  text: string;
  from: number;
  to: number;
  kind: number;
  count: number;
  /** The position of the first one within the word. */
  position: number;
}

function extend(run: Run | undefined, term: string, part: WordPart, position: number): Run {
  const text = term.slice(part.from, part.to);
  if (run === undefined) return { text, from: part.from, to: part.to, kind: part.kind, count: 1, position };
  run.text += text;
  run.to = part.to;
  run.count++;
  return run;
}

/** What takes the parts of a word. */
interface PartTaker {
  /** The position of the next part within the word. */
  readonly place: () => number;
  readonly part: (part: WordPart) => void;
  /** @param isShown unless it is one part, which is shown by itself */
  readonly run: (run: Run, isShown: boolean) => void;
  /** A run has ended, and parts of another kind follow. */
  readonly turn?: () => void;
}

/** Tells of the parts of a word, of neighbours that are joined, and of all of them, in Lucene's order. */
function takeParts(term: string, parts: readonly WordPart[], options: DelimiterOptions, take: PartTaker): void {
  const isAny = (kind: number, ofWords: boolean, ofNumbers: boolean): boolean =>
    (ofWords && (kind & ALPHA) !== 0) || (ofNumbers && (kind & DIGIT) !== 0);
  const isShown = (kind: number): boolean => isAny(kind, options.wordParts, options.numberParts);
  let run: Run | undefined;
  let all: Run | undefined;
  let lastRun = 0;
  const flush = (): void => {
    if (run === undefined) return;
    lastRun = run.count;
    take.run(run, run.count !== 1 || !isShown(run.kind));
    run = undefined;
  };
  for (const part of parts) {
    if (run !== undefined && (run.kind & part.kind) === 0) {
      flush();
      take.turn?.();
    }
    if (isAny(part.kind, options.catenateWords, options.catenateNumbers)) run = extend(run, term, part, take.place());
    if (options.catenateAll) all = extend(all, term, part, take.place());
    if (isShown(part.kind)) take.part(part);
  }
  flush();
  if (all !== undefined && all.count > lastRun) take.run(all, true);
}

/** `word_delimiter_graph`. */
function wordDelimiterGraph(options: GraphOptions): TokenFilter {
  const read = createPartReader(options);
  const { preserveOriginal, protectedWords } = options;
  return (tokens) => {
    const found: Token[] = [];
    let position = -1;
    let before = -1;
    // Positions of words that are nothing but delimiters, which the next one has to skip.
    let skipped = 0;
    let lastStart = 0;
    for (const token of tokens) {
      const step = token.position - before;
      before = token.position;
      if (options.ignoreKeywords && token.keyword === true) {
        found.push({ ...token, position: (position += step) });
        continue;
      }
      skipped += step;
      const { term } = token;
      const { parts, single } = read(term);
      const first = parts[0];
      if (first === undefined && !protectedWords.has(term)) {
        if (!preserveOriginal) continue;
        // As in Lucene, where a kept word of delimiters forgets those skipped before it.
        skipped = 0;
        found.push({ ...token, position: (position += step) });
        continue;
      }
      if (first === undefined || (first.from === 0 && first.to === term.length) || protectedWords.has(term)) {
        found.push({ ...token, position: (position += skipped) });
        skipped = 0;
        continue;
      }
      const adjusts = options.adjustOffsets && token.end - token.start === term.length;
      const base = position + skipped;
      const made: { readonly from: number; readonly to: number; readonly token: Token }[] = [];
      const add = (text: string, at: number, length: number, from: number, to: number): void => {
        const start = adjusts ? token.start + from : token.start;
        const end = adjusts ? token.start + to : token.end;
        made.push({
          from,
          to,
          token: { ...token, term: text, position: base + at, positionLength: length, start, end },
        });
      };
      let count = 0;
      if (single) add(term.slice(first.from, first.to), count++, 1, first.from, first.to);
      else
        takeParts(term, parts, options, {
          place: () => count,
          part: ({ from, to }) => add(term.slice(from, to), count++, 1, from, to),
          run(run, isShown) {
            // Without its parts the joined one makes the position.
            if (count === run.position) count++;
            if (isShown) add(run.text, run.position, count - run.position, run.from, run.to);
          },
        });
      // The longest of those that begin at one place first.
      made.sort((a, b) => a.from - b.from || b.to - a.to);
      const parted = made.map((each) => each.token);
      if (preserveOriginal) parted.unshift({ ...token, position: base, positionLength: Math.max(1, count) });
      if (parted.length > 0) skipped = 0;
      for (const each of parted) {
        // Offsets never go back.
        each.start = Math.max(each.start, lastStart);
        each.end = Math.max(each.end, lastStart);
        lastStart = each.start;
        position = each.position;
        found.push(each);
      }
    }
    return found;
  };
}

/** `word_delimiter`. */
function wordDelimiter(options: DelimiterOptions): TokenFilter {
  const read = createPartReader(options);
  const { preserveOriginal, protectedWords } = options;
  return (tokens) => {
    const found: Token[] = [];
    let position = -1;
    let before = -1;
    let skipped = 0;
    for (const token of tokens) {
      const step = token.position - before;
      before = token.position;
      skipped += step;
      const { term } = token;
      const { parts, single } = read(term);
      const first = parts[0];
      if ((first !== undefined && first.from === 0 && first.to === term.length) || protectedWords.has(term)) {
        found.push({ ...token, position: (position += skipped) });
        skipped = 0;
        continue;
      }
      if (first === undefined && !preserveOriginal) {
        // A word of delimiters leaves no hole, but before the first token and where there is one before it.
        if (step === 1 && found.length > 0) skipped--;
        continue;
      }
      if (preserveOriginal) {
        found.push({ ...token, position: (position += skipped) });
        skipped = 0;
      }
      if (first === undefined) continue;
      const shifted = token.end - token.start !== term.length;
      // The position of what comes next, as steps from the token before.
      let hasPart = false;
      let followsOriginal = preserveOriginal;
      const stepOf = (joined: boolean): number => {
        const steps = Math.max(1, skipped);
        if (hasPart) {
          skipped = 0;
          return joined ? 0 : steps;
        }
        hasPart = true;
        if (followsOriginal) {
          followsOriginal = false;
          return 0;
        }
        skipped = 0;
        return steps;
      };
      const made: { readonly token: Token; readonly steps: number }[] = [];
      const add = (text: string, from: number, to: number, joined: boolean): void => {
        const start = shifted
          ? single && token.start + from <= token.end
            ? token.start + from
            : token.start
          : token.start + from;
        const steps = stepOf(joined);
        if (joined) skipped = 0;
        made.push({
          token: { term: text, position: 0, start, end: shifted ? token.end : token.start + to, type: token.type },
          steps,
        });
      };
      if (single) add(term.slice(first.from, first.to), first.from, first.to, false);
      else {
        takeParts(term, parts, options, {
          place: () => 0,
          part: ({ from, to }) => add(term.slice(from, to), from, to, false),
          run(run, isShown) {
            if (isShown) add(run.text, run.from, run.to, true);
          },
          turn: () => void (hasPart = false),
        });
        made.sort((a, b) => a.token.start - b.token.start || b.steps - a.steps);
      }
      for (const each of made) {
        position += found.length === 0 && each.steps === 0 && !single ? 1 : each.steps;
        each.token.position = position;
        found.push(each.token);
      }
    }
    return found;
  };
}

const OPTIONS = {
  type_table: {
    ...strings,
    read: (definition, key, part) => (definition[key] === undefined ? undefined : strings.read(definition, key, part)),
  } satisfies Option<readonly string[] | undefined>,
  generate_word_parts: flag(true),
  generate_number_parts: flag(true),
  catenate_words: flag(false),
  catenate_numbers: flag(false),
  catenate_all: flag(false),
  split_on_case_change: flag(true),
  split_on_numerics: flag(true),
  preserve_original: flag(false),
  stem_english_possessive: flag(true),
  protected_words: texts,
};

function delimiterOptions(values: Values<typeof OPTIONS>): DelimiterOptions {
  return {
    wordParts: values.generate_word_parts,
    numberParts: values.generate_number_parts,
    catenateWords: values.catenate_words,
    catenateNumbers: values.catenate_numbers,
    catenateAll: values.catenate_all,
    splitOnCase: values.split_on_case_change,
    splitOnNumerics: values.split_on_numerics,
    preserveOriginal: values.preserve_original,
    stemPossessive: values.stem_english_possessive,
    protectedWords: new Set(values.protected_words),
    kinds: values.type_table === undefined ? undefined : parseKinds(values.type_table),
  };
}

export const DELIMITER_FILTERS = {
  word_delimiter: defineFilter({
    forSynonyms: () => undefined,
    options: OPTIONS,
    cost: () => HARD,
    build: (values) => wordDelimiter(delimiterOptions(values)),
  }),
  word_delimiter_graph: defineFilter({
    forSynonyms: () => undefined,
    options: { ...OPTIONS, adjust_offsets: flag(true), ignore_keywords: flag(false) },
    marksKeywords: true,
    cost: () => HARD,
    build: (values) =>
      wordDelimiterGraph({
        ...delimiterOptions(values),
        adjustOffsets: values.adjust_offsets,
        ignoreKeywords: values.ignore_keywords,
      }),
  }),
};
