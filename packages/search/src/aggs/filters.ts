// Aggregations whose buckets are named by the request: `filter`, `filters`, `adjacency_matrix`, `missing`, `global`,
// `nested` and `reverse_nested`.
import { parseInnerQuery } from '../dsl/parse-query.ts';
import { aggregationError } from '../errors/request-error.ts';
import { hasBit } from '../index/bits.ts';
import type { Json } from '../json/json.ts';
import { checkTime } from '../tasks/request-budget.ts';
import { isNumeric } from '../mapping/field-type.ts';
import { isConstant } from '../mapping/metadata-fields.ts';
import { type Aggregator, type BucketBudget, Buckets, GAP, type SegmentScope } from './aggregator.ts';
import { anyColumn } from './range-values.ts';

interface Shared {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly typedKeys: boolean;
}

/** Which documents of a segment match a query, elements of nested fields included. */
export function matcher(scope: SegmentScope, json: unknown): (doc: number) => boolean {
  checkTime();
  const query = parseInnerQuery(json, scope.context);
  const bits = scope.searcher.matches(query, scope.segment);
  const { segment, searcher } = scope;
  // Below a nested aggregation documents are elements: ask for the matching elements of each root, once.
  let root = -1;
  let elements: ReadonlySet<number> = new Set();
  return (doc) => {
    const path = segment.roots === undefined ? undefined : segment.nestedPath(doc);
    if (path === undefined) return hasBit(bits, doc);
    const own = segment.rootOf(doc);
    if (own !== root) {
      root = own;
      elements = new Set(searcher.innerHits(query, path, segment, root).map((hit) => hit.doc));
    }
    return elements.has(doc);
  };
}

/** An aggregation with one bucket a bucket above. */
function single(
  typeName: string,
  options: Shared,
  children: readonly Aggregator[],
  budget: BucketBudget,
  open: (
    scope: SegmentScope,
    take: (doc: number, owner: number) => void,
  ) => ((doc: number, owner: number) => void) | undefined,
  { isGlobal = false, isMapped = () => true }: { readonly isGlobal?: boolean; readonly isMapped?: () => boolean } = {},
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const owners: (number | undefined)[] = [];
  return {
    name: options.name,
    typeName,
    meta: options.meta,
    needsScores: children.some((child) => child.needsScores),
    isGlobal,
    open(scope) {
      const inner = buckets.open(scope);
      return open(scope, (doc, owner) => inner(doc, (owners[owner] ??= buckets.add())));
    },
    result: (owner) => buckets.print(owners[owner], isMapped() ? owner : GAP),
  };
}

/** `filter`. */
export function filterAggregator(
  options: Shared & { readonly query: unknown },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  return single('filter', options, children, budget, (scope, take) => {
    const matches = matcher(scope, options.query);
    return (doc, owner) => {
      if (matches(doc)) take(doc, owner);
    };
  });
}

/** `missing`: documents without a value. */
export function missingAggregator(
  options: Shared & { readonly field: string; readonly missing: unknown },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  return single('missing', options, children, budget, (scope, take) => {
    const field = anyColumn(options.field, scope.mapping);
    if (options.missing !== undefined) return () => undefined;
    if (field === undefined) return take;
    if (isConstant(field) || field.type === '_id') return undefined;
    const { segment } = scope;
    const column =
      field.family === 'geo' || (field.family === 'range' && field.type !== 'ip_range')
        ? segment.geo(field.path)
        : isNumeric(field)
          ? segment.number(field.path)
          : segment.keyword(field.path);
    if (column === undefined) return take;
    const { exists } = column;
    if (exists === undefined) return undefined;
    return (doc, owner) => {
      if (!hasBit(exists, doc)) take(doc, owner);
    };
  });
}

/** `global`: everything the caller may see, whatever the query. */
export function globalAggregator(options: Shared, children: readonly Aggregator[], budget: BucketBudget): Aggregator {
  return single('global', options, children, budget, (_, take) => take, { isGlobal: true });
}

