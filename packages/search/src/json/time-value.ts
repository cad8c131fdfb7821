// Lengths of time as Elasticsearch reads them in bodies, URLs and settings: `30s`, `500ms` (TimeValue).
import { illegalArgument } from '../errors/request-error.ts';
import { notANumber, textOf } from './json.ts';

/** Milliseconds of each unit. Those that end as a shorter one does come first. */
const UNITS = [
  ['nanos', 1e-6],
  ['micros', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
] as const;

/**
 * Reads a length of time in milliseconds. `0` and `-1`, which usually stands for none, need no unit.
 *
 * @param setting what it is of, for the error
 * @throws RequestError for fractions, negative times and what has no unit
 */
export function readTime(value: unknown, setting: string): number {
  const text = textOf(value);
  const given = text.trim().toLowerCase();
  const malformed = (reason: string): Error =>
    illegalArgument(`failed to parse setting [${setting}] with value [${text}] as a time value: ${reason}`);
  // `M` means months elsewhere: only the small letter is a minute.
  const found = UNITS.find(([unit]) => given.endsWith(unit) && (unit !== 'm' || text.endsWith('m')));
  if (found === undefined) {
    if (/^-0*1$/.test(given)) return -1;
    if (/^0+$/.test(given)) return 0;
    throw malformed('unit is missing or unrecognized');
  }
  const [unit, length] = found;
  const number = given.slice(0, -unit.length).trim();
  if (!/^[+-]?\d+$/.test(number)) {
    const isFraction = number !== '' && Number.isFinite(Number(number));
    throw illegalArgument(
      `failed to parse [${text}]${isFraction ? ', fractional time values are not supported' : ''}`,
      {
        causedBy: notANumber(number),
      },
    );
  }
  if (Number(number) < -1) throw malformed('negative durations are not supported');
  return Number(number) * length;
}
