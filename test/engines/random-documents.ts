// Random documents for a mapping: most fit it, some nearly, some not at all.
import type { Random } from '@lockstitch/search/requests';
import type { Json } from './random-fields.ts';

type Values = readonly unknown[];

/** Values as JSON, which is shorter than one a line. */
const list = <T>(text: string): readonly T[] => JSON.parse(`[${text}]`) as readonly T[];

const LONG = 'x'.repeat(9000);

/** Values by type: those that fit, then those that nearly do or do not. */
const TEXTS: Values = list(
  String.raw`"red fox", "The Quick brown-fox", "Café naïve", "<b>bold</b> text", "", " ", "a", "狐 と 犬", "🦊 fox", "x_y", "U.S.A. 3.14",
    ["red","blue fox"]`,
);
const TEXTS_NEAR: Values = [7, 2.5, true, ['red', null, 'blue'], [['red'], 'x'], [], 1e20, -0, 12345678901234567000];
const NONE: Values = [{ a: 1 }, [{ a: 1 }], { a: { b: 'x' } }];
const NUMBERS: Values = [0, 1, 5, 7, 100, -3, [1, 5], [3, 1, 3]];
const NUMBERS_NEAR: Values = list(
  String.raw`"5", " 7 ", "2.5", 2.5, -2.7, "", 127, 128, 32768, 70000, 2147483648, 9007199254740992, 10000000000000000000, 1e+39, 1e400, "1e3", "0x10",
    "1,5", "NaN", "Infinity", true, "true", [1,"2"], [null,1], [], "seven", 1e-50, "-0", -0, "٣", "5f", "1_000", "+5", ".5", "5.",
    "9223372036854775807", "9223372036854775808", "1E2d"`,
);
const DATES: Values = ['2026-01-01', '2025-12-31T23:59:59.999Z', 1767225600000, ['2026-01-01', '2026-02-03']];
const DATES_NEAR: Values = list(
  String.raw`"2026-01-01T00:00:00+02:00", "2026-1-1", "2026", "2026-02-30", "2026-13-01", "2026-01-01 10:00:00", "01/02/2026", "20260101", "2026-W05-3",
    "2026-045", "now", "yesterday", "", 1767225600, 1767225600.5, "1767225600000", -1, true, "2026-01-01T00:00:00.123456789Z", "1969-12-31",
    "12026-01-01", "2026-01-01T24:00:00Z", "2026-01-01T10:00:00Z[Europe/Berlin]", [], null, "2026-01", "2026-01-01T10", "2026-01-01||/d"`,
);
const BOOLEANS: Values = [true, false, 'true', 'false', [true, false]];
const BOOLEANS_NEAR: Values = ['', 1, 0, 'yes', 'TRUE', 'on', null, [], 'False'];
const IPS: Values = ['10.0.0.1', '192.168.1.9', 'fe80::1', '::ffff:10.0.0.1', ['10.0.0.1', '::1']];
const IPS_NEAR: Values = list(
  String.raw`"10.0.0", "10.0.0.256", "10.0.0.0/24", "", "localhost", 7, 167772161, "010.0.0.1", "FE80::1", "fe80::1%eth0", ":::1", true`,
);
const POINTS: Values = ['1,2', { lat: 1, lon: 2 }, [2, 1], 'drm3btev3e86', 'POINT (2 1)', [{ lat: 1, lon: 2 }, '3,4']];
const POINTS_NEAR: Values = list(
  String.raw`"91,2", {"lat":91,"lon":2}, [200,1], "1,2,3", [2,1,3], {"lat":1}, {"lon":2}, {"lat":"x","lon":2}, {"lat":"1","lon":"2"}, "x", "", 7, "1",
    [1], [], {"lat":1,"lon":2,"z":3}, {"lat":1,"lon":2,"other":3}, "POINT (2)", "LINESTRING (1 2, 3 4)", true, "1,x", {"geohash":"drm3"},
    [["1","2"]], {"lat":null,"lon":1}, {"type":"Point","coordinates":[2,1]}`,
);
const RANGES: Values = [{ gte: 1, lt: 5 }, { gt: 1, lte: 3 }, { gte: 2 }, {}, [{ gte: 1, lt: 5 }, { gte: 8 }]];
const RANGES_NEAR: Values = list(
  String.raw`{"gte":5,"lte":1}, {"gte":"1","lt":"5"}, {"gte":1.5,"lt":4.5}, {"from":1,"to":3}, {"gte":"x"}, {"gte":1,"wrong":2}, 7, "1-5", null, [],
    {"gte":null,"lt":5}, {"gt":1,"lt":2}, {"gte":1,"gt":0}, {"gt":2147483647}, {"gte":1e+40}, [7], true, {"gte":[1]}`,
);
const DATE_RANGES: Values = list(
  String.raw`{"gte":"2026-01-01","lt":"2026-02-01"}, {"gt":"2025-12-31T10:00:00Z"}, {"lte":1767225600000}`,
);
const DATE_RANGES_NEAR: Values = list(
  String.raw`{"gte":"2026-01-01||/M"}, {"gte":"now"}, {"gte":"2026","lte":"2025"}, {"gte":"x"}, {"from":"2026-01-01"}, "2026-01-01", {"gte":"2026-01"},
    {"gte":1767225600}`,
);
const IP_RANGES: Values = list(
  String.raw`{"gte":"10.0.0.1","lte":"10.0.0.9"}, "10.0.0.0/24", {"gt":"fe80::1"}, ["10.0.0.0/8","::/0"]`,
);
const IP_RANGES_NEAR: Values = list(
  String.raw`"10.0.0.1", "10.0.0.0/33", "x", {"gte":"x"}, {"gte":"10.0.0.9","lte":"10.0.0.1"}, 7, "10.0.0.7/24", {"gte":"10.0.0.0/24"}`,
);
const COMPLETIONS: Values = list(
  String.raw`"red fox", ["red","blue"], {"input":"red","weight":3}, {"input":["a b","c"],"weight":"4"}, [{"input":"x","weight":1},"y"]`,
);
const COMPLETIONS_NEAR: Values = list(
  String.raw`"", [], {}, {"weight":1}, {"input":""}, {"input":7}, 7, true, {"input":"x","weight":-1}, {"input":"x","weight":1.5},
    {"input":"x","weight":"y"}, {"input":"x","contexts":{"kind":"k"}}, {"input":"x","contexts":{"kind":["a","b"],"place":"1,2"}},
    {"input":"x","wrong":1}, {"input":[null]}, null, [null], {"input":"x","weight":3000000000}, {"input":"a\u001fb"},
    {"input":"x","contexts":{"place":{"lat":1,"lon":2}}}`,
);

