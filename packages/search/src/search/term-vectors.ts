// The words of documents, field by field, with where they stand and how frequent they are: what `_termvectors` and `_mtermvectors` answer
// once the documents have been read. The source is analyzed again.
import { keptSource } from '../fetch/source-filter.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import { globMatches } from '../text/glob.ts';
import { asString, isObject, type Json, textOf } from '../json/json.ts';
import { type MappedField, toTerm } from '../mapping/field-type.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { compareTerms } from '../query/multi-term.ts';
import { TermTotals } from '../collect/term-totals.ts';
import { type RequestLimits, checkTime, isLimit, tick, withBudget } from '../tasks/request-budget.ts';
import { whole } from '../json/large-json.ts';
import { RequestError } from '../errors/request-error.ts';
import { errorBody } from '../json/error-shape.ts';
import { shortFloat } from '../fetch/short-float.ts';
import { METADATA_FIELDS } from '../mapping/metadata-fields.ts';
import { valuesInOrder } from '../json/values-at.ts';
import { pathsOfField, valuesOfField } from '../mapping/values-of-field.ts';
import type { SearchTarget } from '../fetch/target.ts';

/** What is to be shown of a document's words. */
export interface WantedVectors {
  /** Patterns; undefined: the fields that keep their vectors, or all of a document that is given. */
  readonly fields: readonly string[] | undefined;
  readonly offsets: boolean;
  readonly positions: boolean;
  readonly termStatistics: boolean;
  readonly fieldStatistics: boolean;
  /** Names of analyzers by field. */
  readonly analyzers: Json;
  /** Which words are shown; undefined: all. */
  readonly filter: TermFilter | undefined;
}

/** Bounds of the words that are shown; Infinity where there is none. */
export interface TermFilter {
  /** The best so many of each field. */
  readonly maxTerms: number;
  readonly minTermFreq: number;
  readonly maxTermFreq: number;
  readonly minDocFreq: number;
  readonly maxDocFreq: number;
  /** In UTF-16 units. */
  readonly minWordLength: number;
  readonly maxWordLength: number;
}

/** A document whose words are asked for, or what is answered without them. */
export type AskedVectors =
  | { readonly kind: 'answered'; readonly answer: Json }
  | {
      readonly kind: 'words';
      /** What the answer says before the words. */
      readonly head: Json;
      /** The place of its index among the targets. */
      readonly target: number;
      /** As stored, or given in the request. */
      readonly source: Uint8Array | Json;
      readonly wanted: WantedVectors;
    };

const decoder = new TextDecoder();
const encoder = new TextEncoder();
/** Steps that a word takes from the text into the answer. */
const WORD_STEPS = 500;

/** Answers for one document. @throws RequestError when its words cannot be told */
export function runVectors(asked: AskedVectors, targets: readonly SearchTarget[], limits: RequestLimits): Json {
  return withBudget(limits, () => answerFor(asked, totalsOf(targets)));
}

/** Answers for many documents; what is wrong with one is told in its place. */
export function runManyVectors(
  asked: readonly AskedVectors[],
  targets: readonly SearchTarget[],
  limits: RequestLimits,
): Json {
  return withBudget(limits, () => {
    const totals = totalsOf(targets);
    const docs = asked.map((each, at): Json => {
      checkTime();
      try {
        return answerFor(each, totals);
      } catch (error) {
        if (isLimit(error) || each.kind === 'answered') throw error;
        const { _index, _type, _id = String(at) } = each.head;
        return { _index, _type, _id, error: errorBody(error).body['error'] };
      }
    });
    return { docs };
  });
}

interface OfTarget {
  readonly mapping: Mapping;
  /** Counted on first use, and once for all documents. @param of `all` where elements of nested fields are meant */
  totals(of: 'found' | 'all'): TermTotals;
}

function totalsOf(targets: readonly SearchTarget[]): readonly OfTarget[] {
  return targets.map(({ target, searcher }) => {
    const counted = new Map<'found' | 'all', TermTotals>();
    return {
      mapping: target.mapping,
      totals(of): TermTotals {
        let found = counted.get(of);
        if (found === undefined) counted.set(of, (found = new TermTotals(searcher, of)));
        return found;
      },
    };
  });
}

function answerFor(asked: AskedVectors, targets: readonly OfTarget[]): Json {
  if (asked.kind === 'answered') return asked.answer;
  const { source, wanted, head } = asked;
  // Nothing is kept where the mapping turns sources off.
  const parsed: unknown =
    source instanceof Uint8Array ? (source.length === 0 ? {} : JSON.parse(decoder.decode(source))) : whole(source);
  const given = !(source instanceof Uint8Array);
  return { ...head, term_vectors: vectors(targets[asked.target]!, isObject(parsed) ? parsed : {}, given, wanted) };
}

