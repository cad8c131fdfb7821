// Reads the aggregations that compute numbers: avg, sum, min, max, stats, percentiles.
import { javaDouble } from '../mapping/java-values.ts';
import { asInteger, asNumber, checkKeys, isObject, textOf } from '../json/json.ts';
import { illegalArgument, RequestError } from '../errors/request-error.ts';
import { statsAggregator } from './metrics.ts';
import { percentilesAggregator } from './percentiles.ts';
import { flag, metric, type Reader } from './read-definition.ts';

export function stats(type: 'avg' | 'sum' | 'min' | 'max' | 'stats' | 'extended_stats'): Reader {
  return (definition) => {
    const options = metric(definition, type, type === 'extended_stats' ? ['sigma'] : []);
    const given = definition.body['sigma'];
    if (given !== undefined && (typeof given === 'object' || !Number.isFinite(Number(given))))
      throw new RequestError(
        'SEARCH_PARSING',
        'x_content_parse_exception',
        `[extended_stats] failed to parse field [sigma]: a number is expected, but got [${textOf(given)}]`,
      );
    const sigma = given === undefined ? 2 : asNumber(given, 'sigma');
    if (sigma < 0)
      throw illegalArgument(
        `[sigma] must be greater than or equal to 0. Found [${javaDouble(sigma)}] in [${definition.name}]`,
      );
    return statsAggregator(type, { ...options, sigma });
  };
}

export function percentiles(type: 'percentiles' | 'percentile_ranks'): Reader {
  return (definition) => {
    const { body, name } = definition;
    const key = type === 'percentiles' ? 'percents' : 'values';
    const options = metric(definition, type, [key, 'keyed', 'tdigest', 'hdr']);
    if (isObject(body['tdigest'])) {
      checkKeys(body['tdigest'], 'tdigest', ['compression']);
      if (body['tdigest']['compression'] !== undefined && asNumber(body['tdigest']['compression'], 'compression') < 0) {
        throw illegalArgument(
          `[compression] must be greater than or equal to 0. Found [${textOf(body['tdigest']['compression'])}] in [${name}]`,
        );
      }
    }
    if (body['hdr'] !== undefined && body['tdigest'] !== undefined)
      throw illegalArgument(`Only one percentiles method should be declared: [${name}]`);
    let hdrDigits: number | undefined;
    if (body['hdr'] !== undefined) hdrDigits = 3;
    if (isObject(body['hdr'])) {
      checkKeys(body['hdr'], 'hdr', ['number_of_significant_value_digits']);
      const digits = body['hdr']['number_of_significant_value_digits'];
      if (digits !== undefined && (asNumber(digits, 'number_of_significant_value_digits') < 0 || Number(digits) > 5)) {
        throw illegalArgument(`[numberOfSignificantValueDigits] must be between 0 and 5: [${name}]`);
      }
      if (digits !== undefined) hdrDigits = asInteger(digits, 'number_of_significant_value_digits');
    }
    if (type === 'percentile_ranks' && body['values'] === undefined)
      throw illegalArgument(`[values] must not be null: [${name}]`);
    const given = body[key] === undefined ? [1, 5, 25, 50, 75, 95, 99] : body[key];
    if (!Array.isArray(given) || given.length === 0) throw illegalArgument(`[${key}] must not be empty: [${name}]`);
    const at = given.map((each) => asNumber(each, key)).sort((a, b) => a - b);
    if (type === 'percentiles' && at.some((each) => each < 0 || each > 100)) {
      throw illegalArgument(
        `percent must be in [0,100], got [${at.find((each) => each < 0 || each > 100)}]: [${name}]`,
      );
    }
    return percentilesAggregator(type, {
      ...options,
      at,
      keyed: flag(body, 'keyed', true),
      hdrDigits,
    });
  };
}
