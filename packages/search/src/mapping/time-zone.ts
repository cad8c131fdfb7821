// How far a time zone is from UTC at an instant, and back: what calendars, ranges and histograms need of time zones.
// The rules themselves come from the platform's `Intl`.
import { illegalArgument } from '../errors/request-error.ts';

/** A time zone. */
export interface TimeZone {
  readonly id: string;
  /** Milliseconds to add to UTC to get local time, at a UTC instant. */
  offsetAt(utc: number): number;
  /** The instant at which a local clock shows this time (given as if it were UTC); the earlier one when it shows it twice. */
  toUtc(local: number): number;
}

/** Coordinated universal time. */
export const UTC: TimeZone = { id: 'UTC', offsetAt: () => 0, toUtc: (local) => local };

const zones = new Map<string, TimeZone>();

/** Reads `Z`, `+01:00`, `-0530` or a name such as `Europe/Berlin`. */
export function timeZone(id: string): TimeZone {
  if (id === 'Z' || id === 'UTC' || id === 'z' || id === 'GMT') return id === 'UTC' ? UTC : { ...UTC, id };
  const known = zones.get(id);
  if (known !== undefined) return known;
  const fixed = /^([+-])(\d{1,2}):?(\d{2})?(?::?(\d{2}))?$/.exec(id);
  const made = fixed === null ? namedZone(id) : fixedZone(id, fixed);
  zones.set(id, made);
  return made;
}

function fixedZone(id: string, match: RegExpExecArray): TimeZone {
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0);
  const offset = (match[1] === '-' ? -seconds : seconds) * 1000;
  return { id, offsetAt: () => offset, toUtc: (local) => local - offset };
}

/** The last millisecond that JavaScript knows as a date; the first is as far before 1970. */
const LAST = 8.64e15;

function namedZone(id: string): TimeZone {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: id, timeZoneName: 'longOffset', year: 'numeric' });
  } catch {
    throw illegalArgument(`Unknown time-zone ID: ${id}`);
  }
  // Rules change on quarter hours at the finest, so one answer serves that quarter of an hour.
  const remembered = new Map<number, number>();
  const offsetAt = (utc: number): number => {
    const quarter = Math.floor(utc / 900_000);
    let offset = remembered.get(quarter);
    if (offset === undefined) {
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
    toUtc(local) {
      const before = offsetAt(local - 86_400_000);
      const early = local - before;
      if (offsetAt(early) === before) return early;
      const after = offsetAt(local + 86_400_000);
      const late = local - after;
      // In a gap neither holds: take the instant the clock jumps past the missing time.
      return offsetAt(late) === after ? late : early;
    },
  };
}