/** `nested`: the elements of a nested field below each document. */
export function nestedAggregator(
  options: Shared & { readonly path: string },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  let isMapped: boolean | undefined;
  const open: Parameters<typeof single>[4] = (scope, take) => {
    const { segment } = scope;
    const object = scope.mapping.object(options.path);
    if (object !== undefined && !object.nested)
      throw aggregationError(`[nested] nested path [${options.path}] is not nested`);
    isMapped ||= object !== undefined;
    if (segment.roots === undefined || object === undefined) return undefined;
    return (doc, owner) => {
      // Elements stand before the document that holds them.
      for (let child = doc - 1; child >= 0 && isBelow(segment, child, doc); child--) {
        if (segment.nestedPath(child) === options.path) take(child, owner);
      }
    };
  };
  return single('nested', options, children, budget, open, { isMapped: () => isMapped !== false });
}

function isBelow(segment: SegmentScope['segment'], child: number, doc: number): boolean {
  if (segment.nestedPath(child) === undefined) return false;
  for (let at = child; at < doc;) {
    const parent = segment.parentOf(at);
    if (parent === doc) return true;
    if (parent <= at) return false;
    at = parent;
  }
  return false;
}

/** `reverse_nested`: from elements back to the documents that hold them, each once. */
export function reverseNestedAggregator(
  options: Shared & { readonly path: string | undefined },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  return single('reverse_nested', options, children, budget, (scope, take) => {
    const { segment } = scope;
    if (options.path !== undefined && scope.mapping.object(options.path)?.nested !== true) return undefined;
    const last = new Map<number, number>();
    return (doc, owner) => {
      let holder = doc;
      if (options.path === undefined) holder = segment.rootOf(doc);
      else
        while (segment.nestedPath(holder) !== undefined && segment.nestedPath(holder) !== options.path)
          holder = segment.parentOf(holder);
      if (last.get(owner) === holder) return;
      last.set(owner, holder);
      take(holder, owner);
    };
  });
}

/** `filters`: a bucket a query, by name or in order; optionally one for the rest. */
export function filtersAggregator(
  options: Shared & {
    readonly filters: readonly (readonly [string | undefined, unknown])[];
    readonly other: string | undefined;
    readonly keyed: boolean;
  },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const owners: (number[] | undefined)[] = [];
  const count = options.filters.length + (options.other === undefined ? 0 : 1);
  return {
    name: options.name,
    typeName: 'filters',
    meta: options.meta,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      const matchers = options.filters.map(([, query]) => matcher(scope, query));
      const inner = buckets.open(scope);
      return (doc, owner) => {
        const own = (owners[owner] ??= Array.from({ length: count }, () => buckets.add()));
        let any = false;
        matchers.forEach((matches, at) => {
          if (!matches(doc)) return;
          any = true;
          inner(doc, own[at]!);
        });
        if (!any && options.other !== undefined) inner(doc, own[count - 1]!);
      };
    },
    result(owner) {
      const own = owners[owner];
      const names = [...options.filters.map(([name]) => name), ...(options.other === undefined ? [] : [options.other])];
      const printed = names.map((name, at) => [name, buckets.print(own?.[at], owner)] as const);
      return { buckets: options.keyed ? Object.fromEntries(printed) : printed.map(([, bucket]) => bucket) };
    },
  };
}

/** `adjacency_matrix`: a bucket for each query and each pair of queries that share documents. */
export function adjacencyAggregator(
  options: Shared & { readonly filters: readonly (readonly [string, unknown])[]; readonly separator: string },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const owners: (Map<string, number> | undefined)[] = [];
  const filters = options.filters.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    name: options.name,
    typeName: 'adjacency_matrix',
    meta: options.meta,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      const matchers = filters.map(([name, query]) => [name, matcher(scope, query)] as const);
      const inner = buckets.open(scope);
      return (doc, owner) => {
        const names = matchers.filter(([, matches]) => matches(doc)).map(([name]) => name);
        const map = (owners[owner] ??= new Map());
        const take = (key: string): void => {
          let bucket = map.get(key);
          if (bucket === undefined) map.set(key, (bucket = buckets.add()));
          inner(doc, bucket);
        };
        names.forEach((name, at) => {
          take(name);
          for (const other of names.slice(at + 1)) take(`${name}${options.separator}${other}`);
        });
      };
    },
    result(owner) {
      const entries = [...(owners[owner] ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
      return { buckets: entries.map(([key, bucket]) => ({ key, ...buckets.print(bucket) })) };
    },
  };
}
