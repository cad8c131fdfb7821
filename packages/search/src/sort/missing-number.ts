// What stands for the values of documents that have none, in sorts by numbers.
import { RequestError } from '../errors/request-error.ts';
import { textOf } from '../json/json.ts';
import { RawJson } from '../json/print-json.ts';

const MOST_LONG = new RawJson('9223372036854775807');
const LEAST_LONG = new RawJson('-9223372036854775808');

/** What is shown for a missing number: the greatest or the least there is, as it comes last or first. */
export function missingNumber(isWhole: boolean, order: 'asc' | 'desc', isFirst: boolean): unknown {
  const isGreatest = (order === 'asc') !== isFirst;
  if (isWhole) return isGreatest ? MOST_LONG : LEAST_LONG;
  return isGreatest ? 'Infinity' : '-Infinity';
}

/** Whether a value of `search_after` is that of a missing number. @param isWhole whether numbers are whole */
export function isMissing(value: unknown, isWhole: boolean): boolean {
  if (value === 'Infinity' || value === '-Infinity') return true;
  if (!isWhole) return false;
  return (typeof value === 'number' || typeof value === 'string') && Math.abs(Number(value)) >= 2 ** 63;
}

/** A number that stands for missing ones. @throws RequestError for what is none, a date as well */
export function givenNumber(value: unknown): number {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  if (typeof value === 'object' || typeof value === 'boolean' || Number.isNaN(number))
    throw new RequestError('SEARCH_SHARD_FAILURE', 'number_format_exception', `For input string: "${textOf(value)}"`, {
      phase: true,
    });
  return number;
}
