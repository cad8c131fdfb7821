// An SQLite function that encodes decimals as order-preserving text (schema/decimal.ts), for embedded objects and for
// converted columns.
import type { DatabaseSync } from 'node:sqlite';
import { toStoredDecimal } from '../schema/decimal.ts';

/** The SQL function: `lockstitch_decimal(value)`; null if the value is not a decimal. */
export const DECIMAL = 'lockstitch_decimal';

/** Registers the function on a connection. */
export function registerDecimals(database: DatabaseSync): void {
  database.function(DECIMAL, { deterministic: true }, (value) => toStoredDecimal(value));
}
