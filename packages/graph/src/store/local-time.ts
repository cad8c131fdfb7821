// Converts stored times to the local time of a time zone, for SQLite, which knows none.

/** Length of a stretch in which the offset of a zone is taken as constant, if it is the same at both ends. */
const STRETCH = 15 * 60_000;
/** Stretches whose offsets are kept, of all zones together; each takes about 50 bytes. */
const KEPT = 50_000;
/** Zones that are kept. */
const ZONES = 16;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly offsets: Map<number, number | undefined>;
}

const zones = new Map<string, Zone>();
let kept = 0;

/** The canonical name of a time zone of the IANA database; undefined if there is none. */
export function timeZoneName(text: string): string | undefined {
  // The databases read offsets differently: to PostgreSQL, "+01" is west of Greenwich.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * The local time at a stored time: `2026-07-09T17:05:00.000`; null if the text is no time, or the local year not one of
 * 1 to 9999, which is the range of stored times.
 */
export function localTime(text: string, zoneName: string): string | null {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return null;
  const local = new Date(time + offsetAt(zoneName, time));
  const year = local.getUTCFullYear();
  return year >= 1 && year <= 9999 ? local.toISOString().slice(0, -1) : null;
}

function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  if (zones.size >= ZONES) {
    zones.clear();
    kept = 0;
  }
  const zone: Zone = {
    format: new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' }),
    offsets: new Map(),
  };
  zones.set(name, zone);
  return zone;
}

/** Milliseconds that local time is ahead of UTC; `zoneName` as timeZoneName returns it. */
export function offsetAt(zoneName: string, time: number): number {
  const zone = zoneOf(zoneName);
  const stretch = Math.floor(time / STRETCH);
  let offset = zone.offsets.get(stretch);
  if (offset === undefined && !zone.offsets.has(stretch)) {
    const start = readOffset(zone.format, stretch * STRETCH);
    const end = readOffset(zone.format, (stretch + 1) * STRETCH - 1);
    offset = start === end ? start : undefined;
    if (kept >= KEPT) {
      for (const { offsets } of zones.values()) offsets.clear();
      kept = 0;
    }
    kept++;
    zone.offsets.set(stretch, offset);
  }
  return offset ?? readOffset(zone.format, time);
}

/** Reads `GMT+05:30`; before standard time, offsets have seconds. */
function readOffset(format: Intl.DateTimeFormat, time: number): number {
  const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const parts = /^GMT(?:([-+])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name);
  if (parts === null) return 0;
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] = parts;
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -offset : offset;
}

/** The sizes of the cache, for tests. */
export function keptOffsets(): { readonly zones: number; readonly offsets: number } {
  const offsets = [...zones.values()].reduce((sum, zone) => sum + zone.offsets.size, 0);
  return { zones: zones.size, offsets };
}