const FITTING: Readonly<Record<string, readonly [fits: Values, nearly: Values]>> = {
  text: [TEXTS, TEXTS_NEAR],
  search_as_you_type: [TEXTS, TEXTS_NEAR],
  keyword: [
    [...TEXTS, 'x', 'y', 'zed', 'X'],
    [...TEXTS_NEAR, LONG, `${LONG}${LONG}${LONG}${LONG}`],
  ],
  token_count: [TEXTS, TEXTS_NEAR],
  long: [NUMBERS, NUMBERS_NEAR],
  date: [DATES, DATES_NEAR],
  date_nanos: [DATES, DATES_NEAR],
  boolean: [BOOLEANS, BOOLEANS_NEAR],
  ip: [IPS, IPS_NEAR],
  geo_point: [POINTS, POINTS_NEAR],
  integer_range: [RANGES, RANGES_NEAR],
  date_range: [DATE_RANGES, DATE_RANGES_NEAR],
  ip_range: [IP_RANGES, IP_RANGES_NEAR],
  binary: [
    ['cmVk', 'Ym8=', ['cmVk', 'Ym8=']],
    ['not base64!', 7, '', true, 'cmV', ['cmVk', 7]],
  ],
  rank_feature: [
    [1, 7, 90, 0.5],
    [0, -1, 'x', '5', [1, 2], null, 1e-40, true, ''],
  ],
  rank_features: [
    [{ x: 1, y: 7 }, { x: '0.5', z: null }, [{ x: 90 }, { y: 2 }], {}],
    [{ x: 0 }, { x: -1 }, { x: 'x' }, [{ x: 1 }, { x: 2 }], null, 7, 'x', { x: [1] }, { x: { y: 1 } }, { x: true }],
  ],
  completion: [COMPLETIONS, COMPLETIONS_NEAR],
};

