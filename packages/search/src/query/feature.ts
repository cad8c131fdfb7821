// Scores by one number of the document: distance in time or space (`distance_feature`), or a feature such as a page rank
// (`rank_feature`). Formulas and precision of Lucene's FeatureField and its distance queries.
import { hasBit } from '../index/bits.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { type Computation, ComputingWeight } from './computing-weight.ts';
import { AllScorer } from './constant.ts';
import { fromFeatureBits } from '../mapping/feature-terms.ts';
import { type FeatureValues, featureValues, typicalValue } from './feature-values.ts';
import { fromPlace, nanosPath, nanosSince } from '../mapping/nanos.ts';
import { haversine } from '../mapping/great-circle.ts';
import type { DistanceFeatureQuery, RankFeatureQuery } from './kinds/features.ts';
import { scorerAt } from './scorer.ts';
import type { Statistics } from './statistics.ts';

const { fround } = Math;

/** A column with the range of values of each document. */
interface Column {
  readonly starts: Uint32Array | undefined;
  readonly exists: Int32Array | undefined;
}

/** Scores computed from a column. */
interface Scores {
  /** Whether a document has a value. */
  readonly has: (doc: number) => boolean;
  /** The score of a document with a value. */
  readonly score: (doc: number) => number;
}

function hasValue({ starts, exists }: Column): (doc: number) => boolean {
  if (starts !== undefined) return (doc) => starts[doc] !== starts[doc + 1];
  return exists === undefined ? () => true : (doc) => hasBit(exists, doc);
}

/** Matches documents with a value and scores them by it. */
abstract class FeatureWeight extends ComputingWeight {
  protected abstract scores(segment: SegmentView): Scores | undefined;
  protected abstract readonly description: string;
  protected abstract details(segment: SegmentView, doc: number): readonly Explanation[];

  protected open(segment: SegmentView): Computation | undefined {
    const scores = this.scores(segment);
    if (scores === undefined) return undefined;
    const { has, score } = scores;
    return {
      candidates: new AllScorer(segment.docCount, 1),
      readsCandidates: false,
      matches: has,
      score: (doc) => fround(score(doc)),
    };
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = scorerAt(this, segment, doc);
    if (scorer === undefined) return undefined;
    return { value: scorer.score(), description: this.description, details: this.details(segment, doc) };
  }
}

/** `boost * pivot / (pivot + distance)`; the nearest of several values counts. */
export class DistanceFeatureWeight extends FeatureWeight {
  protected readonly description: string;
  private readonly query: DistanceFeatureQuery;
  private readonly boost: number;

  constructor(statistics: Statistics, query: DistanceFeatureQuery, boost: number) {
    super(statistics);
    this.query = query;
    this.boost = boost;
    const far = typeof query.origin === 'number' ? 'value - origin' : 'distance';
    this.description = `Distance score, computed as weight * pivotDistance / (pivotDistance + abs(${far})) from:`;
  }

  override explainMiss(_segment: SegmentView, doc: number): string | undefined {
    // The number would tell of hidden documents.
    return this.statistics.restricted
      ? undefined
      : `Document ${doc} doesn't have a value for field ${this.query.field}`;
  }

  protected scores(segment: SegmentView): Scores | undefined {
    const distances = this.distances(segment);
    if (distances === undefined) return undefined;
    const { column, at } = distances;
    const { starts } = column;
    const { boost } = this;
    const pivot = this.pivot();
    const score = (doc: number): number => {
      const end = starts === undefined ? doc + 1 : starts[doc + 1]!;
      let least = Infinity;
      for (let i = starts === undefined ? doc : starts[doc]!; i < end; i++) least = Math.min(least, at(i));
      return boost * (pivot / (pivot + least));
    };
    return { has: hasValue(column), score };
  }

  protected details(segment: SegmentView, doc: number): readonly Explanation[] {
    const { field, origin, originNanos } = this.query;
    const { at, column } = this.distances(segment)!;
    const [first, end] = column.starts === undefined ? [doc, doc + 1] : [column.starts[doc]!, column.starts[doc + 1]!];
    let nearest = first;
    for (let i = first; i < end; i++) if (at(i) < at(nearest)) nearest = i;
    const common = [told(this.boost, 'weight'), told(this.pivot(), 'pivotDistance')];
    if (typeof origin === 'number') {
      const values =
        originNanos === undefined
          ? [origin, segment.number(field)!.values[nearest]!]
          : [this.originNanos(), fromPlace(segment.number(nanosPath(field))!.values[nearest]!)].map(Number);
      return [...common, told(values[0]!, 'origin'), told(values[1]!, 'current value')];
    }
    const { lat, lon } = segment.geo(field)!;
    return [
      ...common,
      told(origin.lat, 'originLat'),
      told(origin.lon, 'originLon'),
      told(lat[nearest]!, 'current lat'),
      told(lon[nearest]!, 'current lon'),
      told(at(nearest), 'distance'),
    ];
  }

