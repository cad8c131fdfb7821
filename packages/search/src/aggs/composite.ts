// `composite`: a bucket a combination of values of several sources, in order, in pages (`after`). Also the geo grids, which
// are buckets of map tiles.
import { spend } from '../request-budget.ts';
import type { Json } from '../json.ts';
import { isNumeric, type MappedField, printTerm } from '../mapping/field-type.ts';
import { type Aggregator, type BucketBudget, Buckets, type SegmentScope } from './aggregator.ts';
import { compareKeys } from './bucket-order.ts';
import type { Rounding } from './histogram.ts';
import { columnField, numbers, terms } from './values.ts';
import { shardArgument } from '../request-error.ts';

/** One source of a composite. */
export interface CompositeSource {
  readonly name: string;
  readonly kind: 'terms' | 'histogram' | 'date_histogram';
  readonly field: string;
  readonly descending: boolean;
  readonly missingBucket: boolean;
  readonly rounding: Rounding | undefined;
  readonly print: ((value: number, field: MappedField | undefined) => string | undefined) | undefined;
  /** Reads a value of `after` back. */
  read(value: unknown, field: MappedField | undefined): string | number | null;
}

type Key = readonly (string | number | null)[];

/** Makes a `composite` aggregation. */
export function compositeAggregator(
  options: {
    readonly name: string;
    readonly meta: Json | undefined;
    readonly size: number;
    readonly sources: readonly CompositeSource[];
    readonly after: Json | undefined;
    readonly typedKeys: boolean;
  },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const found = new Map<string, { readonly key: Key; readonly bucket: number }>();
  const fields: (MappedField | undefined)[] = options.sources.map(() => undefined);
  const compare = (a: Key, b: Key): number => {
    for (let at = 0; at < options.sources.length; at++) {
      const x = a[at] ?? null;
      const y = b[at] ?? null;
      const compared = x === y ? 0 : x === null ? -1 : y === null ? 1 : compareKeys(x, y);
      if (compared !== 0) return options.sources[at]!.descending ? -compared : compared;
    }
    return 0;
  };
  const print = (key: Key): Json =>
    Object.fromEntries(
      options.sources.map((source, at) => {
        const value = key[at] ?? null;
        const field = fields[at];
        if (typeof value === 'number') {
          const text = source.print?.(value, field);
          return [source.name, text ?? (field?.family === 'boolean' ? value === 1 : value)];
        }
        return [source.name, value === null || field === undefined ? value : printTerm(field, value)];
      }),
    );
  return {
    name: options.name,
    typeName: 'composite',
    meta: options.meta,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      const readers = options.sources.map((source, at) => reader(scope, source, (field) => (fields[at] = field)));
      if (readers.some((read, at) => read === undefined && !options.sources[at]!.missingBucket)) return undefined;
      const inner = buckets.open(scope);
      const after =
        options.after === undefined
          ? undefined
          : options.sources.map((source, at) => source.read(options.after![source.name], fields[at]));
      return (doc) => {
        let keys: (string | number | null)[][] = [[]];
        for (let at = 0; at < readers.length; at++) {
          const values: (string | number | null)[] = [];
          readers[at]?.(doc, (value) => {
            if (values.at(-1) !== value) values.push(value);
          });
          if (values.length === 0) {
            if (!options.sources[at]!.missingBucket) return;
            values.push(null);
          }
          keys = keys.flatMap((key) => values.map((value) => [...key, value]));
        }
        for (const key of keys) {
          if (after !== undefined && compare(key, after) <= 0) continue;
          const id = JSON.stringify(key);
          let entry = found.get(id);
          if (entry === undefined) found.set(id, (entry = { key, bucket: buckets.add() }));
          inner(doc, entry.bucket);
        }
      };
    },
    result() {
      const sorted = [...found.values()].sort((a, b) => {
        spend(64);
        return compare(a.key, b.key);
      });
      const shown = sorted.slice(0, options.size);
      const last = shown.at(-1);
      return {
        ...(last === undefined ? {} : { after_key: print(last.key) }),
        buckets: shown.map(({ key, bucket }) => ({ key: print(key), ...buckets.print(bucket) })),
      };
    },
  };
}

