// Elasticsearch's FunctionScoreQuery: weights, field values, decay and random values are combined by `score_mode`, and with the query's
// score by `boost_mode`.
import { javaDouble } from '../json/java-values.ts';
import { hasBit } from '../index/bits.ts';
import type { Explanation } from './explanation.ts';
import { murmur3OfText } from '../index/shard-hash.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { fromPlace } from '../mapping/nanos.ts';
import { type Computation, type Computed, ComputingWeight } from './computing-weight.ts';
import { haversine } from '../mapping/great-circle.ts';
import type { FunctionScoreQuery, MultiValueMode, RandomField, ScoreFunction } from './kinds/function-score.ts';
import { type Failure, type Scorer, scorerAt, type Weight } from './scorer.ts';
import type { Statistics } from './statistics.ts';

/** A function and its compiled filter. */
export interface BoundFunction {
  readonly definition: ScoreFunction;
  readonly filter: Weight | undefined;
}

type Evaluate = (doc: number) => Computed;

const INVALID: Failure = { code: 'SEARCH_BAD_SCORE', values: {} };
/** Replacements for failures, by modifier. */
const REMEDIES: Readonly<Record<string, string>> = {
  ln: '; consider using ln1p or ln2p instead of ln to avoid negative scores',
  log: '; consider using log1p or log2p instead of log to avoid negative scores',
};
const MAX_FLOAT = 3.4028234663852886e38;

export class FunctionScoreWeight extends ComputingWeight {
  private readonly inner: Weight;
  private readonly query: FunctionScoreQuery;
  private readonly functions: readonly BoundFunction[];

  constructor(statistics: Statistics, inner: Weight, query: FunctionScoreQuery, functions: readonly BoundFunction[]) {
    super(statistics);
    this.inner = inner;
    this.query = query;
    this.functions = functions;
  }

  override get parts(): readonly Weight[] {
    return [this.inner, ...this.functions.flatMap(({ filter }) => (filter === undefined ? [] : [filter]))];
  }

  override get mayFail(): boolean {
    return true;
  }

  protected open(segment: SegmentView): Computation | undefined {
    const candidates = this.inner.scorer(segment);
    if (candidates === undefined) return undefined;
    const { minScore, boostMode = 'multiply', maxBoost = MAX_FLOAT } = this.query;
    const withoutFunctions = this.functions.length === 0;
    const readsCandidates = boostMode !== 'replace' || withoutFunctions;
    const factorOf = this.factors(segment);
    const compute: Evaluate = (doc) => {
      const factor = factorOf(doc);
      if (typeof factor !== 'number') return factor;
      const score = readsCandidates ? candidates.score() : 0;
      if (withoutFunctions) return score;
      const combined = combine(boostMode, score, Math.min(factor, maxBoost));
      return combined >= 0 ? Math.fround(combined) : INVALID;
    };
    if (minScore === undefined) return { candidates, readsCandidates, score: compute };
    // Computed once, as a scorer is asked once per document.
    let score: Computed = 0;
    return {
      candidates,
      readsCandidates: false,
      matches(doc) {
        score = compute(doc);
        return typeof score === 'number' ? score >= minScore : score;
      },
      score: () => score,
    };
  }