const FORMATTED: Readonly<Record<string, Values>> = {
  epoch_second: [1767225600, '1767225600', 1767225600.5, -1],
  'dd/MM/yyyy||epoch_millis': ['31/12/2025', '01/01/2026'],
  basic_date: ['20260101'],
  'yyyy-MM-dd HH:mm:ss': ['2026-01-01 10:00:00'],
  "yyyy-MM-dd'T'HH:mm:ss.SSSZ": ['2026-01-01T10:00:00.000+0100'],
  year_month: ['2026-01'],
  week_date: ['2026-W05-3'],
  date_hour_minute: ['2026-01-01T10:20'],
  ordinal_date: ['2026-045'],
};

/** Fields that no mapping mentions. */
const NEW: readonly string[] = list(
  String.raw`"new1", "new2", "new_text", "newobj", "obj.new1", "obj.a.b", "new.dot.ted", "f0.x", "parts.new1", "_under", "ünï"`,
);
const NEW_WRONG: readonly string[] = list(
  String.raw`"", ".", "a.", ".a", "a..b", " ", "_id", "_source", "a. .b", "_type", "_index", "_routing", "_seq_no", "_field_names", "_ignored",
    "_nested_path", "_version"`,
);
const ANY: Values = list(
  String.raw`"red", 7, 2.5, true, "2026-01-01", "2026/01/01", "2026/01/01 10:20:30", "12", "1.5", null, [], ["a","b"], [1,2.5], [1,"x"], {"in1":1},
    {"in1":"x","in2":{"in3":2}}, [{"in1":1},{"in1":"x"}], {}, [[1],[2]], 12345678901, 1e+30, "", [null,"x"], {"in1":null}, "01/02/2026", "10:20",
    {"lat":1,"lon":2}, "2026", 9223372036854776000, "{\"a\":1}", [null], {"in1.in2":3}`,
);

/** One document. @param misfit once in so many values one does not fit */
export function randomDocument(random: Random, mapping: Json, misfit: number): Json {
  const document = objectOf(random, (mapping['properties'] ?? {}) as Json, misfit);
  for (let at = random.int(3); at > 0; at--)
    document[random.pick(random.once(40) ? NEW_WRONG : NEW)] = random.pick(ANY);
  return document;
}

function objectOf(random: Random, properties: Json, misfit: number): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(properties)) {
    if (random.once(3) || name === '') continue;
    const value = valueOf(random, definition as Json, misfit);
    if (
      isPlain(value) &&
      Object.keys(value).length > 0 &&
      (definition as Json)['properties'] !== undefined &&
      random.once(6)
    )
      for (const [key, inner] of Object.entries(value)) found[`${name}.${key}`] = inner;
    else found[name] = value;
  }
  return found;
}

function valueOf(random: Random, definition: Json, misfit: number): unknown {
  const { type, properties } = definition ?? {};
  const isMisfit = random.once(misfit);
  if (isPlain(properties)) {
    if (isMisfit && random.once(2))
      return random.pick<unknown>(['concrete', 7, ['x'], null, [], [[]], {}, [null], true]);
    const one = (): unknown => objectOf(random, properties, misfit);
    if (type === 'nested' || random.once(6)) return Array.from({ length: random.int(4) }, one);
    return one();
  }
  const [fits, nearly] = FITTING[familyOf(String(type))] ?? [ANY, ANY];
  // With `copy_to` a null is one mistake there, whatever the field.
  if (random.once(definition['copy_to'] === undefined ? 12 : 100)) return null;
  if (isMisfit) return random.pick(random.once(8) ? NONE : nearly);
  const formatted = FORMATTED[String(definition['format'])];
  return random.pick(formatted ?? fits);
}

/** The type whose values it takes. */
function familyOf(type: string): string {
  if (/^(?:integer|short|byte|double|float|half_float|scaled_float)$/.test(type)) return 'long';
  if (/^(?:long|float|double)_range$/.test(type)) return 'integer_range';
  return type;
}

function isPlain(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
