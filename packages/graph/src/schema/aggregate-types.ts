// The types of aggregates, by the type of the aggregated field. Sums are exact: one of integers has a type with more
// digits, one of decimals is a decimal.
import { required } from '../present.ts';

/** Functions over the values of a field. */
const AGGREGATE_FUNCTIONS = ['countDistinct', 'sum', 'avg', 'min', 'max'] as const;

export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number];

/** The function that a field of an aggregate type is named after. */
export function aggregateFunction(name: string): AggregateFunction {
  return required(
    AGGREGATE_FUNCTIONS.find((each) => each === name),
    name,
  );
}

const SUMS: Readonly<Record<string, string>> = { Int: 'BigInt', BigInt: 'Decimal', Float: 'Float', Decimal: 'Decimal' };
const AVERAGES: Readonly<Record<string, string>> = {
  Int: 'Float',
  BigInt: 'Float',
  Float: 'Float',
  Decimal: 'Decimal',
};

/** The type of a function's result; undefined if it has none for values of that type. */
export function aggregateType(of: AggregateFunction, typeName: string): string | undefined {
  switch (of) {
    case 'countDistinct':
      return 'Int';
    case 'min':
    case 'max':
      return typeName;
    case 'sum':
      return Object.hasOwn(SUMS, typeName) ? SUMS[typeName] : undefined;
    case 'avg':
      return Object.hasOwn(AVERAGES, typeName) ? AVERAGES[typeName] : undefined;
  }
}

/** Parts of a day's date by which groups are formed. */
export const DATE_PARTS = {
  YEAR: '2026',
  QUARTER: '2026-Q3',
  MONTH: '2026-07',
  WEEK: '2026-W28, the week of ISO 8601',
  DAY: '2026-07-09',
  MONTH_OF_YEAR: '07',
  DAY_OF_MONTH: '09',
  DAY_OF_WEEK: '4: 1 is Monday',
} as const;

/** Parts of a time by which groups are formed. */
export const TIME_PARTS = {
  ...DATE_PARTS,
  HOUR: '2026-07-09T17',
  MINUTE: '2026-07-09T17:05',
  HOUR_OF_DAY: '17',
  EXACT: 'The whole time',
} as const;

export type TimePart = keyof typeof TIME_PARTS;

/** What the stored values of a type with time parts are: points in time, local times or dates. */
export type TimeKind = 'instant' | 'local' | 'date';

const TIMES: Readonly<Record<string, TimeKind>> = { DateTime: 'instant', LocalDateTime: 'local', Date: 'date' };

/** Undefined: the type has no parts, and groups are formed by its values. */
export function timeKindOf(typeName: string): TimeKind | undefined {
  return Object.hasOwn(TIMES, typeName) ? TIMES[typeName] : undefined;
}
