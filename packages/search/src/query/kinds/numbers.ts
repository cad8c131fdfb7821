// Numbers of a column (dates in milliseconds, booleans 0 and 1), and ranges of them.
import { booleanScore, explainBoolean } from '../boolean-term.ts';
import { fixed, scored } from '../lucene/lucene-query.ts';
import { printBooleanRange, printBounds, printNumbers } from '../lucene/print-numbers.ts';
import { NumberRangeWeight, NumbersWeight } from '../number.ts';
import type { QueryNode } from '../query.ts';
import { LEAF, type QueryKind } from '../query-kind.ts';
import { checkTerms } from './sets.ts';
import type { Json } from '../../json/json.ts';
import type { MappedField } from '../../mapping/field-type.ts';
import { areExact, constantLeaf, rangeLeaf } from '../cluster/leaves.ts';
import { both } from '../cluster/on-cluster.ts';
import { limited } from '../cluster/verdict.ts';

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

const ROUNDED = 'greater ones are rounded here, and a cluster keeps each of them';

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
  cluster: {
    ...both(limited('numbers below 2^53, dates, and true and false by BM25 over the visible documents', ROUNDED)),
    compile: (query, at) => {
      const field = at.fields.field(query.field);
      const [value] = query.values;
      if (field !== undefined && !areExact(field, query.values)) at.refuse(query);
      if (at.isFilter || query.isBoolean !== true || field === undefined || value === undefined)
        return constantLeaf(query.field, at, (found) => numbersLeaf(query.values, found));
      const docFreq = at.statistics.docFreq(field.path, value === 0 ? 'false' : 'true');
      return at.scoredBy(field, [docFreq], 1, () => ({ term: { [field.path]: value !== 0 } }));
    },
    samples: {
      sent: [
        { kind: 'numbers', field: 'n', values: [1] },
        { kind: 'numbers', field: 'ok', values: [1], isBoolean: true },
      ],
      refused: [{ kind: 'numbers', field: 'n', values: [2 ** 53] }],
    },
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
  cluster: {
    ...both(limited('bounds below 2^53', ROUNDED)),
    compile: (query, at) =>
      constantLeaf(query.field, at, (field) =>
        areExact(field, [query.from, query.to]) ? numberRangeLeaf(query, field) : at.refuse(query),
      ),
    samples: {
      sent: [{ kind: 'number_range', field: 'n', from: 1 }],
      refused: [{ kind: 'number_range', field: 'n', to: 2 ** 53 }],
    },
  },
};

function numbersLeaf(values: readonly number[], field: MappedField): Json {
  switch (field.family) {
    case 'boolean':
      return { terms: { [field.path]: values.map((value) => value !== 0) } };
    case 'date': {
      // A term would be read by the format of the field.
      const days = values.map((value) => ({
        range: { [field.path]: { gte: value, lte: value, format: 'epoch_millis' } },
      }));
      return { bool: { should: days, minimum_should_match: 1 } };
    }
    default:
      return { terms: { [field.path]: values } };
  }
}

function numberRangeLeaf(query: NumberRangeQuery, field: MappedField): Json {
  const { from, includeFrom = true, includeTo = true, to } = query;
  if (field.family !== 'boolean') return rangeLeaf(field, { from, to, includeFrom, includeTo });
  const held = [0, 1].filter(
    (value) =>
      (from === undefined || value > from || (includeFrom && value === from)) &&
      (to === undefined || value < to || (includeTo && value === to)),
  );
  return numbersLeaf(held, field);
}