function vectors(of: OfTarget, source: Json, given: boolean, wanted: WantedVectors): Json {
  const { mapping } = of;
  if (given) checkDocument(mapping, source);
  const chosen = chooseFields(mapping, wanted.fields);
  // Vectors that the index does not keep are made of what it keeps of the source.
  const shown = given ? source : keptSource(mapping, source);
  const printed: Record<string, unknown> = {};
  for (const field of [...mapping.fields.values()].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    if ((field.family !== 'text' && field.family !== 'keyword') || !field.index) continue;
    const isNested = mapping.nestedPathOf(field.path) !== undefined;
    const kept =
      given || (chosen !== undefined && Object.hasOwn(wanted.analyzers, field.path)) ? undefined : keptOf(field);
    if (!(chosen?.has(field.path) ?? (given || kept !== undefined))) continue;
    // What an element of a nested field keeps is not the document's.
    if (isNested && (given || kept !== undefined)) continue;
    const found = kept === undefined ? valuesOfField(field, shown, mapping) : indexedValues(field, source, mapping);
    const values = found.filter((value) => !isObject(value));
    const terms = termsOf(field, values, given, kept, of, wanted);
    if (terms.size > 0)
      printed[field.path] = printField(field, terms, kept, of.totals(isNested ? 'all' : 'found'), wanted);
  }
  return printed;
}

/** The values that were indexed, copied ones among them, in the order of the source. */
function indexedValues(field: MappedField, source: Json, mapping: Mapping): readonly unknown[] {
  return valuesInOrder(source, pathsOfField(field, mapping));
}

/** @throws RequestError when the document could not be indexed */
function checkDocument(mapping: Mapping, source: Json): void {
  try {
    mapping.check('_id_for_tv_api', source);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const { type, message: reason, details } = error;
    throw new RequestError('SEARCH_MAPPING', 'exception', 'failed to execute term vector request', {
      causedBy: { type, reason, ...(details.causedBy === undefined ? {} : { caused_by: details.causedBy }) },
    });
  }
}

/** The paths that are asked for. Undefined for none, and for patterns that fit no field: then those that keep their vectors are shown. */
function chooseFields(mapping: Mapping, patterns: readonly string[] | undefined): ReadonlySet<string> | undefined {
  const chosen = (patterns ?? []).flatMap((pattern) =>
    pattern.includes('*')
      ? [...METADATA_FIELDS.keys(), ...mapping.fields.keys()].filter((path) => globMatches(pattern, path))
      : [pattern],
  );
  return chosen.length === 0 ? undefined : new Set(chosen);
}

/** What is kept of each word of a field with `term_vector`; undefined when nothing is. */
interface Kept {
  readonly positions: boolean;
  readonly offsets: boolean;
}

function keptOf({ definition }: MappedField): Kept | undefined {
  const option = asString(definition['term_vector'] ?? 'no', 'term_vector');
  return option === 'no' ? undefined : { positions: option.includes('positions'), offsets: option.includes('offsets') };
}

interface Token {
  readonly position: number;
  readonly start: number;
  readonly end: number;
}

/** The words of a field, with where they stand. */
function termsOf(
  field: MappedField,
  values: readonly unknown[],
  given: boolean,
  kept: Kept | undefined,
  of: OfTarget,
  wanted: WantedVectors,
): ReadonlyMap<string, readonly Token[]> {
  const analyzer = kept === undefined ? analyzerOf(field, of.mapping, wanted) : field.analyzer;
  const terms = new Map<string, Token[]>();
  // Before the first word of the present value, and where its text begins.
  let before = -1;
  let offset = 0;
  for (const value of values) {
    const text = textOf(value);
    const add = (term: string, at: number, start: number, end: number): void => {
      const list = terms.get(term);
      const token = { position: before + 1 + at, start: offset + start, end: offset + end };
      if (list === undefined) terms.set(term, [token]);
      else list.push(token);
    };
    const found = analyzer?.analyze(text);
    if (found === undefined) {
      if (!given || text.length <= field.ignoreAbove) add(toTerm(field, value), 0, 0, text.length);
    } else {
      found.terms.forEach((term, at) => add(term, found.positions[at]!, found.starts[at]!, found.ends[at]!));
      tick(found.terms.length * WORD_STEPS);
    }
    const gap = analyzer?.positionIncrementGap ?? 0;
    if (kept !== undefined) before += (found?.endPosition ?? 1) + gap;
    // Where words are made for the request, what precedes the first of them does not count, nor does what was left out at an end.
    else if (terms.size > 0) before += (found === undefined ? 1 : 1 + (found.positions.at(-1) ?? -1)) + gap;
    else continue;
    offset += text.length + 1;
  }
  return terms;
}

