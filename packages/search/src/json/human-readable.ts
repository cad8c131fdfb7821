// Sizes, durations and dates as people read them, beside their numbers: the parameter `human` of requests about the cluster.
import { isObject } from './json.ts';

/** Units from the smallest on, each with how many of it make the next one. */
const BYTES = ['b', 'kb', 'mb', 'gb', 'tb', 'pb'];
const TIMES: readonly (readonly [unit: string, nanos: number])[] = [
  ['d', 86_400e9],
  ['h', 3600e9],
  ['m', 60e9],
  ['s', 1e9],
  ['ms', 1e6],
  ['micros', 1e3],
];

/** One decimal, cut off, and none where it is 0. */
const short = (value: number): string => String(Math.floor(value * 10) / 10);

/** `7.7kb`. */
function humanBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${short(bytes / 1024 ** power)}${BYTES[power]}`;
}

/** `1.2s`. */
function humanTime(nanos: number): string {
  const found = TIMES.find(([, size]) => nanos >= size);
  if (nanos === 0) return '0s';
  return found === undefined ? `${nanos}nanos` : `${short(nanos / found[1])}${found[0]}`;
}

const NUMBER = /^(?<base>.+?)(?:_in)?_(?<unit>bytes|millis|nanos)$/;
/** Points in time, whose names end as those of durations do. */
const DATE = /^(?:start_time|stop_time|jvm_start_time|max_last_access)$/;

function textOf(base: string, unit: string, value: number): string {
  // Elasticsearch does not know how long these were held back.
  if (base.endsWith('_throttle_time') && base !== 'throttle_time') return '-1';
  if (unit === 'bytes') return humanBytes(value);
  if (DATE.test(base)) return new Date(value).toISOString();
  return humanTime(unit === 'millis' ? value * 1e6 : value);
}

/** Settings that hold a date or a version. */
const SETTING = /(?:^|\.)(?:creation_date|created|upgraded)$/;
const VERSION = '7.10.2';

/** The same answer with a readable member before each number that has one. */
export function withReadable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReadable);
  return isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value))
    ? Object.fromEntries(Object.entries(value).flatMap(readable))
    : value;
}

function readable([name, value]: readonly [string, unknown]): (readonly [string, unknown])[] {
  if (SETTING.test(name) && typeof value === 'string')
    return [
      [`${name}_string`, name.endsWith('date') ? new Date(Number(value)).toISOString() : VERSION],
      [name, value],
    ];
  if (name === 'active_shards_percent_as_number')
    return [
      ['active_shards_percent', `${Number(value).toFixed(1)}%`],
      [name, value],
    ];
  const { base, unit } = NUMBER.exec(name)?.groups ?? {};
  if (typeof value === 'number' && base !== undefined && unit !== undefined) {
    // So it is called among the numbers of gets, the only ones with this name.
    const shown = base === 'time' ? 'getTime' : base;
    return [
      [shown, textOf(base, unit, value)],
      [name, value],
    ];
  }
  return [[name, withReadable(value)]];
}
