// `composite`: one bucket per combination of values of several sources, sorted, in pages (`after`).
import { tick } from '../tasks/request-budget.ts';
import type { Json } from '../json/json.ts';
import { type Box, isInBox } from '../mapping/geo.ts';
import { isNumeric, type MappedField, printTerm } from '../mapping/field-type.ts';
import { type Aggregator, type BucketBudget, Buckets, type SegmentScope } from './aggregator.ts';
import { compareKeys } from '../text/compare-keys.ts';
import type { Rounding } from './histogram.ts';
import { geotile } from './geo-grid.ts';
import { columnField, numbers, points, terms, unsuitable } from '../columns/values.ts';
import { shardArgument } from '../errors/request-error.ts';

/** One source of a composite. */
export interface CompositeSource {
  readonly name: string;
  readonly kind: 'terms' | 'histogram' | 'date_histogram' | 'geotile_grid';
  readonly field: string;
  readonly descending: boolean;
  readonly missingBucket: boolean;
  readonly rounding: Rounding | undefined;
  /** `geotile_grid`: the zoom. */
  readonly zoom: number | undefined;
  /** `geotile_grid`: points outside are skipped. */
  readonly box: Box | undefined;
  readonly print: ((value: number, field: MappedField | undefined) => string | undefined) | undefined;
  /** Parses a value of `after`. */
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
          if (text !== undefined) return [source.name, text];
          if (source.kind === 'histogram' && field?.family === 'date') return [source.name, field.format.print(value)];
          return [source.name, field?.family === 'boolean' ? value === 1 : value];
        }
        if (value !== null && source.zoom !== undefined) return [source.name, printTile(source.zoom, value)];
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
      if (readers.some((read, at) => read === undefined && !options.sources[at]!.missingBucket))
        return buckets.skip(scope);
      const inner = buckets.open(scope);
      const { after: given } = options;
      const after = given && options.sources.map((source, at) => source.read(given[source.name], fields[at]));
      // A combination is looked up by its text once per segment, and then by the numbers of its values.
      const combinations = new Combinations((key) => {
        if (after !== undefined && compare(key, after) <= 0) return undefined;
        const id = JSON.stringify(key);
        let entry = found.get(id);
        if (entry === undefined) found.set(id, (entry = { key, bucket: buckets.add() }));
        return entry.bucket;
      }, readers.length);
      const values: number[] = [];
      // Values that round to one count a document several times, but for a first source that Elasticsearch reads from its index.
      const isFirstOnce = ['terms', 'date_histogram'].includes(options.sources[0]?.kind ?? '');
      const push = (code: number): void => {
        values.push(code);
      };
      const pushOther = (code: number): void => {
        if (values.at(-1) !== code) values.push(code);
      };
      let nodes: number[] = [];
      let longer: number[] = [];
      return (doc) => {
        nodes.length = 0;
        nodes.push(ROOT);
        for (let at = 0; at < readers.length; at++) {
          const read = readers[at];
          values.length = 0;
          read?.each(doc, at === 0 && isFirstOnce ? pushOther : push);
          if (values.length === 0) {
            if (!options.sources[at]!.missingBucket) return;
            values.push(MISSING);
          }
          longer.length = 0;
          for (const node of nodes) for (const code of values) longer.push(combinations.follow(node, code, read));
          [nodes, longer] = [longer, nodes];
        }
        for (const node of nodes) {
          const bucket = combinations.bucketOf(node);
          if (bucket !== undefined) inner(doc, bucket);
        }
      };
    },
    result() {
      const sorted = [...found.values()].sort((a, b) => {
        tick(64);
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

/** The root of the tree of combinations, and the code of a missing value. */
const ROOT = 0;
const MISSING = -1;
/** Greater than the number of combinations in a segment, and of values of a source. */
const WIDTH = 2 ** 26;

/** The values of one source in one segment, numbered from 0. */
interface SourceReader {
  each(doc: number, take: (code: number) => void): void;
  value(code: number): string | number;
}

/** The combinations of one segment's values: a tree with numbered nodes. */
class Combinations {
  readonly #children = new Map<number, number>();
  readonly #keys: Key[] = [[]];
  readonly #buckets: (number | undefined)[] = [undefined];
  readonly #bucketOf: (key: Key) => number | undefined;
  readonly #length: number;

  /** @param length values of a complete combination; its bucket is looked up once */
  constructor(bucketOf: (key: Key) => number | undefined, length: number) {
    this.#bucketOf = bucketOf;
    this.#length = length;
  }

  /** Returns the node of a combination with one more value. */
  follow(node: number, code: number, source: SourceReader | undefined): number {
    const place = node * WIDTH + code + 1;
    const known = this.#children.get(place);
    if (known !== undefined) return known;
    const key = [...this.#keys[node]!, code === MISSING || source === undefined ? null : source.value(code)];
    const made = this.#keys.push(key) - 1;
    this.#children.set(place, made);
    this.#buckets.push(key.length === this.#length ? this.#bucketOf(key) : undefined);
    return made;
  }

  /** undefined: it gets no bucket. */
  bucketOf(node: number): number | undefined {
    return this.#buckets[node];
  }
}

/** Numbers values in order of their appearance. */
function numbered(each: (doc: number, take: (value: string | number) => void) => void): SourceReader {
  const codes = new Map<string | number, number>();
  const values: (string | number)[] = [];
  let take: (code: number) => void;
  const give = (value: string | number): void => {
    let code = codes.get(value);
    if (code === undefined) codes.set(value, (code = values.push(value) - 1));
    take(code);
  };
  return {
    each(doc, taker) {
      take = taker;
      each(doc, give);
    },
    value: (code) => values[code]!,
  };
}

function reader(
  scope: SegmentScope,
  source: CompositeSource,
  learn: (field: MappedField) => void,
): SourceReader | undefined {
  const field = columnField(source.field, scope.mapping);
  if (field === undefined) return undefined;
  learn(field);
  const { zoom, box } = source;
  if (zoom !== undefined && field.family === 'geo') {
    const each = points(scope, field, undefined);
    return (
      each &&
      numbered((doc, take) =>
        each(doc, (lat, lon) => {
          if (box === undefined || isInBox(box, lat, lon)) take(tileKey(geotile(lat, lon, zoom)));
        }),
      )
    );
  }
  if (field.family === 'boolean' && source.kind === 'histogram') throw unsuitable(field, source.field, 'histogram');
  if (isNumeric(field) && zoom === undefined) {
    const each = numbers(scope, field, undefined);
    if (each === undefined) return undefined;
    const { rounding } = source;
    if (rounding === undefined) return numbered(each);
    return numbered((doc, take) => each(doc, (value) => take(rounding.down(value))));
  }
  if (source.kind !== 'terms' || field.family === 'geo')
    throw shardArgument(
      `invalid source for [${source.kind}] in [${source.name}]: field [${source.field}] is of type [${field.type}]`,
    );
  const values = terms(scope, field, undefined);
  return values && { each: (doc, take) => values.each(doc, take), value: (code) => values.term(code) };
}

/** Prints a tile so that texts sort by column, then row. */
export function tileKey({ x, y }: { readonly x: number; readonly y: number }): string {
  return [x, y].map((each) => each.toString(16).padStart(8, '0')).join('/');
}

function printTile(zoom: number, key: string): string {
  return [zoom, ...key.split('/').map((each) => Number.parseInt(each, 16))].join('/');
}
