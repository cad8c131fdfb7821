// How far a time zone is from UTC at an instant, and back: what calendars, ranges and histograms need of time zones.
// The rules themselves come from the platform's `Intl`.
import { utcOfLocal, type ZoneClock } from '@lockstitch/kernel';
import { RequestError } from '../errors/request-error.ts';

/** A time zone. */
export interface TimeZone extends ZoneClock {
  readonly id: string;
}

/** Coordinated universal time. */
export const UTC: TimeZone = { id: 'UTC', offsetAt: () => 0, toUtc: (local) => local };

const zones = new Map<string, TimeZone>();

/** Reads `Z`, `+01:00`, `-0530` or a name such as `Europe/Berlin`. */
export function timeZone(id: string): TimeZone {
  if (id === 'Z' || id === 'UTC' || id === 'z' || id === 'GMT') return id === 'UTC' ? UTC : { ...UTC, id };
  const known = zones.get(id);
  if (known !== undefined) return known;
  const fixed = /^(?:UTC?|GMT)?([+-])(\d{1,2}):?(\d{2})?(?::?(\d{2}))?$/.exec(id);
  const made = fixed === null ? namedZone(id) : fixedZone(id, fixed);
  zones.set(id, made);
  return made;
}

function fixedZone(id: string, match: RegExpExecArray): TimeZone {
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0);
  if (seconds > MOST_SECONDS)
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'date_time_exception',
      'Zone offset not in valid range: -18:00 to +18:00',
    );
  const offset = (match[1] === '-' ? -seconds : seconds) * 1000;
  return { id, offsetAt: () => offset, toUtc: (local) => local - offset };
}

/** The farthest from UTC that a fixed offset may be. */
const MOST_SECONDS = 18 * 3600;

/** Names without a region that Java has: others, such as `EST`, are short for what changed its meaning. */
const WITHOUT_REGION = new Set(
  (
    'CET CST6CDT Cuba EET EST5EDT Egypt Eire GB GB-Eire GMT GMT0 Greenwich Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya ' +
    'MET MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC Universal W-SU WET Zulu'
  ).split(' '),
);

/** Whether Java has a zone of that name, which it reads in the case that it has. */
function isJavaName(id: string): boolean {
  if (!id.includes('/')) return WITHOUT_REGION.has(id);
  const { timeZone: known } = new Intl.DateTimeFormat('en-US', { timeZone: id }).resolvedOptions();
  return /^[A-Z]/.test(id) && (known === id || known.toLowerCase() !== id.toLowerCase());
}

function unknownZone(id: string): RequestError {
  const isName = /^[A-Za-z][A-Za-z0-9~/._+-]+$/.test(id);
  return isName
    ? new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'zone_rules_exception', `Unknown time-zone ID: ${id}`)
    : new RequestError(
        'SEARCH_ILLEGAL_ARGUMENT',
        'date_time_exception',
        `Invalid ID for ${id.length < 2 ? 'ZoneOffset' : 'region-based ZoneId'}, invalid format: ${id}`,
      );
}

/** The last millisecond that JavaScript knows as a date; the first is as far before 1970. */
const LAST = 8.64e15;

function namedZone(id: string): TimeZone {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: id, timeZoneName: 'longOffset', year: 'numeric' });
  } catch {
    throw unknownZone(id);
  }
  if (!isJavaName(id)) throw unknownZone(id);
  // Rules change on quarter hours at the finest, so one answer serves that quarter of an hour.
  const remembered = new Map<number, number>();
  const offsetAt = (utc: number): number => {
    const quarter = Math.floor(utc / 900_000);
    let offset = remembered.get(quarter);
    if (offset === undefined) {
      // A date beyond those of the calendar has no offset, as it has no time.
      if (Number.isNaN(utc)) return utc;
      const name =
        format.formatToParts(Math.max(-LAST, Math.min(utc, LAST))).find((part) => part.type === 'timeZoneName')
          ?.value ?? 'GMT';
      const match = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?/.exec(name);
      const seconds = Number(match?.[2] ?? 0) * 3600 + Number(match?.[3] ?? 0) * 60 + Number(match?.[4] ?? 0);
      offset = (match?.[1] === '-' ? -seconds : seconds) * 1000;
      if (remembered.size > 50_000) remembered.clear();
      remembered.set(quarter, offset);
    }
    return offset;
  };
  return {
    id,
    offsetAt,
    toUtc: (local) => utcOfLocal(local, offsetAt),
  };
}
