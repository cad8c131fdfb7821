// `t_test`: how likely two populations of numbers have one mean: two fields of the same documents, or fields of documents that
// filters tell apart. The sums and what is computed of them are Elasticsearch's (PairedTTestState, UnpairedTTestState).
import type { Json } from '../json/json.ts';
import { shardArgument } from '../errors/request-error.ts';
import type { Aggregator, SegmentScope } from './aggregator.ts';
import { matcher } from './filters.ts';
import { numericField } from './metrics.ts';
import { Stats } from './stats.ts';
import { studentTail } from './student-t.ts';
import { type EachNumber, numbers } from '../columns/values.ts';

/** One of the two populations. */
export interface Population {
  readonly field: string;
  readonly missing: unknown;
  /** Which documents are in it; undefined: all. */
  readonly filter: unknown;
}

/** Options. */
export interface TTestOptions {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly a: Population;
  readonly b: Population;
  readonly type: 'paired' | 'homoscedastic' | 'heteroscedastic';
  readonly tails: number;
  readonly print: ((value: number) => string) | undefined;
}

interface Reading {
  readonly each: EachNumber;
  readonly matches: ((doc: number) => boolean) | undefined;
}

/** Makes the aggregation. */
export function tTestAggregator(options: TTestOptions): Aggregator {
  const { name, meta, type, tails, print } = options;
  const pairs: (Stats | undefined)[] = [];
  const populations: (readonly [Stats, Stats])[] = [];
  const open = (population: Population, scope: SegmentScope): Reading | undefined => {
    const field = numericField({ name, meta, ...population }, scope, 't_test');
    const matches = population.filter === undefined ? undefined : matcher(scope, population.filter);
    const each = field === undefined ? undefined : numbers(scope, field, population.missing);
    return each === undefined ? undefined : { each, matches };
  };
  return {
    name,
    typeName: 't_test',
    meta,
    needsScores: false,
    open(scope) {
      const [a, b] = [open(options.a, scope), open(options.b, scope)];
      if (type === 'paired') {
        if (a === undefined || b === undefined) return undefined;
        return (doc, bucket) => {
          const [x, y] = [valuesOf(a.each, doc), valuesOf(b.each, doc)];
          // Of a document without a pair nothing is told: where no document has one, there is no column either.
          if (x.length > 0 && y.length > 0) (pairs[bucket] ??= new Stats()).add(only(x) - only(y));
        };
      }
      if (a === undefined && b === undefined) return undefined;
      return (doc, bucket) => {
        const [first, second] = (populations[bucket] ??= [new Stats(), new Stats()]);
        if (a !== undefined && a.matches?.(doc) !== false) a.each(doc, (value) => first.add(value));
        if (b !== undefined && b.matches?.(doc) !== false) b.each(doc, (value) => second.add(value));
      };
    },
    result(bucket) {
      const value =
        type === 'paired'
          ? paired(pairs[bucket] ?? new Stats())
          : unpaired(populations[bucket] ?? [new Stats(), new Stats()], type === 'homoscedastic');
      const whole = value * tails;
      if (!Number.isFinite(whole)) return { value: null };
      return { value: whole, ...(print === undefined ? {} : { value_as_string: print(whole) }) };
    },
  };
}

function valuesOf(each: EachNumber, doc: number): readonly number[] {
  const values: number[] = [];
  each(doc, (value) => values.push(value));
  return values;
}

function only(values: readonly number[]): number {
  if (values.length === 1) return values[0]!;
  throw shardArgument(
    'Encountered more than one value for a single document. Use a script to combine multiple values per doc into a single value.',
  );
}

function paired({ count, sum, squares }: Stats): number {
  if (count < 2) return Number.NaN;
  const mean = sum / count;
  const variance = (squares - (sum * sum) / count) / count;
  if (variance <= 0) return mean === 0 ? Number.NaN : 0;
  return studentTail(Math.abs(mean / (Math.sqrt(variance) / Math.sqrt(count - 1))), count - 1);
}

const varianceOf = ({ count, sum, squares }: Stats): number => (squares - (sum * sum) / count) / (count - 1);

function unpaired([a, b]: readonly [Stats, Stats], sameVariance: boolean): number {
  if (a.count < 2 || b.count < 2) return Number.NaN;
  const difference = Math.abs(a.sum / a.count - b.sum / b.count);
  if (sameVariance) {
    const degrees = a.count + b.count - 2;
    const variance = ((a.count - 1) * varianceOf(a) + (b.count - 1) * varianceOf(b)) / degrees;
    return studentTail(difference / Math.sqrt(variance * (1 / a.count + 1 / b.count)), degrees);
  }
  const ofA = varianceOf(a) / a.count;
  const ofB = varianceOf(b) / b.count;
  const degrees = (ofA + ofB) ** 2 / (ofA ** 2 / (a.count - 1) + ofB ** 2 / (b.count - 1));
  return studentTail(difference / Math.sqrt(ofA + ofB), degrees);
}
