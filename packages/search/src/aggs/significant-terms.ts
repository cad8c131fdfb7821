// `significant_terms` and `significant_text`: the values, or words, that are much more frequent in the documents found than in a background,
// which is all documents that exist for the caller unless a filter says less. Counted exactly.
import { parseInnerQuery } from '../dsl/parse-query.ts';
import { countBits, fullBits, hasBit } from '../index/bits.ts';
import type { Searcher } from '../collect/search-request.ts';
import type { SegmentReader } from '../index/segment.ts';
import { type Json, textOf } from '../json/json.ts';
import { LuceneHeap } from '../collect/lucene-heap.ts';
import { inHashOrder } from '../text/java-order.ts';
import { isNumeric, isWhole, type MappedField, printNumber, printTerm, toNumber } from '../mapping/field-type.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { constantOf, isConstant } from '../mapping/metadata-fields.ts';
import { pathsOfField } from '../mapping/values-of-field.ts';
import { checkTime } from '../tasks/request-budget.ts';
import { RequestError, shardArgument } from '../errors/request-error.ts';
import { type Aggregator, type BucketBudget, Buckets, type Collect, type SegmentScope } from './aggregator.ts';
import { compareKeys } from '../text/compare-keys.ts';
import type { Significance } from './significance.ts';
import type { TermFilter } from './term-filter.ts';
import type { Print } from './definition.ts';
import { SeenPassages, textField, wordsOfTexts } from './text-values.ts';
import { columnField, numbers, terms, unsuitable } from '../columns/values.ts';

/** What both can be told. */
export interface SignificantOptions {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly field: string;
  readonly size: number;
  readonly minDocCount: number;
  /** What documents without a value count as; numbers only. */
  readonly missing: unknown;
  readonly filter: TermFilter | undefined;
  readonly background: unknown;
  readonly print: Print | undefined;
  readonly significance: Significance;
  readonly typedKeys: boolean;
  /** The field holds texts, which stand in the source at these paths. */
  readonly texts?: { readonly paths: readonly string[]; readonly withoutDuplicates: boolean };
}

/** The documents of one segment that are compared with. */
interface Background {
  readonly scope: SegmentScope;
  readonly segment: SegmentReader;
  readonly documents: Int32Array;
}

/** A value that is more frequent than in the background. */
interface Scored {
  readonly key: string | number;
  readonly bucket: number;
  readonly all: number;
  readonly score: number;
}

