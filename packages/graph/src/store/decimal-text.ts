// How SQLite makes the text that it keeps of a decimal number (schema/decimal.ts): of what embedded objects hold, and of the values of
// a column that is to hold decimals.
import type { DatabaseSync } from 'node:sqlite';
import { toStoredDecimal } from '../schema/decimal.ts';

/** The function's name in SQL: `lockstitch_decimal(value)`, null for what is no decimal number. */
export const DECIMAL = 'lockstitch_decimal';

/** Registers the function on a connection. */
export function registerDecimals(database: DatabaseSync): void {
  database.function(DECIMAL, { deterministic: true }, (value) => toStoredDecimal(value));
}
