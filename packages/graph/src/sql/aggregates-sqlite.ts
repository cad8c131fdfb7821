// Sums, averages and parts of times on SQLite. What its functions cannot do exactly, functions of the store do
// (store/aggregate-functions.ts).
import type { TimeKind, TimePart } from '../schema/aggregate-types.ts';
import type { Storage } from '../schema/model.ts';
import { SQL_FUNCTIONS } from '../store/aggregate-functions.ts';
import type { Mention } from './dialect.ts';

export function sqliteSum(operand: Mention, storage: Storage, isWide: boolean): string {
  if (storage === 'decimal') return `${SQL_FUNCTIONS.decimalSum}(${operand()})`;
  if (storage === 'real') return `${SQL_FUNCTIONS.realSum}(${operand()})`;
  return isWide ? `${SQL_FUNCTIONS.wideSum}(${halves(operand)})` : `sum(${operand()})`;
}

export function sqliteAverage(operand: Mention, storage: Storage, isWide: boolean): string {
  if (storage === 'decimal') return `${SQL_FUNCTIONS.decimalAverage}(${operand()})`;
  if (storage === 'real') return `${SQL_FUNCTIONS.realAverage}(${operand()})`;
  return isWide ? `${SQL_FUNCTIONS.wideReal}(${halves(operand)}) / count(${operand()})` : `avg(${operand()})`;
}

/** sum() fails beyond 64 bits; the sums of the upper and the lower 32 bits do not get there. */
function halves(operand: Mention): string {
  return `sum(${operand()} >> 32), sum(${operand()} & 4294967295)`;
}

/** Stored times are texts of ISO 8601, of which most parts are pieces. */
export function sqliteTimePart(given: Mention, _time: TimeKind, part: TimePart, zone: Mention | undefined): string {
  const operand = zone === undefined ? given : () => `${SQL_FUNCTIONS.localTime}(${given()}, ${zone()})`;
  const piece = (from: number, length: number): string => `substr(${operand()}, ${from}, ${length})`;
  switch (part) {
    case 'YEAR':
      return piece(1, 4);
    case 'QUARTER':
      return `(${piece(1, 4)} || '-Q' || ((${piece(6, 2)} + 2) / 3))`;
    case 'MONTH':
      return piece(1, 7);
    case 'WEEK':
      return `strftime('%G-W%V', ${operand()})`;
    case 'DAY':
      return piece(1, 10);
    case 'HOUR':
      return piece(1, 13);
    case 'MINUTE':
      return piece(1, 16);
    case 'MONTH_OF_YEAR':
      return piece(6, 2);
    case 'DAY_OF_MONTH':
      return piece(9, 2);
    case 'DAY_OF_WEEK':
      return `strftime('%u', ${operand()})`;
    case 'HOUR_OF_DAY':
      return piece(12, 2);
    case 'EXACT':
      return given();
  }
}