/** Makes the aggregation. */
export function significantAggregator(
  options: SignificantOptions,
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const owners: (Map<string | number, number> | undefined)[] = [];
  const sizes: number[] = [];
  const scopes = new Map<Searcher, SegmentScope>();
  let field: MappedField | undefined;
  let background: Background[] | undefined;
  let frequencyOf: ((key: string | number) => number) | undefined;

  const count = (owner: number, key: string | number, doc: number, inner: Collect): void => {
    const map = (owners[owner] ??= new Map());
    let bucket = map.get(key);
    if (bucket === undefined) map.set(key, (bucket = buckets.add()));
    inner(doc, bucket);
  };

  const words = options.texts && new WordCounter(options.texts, options.filter, count);
  const openTexts = (scope: SegmentScope, counter: WordCounter): Collect => {
    field = textField(options.field, scope.mapping) ?? field;
    const mapped = field;
    const inner = buckets.open(scope);
    return (doc, owner) => {
      sizes[owner] = (sizes[owner] ?? 0) + 1;
      if (mapped !== undefined) counter.add(owner, { scope, doc, field: mapped, inner });
    };
  };

  return {
    name: options.name,
    get typeName() {
      return typeNameOf(field, options);
    },
    meta: options.meta,
    buckets,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      if (words !== undefined) {
        scopes.set(scope.searcher, scope);
        return openTexts(scope, words);
      }
      const mapped = countedField(options, scope);
      // An index that has no such field is no part of the comparison.
      if (mapped === undefined) return buckets.skip(scope);
      field = mapped;
      scopes.set(scope.searcher, scope);
      const each = eachValue(scope, mapped, options.filter, options.missing);
      const inner = each && buckets.open(scope);
      if (inner === undefined) buckets.skip(scope);
      return (doc, owner) => {
        sizes[owner] = (sizes[owner] ?? 0) + 1;
        if (inner !== undefined) each?.(doc, (key) => count(owner, key, doc, inner));
      };
    },
    result(owner) {
      if (scopes.size === 0) return { buckets: [] };
      words?.finish(owner);
      background ??= [...scopes.values()].flatMap((scope) => backgroundOf(scope, options.background));
      const supersetSize = background.reduce((sum, { documents }) => sum + countBits(documents), 0);
      const subsetSize = sizes[owner] ?? 0;
      const frequency = (key: string | number): number => {
        frequencyOf ??= counter(background ?? [], (mapping) =>
          (options.texts === undefined ? columnField : textField)(options.field, mapping),
        );
        return frequencyOf(options.texts !== undefined && isNumeric(field!) ? Number(key) : key);
      };
      const counted = Array.from(owners[owner] ?? [], ([key, bucket]) => ({
        key,
        bucket,
        count: buckets.counts[bucket]!,
      }));
      const found = scoreAll(counted, { ...options, frequency, subsetSize, supersetSize });
      return {
        doc_count: subsetSize,
        bg_count: supersetSize,
        buckets: mostSignificant(found, options.size, (key) => {
          const { key: shown, key_as_string: text = shown } = shownKey(field!, key, options.print);
          return textOf(text);
        }).map(({ key, bucket, all, score }) => {
          const { doc_count, ...inside } = buckets.print(bucket);
          return { ...shownKey(field!, key, options.print), doc_count, score, bg_count: all, ...inside };
        }),
      };
    },
  };
}

function typeNameOf(field: MappedField | undefined, { texts }: SignificantOptions): string {
  return field !== undefined && isNumeric(field) && texts === undefined ? 'siglterms' : 'sigsterms';
}

/** Counts the words of texts. Where duplicates are left out, it does so when all documents are known: what was seen before depends on their order. */
class WordCounter {
  readonly #texts: Texts;
  readonly #filter: TermFilter | undefined;
  readonly #count: (owner: number, word: string, doc: number, inner: Collect) => void;
  readonly #later: Later[][] = [];
  readonly #paths = new Map<Mapping, readonly string[]>();

  constructor(
    texts: Texts,
    filter: TermFilter | undefined,
    count: (owner: number, word: string, doc: number, inner: Collect) => void,
  ) {
    this.#texts = texts;
    this.#filter = filter;
    this.#count = count;
  }

  add(owner: number, text: Later): void {
    if (this.#texts.withoutDuplicates) (this.#later[owner] ??= []).push(text);
    else this.#countWords(owner, text);
  }

  /** Reads what was left for later of one bucket above, index by index, in the order of each where that may be told. */
  finish(owner: number): void {
    const later = (this.#later[owner] ?? []).splice(0);
    for (const documents of Map.groupBy(later, (each) => each.scope.searcher).values()) {
      const seen = new SeenPassages();
      for (const text of documents.sort(compareLater)) this.#countWords(owner, text, seen);
    }
  }

  /** Where the texts stand in sources: those of a multi-field, and of a field that others are copied to, under other names. */
  #pathsIn(mapping: Mapping): readonly string[] {
    let paths = this.#paths.get(mapping);
    if (paths === undefined) {
      paths = this.#texts.paths.flatMap((path) => {
        const field = mapping.field(path);
        return field === undefined ? [path] : pathsOfField(field, mapping).map((each) => each.path);
      });
      this.#paths.set(mapping, paths);
    }
    return paths;
  }

  #countWords(owner: number, { scope, doc, field, inner }: Later, seen?: SeenPassages): void {
    const paths = this.#pathsIn(scope.mapping);
    for (const word of wordsOfTexts({ segment: scope.segment, doc }, field, paths, seen))
      if (this.#filter?.accepts(word) !== false) this.#count(owner, word, doc, inner);
  }
}