  /** The combined value of the functions whose filters match; 1 if none does. */
  private factors(segment: SegmentView): Evaluate {
    // A single function without a filter is taken as it is.
    const isSingle = this.functions.length === 1 && this.functions[0]!.filter === undefined;
    const mode = isSingle ? 'first' : (this.query.scoreMode ?? 'multiply');
    const functions = this.functions.map(({ definition, filter }) => ({
      weight: definition.weight ?? 1,
      evaluate: evaluator(definition, segment),
      applies: filter === undefined ? undefined : membership(filter, segment),
    }));
    return (doc) => {
      let count = 0;
      let weights = 0;
      let result = 0;
      for (const { weight, evaluate, applies } of functions) {
        if (applies !== undefined && !applies(doc)) continue;
        const found = evaluate(doc);
        if (typeof found !== 'number') return found;
        const value = found * weight;
        weights += weight;
        count++;
        if (count === 1) result = value;
        else if (mode === 'multiply') result *= value;
        else if (mode === 'max') result = Math.max(result, value);
        else if (mode === 'min') result = Math.min(result, value);
        else result += value;
        if (mode === 'first') break;
      }
      if (count === 0) return 1;
      if (weights === 0 && (mode === 'avg' || mode === 'sum')) return 1;
      return mode === 'avg' ? result / weights : result;
    };
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = scorerAt(this, segment, doc);
    const inner = this.inner.explain(segment, doc);
    if (scorer === undefined || inner === undefined) return undefined;
    const mode = this.query.boostMode ?? 'multiply';
    scorer.check(true);
    return {
      value: scorer.score(),
      description: `function score, ${mode} of the query and ${this.functions.length} function(s) with score mode [${this.query.scoreMode ?? 'multiply'}]:`,
      details: [inner],
    };
  }
}

/** Whether a filter matches; call it for documents in ascending order. */
function membership(filter: Weight, segment: SegmentView): (doc: number) => boolean {
  if (!filter.mayFail) {
    const bits = filter.bits(segment);
    return (doc) => hasBit(bits, doc);
  }
  let scorer: Scorer | undefined;
  let opened = false;
  return (doc) => {
    if (!opened) scorer = filter.scorer(segment);
    opened = true;
    if (scorer === undefined) return false;
    if (scorer.doc < doc) scorer.advance(doc);
    if (scorer.doc !== doc) return false;
    scorer.check(false);
    return true;
  };
}

function combine(mode: NonNullable<FunctionScoreQuery['boostMode']>, score: number, factor: number): number {
  switch (mode) {
    case 'multiply':
      return score * factor;
    case 'replace':
      return factor;
    case 'sum':
      return score + factor;
    case 'avg':
      return (score + factor) / 2;
    case 'max':
      return Math.max(score, factor);
    case 'min':
      return Math.min(score, factor);
  }
}

const modifiers: Readonly<Record<string, (value: number) => number>> = {
  none: (value) => value,
  log: Math.log10,
  log1p: (value) => Math.log10(value + 1),
  log2p: (value) => Math.log10(value + 2),
  ln: Math.log,
  ln1p: Math.log1p,
  ln2p: (value) => Math.log1p(value + 1),
  square: (value) => value * value,
  sqrt: Math.sqrt,
  reciprocal: (value) => 1 / value,
};

function evaluator({ function: definition }: ScoreFunction, segment: SegmentView): Evaluate {
  if (definition === undefined) return () => 1;
  switch (definition.kind) {
    case 'field_value_factor': {
      const valueOf = firstOf(segment, definition.field);
      const { factor = 1, modifier = 'none' } = definition;
      const modify = modifiers[modifier]!;
      const negative: Failure = { code: 'SEARCH_NEGATIVE_FACTOR', values: { remedy: REMEDIES[modifier] ?? '' } };
      const missing: Failure = { code: 'SEARCH_MISSING_VALUE', values: { field: definition.field } };
      return (doc) => {
        const value = valueOf(doc) ?? definition.missing;
        if (value === undefined) return missing;
        const result = modify(value * factor);
        return result < 0 ? negative : result;
      };
    }
    case 'decay': {
      const { shape, scale, offset = 0, decay = 0.5, origin, multiValueMode = 'min' } = definition;
      const distances =
        typeof origin === 'number'
          ? numberDistances(segment, definition.field, origin, offset)
          : pointDistances(segment, definition.field, origin, offset);
      const reach = reachOf(shape, scale, decay);
      return (doc) => decayAt(shape, joinDistances(distances(doc), multiValueMode), reach);
    }
    case 'random': {
      const { seed, field } = definition;
      // By id without a field: doc ids change with merges and depend on hidden documents.
      const textOf = field === undefined ? (doc: number) => segment.id(doc) : firstText(segment, field);
      return (doc) => {
        const text = textOf(doc);
        const hash = text === undefined ? seed : murmur3OfText(text, seed);
        // A float holds the lower 24 bits.
        return (hash & 0xffffff) / 0x1000000;
      };
    }
  }
}

