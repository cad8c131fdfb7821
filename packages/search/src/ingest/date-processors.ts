// Processors that read dates: `date` keeps one in a field, `date_index_name` in the name of the index.
import { illegalArgument, numberFormat, RequestError } from '../errors/request-error.ts';
import { dateFormat } from '../mapping/date-format.ts';
import { timeZone, type TimeZone, UTC } from '../mapping/time-zone.ts';
import type { IngestDocument } from './ingest-document.ts';
import { sizeOf, textOfValue } from './ingest-values.ts';
import type { CreateProcessor, IngestContext, Processors } from './processor.ts';
import type { ConfigReader } from './read-config.ts';

/** Reads a date. @throws RequestError for what is none */
type ReadDate = (text: string, zone: TimeZone, context: IngestContext) => number;

const UNIX: Readonly<Record<string, ReadDate>> = {
  UNIX: (text) => instantOf(Math.trunc(decimalOf(text) * 1000), text),
  UNIX_MS: (text) => {
    if (/^[+-]?\d+$/.test(text)) return instantOf(Number(text), text);
    throw numberFormat(text);
  },
  TAI64N: (text) => {
    const [, seconds, nanos] = /^@?[\da-f]([\da-f]{15})([\da-f]{8})$/i.exec(text) ?? [];
    if (seconds === undefined) throw numberFormat(text);
    const millis = Number.parseInt(seconds, 16) * 1000 - 10_000;
    return instantOf(millis + Math.trunc(Number.parseInt(nanos!, 16) / 1e6), text);
  },
};

/** Milliseconds since 1970. @throws RequestError for those that no date has */
function instantOf(millis: number, text: string): number {
  if (Math.abs(millis) <= 8.64e15) return millis;
  throw numberFormat(text);
}

function decimalOf(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw numberFormat(text);
}

/** The reader of a configured format. */
function readerOf(format: string, locale: string): ReadDate {
  if (Object.hasOwn(UNIX, format)) return UNIX[format]!;
  if (format === 'ISO8601') return byFormat('strict_date_optional_time', format, locale);
  // Without a year in the pattern, the current year is meant.
  if (!/[yuY]/.test(format.replaceAll(/'[^']*'/g, '')) && !/^\w*_\w*$/.test(format)) {
    const read = byFormat(`yyyy ${format}`, format, locale);
    return (text, zone, context) => read(`${new Date(context.now).getUTCFullYear()} ${text}`, zone, context);
  }
  return byFormat(format, format, locale);
}

function byFormat(pattern: string, shown: string, locale: string): ReadDate {
  return (text, zone) => {
    const found = dateFormat(pattern, locale).parse(text, zone);
    if (found !== undefined) return found;
    throw illegalArgument(`failed to parse date field [${text}] with format [${shown}]`);
  };
}

/** Maximum formats of one processor: each is tried. */
const MOST_FORMATS = 100;

/** Reads the date of a field in one of several formats. */
class DateReader {
  readonly #field: string;
  readonly #formats: readonly string[];
  readonly #readers: readonly ReadDate[];

  /** @param name of the property with the formats */
  constructor(config: ConfigReader, name: string, formats: readonly string[], field: string, locale: string) {
    if (formats.length > MOST_FORMATS) throw config.refuse(name, `takes at most [${MOST_FORMATS}] formats`);
    this.#field = field;
    this.#formats = formats;
    this.#readers = formats.map((format) => readerOf(format, locale));
  }

  /**
   * Returns milliseconds since 1970. Each format is tried, and the last one that fits is the one that holds, as in Elasticsearch.
   *
   * @throws RequestError for a value that fits none
   */
  read(document: IngestDocument, context: IngestContext, zoneOf: () => TimeZone): number {
    const value = document.get(this.#field);
    const size = sizeOf(value);
    document.read(size);
    const text = value === null ? 'null' : textOfValue(value);
    let found: number | undefined;
    let first: RequestError | undefined;
    for (const [at, read] of this.#readers.entries()) {
      document.spend(1);
      document.read(size + this.#formats[at]!.length);
      // The error of each format that does not fit quotes the text.
      document.grow(size);
      try {
        found = read(text, zoneOf(), context);
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        first ??= error;
      }
    }
    if (found !== undefined) return found;
    throw illegalArgument(
      `unable to parse date [${text}]`,
      first === undefined ? {} : { causedBy: { type: first.type, reason: first.message } },
    );
  }
}

const date: CreateProcessor = (config) => {
  const field = config.text('field');
  const target = config.optionalText('target_field') ?? '@timestamp';
  const zone = config.optionalTemplate('timezone');
  const locale = config.optionalText('locale') ?? 'ROOT';
  const reader = new DateReader(config, 'formats', config.list('formats').map(textOfValue), field, locale);
  const output = config.optionalText('output_format') ?? "yyyy-MM-dd'T'HH:mm:ss.SSSXXX";
  checkOutput(output);
  return (document, context) => {
    const where = (): TimeZone => (zone === undefined ? UTC : timeZone(zone(document)));
    const instant = reader.read(document, context, where);
    document.set(target, dateFormat(output, locale).print(instant, where()));
  };
};

const dateIndexName: CreateProcessor = (config) => {
  const locale = config.optionalText('locale') ?? 'en';
  const zoneName = config.optionalText('timezone');
  const zone = zoneName === undefined ? UTC : inJava(() => timeZone(zoneName));
  const formats = config.optionalList('date_formats')?.map(textOfValue) ?? ["yyyy-MM-dd'T'HH:mm:ss.SSSXX"];
  const field = config.text('field');
  const reader = new DateReader(config, 'date_formats', formats, field, locale);
  for (const format of formats)
    if (!Object.hasOwn(UNIX, format) && format !== 'ISO8601') inJava(() => dateFormat(format, locale));
  const prefix = config.optionalTemplate('index_name_prefix');
  const rounding = config.template('date_rounding');
  const format = config.optionalTemplate('index_name_format');
  return (document, context) => {
    const instant = reader.read(document, context, () => zone);
    const start = prefix?.(document) ?? '';
    const pattern = format?.(document) ?? 'yyyy-MM-dd';
    if (pattern === '') throw illegalArgument('No date pattern provided');
    const shown = dateFormat(pattern).print(instant, zone);
    const name = `<${start}{${shown}||/${rounding(document)}{${pattern}|${zone.id}}}>`;
    document.grow(name.length);
    document.set('_index', name);
  };
};

function checkOutput(format: string): void {
  inJava(() => {
    try {
      dateFormat(format);
    } catch {
      throw illegalArgument(`invalid output format [${format}]`);
    }
  });
}

const CLASSES: Readonly<Record<string, string>> = {
  date_time_exception: 'java.time.DateTimeException',
  zone_rules_exception: 'java.time.zone.ZoneRulesException',
};

/** Reads a part of a configuration. @throws RequestError as Elasticsearch wraps what Java throws there */
function inJava<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const { type, message: reason } = error;
    throw new RequestError(
      'SEARCH_PARSING',
      'exception',
      `${CLASSES[type] ?? 'java.lang.IllegalArgumentException'}: ${reason}`,
      { causedBy: { type, reason } },
    );
  }
}

/** By type. */
export const DATE_PROCESSORS: Processors = { date, date_index_name: dateIndexName };
