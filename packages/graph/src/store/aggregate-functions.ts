// SQLite functions for aggregates: exact sums and averages, and local times.
import type { DatabaseSync } from 'node:sqlite';
import { fromSortable, toSortable } from '../schema/decimal.ts';
import { ExactSum, printDecimal } from './exact-sum.ts';
import { localTime } from './local-time.ts';

/** Names of the functions. Decimals are texts of schema/decimal.ts. */
export const SQL_FUNCTIONS = {
  decimalSum: 'lockstitch_decimal_sum',
  decimalAverage: 'lockstitch_decimal_avg',
  realSum: 'lockstitch_real_sum',
  realAverage: 'lockstitch_real_avg',
  /** Of the sums of the upper and lower halves of 64-bit integers: the whole sum as a decimal, and as a double. */
  wideSum: 'lockstitch_wide_sum',
  wideReal: 'lockstitch_wide_real',
  /** A stored time and the name of a time zone. */
  localTime: 'lockstitch_local_time',
} as const;

/** The driver hands any value from call to call; its types allow values of SQL alone. */
const held = (sum: ExactSum): never => sum as never;

/** Calls between two checks of the deadline. */
const BETWEEN_CHECKS = 256;

/**
 * Registers the functions on a connection.
 *
 * @param checkTime throws after the statement's deadline; an aggregate cannot throw, it would return null
 */
export function registerAggregates(database: DatabaseSync, checkTime: () => void): void {
  const aggregate = (name: string, result: (sum: ExactSum) => string | number | null): void =>
    database.aggregate(name, {
      // One object for each group.
      start: () => held(new ExactSum()),
      // An integer beyond 2^53 is an error otherwise.
      useBigIntArguments: true,
      step(sum: unknown, value: unknown) {
        if (!(sum instanceof ExactSum)) throw new TypeError('The sum of a group is lost.');
        if (typeof value === 'string') sum.add(fromSortable(value));
        else if (typeof value === 'number' || typeof value === 'bigint') sum.add(String(value));
        return held(sum);
      },
      result: (sum: unknown) => (sum instanceof ExactSum && sum.count > 0 ? result(sum) : null),
    });
  aggregate(SQL_FUNCTIONS.decimalSum, (sum) => toSortable(sum.toDecimal()));
  aggregate(SQL_FUNCTIONS.decimalAverage, (sum) => toSortable(sum.averageDecimal()));
  aggregate(SQL_FUNCTIONS.realSum, (sum) => sum.toNumber());
  aggregate(SQL_FUNCTIONS.realAverage, (sum) => {
    const total = sum.toNumber();
    return total === null ? null : total / sum.count;
  });
  const options = { deterministic: true, useBigIntArguments: true } as const;
  database.function(SQL_FUNCTIONS.wideSum, options, (upper, lower) => {
    const sum = joinHalves(upper, lower);
    return sum === undefined ? null : toSortable(printDecimal(sum, 0));
  });
  database.function(SQL_FUNCTIONS.wideReal, options, (upper, lower) => {
    const sum = joinHalves(upper, lower);
    return sum === undefined ? null : Number(sum);
  });
  let calls = 0;
  // The parts of a row's time follow one another.
  let last: { readonly time: string; readonly zone: string; readonly local: string | null } | undefined;
  database.function(SQL_FUNCTIONS.localTime, { deterministic: true }, (time, zone) => {
    if (typeof time !== 'string' || typeof zone !== 'string') return null;
    if (++calls % BETWEEN_CHECKS === 0) checkTime();
    if (last?.time !== time || last.zone !== zone) last = { time, zone, local: localTime(time, zone) };
    return last.local;
  });
}

function joinHalves(upper: unknown, lower: unknown): bigint | undefined {
  return typeof upper === 'bigint' && typeof lower === 'bigint' ? (upper << 32n) + lower : undefined;
}