function analyzerOf(field: MappedField, { analysis }: Mapping, { analyzers }: WantedVectors): Analyzer | undefined {
  const name = analyzers[field.path];
  if (name === undefined) return field.family === 'text' ? field.analyzer : undefined;
  return analysis.analyzer(asString(name, 'per_field_analyzer')) ?? analysis.analyzer('default');
}

function printField(
  field: MappedField,
  terms: ReadonlyMap<string, readonly Token[]>,
  kept: Kept | undefined,
  totals: TermTotals,
  wanted: WantedVectors,
): Json {
  const inIndex = totals.ofField(field.path);
  // In an index without documents, this one is all that can be counted.
  const isNew = totals.documents === 0;
  const statistics = isNew
    ? { sumDocFreq: terms.size, docCount: 1, sumTotalTermFreq: sum([...terms.values()].map(({ length }) => length)) }
    : inIndex;
  const frequencies = (term: string): { readonly docFreq: number; readonly total: number } =>
    isNew ? { docFreq: 1, total: terms.get(term)!.length } : totals.ofTerm(field.path, term);
  const scores = wanted.filter && selectTerms(terms, wanted.filter, statistics.docCount, frequencies);
  const positions = wanted.positions && kept?.positions !== false;
  const offsets = wanted.offsets && kept?.offsets !== false;
  const sorted = [...terms]
    .filter(([term]) => scores?.has(term) ?? true)
    .map(([term, tokens]) => ({ term, tokens, bytes: encoder.encode(term) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  const print = (term: string, tokens: readonly Token[]): Json => {
    const score = scores?.get(term);
    const counted = wanted.termStatistics ? frequencies(term) : undefined;
    return {
      ...(counted === undefined || counted.docFreq === 0 ? {} : { doc_freq: counted.docFreq, ttf: counted.total }),
      term_freq: tokens.length,
      ...(positions || offsets
        ? {
            tokens: tokens.map((token) => ({
              ...(positions ? { position: token.position } : {}),
              ...(offsets ? { start_offset: token.start, end_offset: token.end } : {}),
            })),
          }
        : {}),
      ...(score === undefined ? {} : { score: shortFloat(score) }),
    };
  };
  return {
    ...(wanted.fieldStatistics
      ? {
          field_statistics: {
            sum_doc_freq: statistics.sumDocFreq,
            doc_count: statistics.docCount,
            sum_ttf: statistics.sumTotalTermFreq,
          },
        }
      : {}),
    terms: Object.fromEntries(sorted.map(({ term, tokens }) => [term, print(term, tokens)])),
  };
}

/** The best words by term frequency and inverse document frequency, with their scores, as Elasticsearch's TermVectorsFilter chooses them. */
function selectTerms(
  terms: ReadonlyMap<string, readonly Token[]>,
  filter: TermFilter,
  documents: number,
  frequencies: (term: string) => { readonly docFreq: number },
): ReadonlyMap<string, number> {
  const scored: (readonly [term: string, score: number])[] = [];
  const inOrder = [...terms].sort(([a], [b]) => compareTerms(a, b));
  for (const [term, { length: frequency }] of inOrder) {
    const letters = term.length;
    if (frequency < filter.minTermFreq || frequency > filter.maxTermFreq) continue;
    if (letters < filter.minWordLength || letters > filter.maxWordLength) continue;
    const { docFreq } = frequencies(term);
    if (docFreq === 0 || docFreq < filter.minDocFreq || docFreq > filter.maxDocFreq) continue;
    scored.push([term, Math.fround(Math.fround(Math.log((documents + 1) / (docFreq + 1)) + 1) * frequency)]);
  }
  return new Map(bestOf(scored, Math.min(filter.maxTerms, terms.size)));
}

/** The best so many, as Lucene's PriorityQueue keeps them: which of equals are left is a matter of its heap. */
function bestOf<T>(scored: readonly (readonly [T, number])[], most: number): readonly (readonly [T, number])[] {
  if (most < 1) return [];
  const heap: (readonly [T, number])[] = [];
  const at = (place: number): number => heap[place - 1]![1];
  for (const each of scored) {
    if (heap.length < most) {
      let place = heap.push(each);
      for (; place > 1 && each[1] < at(place >> 1); place >>= 1) heap[place - 1] = heap[(place >> 1) - 1]!;
      heap[place - 1] = each;
    } else if (at(1) < each[1]) {
      let place = 1;
      for (;;) {
        let least = place * 2;
        if (least + 1 <= heap.length && at(least + 1) < at(least)) least++;
        if (least > heap.length || at(least) >= each[1]) break;
        heap[place - 1] = heap[least - 1]!;
        place = least;
      }
      heap[place - 1] = each;
    }
  }
  return heap;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
