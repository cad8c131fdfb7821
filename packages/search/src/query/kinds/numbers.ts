// Numbers of a column (dates in milliseconds, booleans 0 and 1), and ranges of them.
import { booleanScore, explainBoolean } from '../boolean-term.ts';
import { fixed, scored } from '../lucene/lucene-query.ts';
import { printBooleanRange, printBounds, printNumbers } from '../lucene/print-numbers.ts';
import { NumberRangeWeight, NumbersWeight } from '../number.ts';
import type { QueryNode } from '../query.ts';
import { LEAF, type QueryKind } from '../query-kind.ts';
import { checkTerms } from './sets.ts';

/** Any of the numbers (dates in milliseconds, booleans 0 and 1) in a number column; all documents have one score. */
export interface NumbersQuery extends QueryNode {
  readonly kind: 'numbers';
  readonly field: string;
  readonly values: readonly number[];
  /** Whether it is `true` or `false`, which score as words. */
  readonly isBoolean?: true;
  /** Whether it was asked as a list, which Lucene names otherwise even where it holds one number. */
  readonly isSet?: boolean;
}

/** A range of a number column, constant score. An absent bound is open. */
export interface NumberRangeQuery extends QueryNode {
  readonly kind: 'number_range';
  readonly field: string;
  readonly from?: number;
  readonly to?: number;
  /** true by default. */
  readonly includeFrom?: boolean;
  /** true by default. */
  readonly includeTo?: boolean;
}

export const numbers: QueryKind<NumbersQuery> = {
  ...LEAF,
  mark: () => undefined,
  caching: () => 'costly',
  compile(query, { boost, isScored, statistics }) {
    checkTerms(query.values.length, statistics);
    const [value] = query.values;
    if (query.isBoolean !== true || !isScored || value === undefined) return new NumbersWeight(query, boost);
    return new NumbersWeight(query, booleanScore(statistics, query.field, value, boost), (doc) =>
      explainBoolean(statistics, query.field, value, boost, doc),
    );
  },
  lucene(source, { types }) {
    const field = types.field(source.field);
    const isSet = source.isSet === true;
    if (field?.family !== 'boolean')
      return fixed(
        source,
        printNumbers(source.field, field, source.values, isSet),
        isSet ? {} : { field: source.field },
      );
    const letters = [...new Set(source.values)]
      .toSorted((a, b) => a - b)
      .map((value) => ({
        text: value === 0 ? 'F' : 'T',
        source: { kind: 'numbers', field: source.field, values: [value] } as const,
      }));
    const [only] = letters;
    if (isSet || only === undefined) return { kind: 'set', field: source.field, terms: letters, source };
    return scored(source, `${source.field}:${only.text}`, 'no matching term', source.field);
  },
};

export const numberRange: QueryKind<NumberRangeQuery> = {
  ...LEAF,
  mark: () => undefined,
  caching: () => 'costly',
  compile: (query, { boost }) => new NumberRangeWeight(query, boost),
  lucene(source, { types }) {
    const field = types.field(source.field);
    if (field?.family === 'boolean') return fixed(source, printBooleanRange(source));
    const { text, checkedBy } = printBounds(source, field);
    return fixed(source, text, { checkedBy, field: source.field });
  },
};