/** Scores the values that enough documents have. */
function scoreAll(
  counted: readonly { readonly key: string | number; readonly bucket: number; readonly count: number }[],
  by: Pick<SignificantOptions, 'minDocCount' | 'significance'> & {
    /** In how many documents of the background a value is. */
    readonly frequency: (key: string | number) => number;
    readonly subsetSize: number;
    readonly supersetSize: number;
  },
): readonly Scored[] {
  const { subsetSize, supersetSize } = by;
  return counted.flatMap(({ key, bucket, count }) => {
    if (count < by.minDocCount) return [];
    checkTime();
    const all = by.frequency(key);
    const score = by.significance({ subsetFreq: count, subsetSize, supersetFreq: all, supersetSize });
    return score > 0 ? [{ key, bucket, all, score }] : [];
  });
}

/** The field whose values are counted. @throws RequestError for one that has none to count */
function countedField(
  { name, field: path, filter, missing }: SignificantOptions,
  scope: SegmentScope,
): MappedField | undefined {
  const mapped = columnField(path, scope.mapping);
  if (missing !== undefined && (mapped === undefined || !isNumeric(mapped)))
    throw new RequestError(
      'SEARCH_SHARD_FAILURE',
      'class_cast_exception',
      `[missing] in significant_terms is for fields of numbers, dates and booleans, which [${path}] is not`,
      { phase: true },
    );
  if (mapped === undefined) return undefined;
  if (mapped.family === 'geo') throw unsuitable(mapped, path, 'significant_terms');
  if (filter?.pattern === true && mapped.family !== 'keyword')
    throw shardArgument(
      `Aggregation [${name}] cannot support regular expression style include/exclude settings as they can only be applied to string fields. Use an array of values for include/exclude clauses`,
    );
  if (mapped.family === 'number' && !isWhole(mapped)) {
    const reason = 'No support for examining floating point numerics';
    throw new RequestError('SEARCH_SHARD_FAILURE', 'unsupported_operation_exception', reason, { phase: true });
  }
  return mapped;
}

/**
 * The first by score. Equal scores come as the heaps of Elasticsearch leave them: that of a shard, which takes the values in their order, and
 * that of the joined answers, which takes them in the order of a HashMap of their texts (InternalSignificantTerms.reduce). Neither depends on
 * the order of documents.
 */
function mostSignificant(
  found: readonly Scored[],
  size: number,
  shown: (key: Scored['key']) => string,
): readonly Scored[] {
  const byText = new Map(found.map((each) => [shown(each.key), each]));
  const first = (list: readonly Scored[], count: number): readonly Scored[] => {
    const heap = new LuceneHeap<Scored>(count, (a, b) => a.score < b.score);
    for (const each of list) heap.offer(each);
    return heap.sorted();
  };
  const ofShard = first(
    found.toSorted((a, b) => compareKeys(a.key, b.key)),
    found.length,
  );
  const joined = inHashOrder(ofShard.map(({ key }) => shown(key))).flatMap((text) => byText.get(text) ?? []);
  return first(joined, Math.min(size, found.length));
}

type Texts = NonNullable<SignificantOptions['texts']>;

/** A document whose texts are yet to be read. */
interface Later {
  readonly scope: SegmentScope;
  readonly doc: number;
  readonly field: MappedField;
  readonly inner: Collect;
}

function compareLater({ scope: a, doc: x }: Later, { scope: b, doc: y }: Later): number {
  if (a.searcher.tiesById === true) return compareKeys(a.segment.id(x), b.segment.id(y));
  return a.segment.base + x - (b.segment.base + y);
}

