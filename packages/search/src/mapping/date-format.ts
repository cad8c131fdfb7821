// Reads and writes dates in Elasticsearch's formats: the named ones, epoch numbers and Java patterns, several joined by
// `||`. Instants are milliseconds since 1970; what a text says beyond them is asked for apart. Date math (`now-1d`) has its own file.
import { illegalArgument } from '../errors/request-error.ts';
import { timeZone, type TimeZone, UTC } from './time-zone.ts';
import { offsetOfWeek, weekOf } from './week-date.ts';

/** A date format: reads any of its alternatives and writes the first. */
export interface DateFormat {
  readonly pattern: string;
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

interface Alternative {
  parse(text: string, zone: TimeZone, roundUp: boolean): number | undefined;
  /** The digits of the fraction of a second in a text that `parse` takes; undefined when it has none. */
  fraction(text: string): string | undefined;
  print(instant: number, zone: TimeZone, nanos: number): string;
}

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

/** Reads a format description. @throws RequestError when a part is unknown */
export function dateFormat(pattern: string): DateFormat {
  const known = formats.get(pattern);
  if (known !== undefined) return known;
  const alternatives = pattern.split('||').map((part) => alternative(part.trim(), pattern));
  const made: DateFormat = {
    pattern,
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
  formats.set(pattern, made);
  return made;
}

function alternative(part: string, whole: string): Alternative {
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
      const name = part.replace(/^strict_/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const named = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
      return compile(named ?? part, whole, part.startsWith('strict_') || named === undefined);
    }
  }
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
  return local.toISOString().slice(0, -1) + more + printOffset(offset, true);
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

function printOffset(offset: number, colon: boolean): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset) / 60_000;
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}${colon ? ':' : ''}${String(minutes % 60).padStart(2, '0')}`;
}

interface Parts {
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

function instant(parts: Parts, zone: TimeZone, roundUp: boolean): number | undefined {
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

function instantOfWeek(parts: Parts, zone: TimeZone, roundUp: boolean): number | undefined {
  const { year = 1970, week = 1, weekday = 1 } = parts;
  const offset = offsetOfWeek(year, week, weekday);
  const start = instant({ ...parts, month: 1, day: 1 }, zone, roundUp);
  return offset === undefined || start === undefined ? undefined : start + offset;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const LONG_MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

interface Piece {
  readonly regex: string;
  readonly read?: (
    text: string,
    parts: Parts & { pm?: boolean; zone?: TimeZone; dayOfYear?: number; fraction?: string },
  ) => void;
  print(local: Date, offset: number, zone: TimeZone, nanos: number): string;
}

/** Compiles a Java date pattern. */
function compile(pattern: string, whole: string, strict: boolean): Alternative {
  const reserved = /[{}#]/.exec(pattern.replaceAll(/'(?:[^']|'')*'/g, ''))?.[0];
  if (reserved !== undefined)
    throw illegalArgument(`Invalid format: [${whole}]: Pattern includes reserved character: '${reserved}'`);
  const pieces: Piece[] = [];
  // `Y` is the year that a week lies in; beside days and months it is read as the usual one.
  const isWeek = /[Yw]/.test(pattern) && !/[yuMLdD]/.test(pattern);
  const literal = (text: string): void => {
    pieces.push({ regex: text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), print: () => text });
  };
  for (const match of pattern.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/g)) {
    const text = match[0];
    if (match[1] !== undefined) literal(match[1] === '' ? "'" : match[1].replaceAll("''", "'"));
    else if (match[2] === undefined) literal(text);
    else {
      // Numbers without anything between them have the width that the pattern says.
      const next = pattern[match.index + text.length] ?? '';
      const isAdjacent = /[A-Za-z]/.test(next);
      pieces.push(field(match[2], text.length, strict || isAdjacent, whole, isWeek, isAdjacent));
    }
  }
  const captures: (NonNullable<Piece['read']> | undefined)[] = [];
  const source = pieces
    .map((piece) => {
      if (piece.read === undefined) return piece.regex;
      captures.push(piece.read);
      return `(${piece.regex})`;
    })
    .join('');
  const regex = new RegExp(`^${source}$`, 'i');
  return {
    parse(text, zone, roundUp) {
      const match = regex.exec(text);
      if (match === null) return undefined;
      const parts: Parts & { pm?: boolean; zone?: TimeZone; dayOfYear?: number } = {};
      captures.forEach((read, at) => read?.(match[at + 1]!, parts));
      if (parts.pm !== undefined && parts.hour !== undefined) parts.hour = (parts.hour % 12) + (parts.pm ? 12 : 0);
      if (isWeek) return instantOfWeek(parts, parts.zone ?? zone, roundUp);
      const base = instant(parts, parts.zone ?? zone, roundUp);
      return base !== undefined && parts.dayOfYear !== undefined ? base + (parts.dayOfYear - 1) * 86_400_000 : base;
    },
    fraction(text) {
      const parts: Parts & { fraction?: string } = {};
      const match = regex.exec(text);
      if (match !== null) captures.forEach((read, at) => read?.(match[at + 1]!, parts));
      return parts.fraction;
    },
    print(at, zone, nanos) {
      const offset = zone.offsetAt(at);
      const local = new Date(at + offset);
      return pieces.map((piece) => piece.print(local, offset, zone, nanos)).join('');
    },
  };
}

/** Four digits; more have a sign. */
const ERA_YEAR = String.raw`\d{4}|\+\d{5,9}`;
/** As well, and years before the first. */
const STRICT_YEAR = String.raw`\d{4}|-\d{4,9}|\+\d{5,9}`;

function field(
  letter: string,
  size: number,
  strict: boolean,
  whole: string,
  isWeek: boolean,
  isAdjacent: boolean,
): Piece {
  const digits = (max: number): string => (size === 1 || !strict ? `\\d{1,${max}}` : `\\d{${size}}`);
  const pad = (value: number): string => String(value).padStart(size, '0');
  switch (letter) {
    case 'y':
    case 'u':
    case 'Y':
      return {
        regex:
          size === 2
            ? '\\d{2}'
            : size === 1 || !strict
              ? '[+-]?\\d{1,9}'
              : isAdjacent
                ? '\\d{4}'
                : letter === 'y'
                  ? ERA_YEAR
                  : STRICT_YEAR,
        read: (text, parts) => void (parts.year = size === 2 ? 2000 + Number(text) : Number(text)),
        print(local) {
          const year = isWeek ? weekOf(local).year : local.getUTCFullYear();
          if (size === 2) return pad(year % 100);
          return year < 0 ? `-${pad(-year)}` : year > 9999 && size === 4 ? `+${year}` : pad(year);
        },
      };
    case 'w':
      return {
        regex: digits(2),
        read: (text, parts) => void (parts.week = Number(text)),
        print: (local) => pad(weekOf(local).week),
      };
    case 'M':
    case 'L':
      if (size >= 3) {
        const names = size === 3 ? MONTHS : LONG_MONTHS;
        return {
          regex: names.join('|'),
          read: (text, parts) =>
            void (parts.month = names.findIndex((name) => name.toLowerCase() === text.toLowerCase()) + 1),
          print: (local) => names[local.getUTCMonth()]!,
        };
      }
      return {
        regex: digits(2),
        read: (text, parts) => void (parts.month = Number(text)),
        print: (local) => pad(local.getUTCMonth() + 1),
      };
    case 'd':
      return {
        regex: digits(2),
        read: (text, parts) => void (parts.day = Number(text)),
        print: (local) => pad(local.getUTCDate()),
      };
    case 'D':
      return {
        regex: digits(3),
        read(text, parts) {
          parts.month = 1;
          parts.day = 1;
          parts.dayOfYear = Number(text);
        },
        print: (local) => pad(Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / 86_400_000) + 1),
      };
    case 'H':
    case 'k':
    case 'h':
    case 'K':
      return {
        regex: digits(2),
        read: (text, parts) => void (parts.hour = Number(text)),
        print: (local) => pad(letter === 'h' ? ((local.getUTCHours() + 11) % 12) + 1 : local.getUTCHours()),
      };
    case 'm':
      return {
        regex: digits(2),
        read: (text, parts) => void (parts.minute = Number(text)),
        print: (local) => pad(local.getUTCMinutes()),
      };
    case 's':
      return {
        regex: digits(2),
        read: (text, parts) => void (parts.second = Number(text)),
        print: (local) => pad(local.getUTCSeconds()),
      };
    case 'S':
      return {
        regex: `\\d{1,9}`,
        read(text, parts) {
          parts.fraction = text;
          parts.milli = Number(text.padEnd(3, '0').slice(0, 3));
        },
        print: (local, _offset, _zone, nanos) =>
          `${String(local.getUTCMilliseconds()).padStart(3, '0')}${String(nanos).padStart(6, '0')}`.slice(0, size),
      };
    case 'a':
      return {
        regex: 'AM|PM',
        read: (text, parts) => void (parts.pm = text.toLowerCase() === 'pm'),
        print: (local) => (local.getUTCHours() < 12 ? 'AM' : 'PM'),
      };
    case 'E':
    case 'e': {
      if (letter === 'e' && isWeek)
        return {
          regex: '[1-7]',
          read: (text, parts) => void (parts.weekday = Number(text)),
          print: (local) => String(((local.getUTCDay() + 6) % 7) + 1),
        };
      const names = size >= 4 ? WEEKDAYS : WEEKDAYS.map((name) => name.slice(0, 3));
      return { regex: `(?:${names.join('|')})`, print: (local) => names[local.getUTCDay()]! };
    }
    case 'X':
    case 'x':
    case 'Z':
      return {
        regex: 'Z|[+-]\\d{2}(?::?\\d{2})?',
        read: (text, parts) => void (parts.zone = timeZone(text.toUpperCase())),
        print: (_, offset) =>
          offset === 0 && letter !== 'X'
            ? size >= 3 && letter === 'x'
              ? '+00:00'
              : '+0000'
            : printOffset(offset, size >= 3 || size === 5),
      };
    case 'V':
    case 'z':
    case 'v':
      return {
        regex: '[A-Za-z][A-Za-z0-9_+/-]*|[+-]\\d{2}:?\\d{2}',
        read: (text, parts) => void (parts.zone = timeZone(text)),
        print: (_local, _offset, zone) => (zone === UTC ? 'Z' : zone.id),
      };
    default:
      throw illegalArgument(`Invalid format: [${whole}]: Unknown pattern letter: ${letter}`);
  }
}
