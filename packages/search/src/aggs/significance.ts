// How much more a value belongs to some documents than to all: the measures of `significant_terms`. Numbers of documents in, a score out.
import { javaLog } from '../json/java-log.ts';
import { shardArgument } from '../errors/request-error.ts';

/** In how many documents of how many a value is: of those found (subset), and of those they are compared with (superset). */
export interface Frequencies {
  readonly subsetFreq: number;
  readonly subsetSize: number;
  readonly supersetFreq: number;
  readonly supersetSize: number;
}

/** A measure; values that score no more than 0 are not significant. */
export type Significance = (frequencies: Frequencies) => number;

/** The change of the share, absolute times relative: the usual measure. */
export const jlh: Significance = ({ subsetFreq, subsetSize, supersetFreq, supersetSize }) => {
  if (subsetSize === 0 || supersetSize === 0) return 0;
  const share = subsetFreq / subsetSize;
  // A value may be missing from a background of other documents: it is taken to be there once.
  const usual = Math.max(1, supersetFreq) / supersetSize;
  return share <= usual ? 0 : (share - usual) * (share / usual);
};

/** What part of all documents with the value is among those found. */
export const percentage: Significance = ({ subsetFreq, supersetFreq }) =>
  supersetFreq === 0 ? 0 : subsetFreq / supersetFreq;

/** The four fields of the table of value and subset, with their sums. */
interface Table {
  readonly both: number;
  readonly subsetOnly: number;
  readonly valueOnly: number;
  readonly neither: number;
  readonly subset: number;
  readonly others: number;
  readonly value: number;
  readonly without: number;
  readonly all: number;
}

function noSuperset(what: string): Error {
  return shardArgument(
    `${what}, does your background filter not include all documents in the bucket? If so and it is intentional, set "background_is_superset": false`,
  );
}

function tableOf(
  { subsetFreq, subsetSize, supersetFreq, supersetSize }: Frequencies,
  backgroundIsSuperset: boolean,
): Table {
  if (backgroundIsSuperset) {
    if (subsetFreq > supersetFreq) throw noSuperset('subsetFreq > supersetFreq');
    if (subsetSize > supersetSize) throw noSuperset('subsetSize > supersetSize');
    if (supersetFreq - subsetFreq > supersetSize - subsetSize)
      throw noSuperset('supersetFreq - subsetFreq > supersetSize - subsetSize');
  }
  const valueOnly = backgroundIsSuperset ? supersetFreq - subsetFreq : supersetFreq;
  const others = backgroundIsSuperset ? supersetSize - subsetSize : supersetSize;
  const subsetOnly = subsetSize - subsetFreq;
  const neither = others - valueOnly;
  return {
    both: subsetFreq,
    subsetOnly,
    valueOnly,
    neither,
    subset: subsetSize,
    others,
    value: subsetFreq + valueOnly,
    without: subsetOnly + neither,
    all: subsetSize + others,
  };
}

/** How the measures of the table are told. */
export interface TableOptions {
  /** Whether the documents found are part of the background. */
  readonly backgroundIsSuperset: boolean;
  /** Whether values that are rarer than usual count as well. */
  readonly includeNegatives: boolean;
}

/** How much is known of one by the other. */
export function mutualInformation({ backgroundIsSuperset, includeNegatives }: TableOptions): Significance {
  return (frequencies) => {
    const table = tableOf(frequencies, backgroundIsSuperset);
    if (!includeNegatives && isRarer(table)) return -Infinity;
    const term = (field: number, row: number, column: number): number => {
      const share = Math.abs(field / table.all);
      const above = Math.abs(table.all * field);
      return above < 1e-7 && share < 1e-7 ? 0 : share * javaLog(above / Math.abs(row * column));
    };
    const score =
      (term(table.neither, table.without, table.others) +
        term(table.subsetOnly, table.without, table.subset) +
        term(table.valueOnly, table.value, table.others) +
        term(table.both, table.value, table.subset)) /
      Math.LN2;
    return Number.isNaN(score) ? -Infinity : score;
  };
}

/** Pearson's χ² of the table. */
export function chiSquare({ backgroundIsSuperset, includeNegatives }: TableOptions): Significance {
  return (frequencies) => {
    const table = tableOf(frequencies, backgroundIsSuperset);
    if (!includeNegatives && isRarer(table)) return -Infinity;
    const difference = table.both * table.neither - table.subsetOnly * table.valueOnly;
    const score = (table.all * difference * difference) / (table.subset * table.value * table.without * table.others);
    return Number.isNaN(score) ? -Infinity : score;
  };
}

/** Google's normalized distance (Cilibrasi and Vitányi), turned so that near ones score 1. */
export function normalizedDistance(backgroundIsSuperset: boolean): Significance {
  return (frequencies) => {
    const { both, value, subset, all } = tableOf(frequencies, backgroundIsSuperset);
    if (both === 0) return 0;
    if (value === subset && value === both) return 1;
    const [x, y] = [javaLog(value), javaLog(subset)];
    return Math.exp(-(Math.max(x, y) - javaLog(both)) / (javaLog(all) - Math.min(x, y)));
  };
}

function isRarer({ both, subset, valueOnly, others }: Table): boolean {
  return both / subset < valueOnly / others;
}
