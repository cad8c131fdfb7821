// Scores changed by functions of the document: weights, values of a field, nearness to an origin, chance. As Elasticsearch's
// FunctionScoreQuery: function values combine by score_mode, and with the query's score by boost_mode.
import { searchError } from '../errors.ts';
import { hasBit } from '../index/bits.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { Explanation } from '../index/search-request.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { geoDistance } from './geo.ts';
import type { FunctionScoreQuery, ScoreFunction } from './query.ts';
import { Scorer, scorerAt, Weight } from './scorer.ts';

/** A function and the weight of its filter. */
export interface BoundFunction {
  readonly definition: ScoreFunction;
  readonly filter: Weight | undefined;
}

type Evaluate = (doc: number) => number;

export class FunctionScoreWeight extends Weight {
  private readonly inner: Weight;
  private readonly query: FunctionScoreQuery;
  private readonly functions: readonly BoundFunction[];

  constructor(inner: Weight, query: FunctionScoreQuery, functions: readonly BoundFunction[]) {
    super();
    this.inner = inner;
    this.query = query;
    this.functions = functions;
  }

  override get parts(): readonly Weight[] {
    return [this.inner, ...this.functions.flatMap(({ filter }) => (filter === undefined ? [] : [filter]))];
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const inner = this.inner.scorer(segment);
    if (inner === undefined) return undefined;
    const functions = this.functions.map(({ definition, filter }) => ({
      weight: definition.weight,
      evaluate: evaluator(definition, segment),
      filter: filter?.bits(segment),
    }));
    return new FunctionScorer(inner, functions, this.query);
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = scorerAt(this, segment, doc);
    const inner = this.inner.explain(segment, doc);
    if (scorer === undefined || inner === undefined) return undefined;
    const mode = this.query.boostMode ?? 'multiply';
    return {
      value: scorer.score(),
      description: `function score, ${mode} of the query and ${this.functions.length} function(s) with score mode [${this.query.scoreMode ?? 'multiply'}]:`,
      details: [inner],
    };
  }
}

class FunctionScorer extends Scorer {
  readonly cost: number;
  private readonly inner: Scorer;
  private readonly functions: readonly {
    readonly weight: number | undefined;
    readonly evaluate: Evaluate;
    readonly filter: Int32Array | undefined;
  }[];
  private readonly query: FunctionScoreQuery;
  private value = 0;

  constructor(inner: Scorer, functions: FunctionScorer['functions'], query: FunctionScoreQuery) {
    super();
    this.inner = inner;
    this.cost = inner.cost;
    this.functions = functions;
    this.query = query;
  }

  next(): number {
    return this.settle(this.inner.next());
  }

  advance(target: number): number {
    return this.settle(this.inner.advance(target));
  }

  private settle(from: number): number {
    const { minScore } = this.query;
    let doc = from;
    while (doc !== NO_MORE_DOCS) {
      this.value = this.compute(doc);
      if (minScore === undefined || this.value >= minScore) break;
      doc = this.inner.next();
    }
    return (this.doc = doc);
  }

  private compute(doc: number): number {
    const { query } = this;
    const score = this.inner.score();
    const factor = Math.min(this.factor(doc), query.maxBoost ?? 3.4028234663852886e38);
    const combined = combine(query.boostMode ?? 'multiply', score, factor);
    if (!(combined >= 0)) throw searchError('SEARCH_BAD_SCORE', { score: String(combined) });
    return Math.fround(combined);
  }

  /** The value of the functions whose filters match; 1 when none does. */
  private factor(doc: number): number {
    const mode = this.query.scoreMode ?? 'multiply';
    let count = 0;
    let weights = 0;
    let result = 0;
    for (const { weight = 1, evaluate, filter } of this.functions) {
      if (filter !== undefined && !hasBit(filter, doc)) continue;
      const value = evaluate(doc) * weight;
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
    return mode === 'avg' ? result / weights : result;
  }

  score(): number {
    return this.value;
  }
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
      const values = valuesOf(segment, definition.field);
      const modify = modifiers[definition.modifier ?? 'none']!;
      return (doc) => {
        const value = values(doc)[0] ?? definition.missing;
        if (value === undefined) throw searchError('SEARCH_MISSING_VALUE', { field: definition.field });
        const result = modify(value * (definition.factor ?? 1));
        if (!Number.isFinite(result) || result < 0) {
          throw searchError('SEARCH_BAD_SCORE', { score: String(result) });
        }
        return result;
      };
    }
    case 'decay': {
      const { shape, scale, offset = 0, decay = 0.5, origin, multiValueMode = 'min' } = definition;
      const distances =
        typeof origin === 'number'
          ? numberDistances(segment, definition.field, origin, offset)
          : pointDistances(segment, definition.field, origin, offset);
      return (doc) => decayAt(shape, joinDistances(distances(doc), multiValueMode), scale, decay);
    }
    case 'random': {
      const { seed, field } = definition;
      const values = field === undefined ? undefined : valuesOf(segment, field);
      // By id where no field is given: a document's number changes with merges and with what the caller may see.
      return (doc) => chance(seed, values === undefined ? segment.id(doc) : String(values(doc)[0] ?? ''));
    }
  }
}

function decayAt(shape: 'gauss' | 'exp' | 'linear', distance: number, scale: number, decay: number): number {
  switch (shape) {
    case 'gauss':
      return Math.exp((distance * distance * Math.log(decay)) / (scale * scale));
    case 'exp':
      return Math.exp((Math.log(decay) / scale) * distance);
    case 'linear': {
      const reach = scale / (1 - decay);
      return Math.max(0, (reach - distance) / reach);
    }
  }
}

function joinDistances(distances: readonly number[], mode: 'min' | 'max' | 'avg' | 'sum'): number {
  // A document without a value stands at the origin: its score is not changed.
  if (distances.length === 0) return 0;
  if (mode === 'min') return Math.min(...distances);
  if (mode === 'max') return Math.max(...distances);
  const sum = distances.reduce((total, distance) => total + distance, 0);
  return mode === 'sum' ? sum : sum / distances.length;
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
    for (let i = from; i < to; i++) {
      distances.push(Math.max(0, geoDistance(origin.lat, origin.lon, lat[i]!, lon[i]!) - offset));
    }
    return distances;
  };
}

/** A number in [0, 1) that seed and text decide. */
function chance(seed: number, text: string): number {
  let hash = seed | 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x5bd1e995) ^ (hash >>> 13);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash ^= hash >>> 12;
  return (hash >>> 8) / 0x1000000;
}