function reader(
  scope: SegmentScope,
  source: CompositeSource,
  learn: (field: MappedField) => void,
): ((doc: number, take: (value: string | number) => void) => void) | undefined {
  const field = columnField(source.field, scope.mapping);
  if (field === undefined) return undefined;
  learn(field);
  if (isNumeric(field)) {
    const each = numbers(scope, field, undefined);
    const { rounding } = source;
    return each && ((doc, take) => each(doc, (value) => take(rounding === undefined ? value : rounding.down(value))));
  }
  if (source.kind !== 'terms') {
    throw shardArgument(
      `invalid source for [${source.kind}] in [${source.name}]: field [${source.field}] is of type [${field.type}]`,
    );
  }
  const values = terms(scope, field, undefined);
  return values && ((doc, take) => values.each(doc, (ordinal) => take(values.term(ordinal))));
}

const BASE32 = '0123456789bcdefghjkmnpqrstuvwxyz';

/** The geohash cell of a point. */
export function geohash(lat: number, lon: number, precision: number): string {
  let south = -90;
  let north = 90;
  let west = -180;
  let east = 180;
  let hash = '';
  for (let bit = 0, digit = 0; hash.length < precision; bit++) {
    digit <<= 1;
    if (bit % 2 === 0) {
      const middle = (west + east) / 2;
      if (lon >= middle) {
        digit |= 1;
        west = middle;
      } else east = middle;
    } else {
      const middle = (south + north) / 2;
      if (lat >= middle) {
        digit |= 1;
        south = middle;
      } else north = middle;
    }
    if (bit % 5 === 4) {
      hash += BASE32[digit];
      digit = 0;
    }
  }
  return hash;
}

/** The web-mercator tile of a point, `zoom/x/y`. */
export function geotile(lat: number, lon: number, zoom: number): string {
  const tiles = 2 ** zoom;
  const radians = (Math.min(85.0511287798066, Math.max(-85.0511287798066, lat)) * Math.PI) / 180;
  const x = Math.floor(((lon + 180) / 360) * tiles);
  const y = Math.floor(((1 - Math.log(Math.tan(radians) + 1 / Math.cos(radians)) / Math.PI) / 2) * tiles);
  const clamp = (value: number): number => Math.max(0, Math.min(tiles - 1, value));
  return `${zoom}/${clamp(x)}/${clamp(y)}`;
}

/** Makes `geohash_grid` or `geotile_grid`. */
export function geoGridAggregator(
  options: {
    readonly name: string;
    readonly meta: Json | undefined;
    readonly typeName: 'geohash_grid' | 'geotile_grid';
    readonly field: string;
    readonly size: number;
    cell(lat: number, lon: number): string;
    readonly typedKeys: boolean;
  },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const owners: (Map<string, number> | undefined)[] = [];
  return {
    name: options.name,
    typeName: options.typeName,
    meta: options.meta,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      const field = scope.mapping.field(options.field);
      if (field === undefined) return undefined;
      if (field.family !== 'geo') {
        throw shardArgument(
          `Field [${options.field}] of type [${field.type}] is not supported for aggregation [${options.typeName}]`,
        );
      }
      const column = scope.segment.geo(field.path);
      if (column === undefined) return undefined;
      const inner = buckets.open(scope);
      const { exists, starts, lat, lon } = column;
      return (doc, owner) => {
        if (starts === undefined && exists !== undefined && (exists[doc >>> 5]! & (1 << (doc & 31))) === 0) return;
        const [from, to] = starts === undefined ? [doc, doc + 1] : [starts[doc]!, starts[doc + 1]!];
        const cells = new Set<string>();
        for (let at = from; at < to; at++) cells.add(options.cell(lat[at]!, lon[at]!));
        const map = (owners[owner] ??= new Map());
        for (const cell of cells) {
          let bucket = map.get(cell);
          if (bucket === undefined) map.set(cell, (bucket = buckets.add()));
          inner(doc, bucket);
        }
      };
    },
    result(owner) {
      const entries = [...(owners[owner] ?? [])]
        .map(([key, bucket]) => ({ key, bucket, count: buckets.counts[bucket]! }))
        .sort((a, b) => b.count - a.count || compareKeys(a.key, b.key))
        .slice(0, options.size);
      return { buckets: entries.map(({ key, bucket }) => ({ key, ...buckets.print(bucket) })) };
    },
  };
}
