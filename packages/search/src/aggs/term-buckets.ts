// Where the values of `terms` fall: a bucket a value and bucket above, found without hashing where ordinals allow it. What is made of the
// buckets stands in terms.ts.
import { hasBit } from '../index/bits.ts';
import type { Json } from '../json/json.ts';
import type { Print } from './definition.ts';
import { isWhole, type MappedField, printTerm, toNumber, toTerm } from '../mapping/field-type.ts';
import { tick } from '../tasks/request-budget.ts';
import { aggregationError, shardArgument } from '../errors/request-error.ts';
import { type Buckets, type Collect, type SegmentScope } from './aggregator.ts';
import type { OrderPart } from './bucket-order.ts';
import { isNumberList, type TermFilter } from './term-filter.ts';
import { onShard } from './value-type.ts';
import { numbers, terms, type TermSource } from '../columns/values.ts';

/** What `terms` can be told. */
export interface TermsOptions {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly field: string;
  readonly size: number;
  readonly minDocCount: number;
  readonly order: readonly OrderPart[];
  readonly filter: TermFilter | undefined;
  readonly missing: unknown;
  readonly print: Print | undefined;
  readonly showErrors: boolean;
  /** An unknown `execution_hint`. */
  readonly hint?: string | undefined;
  /** As many values as one shard tells at most, where an order could hide more of one. */
  readonly unsureFrom?: number | undefined;
  /** `rare_terms`: keep the values of at most so many documents. */
  readonly maxDocCount?: number;
  readonly valueType?: string | undefined;
  readonly typedKeys: boolean;
}

/** The buckets of one aggregation by value. */
export class TermBuckets {
  readonly #options: TermsOptions;
  readonly #buckets: Buckets;
  /** Per bucket above: value → bucket here. */
  readonly owners: (Map<string | number, number> | undefined)[] = [];
  /** Values that visible documents have, for `min_doc_count: 0`. */
  readonly known = new Set<string | number>();

  constructor(options: TermsOptions, buckets: Buckets) {
    this.#options = options;
    this.#buckets = buckets;
  }

  /** The bucket of a value, made if need be. */
  of(owner: number, key: string | number): number {
    const map = (this.owners[owner] ??= new Map());
    let bucket = map.get(key);
    if (bucket === undefined) map.set(key, (bucket = this.#buckets.add()));
    return bucket;
  }

  /** Opens a segment for a field of terms. */
  openTerms(scope: SegmentScope, mapped: MappedField): Collect | undefined {
    const options = this.#options;
    const buckets = this.#buckets;
    const { known } = this;
    if (options.hint !== undefined)
      throw shardArgument(`Unknown \`execution_hint\`: [${options.hint}], expected any of [map, global_ordinals]`);
    const source = terms(scope, mapped, options.missing);
    if (source === undefined) return buckets.skip(scope);
    const inner = buckets.open(scope);
    const accepted = acceptedTerms(options, source, mapped);
    if (options.minDocCount === 0) {
      const seen = new Uint8Array(source.size);
      eachVisible(scope, (doc) =>
        source.each(doc, (ordinal) => {
          if (seen[ordinal] === 1) return;
          seen[ordinal] = 1;
          tick(512);
          if (accepted === undefined || accepted(ordinal)) known.add(source.term(ordinal));
        }),
      );
    }
    // Ordinals are dense: for the first bucket above, an array finds the bucket here without hashing.
    const dense = new Int32Array(source.size).fill(-1);
    const take = (doc: number, owner: number, ordinal: number): void => {
      if (accepted !== undefined && !accepted(ordinal)) return;
      let bucket = owner === 0 ? dense[ordinal]! : -1;
      if (bucket < 0) {
        bucket = this.of(owner, source.term(ordinal));
        if (owner === 0) dense[ordinal] = bucket;
      }
      inner(doc, bucket);
    };
    const { column } = source;
    if (column !== undefined && column.starts === undefined && options.missing === undefined) {
      const { ordinals } = column;
      return (doc, owner) => {
        const entry = ordinals[doc]!;
        if (entry > 0) take(doc, owner, entry - 1);
      };
    }
    return (doc, owner) => source.each(doc, (ordinal) => take(doc, owner, ordinal));
  }

  /** Opens a segment for a field of numbers. @throws RequestError for a pattern of texts */
  openNumbers(scope: SegmentScope, mapped: MappedField): Collect | undefined {
    const options = this.#options;
    const buckets = this.#buckets;
    const { known } = this;
    const keep = options.filter;
    if (keep !== undefined && !isNumberList(keep)) {
      const refuse = options.maxDocCount === undefined ? aggregationError : shardArgument;
      throw refuse(
        `Aggregation [${options.name}] cannot support regular expression style include/exclude settings as they can only be applied to string fields. Use an array of numeric values for include/exclude clauses used to filter numeric fields`,
      );
    }
    if (options.maxDocCount !== undefined && mapped.family === 'number' && !isWhole(mapped))
      throw shardArgument('RareTerms aggregation does not support floating point fields.');
    const each = numbers(scope, mapped, options.missing);
    if (each === undefined) return buckets.skip(scope);
    const inner = buckets.open(scope);
    const isWholeField = mapped.family !== 'number' || isWhole(mapped);
    const accepts =
      keep === undefined
        ? undefined
        : (value: number): boolean =>
            keep.acceptsNumber(value, (text) => onShard(() => toNumber(mapped, text)), isWholeField);
    if (options.minDocCount === 0)
      eachVisible(scope, (doc) =>
        each(doc, (value) => {
          if (accepts === undefined || accepts(value)) known.add(value);
        }),
      );
    return (doc, owner) => {
      let last = Number.NaN;
      each(doc, (value) => {
        if (value === last) return;
        last = value;
        if (accepts === undefined || accepts(value)) inner(doc, this.of(owner, value));
      });
    };
  }
}

/** Which ordinals of a segment count; undefined: all. @throws RequestError for a pattern of addresses */
export function acceptedTerms(
  options: TermsOptions,
  source: TermSource,
  mapped: MappedField,
): ((ordinal: number) => boolean) | undefined {
  const { filter } = options;
  if (filter === undefined) return undefined;
  if (filter.pattern && mapped.family === 'ip')
    throw aggregationError(
      `Aggregation [${options.name}] cannot support regular expression style include/exclude settings as they can only be applied to string fields. Use an array of values for include/exclude clauses`,
    );
  if (mapped.family === 'ip') for (const text of filter.texts) onShard(() => toTerm(mapped, text));
  return memo(source.size, (ordinal) => filter.accepts(printTerm(mapped, source.term(ordinal))));
}

function memo(size: number, decide: (ordinal: number) => boolean): (ordinal: number) => boolean {
  const known = new Int8Array(size);
  return (ordinal) => {
    if (known[ordinal] === 0) {
      tick(512);
      known[ordinal] = decide(ordinal) ? 1 : -1;
    }
    return known[ordinal] === 1;
  };
}

function eachVisible(scope: SegmentScope, take: (doc: number) => void): void {
  const visible = scope.searcher.visible(scope.segment);
  for (let doc = 0; doc < scope.segment.docCount; doc++) {
    tick(64);
    if (visible === undefined || hasBit(visible, doc)) take(doc);
  }
}
