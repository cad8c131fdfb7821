// What a text says of a date, part by part, and the instant that it means: what the formats and patterns of dates share.
import type { TimeZone } from './time-zone.ts';
import { offsetOfWeek } from './week-date.ts';

/** One way to read and write dates. */
export interface Alternative {
  parse(text: string, zone: TimeZone, roundUp: boolean): number | undefined;
  /** The digits of the fraction of a second in a text that `parse` takes; undefined when it has none. */
  fraction(text: string): string | undefined;
  print(instant: number, zone: TimeZone, nanos: number): string;
}

/** The parts that a text gives. */
export interface Parts {
  year?: number | undefined;
  month?: number | undefined;
  day?: number | undefined;
  hour?: number | undefined;
  minute?: number | undefined;
  second?: number | undefined;
  milli?: number | undefined;
  week?: number | undefined;
  weekday?: number | undefined;
}

/** The instant in milliseconds; undefined for a date that the calendar lacks. @param roundUp fills missing parts of the day with their highest values */
export function instant(parts: Parts, zone: TimeZone, roundUp: boolean): number | undefined {
  // Upper bounds too have month 1 and day 1 where they name none (JavaDateFormatter.ROUND_UP_BASE_FIELDS).
  const { year = 1970, month = 1, day = 1 } = parts;
  const days = new Date(Date.UTC(2000 + (((year % 400) + 400) % 400), month, 0)).getUTCDate();
  const { hour = roundUp ? 23 : 0, minute = roundUp ? 59 : 0, second = roundUp ? 59 : 0 } = parts;
  const { milli = roundUp ? 999 : 0 } = parts;
  if (month < 1 || month > 12 || day < 1 || day > days) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, milli);
  const local = date.getTime();
  return Number.isNaN(local) ? undefined : zone.toUtc(local);
}

/** The same of a date by weeks. */
export function instantOfWeek(parts: Parts, zone: TimeZone, roundUp: boolean): number | undefined {
  const { year = 1970, week = 1, weekday = 1 } = parts;
  const offset = offsetOfWeek(year, week, weekday);
  const start = instant({ ...parts, month: 1, day: 1 }, zone, roundUp);
  return offset === undefined || start === undefined ? undefined : start + offset;
}

/** `+01:00`, or `Z` where there is no offset. @param offset in milliseconds */
export function printOffset(offset: number, colon: boolean): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset) / 60_000;
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}${colon ? ':' : ''}${String(minutes % 60).padStart(2, '0')}`;
}