function shownKey(field: MappedField, key: string | number, print: Print | undefined): Json {
  if (typeof key === 'string') return { key: printTerm(field, key) };
  if (print !== undefined) return { key, key_as_string: print(key, field) };
  if (field.family === 'number') return { key };
  // A boolean is no text here, other than in `terms`.
  return { key, key_as_string: field.family === 'boolean' ? key !== 0 : printNumber(field, key) };
}

/** The values of a document, each once. */
function eachValue(
  scope: SegmentScope,
  field: MappedField,
  filter: TermFilter | undefined,
  missing?: unknown,
): ((doc: number, take: (key: string | number) => void) => void) | undefined {
  if (isNumeric(field)) {
    const each = numbers(scope, field, missing);
    if (each === undefined) return undefined;
    const read = (text: unknown): number => toNumber(field, text);
    return (doc, take) => {
      let last = Number.NaN;
      each(doc, (value) => {
        if (value === last) return;
        last = value;
        if (filter === undefined || filter.acceptsNumber(value, read, true)) take(value);
      });
    };
  }
  const source = terms(scope, field, undefined);
  if (source === undefined) return undefined;
  const known: (string | false | undefined)[] = [];
  return (doc, take) => {
    source.each(doc, (ordinal) => {
      let term = known[ordinal];
      if (term === undefined) {
        const text = source.term(ordinal);
        known[ordinal] = term = filter === undefined || filter.accepts(printTerm(field, text)) ? text : false;
      }
      if (term !== false) take(term);
    });
  };
}

function backgroundOf(scope: SegmentScope, filter: unknown): Background[] {
  const query = filter === undefined ? undefined : parseInnerQuery(filter, scope.context);
  return scope.searcher.segments.map((segment) => ({
    scope,
    segment,
    // The elements of nested fields are documents too, as they are in Lucene.
    documents:
      query === undefined || query.kind === 'match_all'
        ? (scope.searcher.visible(segment) ?? fullBits(segment.docCount))
        : scope.searcher.matchesWithElements(query, segment),
  }));
}

/** How many of some documents of a segment are the found one or one of its nested elements, which have its id. */
function countElements(found: ReturnType<Searcher['find']>, segment: SegmentReader, documents: Int32Array): number {
  if (found?.segment !== segment) return 0;
  const root = found.doc;
  let count = hasBit(documents, root) ? 1 : 0;
  for (let doc = root - 1; doc >= 0 && segment.rootOf(doc) === root; doc--) if (hasBit(documents, doc)) count++;
  return count;
}

/** In how many documents of the background a value is. */
function counter(
  background: readonly Background[],
  fieldOf: (mapping: Mapping) => MappedField | undefined,
): (key: string | number) => number {
  // Of numbers all are counted once, as there is no list of the documents of each.
  const counts = new Map<number, number>();
  for (const { scope, segment, documents } of background) {
    const field = fieldOf(scope.mapping);
    if (field === undefined || !isNumeric(field)) continue;
    const each = eachValue({ ...scope, segment }, field, undefined);
    if (each === undefined) continue;
    checkTime();
    for (let doc = 0; doc < segment.docCount; doc++) {
      if (hasBit(documents, doc))
        each(doc, (value) => void counts.set(Number(value), (counts.get(Number(value)) ?? 0) + 1));
    }
  }
  return (key) => {
    if (typeof key === 'number') return counts.get(key) ?? 0;
    return background.reduce((sum, { scope, segment, documents }) => {
      const field = fieldOf(scope.mapping);
      if (field === undefined) return sum;
      if (field.type === '_id') return sum + countElements(scope.searcher.find(key), segment, documents);
      if (isConstant(field)) return sum + (constantOf(field, scope.context.index) === key ? countBits(documents) : 0);
      const ordinal = segment.terms(field.path)?.lookup(key) ?? -1;
      return ordinal < 0 ? sum : sum + segment.countTerm(field.path, ordinal, documents);
    }, 0);
  };
}
