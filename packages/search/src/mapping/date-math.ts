// Dates that are computed: `now-1d/d`, `2020-01-01||+1M/M`. Also the calendar: adding units and rounding down, in a time
// zone, which date histograms share.
import { javaNumber } from '../json/java-values.ts';
import { textOf } from '../json/json.ts';
import { illegalArgument, parseException } from '../errors/request-error.ts';
import type { DateFormat } from './date-format.ts';
import type { FineInstant } from './nanos.ts';
import { type TimeZone, UTC } from './time-zone.ts';

/** Units of the calendar, as in date math. */
export type CalendarUnit = 'y' | 'q' | 'M' | 'w' | 'd' | 'h' | 'm' | 's';

const FIXED: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };

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
  let at = 0;
  while (at < math.length) {
    const match = /^(?:([+-])(\d*)|(\/)1?)([yMwdhHms])/.exec(math.slice(at));
    if (match === null) throw parseException(whyNoMath(math, at), { phase: true });
    const unit = (match[4] === 'H' ? 'h' : match[4]) as CalendarUnit;
    if (match[3] === undefined) {
      const count = (match[2] === '' ? 1 : Number(match[2])) * (match[1] === '-' ? -1 : 1);
      instant = addUnits(instant, unit, count, zone);
    } else {
      instant = roundDown(instant, unit, zone);
      nanos = 0;
      if (roundUp) instant = addUnits(instant, unit, 1, zone) - 1;
    }
    at += match[0].length;
  }
  return { millis: instant, nanos };
}

/** What is wrong with a computation from a place on. */
function whyNoMath(math: string, at: number): string {
  const [, operator, digits = '', unit] = /^([+\-/]?)(\d*)(.?)/s.exec(math.slice(at)) ?? [];
  if (operator === '') return `operator not supported for date math [${math}]`;
  if (unit === '') return `truncated date math [${math}]`;
  if (operator === '/' && digits !== '' && Number(digits) !== 1)
    return `rounding \`/\` can only be used on single unit types [${math}]`;
  return `unit [${unit}] not supported for date math [${math}]`;
}

/** Adds calendar units on the local clock of the zone. */
export function addUnits(instant: number, unit: CalendarUnit, count: number, zone: TimeZone = UTC): number {
  const fixed = FIXED[unit];
  if (fixed !== undefined) return instant + fixed * count;
  const local = new Date(instant + zone.offsetAt(instant));
  if (unit === 'd' || unit === 'w') {
    local.setUTCDate(local.getUTCDate() + count * (unit === 'w' ? 7 : 1));
  } else {
    const months = count * (unit === 'y' ? 12 : unit === 'q' ? 3 : 1);
    const day = local.getUTCDate();
    local.setUTCDate(1);
    local.setUTCMonth(local.getUTCMonth() + months);
    const last = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 0)).getUTCDate();
    local.setUTCDate(Math.min(day, last));
  }
  return zone.toUtc(local.getTime());
}

/** The start of the unit that holds the instant, on the local clock of the zone. */
export function roundDown(instant: number, unit: CalendarUnit, zone: TimeZone = UTC): number {
  const offset = zone.offsetAt(instant);
  const local = new Date(instant + offset);
  switch (unit) {
    case 's':
    case 'm':
    case 'h': {
      const size = FIXED[unit]!;
      return Math.floor((instant + offset) / size) * size - offset;
    }
    case 'w':
      local.setUTCDate(local.getUTCDate() - ((local.getUTCDay() + 6) % 7));
      break;
    case 'M':
      local.setUTCDate(1);
      break;
    case 'q':
      local.setUTCMonth(Math.floor(local.getUTCMonth() / 3) * 3, 1);
      break;
    case 'y':
      local.setUTCMonth(0, 1);
      break;
    case 'd':
      break;
  }
  local.setUTCHours(0, 0, 0, 0);
  if (Number.isNaN(local.getTime()))
    throw illegalArgument('A value is no date that a calendar could place: it is beyond the year 275760');
  return zone.toUtc(local.getTime());
}
