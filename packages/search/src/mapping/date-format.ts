// Reads and writes dates in Elasticsearch's formats: the named ones, epoch numbers and Java patterns, several joined by
// `||`. Instants are milliseconds since 1970; what a text says beyond them is asked for apart. Date math (`now-1d`) has its own file.
import { type Alternative, instant, printOffset } from './date-parts.ts';
import { compilePattern } from './date-pattern.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { checkFormatLength } from '../text/number-format.ts';
import { timeZone, type TimeZone, UTC } from './time-zone.ts';

/** A date format: reads any of its alternatives and writes the first. */
export interface DateFormat {
  readonly pattern: string;
  /** Whose names of months and days it has; empty: English ones. */
  readonly locale: string;
  /**
   * Reads a text; undefined when no alternative fits.
   *
   * @param zone the zone of texts that name none; UTC by default
   * @param roundUp fills missing parts of the day with their highest values, for upper bounds
   */
  parse(text: string, zone?: TimeZone, roundUp?: boolean): number | undefined;
  /** The nanoseconds after the millisecond that `parse` reads of the text, from 0 to 999,999; `roundUp` fills those it does not say. */
  nanosOf(text: string, roundUp?: boolean): number;
  /** @param nanos after the millisecond, from 0 to 999,999 */
  print(instant: number, zone?: TimeZone, nanos?: number): string;
}

/** The default format of date fields. */
export const DEFAULT_DATE_FORMAT = 'strict_date_optional_time||epoch_millis';

const NAMED: Readonly<Record<string, string>> = {
  basic_date: 'yyyyMMdd',
  basic_date_time: "yyyyMMdd'T'HHmmss.SSSXX",
  basic_date_time_no_millis: "yyyyMMdd'T'HHmmssXX",
  basic_ordinal_date: 'yyyyDDD',
  basic_ordinal_date_time: "yyyyDDD'T'HHmmss.SSSXX",
  basic_ordinal_date_time_no_millis: "yyyyDDD'T'HHmmssXX",
  basic_t_time: "'T'HHmmss.SSSXX",
  basic_t_time_no_millis: "'T'HHmmssXX",
  basic_time: 'HHmmss.SSSXX',
  basic_time_no_millis: 'HHmmssXX',
  basic_week_date: "YYYY'W'wwe",
  basic_week_date_time: "YYYY'W'wwe'T'HHmmss.SSSXX",
  basic_week_date_time_no_millis: "YYYY'W'wwe'T'HHmmssXX",
  date: 'yyyy-MM-dd',
  date_hour: "yyyy-MM-dd'T'HH",
  date_hour_minute: "yyyy-MM-dd'T'HH:mm",
  date_hour_minute_second: "yyyy-MM-dd'T'HH:mm:ss",
  date_hour_minute_second_fraction: "yyyy-MM-dd'T'HH:mm:ss.SSS",
  date_hour_minute_second_millis: "yyyy-MM-dd'T'HH:mm:ss.SSS",
  date_time: "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
  date_time_no_millis: "yyyy-MM-dd'T'HH:mm:ssXXX",
  hour: 'HH',
  hour_minute: 'HH:mm',
  hour_minute_second: 'HH:mm:ss',
  hour_minute_second_fraction: 'HH:mm:ss.SSS',
  hour_minute_second_millis: 'HH:mm:ss.SSS',
  ordinal_date: 'yyyy-DDD',
  ordinal_date_time: "yyyy-DDD'T'HH:mm:ss.SSSXXX",
  ordinal_date_time_no_millis: "yyyy-DDD'T'HH:mm:ssXXX",
  t_time: "'T'HH:mm:ss.SSSXXX",
  t_time_no_millis: "'T'HH:mm:ssXXX",
  time: 'HH:mm:ss.SSSXXX',
  time_no_millis: 'HH:mm:ssXXX',
  week_date: "YYYY-'W'ww-e",
  week_date_time: "YYYY-'W'ww-e'T'HH:mm:ss.SSSXXX",
  week_date_time_no_millis: "YYYY-'W'ww-e'T'HH:mm:ssXXX",
  weekyear: 'YYYY',
  weekyear_week: "YYYY-'W'ww",
  weekyear_week_day: "YYYY-'W'ww-e",
  year: 'yyyy',
  year_month: 'yyyy-MM',
  year_month_day: 'yyyy-MM-dd',
};

const formats = new Map<string, DateFormat>();

