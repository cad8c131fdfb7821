// Names of indices that hold a date: `<logs-{now/d}>` is today's. The date stands in braces, its format and time zone in braces of
// their own: `<logs-{now/M{yyyy.MM|+02:00}}>`.
import { dateFormat } from '../../mapping/date-format.ts';
import { parseDateMath } from '../../mapping/date-math.ts';
import { timeZone } from '../../mapping/time-zone.ts';
import { RequestError } from '../../errors/request-error.ts';

/** A list of names with the dates put in. @throws RequestError `parse_exception` for a name that is malformed */
export function resolveDateMath(names: string, now: number): string {
  if (!names.includes('<')) return names;
  return names
    .split(',')
    .map((name) => {
      const minus = name.startsWith('-') ? '-' : '';
      const bare = name.slice(minus.length);
      return bare.startsWith('<') && bare.endsWith('>') ? minus + resolveOne(bare.slice(1, -1), now) : name;
    })
    .join(',');
}

function resolveOne(name: string, now: number): string {
  let resolved = '';
  for (let at = 0; at < name.length;) {
    const letter = name[at]!;
    if (letter === '\\') {
      resolved += name[at + 1] ?? '';
      at += 2;
    } else if (letter === '}') {
      throw malformed(name, 'invalid character at position ' + at + ', `{` and `}` are reserved characters');
    } else if (letter === '{') {
      const match = /^\{([^{}]+)(?:\{([^{}|]*)(?:\|([^{}|]+))?\})?\}/.exec(name.slice(at));
      if (match === null) throw malformed(name, 'date math placeholder is open ended or empty');
      const [whole, math = '', format, zone] = match;
      resolved += print(math, format === undefined || format === '' ? 'yyyy.MM.dd' : format, zone, now);
      at += whole.length;
    } else {
      resolved += letter;
      at++;
    }
  }
  return resolved;
}

function print(math: string, format: string, zone: string | undefined, now: number): string {
  const where = zone === undefined ? undefined : timeZone(zone);
  // Java's `uuuu`, the year without an era, is `yyyy` in Elasticsearch's own examples.
  const pattern = dateFormat(format.replaceAll('u', 'y'));
  let instant: number;
  try {
    instant = parseDateMath(math, pattern, { now, zone: where });
  } catch (error) {
    // In a query it would be the failure of a shard.
    throw error instanceof RequestError ? new RequestError('SEARCH_PARSING', error.type, error.message) : error;
  }
  return where === undefined ? pattern.print(instant) : pattern.print(instant, where);
}

function malformed(name: string, reason: string): Error {
  return new RequestError(
    'SEARCH_PARSING',
    'parse_exception',
    `invalid dynamic name expression [<${name}>]. ${reason}`,
  );
}
