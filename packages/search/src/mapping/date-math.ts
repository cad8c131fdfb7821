// Dates that are computed: `now-1d/d`, `2020-01-01||+1M/M`. Not here: the calendar, which is the kernel's.
import { type CalendarUnit, computeTime, type MathMistake, roundDown as startOf } from '@lockstitch/kernel';
import { javaNumber } from '../json/java-values.ts';
import { textOf } from '../json/json.ts';
import { illegalArgument, parseException } from '../errors/request-error.ts';
import type { DateFormat } from './date-format.ts';
import type { FineInstant } from './nanos.ts';
import { type TimeZone, UTC } from './time-zone.ts';

/**
 * Reads a date, which may be computed.
 *
 * @param roundUp for `gt` and `lte`: missing parts and `/unit` go to the last millisecond
 * @throws RequestError when neither the format nor date math can read it
 */
export function parseDateMath(text: string, format: DateFormat, options: DateMathOptions): number {
  return parseFineDateMath(text, format, options).millis;
}

interface DateMathOptions {
  /** What `now` means; undefined in documents, which may not say it. */
  readonly now: number | undefined;
  readonly zone?: TimeZone | undefined;
  readonly roundUp?: boolean;
}

/** A date as it is read: a number is written as Java writes it, and then read in the format as a text is. */
export function dateText(value: unknown): string {
  return typeof value === 'number' ? javaNumber(value) : textOf(value);
}

/** Reads a date, which may be computed, to the nanosecond. What is rounded up to the end of a unit ends with a whole millisecond. */
export function parseFineDateMath(text: string, format: DateFormat, options: DateMathOptions): FineInstant {
  const { now, zone = UTC, roundUp = false } = options;
  let instant: number;
  let nanos = 0;
  let math: string;
  if (text.startsWith('now')) {
    if (now === undefined) throw illegalArgument('now is not used at indexing time');
    instant = now;
    math = text.slice(3);
  } else {
    const bar = text.indexOf('||');
    const date = bar < 0 ? text : text.slice(0, bar);
    math = bar < 0 ? '' : text.slice(bar + 2);
    const found = format.parse(date, zone, roundUp && math === '');
    if (found === undefined) {
      const reason = `failed to parse date field [${date}] with format [${format.pattern}]`;
      throw parseException(`${reason}: [${reason}]`, {
        phase: true,
        causedBy: {
          type: 'illegal_argument_exception',
          reason,
          caused_by: { type: 'date_time_parse_exception', reason: 'Failed to parse with all enclosed parsers' },
        },
      });
    }
    instant = found;
    nanos = format.nanosOf(date, roundUp && math === '');
  }
  const computed = computeTime(math, instant, { zone, roundUp });
  if (typeof computed !== 'number') throw parseException(whyNoMath(math, computed), { phase: true });
  const isRounded = math.includes('/');
  return { millis: isRounded ? placed(computed) : computed, nanos: isRounded ? 0 : nanos };
}

/** What is wrong with a computation from a place on. */
function whyNoMath(math: string, { at, isTooLong }: MathMistake): string {
  if (isTooLong) return `date math of more than 100 steps, in [${math.slice(0, 100)}…]`;
  const [, operator, digits = '', unit] = /^([+\-/]?)(\d*)(.?)/s.exec(math.slice(at)) ?? [];
  if (operator === '') return `operator not supported for date math [${math}]`;
  if (unit === '') return `truncated date math [${math}]`;
  if (operator === '/' && digits !== '' && Number(digits) !== 1)
    return `rounding \`/\` can only be used on single unit types [${math}]`;
  return `unit [${unit}] not supported for date math [${math}]`;
}

/** The start of the unit that holds the instant, on the local clock of the zone. */
export function roundDown(instant: number, unit: CalendarUnit, zone: TimeZone = UTC): number {
  return placed(startOf(instant, unit, zone));
}

function placed(instant: number): number {
  if (!Number.isNaN(instant)) return instant;
  throw illegalArgument('A value is no date that a calendar could place: it is beyond the year 275760');
}
