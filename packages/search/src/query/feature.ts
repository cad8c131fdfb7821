// Scores by one number of the document that is known to say how good it is: nearness in time or place (`distance_feature`), or a
// feature such as a page's rank (`rank_feature`). Formulas and precision are those of Lucene's FeatureField and its distance queries.
import { hasBit } from '../index/bits.ts';
import type { Explanation } from '../index/search-request.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { type Computation, ComputingWeight } from './computing-weight.ts';
import { AllScorer } from './constant.ts';
import { haversine } from '../mapping/great-circle.ts';
import type { DistanceFeatureQuery, RankFeatureQuery } from './query.ts';
import { scorerAt } from './scorer.ts';
import type { Statistics } from './statistics.ts';

const { fround } = Math;

/** Where the values of a column are. */
interface Column {
  readonly starts: Uint32Array | undefined;
  readonly exists: Int32Array | undefined;
}

/** What is computed of a column. */
interface Scores {
  readonly column: Column;
  /** The score of a document with a value. */
  readonly score: (doc: number) => number;
}

function hasValue({ starts, exists }: Column): (doc: number) => boolean {
  if (starts !== undefined) return (doc) => starts[doc] !== starts[doc + 1];
  return exists === undefined ? () => true : (doc) => hasBit(exists, doc);
}

/** Every document with a value, scored by it. */
abstract class FeatureWeight extends ComputingWeight {
  protected abstract scores(segment: SegmentView): Scores | undefined;
  protected abstract readonly description: string;

  protected open(segment: SegmentView): Computation | undefined {
    const scores = this.scores(segment);
    if (scores === undefined) return undefined;
    const { column, score } = scores;
    return {
      candidates: new AllScorer(segment.docCount, 1),
      readsCandidates: false,
      matches: hasValue(column),
      score: (doc) => fround(score(doc)),
    };
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = scorerAt(this, segment, doc);
    return scorer === undefined ? undefined : { value: scorer.score(), description: this.description, details: [] };
  }
}

/** `boost * pivot / (pivot + distance)`; of several values the nearest counts. */
export class DistanceFeatureWeight extends FeatureWeight {
  protected readonly description: string;
  private readonly query: DistanceFeatureQuery;
  private readonly boost: number;

  constructor(statistics: Statistics, query: DistanceFeatureQuery, boost: number) {
    super(statistics);
    this.query = query;
    this.boost = boost;
    this.description = `Distance score, computed as weight * pivotDistance / (pivotDistance + abs(value - origin)) on ${query.field}`;
  }

  protected scores(segment: SegmentView): Scores | undefined {
    const distances = this.distances(segment);
    if (distances === undefined) return undefined;
    const { column, at } = distances;
    const { starts } = column;
    const { boost } = this;
    const { pivot } = this.query;
    const score = (doc: number): number => {
      const end = starts === undefined ? doc + 1 : starts[doc + 1]!;
      let least = Infinity;
      for (let i = starts === undefined ? doc : starts[doc]!; i < end; i++) least = Math.min(least, at(i));
      return boost * (pivot / (pivot + least));
    };
    return { column, score };
  }

  private distances(segment: SegmentView): { readonly column: Column; readonly at: (i: number) => number } | undefined {
    const { field, origin } = this.query;
    if (typeof origin === 'number') {
      const column = segment.number(field);
      return column && { column, at: (i) => Math.abs(column.values[i]! - origin) };
    }
    const column = segment.geo(field);
    return column && { column, at: (i) => haversine(origin.lat, origin.lon, column.lat[i]!, column.lon[i]!) };
  }
}

const floats = new Float32Array(1);
const bits = new Int32Array(floats.buffer);

/** A feature as Lucene keeps it: nine significant bits of a float32. */
function featureBits(value: number): number {
  floats[0] = value;
  return bits[0]! >>> 15;
}

function fromFeatureBits(value: number): number {
  bits[0] = value << 15;
  return floats[0]!;
}

/** A function of the feature's value. */
export class RankFeatureWeight extends FeatureWeight {
  protected readonly description: string;
  private readonly query: RankFeatureQuery;
  private readonly compute: (value: number) => number;

  constructor(statistics: Statistics, query: RankFeatureQuery, boost: number) {
    super(statistics);
    this.query = query;
    const { shape } = query;
    this.description = `${shape.kind} function on the feature ${query.field}`;
    switch (shape.kind) {
      case 'saturation': {
        const pivot = fround(shape.pivot ?? typicalValue(statistics, query.field));
        this.compute = (value) => boost * (1 - pivot / (value + pivot));
        break;
      }
      case 'log':
        this.compute = (value) => boost * Math.log(fround(shape.scalingFactor) + value);
        break;
      case 'sigmoid': {
        const power = (base: number): number => base ** fround(shape.exponent);
        this.compute = (value) =>
          boost * (1 - power(fround(shape.pivot)) / (power(value) + power(fround(shape.pivot))));
        break;
      }
    }
  }

  protected scores(segment: SegmentView): Scores | undefined {
    const column = segment.number(this.query.field);
    if (column === undefined) return undefined;
    const { values, starts } = column;
    const { compute } = this;
    const score = (doc: number): number => {
      const value = values[starts === undefined ? doc : starts[doc]!]!;
      return compute(fromFeatureBits(featureBits(this.query.inverse ? 1 / value : value)));
    };
    return { column, score };
  }
}

/** About the geometric mean of a feature: the mean of its bits (FeatureField.computePivotFeatureValue), over what the caller sees. */
function typicalValue(statistics: Statistics, field: string): number {
  let sum = 0;
  let count = 0;
  for (const segment of statistics.segments) {
    const column = segment.number(field);
    if (column === undefined) continue;
    const visible = statistics.visible(segment);
    const { values, starts, exists } = column;
    for (let doc = 0; doc < segment.docCount; doc++) {
      if (visible !== undefined && !hasBit(visible, doc)) continue;
      if (starts !== undefined ? starts[doc] === starts[doc + 1] : exists !== undefined && !hasBit(exists, doc))
        continue;
      sum += featureBits(values[starts === undefined ? doc : starts[doc]!]!);
      count++;
    }
  }
  return count === 0 ? 1 : fromFeatureBits(Math.trunc(fround(sum / count)));
}