/** Reads a format description. @param locale whose names of months and days it has; English by default @throws RequestError when a part is unknown */
export function dateFormat(pattern: string, locale = ''): DateFormat {
  checkFormatLength(pattern);
  if (pattern === '') throw illegalArgument('No date pattern provided');
  const key = locale === '' ? pattern : `${locale}\0${pattern}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const alternatives = pattern.split('||').map((part) => alternative(part.trim(), pattern, locale));
  const made: DateFormat = {
    pattern,
    locale,
    parse(text, zone = UTC, roundUp = false) {
      for (const each of alternatives) {
        const found = each.parse(text, zone, roundUp);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    nanosOf(text, roundUp = false) {
      const digits = alternatives.find((each) => each.parse(text, UTC, roundUp) !== undefined)?.fraction(text);
      return digits === undefined ? (roundUp ? 999_999 : 0) : Number(digits.slice(3, 9).padEnd(6, '0'));
    },
    print: (instant, zone = UTC, nanos = 0) => alternatives[0]!.print(instant, zone, nanos),
  };
  if (formats.size > 1000) formats.clear();
  formats.set(key, made);
  return made;
}

function alternative(part: string, whole: string, locale: string): Alternative {
  switch (part) {
    case 'epoch_millis':
      return epoch(1);
    case 'epoch_second':
      return epoch(1000);
    case 'date_optional_time':
    case 'strict_date_optional_time':
    case 'dateOptionalTime':
    case 'strictDateOptionalTime':
    case 'strict_date_optional_time_nanos':
    case 'iso8601':
      return isoDate(part.startsWith('strict'), part.endsWith('_nanos'));
    default: {
      const name = snakeCase(part).replace(/^strict_/, '');
      const named = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
      const strict = part.startsWith('strict_') || named === undefined;
      return compilePattern(named ?? part, { whole, strict, locale });
    }
  }
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The name of today for one in camel case; undefined for what is none. */
export function camelCaseName(part: string): string | undefined {
  const name = snakeCase(part);
  const plain = name.replace(/^strict_/, '');
  return name !== part && (plain === 'date_optional_time' || Object.hasOwn(NAMED, plain)) ? name : undefined;
}

function epoch(unit: 1 | 1000): Alternative {
  return {
    // In another zone it counts from that zone's midnight (JavaDateMathParser).
    parse(text, zone, roundUp) {
      const match = /^(-?\d{1,19})(?:\.(\d*))?$/.exec(text);
      if (match === null) return undefined;
      const [, whole = '', part] = match;
      // EpochTime reads no part of a second before 1970, and nanoseconds at most.
      if (part !== undefined && (part === '' ? unit === 1 : part.length > (unit === 1 ? 6 : 9))) return undefined;
      if (text.startsWith('-') && unit === 1 && (Number(whole) % 1000 !== 0 || Number(part ?? 0) > 0)) return undefined;
      // A second without a fraction stands for all of it where bounds are rounded up.
      if (unit === 1000 && part === undefined) return zone.toUtc(Number(whole) * unit + (roundUp ? 999 : 0));
      return zone.toUtc(Math.floor(Number(text) * unit));
    },
    fraction(text) {
      const part = text.split('.')[1];
      return part === undefined ? undefined : unit === 1 ? `000${part}` : part;
    },
    print(instant, _zone, nanos) {
      const rest = instant - Math.floor(instant / unit) * unit;
      const digits = `${unit === 1 ? '' : String(rest).padStart(3, '0')}${String(nanos).padStart(6, '0')}`.replace(
        /0+$/,
        '',
      );
      return `${Math.floor(instant / unit)}${digits === '' ? '' : `.${digits}`}`;
    },
  };
}

const STRICT_ISO =
  /^(\d{4}|-\d{4,9}|\+\d{5,9})(?:-(\d{2})(?:-(\d{2}))?)?(?:T(?:(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;
const LENIENT_ISO =
  /^([+-]?\d{1,9})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:T(?:(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:[.,](\d{1,9}))?)?)?)?(Z|[+-]\d{1,2}(?::?\d{2})?)?)?$/;

/** @param fine whether more than milliseconds is printed */
function isoDate(strict: boolean, fine: boolean): Alternative {
  const pattern = strict ? STRICT_ISO : LENIENT_ISO;
  return {
    parse(text, zone, roundUp) {
      const match = pattern.exec(text);
      if (match === null) return undefined;
      const part = (at: number): number | undefined => (match[at] === undefined ? undefined : Number(match[at]));
      return instant(
        {
          year: part(1),
          month: part(2),
          day: part(3),
          hour: part(4),
          minute: part(5),
          second: part(6),
          milli: match[7] === undefined ? undefined : Number(match[7].padEnd(3, '0').slice(0, 3)),
        },
        match[8] === undefined ? zone : timeZone(match[8]),
        roundUp,
      );
    },
    fraction: (text) => pattern.exec(text)?.[7],
    print: (instant, zone, nanos) => printIso(instant, zone, fine ? nanos : 0),
  };
}

/** `2015-01-01T00:00:00.000Z`, or with the zone's offset; with as many digits beyond milliseconds as nanoseconds need. */
export function printIso(instant: number, zone: TimeZone = UTC, nanos = 0): string {
  const offset = zone.offsetAt(instant);
  const local = new Date(instant + offset);
  if (Number.isNaN(local.getTime())) return printFar(instant);
  const more = nanos === 0 ? '' : String(nanos).padStart(6, '0').replace(/0+$/, '');
  // JavaScript prints such years with six digits, Java with as many as they have.
  const date = local
    .toISOString()
    .slice(0, -1)
    .replace(/^([+-])0*(?=\d{4})/, '$1');
  return date + more + printOffset(offset, true);
}

/** The farthest instants of Java's `long`. */
const LEAST_LONG = -(2n ** 63n);
const MOST_LONG = 2n ** 63n - 1n;
/** Milliseconds of the 400 years after which the calendar repeats. */
const CYCLE = 146_097n * 86_400_000n;

/** An instant that no `Date` holds, as sums of dates are. */
function printFar(instant: number): string {
  if (!Number.isFinite(instant)) return String(instant);
  const whole = BigInt(Math.trunc(instant));
  const held = whole > MOST_LONG ? MOST_LONG : whole < LEAST_LONG ? LEAST_LONG : whole;
  const cycles = held / CYCLE - (held % CYCLE < 0n ? 1n : 0n);
  const local = new Date(Number(held - cycles * CYCLE));
  const year = BigInt(local.getUTCFullYear()) + cycles * 400n;
  return `${year < 0n ? '' : '+'}${year}${local.toISOString().slice(4)}`;
}
