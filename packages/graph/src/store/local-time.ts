// Converts stored times to the local time of a time zone, for SQLite, which knows none.

/** Length of a stretch in which the offset of a zone is taken as constant, if it is the same at both ends. */
const STRETCH = 15 * 60_000;
/** Stretches whose offsets are kept per zone. */
const KEPT = 50_000;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly offsets: Map<number, number | undefined>;
}

const zones = new Map<string, Zone>();

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

/** The local time at a stored time: `2026-07-09T17:05:00.000`; null if the text is no time. */
export function localTime(text: string, zoneName: string): string | null {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return null;
  let zone = zones.get(zoneName);
  if (zone === undefined) {
    const format = new Intl.DateTimeFormat('en', { timeZone: zoneName, timeZoneName: 'longOffset' });
    zones.set(zoneName, (zone = { format, offsets: new Map() }));
  }
  return new Date(time + offsetAt(zone, time)).toISOString().slice(0, -1);
}

/** Milliseconds that local time is ahead of UTC. */
function offsetAt(zone: Zone, time: number): number {
  const stretch = Math.floor(time / STRETCH);
  let offset = zone.offsets.get(stretch);
  if (offset === undefined && !zone.offsets.has(stretch)) {
    const start = readOffset(zone.format, stretch * STRETCH);
    const end = readOffset(zone.format, (stretch + 1) * STRETCH - 1);
    offset = start === end ? start : undefined;
    if (zone.offsets.size >= KEPT) zone.offsets.clear();
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
