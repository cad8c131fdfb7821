// `range`, `date_range`, `ip_range` and `geo_distance`: buckets with the bounds of the request, which may overlap.
import type { Json } from '../json/json.ts';
import { isNumeric, type MappedField } from '../mapping/field-type.ts';
import { distanceBetween, planeDistance, type Point } from '../mapping/geo.ts';
import { type Aggregator, type BucketBudget, Buckets, GAP, type SegmentScope } from './aggregator.ts';
import { compareKeys } from '../text/compare-keys.ts';
import { columnField, type EachNumber, numbers, points, terms, unsuitable } from '../columns/values.ts';

/** One range, upper bound excluded. */
export interface Range<Bound> {
  readonly key: string | undefined;
  readonly from: Bound | undefined;
  readonly to: Bound | undefined;
}

/** Options of all range aggregations. */
export interface RangeOptions {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly typeName: string;
  readonly field: string;
  readonly keyed: boolean;
  readonly missing: unknown;
  readonly typedKeys: boolean;
}

/** Options of `geo_distance`: the origin, and the point of documents without one. */
interface Distance {
  readonly origin: Point;
  /** `distance_type: plane`. */
  readonly plane: boolean;
  /** Metres. */
  readonly unit: number;
  readonly missing: Point | undefined;
}

/** Makes a range aggregation over numbers. @param read turns the request's ranges into numbers once the field is known */
export function rangeAggregator(
  options: RangeOptions & {
    read(field: MappedField | undefined): readonly Range<number>[];
    print(value: number, field: MappedField | undefined): string;
    /** Prints `from_as_string`; default: `print`. */
    text?(value: number, field: MappedField | undefined): unknown;
    /** The field with the date format of the request. */
    readonly reading?: (field: MappedField) => MappedField;
    /** Whether bounds also print as text. */
    asString(field: MappedField | undefined): boolean;
    /** `geo_distance`: computes the distance of a point. */
    readonly distance?: Distance;
  },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const owners: (number[] | undefined)[] = [];
  let field: MappedField | undefined;
  let ranges: readonly Range<number>[] | undefined;
  let isMapped: boolean | undefined;
  return {
    name: options.name,
    typeName: options.typeName,
    meta: options.meta,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      const mapped = columnField(options.field, scope.mapping);
      const isDistance = options.distance !== undefined;
      const isKnown = mapped !== undefined || options.distance?.missing !== undefined;
      isMapped ||= isKnown;
      if (!isKnown) return undefined;
      if (mapped !== undefined && (isDistance ? mapped.family !== 'geo' : !isNumeric(mapped)))
        throw unsuitable(mapped, options.field, options.typeName);
      field = mapped;
      const list = (ranges = options.read(mapped));
      const each =
        options.distance !== undefined
          ? distances(scope, mapped, options.distance)
          : mapped && numbers(scope, options.reading?.(mapped) ?? mapped, options.missing);
      if (each === undefined) return buckets.skip(scope);
      const inner = buckets.open(scope);
      const hit = new Uint8Array(list.length);
      return (doc, owner) => {
        const own = (owners[owner] ??= list.map(() => buckets.add()));
        hit.fill(0);
        each(doc, (value) => {
          for (let at = 0; at < list.length; at++) {
            const { from, to } = list[at]!;
            if ((from === undefined || value >= from) && (to === undefined || value < to)) hit[at] = 1;
          }
        });
        for (let at = 0; at < hit.length; at++) if (hit[at] === 1) inner(doc, own[at]!);
      };
    },
    result(owner) {
      const list = ranges ?? options.read(undefined);
      const own = owners[owner];
      const asString = options.asString(field);
      const given = list.map((range, at) => ({ range, bucket: own?.[at] }));
      // Distances stay in the order of the request.
      const ordered =
        options.distance === undefined
          ? given.sort(
              (a, b) =>
                (a.range.from ?? -Infinity) - (b.range.from ?? -Infinity) ||
                (a.range.to ?? Infinity) - (b.range.to ?? Infinity),
            )
          : given;
      const printed = ordered.map(({ range, bucket }) => {
        const isOpen = range.from === undefined || (options.distance !== undefined && range.from === 0);
        const from = isOpen ? undefined : options.print(range.from, field);
        const to = range.to === undefined ? undefined : options.print(range.to, field);
        const key = range.key ?? `${from ?? '*'}-${to ?? '*'}`;
        return [
          key,
          {
            // Distances begin at zero.
            ...(range.from === undefined
              ? options.distance === undefined
                ? {}
                : { from: 0 }
              : {
                  from: range.from,
                  ...(asString ? { from_as_string: options.text?.(range.from, field) ?? from } : {}),
                }),
            ...(range.to === undefined
              ? {}
              : { to: range.to, ...(asString ? { to_as_string: options.text?.(range.to, field) ?? to } : {}) }),
            ...buckets.print(bucket, isMapped === false ? GAP : owner),
          },
        ] as const;
      });
      if (options.keyed) return { buckets: Object.fromEntries(printed) };
      return { buckets: printed.map(([key, rest]) => ({ key, ...rest })) };
    },
  };
}

function distances(scope: SegmentScope, field: MappedField | undefined, to: Distance): EachNumber | undefined {
  const each = points(scope, field, to.missing);
  const metres = to.plane ? planeDistance : distanceBetween;
  return each && ((doc, take) => each(doc, (lat, lon) => take(metres(to.origin, { lat, lon }) / to.unit)));
}

/** Makes an `ip_range` aggregation; bounds are terms. */
export function ipRangeAggregator(
  options: RangeOptions & { readonly ranges: readonly Range<string>[]; print(term: string): string },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const owners: (number[] | undefined)[] = [];
  const list = options.ranges;
  return {
    name: options.name,
    typeName: 'ip_range',
    meta: options.meta,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      const mapped = columnField(options.field, scope.mapping);
      if (mapped === undefined) return buckets.skip(scope);
      if (mapped.family !== 'ip') throw unsuitable(mapped, options.field, 'ip_range');
      const source = terms(scope, mapped, options.missing);
      if (source === undefined) return buckets.skip(scope);
      const inner = buckets.open(scope);
      const hit = new Uint8Array(list.length);
      return (doc, owner) => {
        const own = (owners[owner] ??= list.map(() => buckets.add()));
        hit.fill(0);
        source.each(doc, (ordinal) => {
          const term = source.term(ordinal);
          list.forEach(({ from, to }, at) => {
            if ((from === undefined || compareKeys(term, from) >= 0) && (to === undefined || compareKeys(term, to) < 0))
              hit[at] = 1;
          });
        });
        for (let at = 0; at < hit.length; at++) if (hit[at] === 1) inner(doc, own[at]!);
      };
    },
    result(owner) {
      // As Elasticsearch, which makes no ranges in the empty buckets of a histogram (BinaryRangeAggregator.buildEmptyAggregation).
      if (owner === GAP) return { buckets: options.keyed ? {} : [] };
      const own = owners[owner];
      const printed = list.map((range, at) => {
        const from = range.from === undefined ? undefined : options.print(range.from);
        const to = range.to === undefined ? undefined : options.print(range.to);
        return [
          range.key ?? `${from ?? '*'}-${to ?? '*'}`,
          {
            ...(from === undefined ? {} : { from }),
            ...(to === undefined ? {} : { to }),
            ...buckets.print(own?.[at], owner),
          },
        ] as const;
      });
      if (options.keyed) return { buckets: Object.fromEntries(printed) };
      return { buckets: printed.map(([key, rest]) => ({ key, ...rest })) };
    },
  };
}
