// Reads the aggregations that hold several fields of numbers against each other: matrix_stats, t_test.
import { asChoice, asInteger, asObject, asString, checkKeys, isObject, textOf, tokenOf, toList } from '../json/json.ts';
import { illegalArgument, parsingError } from '../errors/request-error.ts';
import { matrixStatsAggregator } from './matrix-stats.ts';
import { type MetricAggregation, decimalPrinter, noScript, type Reader } from './definition.ts';
import { type Population, tTestAggregator } from './t-test.ts';
import { NOT_OPEN, OF_SEVERAL_FIELDS } from './on-cluster.ts';

/** Fields of one matrix at most: it has as many numbers as their square. */
const MOST_FIELDS = 100;

const MODES = ['avg', 'min', 'max', 'sum', 'median'] as const;

const matrixStats: Reader = ({ name, meta, body }) => {
  const unexpected = (key: string, value: unknown): Error =>
    parsingError(`Unexpected token ${tokenOf(value)} [${key}] in [${name}].`);
  for (const [key, value] of Object.entries(body)) {
    const isText = typeof value === 'string';
    const isRead =
      key === 'fields'
        ? isText || Array.isArray(value)
        : key === 'mode' || key === 'format'
          ? isText
          : key === 'missing' && isObject(value);
    if (!isRead) throw unexpected(key, value);
  }
  const fields = toList(body['fields'] ?? []).map((field) => {
    if (typeof field !== 'string') throw unexpected('fields', field);
    return field;
  });
  if (fields.length > MOST_FIELDS)
    throw illegalArgument(
      `[matrix_stats] at most [${MOST_FIELDS}] fields are compared, and [${fields.length}] were given`,
    );
  const mode = body['mode'] === undefined ? 'avg' : MODES.find((each) => each === textOf(body['mode']).toLowerCase());
  if (mode === undefined) throw illegalArgument(`Illegal sort mode: ${textOf(body['mode'])}`);
  return matrixStatsAggregator({ name, meta, fields, mode, missing: asObject(body['missing'] ?? {}, 'missing') });
};

const TYPES = ['paired', 'homoscedastic', 'heteroscedastic'] as const;

const tTest: Reader = ({ name, meta, body }) => {
  const population = (key: 'a' | 'b'): Population => {
    if (body[key] === undefined) throw illegalArgument(`Required [${key}] in the t_test aggregation [${name}]`);
    const given = asObject(body[key], key);
    noScript(given);
    checkKeys(given, key, ['field', 'missing', 'filter']);
    return {
      field: asString(given['field'], `${key}.field`),
      missing: given['missing'] ?? undefined,
      filter: given['filter'],
    };
  };
  const a = population('a');
  const b = population('b');
  const type = body['type'] === undefined ? 'heteroscedastic' : asChoice(body['type'], 'type', TYPES);
  const tails = body['tails'] === undefined ? 2 : asInteger(body['tails'], 'tails');
  if (tails !== 1 && tails !== 2) throw illegalArgument(`[tails] must be 1 or 2. Found [${tails}] in [${name}]`);
  if (type === 'paired' && (a.filter !== undefined || b.filter !== undefined))
    throw illegalArgument("Paired t-test doesn't support filters");
  return tTestAggregator({ name, meta, a, b, type, tails, print: decimalPrinter(body) });
};

export const COMPARISONS = {
  matrix_stats: {
    kind: 'metric',
    cluster: OF_SEVERAL_FIELDS,
    isReadByHand: true,
    options: ['fields', 'mode', 'missing', 'format'],
    read: matrixStats,
  },
  t_test: {
    kind: 'metric',
    cluster: NOT_OPEN,
    numbers: 'value',
    options: ['a', 'b', 'type', 'tails', 'format', 'value_type'],
    read: tTest,
  },
} as const satisfies Readonly<Record<string, MetricAggregation>>;