  /** In the unit of the distances: dates to the nanosecond are that many nanoseconds apart. */
  private pivot(): number {
    const { originNanos, pivot } = this.query;
    return originNanos === undefined ? pivot : pivot * 1e6;
  }

  private originNanos(): bigint {
    const { origin, originNanos = 0 } = this.query;
    return nanosSince({ millis: Number(origin), nanos: originNanos });
  }

  private distances(segment: SegmentView): { readonly column: Column; readonly at: (i: number) => number } | undefined {
    const { field, origin, originNanos } = this.query;
    if (typeof origin === 'number' && originNanos !== undefined) {
      const column = segment.number(nanosPath(field));
      const from = this.originNanos();
      return column && { column, at: (i) => Math.abs(Number(fromPlace(column.values[i]!) - from)) };
    }
    if (typeof origin === 'number') {
      const column = segment.number(field);
      return column && { column, at: (i) => Math.abs(column.values[i]! - origin) };
    }
    const column = segment.geo(field);
    return column && { column, at: (i) => haversine(origin.lat, origin.lon, column.lat[i]!, column.lon[i]!) };
  }
}

function told(value: number, description: string): Explanation {
  return { value, description, details: [], isDouble: true };
}

/** The numbers of a feature are floats. */
function toldFloat(value: number, description: string): Explanation {
  return { value, description, details: [] };
}

const HALF = 'k, pivot feature value that would give a score contribution equal to w/2';
const EXPONENT = 'a, exponent, higher values make the function grow slower before k and faster after k';

/** Scores by a function of the feature. */
export class RankFeatureWeight extends FeatureWeight {
  protected readonly description: string;
  private readonly query: RankFeatureQuery;
  private readonly compute: (value: number) => number;
  private readonly boost: number;
  private readonly parameters: readonly Explanation[];
  private readonly found = new Map<SegmentView, FeatureValues | undefined>();

  constructor(statistics: Statistics, query: RankFeatureQuery, boost: number) {
    super(statistics);
    this.query = query;
    const { feature, field, shape } = query;
    this.boost = boost;
    const formula = { saturation: 'w * S / (S + k)', log: 'w * log(a + S)', sigmoid: 'w * S^a / (S^a + k^a)' }[
      shape.kind
    ];
    const name = shape.kind.slice(0, 1).toUpperCase() + shape.kind.slice(1);
    this.description = `${name} function on the ${feature === undefined ? '_feature' : field} field for the ${feature ?? field} feature, computed as ${formula} from:`;
    switch (shape.kind) {
      case 'saturation': {
        const pivot = fround(shape.pivot ?? typicalValue(statistics, query));
        this.parameters = [toldFloat(pivot, HALF)];
        this.compute = (value) => boost * fround(1 - fround(pivot / fround(value + pivot)));
        break;
      }
      case 'log':
        this.parameters = [toldFloat(fround(shape.scalingFactor), 'a, scaling factor')];
        this.compute = (value) => {
          const sum = fround(shape.scalingFactor) + value;
          // A sum beyond the floats keeps a finite logarithm.
          return boost * Math.log(fround(sum) === Infinity ? sum : fround(sum));
        };
        break;
      case 'sigmoid': {
        // Lucene prints the pivot as the exponent.
        this.parameters = [toldFloat(fround(shape.pivot), HALF), toldFloat(fround(shape.pivot), EXPONENT)];
        const pivot = fround(shape.pivot);
        const power = (base: number): number => base ** fround(shape.exponent);
        const pivotPower = power(pivot);
        this.compute = (value) => {
          const share = 1 - pivotPower / (power(value) + pivotPower);
          // Where both powers are infinite or zero, only their quotient has a value.
          return boost * (Number.isNaN(share) ? 1 / (1 + power(pivot / value)) : share);
        };
        break;
      }
    }
  }

  protected scores(segment: SegmentView): Scores | undefined {
    const values = this.values(segment);
    if (values === undefined) return undefined;
    const { compute } = this;
    const { bits, has } = values;
    return { has, score: (doc) => compute(fromFeatureBits(bits(doc))) };
  }

  private values(segment: SegmentView): FeatureValues | undefined {
    let found = this.found.get(segment);
    if (found === undefined && !this.found.has(segment))
      this.found.set(segment, (found = featureValues(this.statistics, this.query, segment)));
    return found;
  }

  protected details(segment: SegmentView, doc: number): readonly Explanation[] {
    const value = toldFloat(fromFeatureBits(this.values(segment)!.bits(doc)), 'S, feature value');
    return [toldFloat(this.boost, 'w, weight of this function'), ...this.parameters, value];
  }
}