type Shape = 'gauss' | 'exp' | 'linear';

/** The decay curve of a shape. */
function reachOf(shape: Shape, scale: number, decay: number): number {
  switch (shape) {
    case 'gauss':
      return (0.5 * scale * scale) / Math.log(decay);
    case 'exp':
      return Math.log(decay) / scale;
    case 'linear':
      return scale / (1 - decay);
  }
}

function decayAt(shape: Shape, distance: number, reach: number): number {
  switch (shape) {
    case 'gauss':
      return Math.exp((0.5 * distance * distance) / reach);
    case 'exp':
      return Math.exp(reach * distance);
    case 'linear':
      return Math.max(0, (reach - distance) / reach);
  }
}

function joinDistances(distances: readonly number[], mode: MultiValueMode): number {
  // A document without a value counts as at the origin.
  if (distances.length === 0) return 0;
  if (mode === 'min') return distances.reduce((least, distance) => Math.min(least, distance));
  if (mode === 'max') return distances.reduce((most, distance) => Math.max(most, distance));
  if (mode === 'median') {
    const sorted = distances.toSorted((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  }
  const sum = distances.reduce((total, distance) => total + distance, 0);
  return mode === 'sum' ? sum : sum / distances.length;
}

/** The lowest value of a document. */
function firstOf(segment: SegmentView, field: string): (doc: number) => number | undefined {
  const column = segment.number(field);
  if (column === undefined) return () => undefined;
  const { values, starts, exists } = column;
  if (starts !== undefined) return (doc) => (starts[doc] === starts[doc + 1] ? undefined : values[starts[doc]!]);
  return exists === undefined ? (doc) => values[doc] : (doc) => (hasBit(exists, doc) ? values[doc] : undefined);
}

function valuesOf(segment: SegmentView, field: string): (doc: number) => readonly number[] {
  const column = segment.number(field);
  if (column === undefined) return () => [];
  const { values, starts, exists } = column;
  if (starts === undefined) return (doc) => (exists === undefined || hasBit(exists, doc) ? [values[doc]!] : []);
  return (doc) => [...values.subarray(starts[doc], starts[doc + 1])];
}

function numberDistances(
  segment: SegmentView,
  field: string,
  origin: number,
  offset: number,
): (doc: number) => readonly number[] {
  const values = valuesOf(segment, field);
  return (doc) => values(doc).map((value) => Math.max(0, Math.abs(value - origin) - offset));
}

function pointDistances(
  segment: SegmentView,
  field: string,
  origin: { readonly lat: number; readonly lon: number },
  offset: number,
): (doc: number) => readonly number[] {
  const column = segment.geo(field);
  if (column === undefined) return () => [];
  const { lat, lon, starts, exists } = column;
  return (doc) => {
    if (starts === undefined && exists !== undefined && !hasBit(exists, doc)) return [];
    const from = starts === undefined ? doc : starts[doc]!;
    const to = starts === undefined ? doc + 1 : starts[doc + 1]!;
    const distances: number[] = [];
    for (let i = from; i < to; i++)
      distances.push(Math.max(0, haversine(origin.lat, origin.lon, lat[i]!, lon[i]!) - offset));
    return distances;
  };
}

/** Prints the lowest value of a document like Elasticsearch's field data; undefined without a value. */
function firstText(segment: SegmentView, { path, as }: RandomField): (doc: number) => string | undefined {
  if (as === 'term') {
    const column = segment.keyword(path);
    if (column === undefined) return () => undefined;
    const { ordinals, starts, terms } = column;
    return (doc) => {
      const at = starts === undefined ? doc : starts[doc]!;
      const ordinal = starts !== undefined && at === starts[doc + 1] ? 0 : ordinals[at]!;
      return ordinal === 0 ? undefined : terms.term(ordinal - 1);
    };
  }
  const valueOf = firstOf(segment, path);
  return (doc) => {
    const value = valueOf(doc);
    if (value === undefined) return undefined;
    return as === 'nanos' ? String(fromPlace(value)) : as === 'whole' ? String(value) : javaDouble(value);
  };
}
