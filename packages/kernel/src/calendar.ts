// The calendar on the clock of a time zone: adding units and rounding down, and the computations of date math, such as
// `-7d/d`. Not here: the rules of time zones, and what a computation starts from.

/** Units of the calendar, as in date math. */
export type CalendarUnit = 'y' | 'q' | 'M' | 'w' | 'd' | 'h' | 'm' | 's';

/** A time zone, as far as the calendar needs it. */
export interface ZoneClock {
  /** Milliseconds to add to UTC to get local time, at a UTC instant. */
  offsetAt(utc: number): number;
  /** The instant at which a local clock shows this time (given as if it were UTC); the earlier one when it shows it twice. */
  toUtc(local: number): number;
}

const FIXED: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };

const STEP = /^(?:([+-])(\d*)|(\/)1?)([yMwdhHms])/;

/** Each may ask for the offset of a zone, which takes 10 µs and more. */
const MAX_STEPS = 100;

/** A computation that cannot be read or has more than 100 steps, and where. */
export interface MathMistake {
  readonly at: number;
  readonly isTooLong: boolean;
}

/**
 * Computes date math: `+1M-2d/d`, from an instant on.
 *
 * @param roundUp `/unit` goes to the last millisecond of the unit
 */
export function computeTime(
  math: string,
  from: number,
  { zone, roundUp }: { readonly zone: ZoneClock; readonly roundUp: boolean },
): number | MathMistake {
  let instant = from;
  let at = 0;
  for (let steps = 0; at < math.length; steps++) {
    const match = STEP.exec(math.slice(at));
    const isTooLong = steps === MAX_STEPS;
    if (match === null || isTooLong) return { at, isTooLong };
    const unit = (match[4] === 'H' ? 'h' : match[4]) as CalendarUnit;
    if (match[3] === undefined) {
      const count = (match[2] === '' ? 1 : Number(match[2])) * (match[1] === '-' ? -1 : 1);
      instant = addUnits(instant, unit, count, zone);
    } else {
      instant = roundDown(instant, unit, zone);
      if (roundUp) instant = addUnits(instant, unit, 1, zone) - 1;
    }
    at += match[0].length;
  }
  return instant;
}

/** Adds calendar units on the local clock of the zone. A day that a month does not have is its last. */
export function addUnits(instant: number, unit: CalendarUnit, count: number, zone: ZoneClock): number {
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

/** The start of the unit that holds the instant, on the local clock of the zone; NaN beyond the years of a Date. */
export function roundDown(instant: number, unit: CalendarUnit, zone: ZoneClock): number {
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
  return zone.toUtc(local.getTime());
}

/** `toUtc` of a zone that is known by its offsets. */
export function utcOfLocal(local: number, offsetAt: (utc: number) => number): number {
  const before = offsetAt(local - 86_400_000);
  const early = local - before;
  if (offsetAt(early) === before) return early;
  const after = offsetAt(local + 86_400_000);
  const late = local - after;
  // In a gap neither holds: take the instant the clock jumps past the missing time.
  return offsetAt(late) === after ? late : early;
}
