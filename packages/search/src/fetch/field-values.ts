// The values of a field as hits show them, read from the source: `fields` in the mapping's formats, and `stored_fields` as Elasticsearch
// keeps them apart.
import { isObject, type Json, textOf } from '../json/json.ts';
import { asHashMap, javaDouble, show } from '../json/java-values.ts';
import { type ValuePath, valuesOfPaths } from '../json/values-at.ts';
import { type DateFormat, dateFormat } from '../mapping/date-format.ts';
import { dateText, parseDateMath } from '../mapping/date-math.ts';
import { countTokens } from '../mapping/document-state.ts';
import {
  hasNanos,
  isNumeric,
  type MappedField,
  printTerm,
  toFineInstant,
  toNumber,
  toTerm,
} from '../mapping/field-type.ts';
import { parsePoint, type Point } from '../mapping/geo.ts';
import { geohash } from '../mapping/geohash.ts';
import { constantOf, isConstant, isMetadata } from '../mapping/metadata-fields.ts';
import { storedRange } from '../mapping/range-field.ts';
import { UTC } from '../mapping/time-zone.ts';
import { ownerOf, pathsOfField } from '../mapping/values-of-field.ts';
import { RequestError, shardArgument } from '../errors/request-error.ts';
import { shortFloat } from './short-float.ts';
import type { Target } from './target.ts';

/** Resolves the format of a request for a field, whose locale it has. @throws RequestError for an unknown one */
export function givenFormat(pattern: string, { format: { locale } }: MappedField): DateFormat {
  try {
    return dateFormat(pattern, locale);
  } catch (error) {
    throw error instanceof RequestError ? shardArgument(error.message) : error;
  }
}

/** Prints a value of a source; throws for a value that is not shown. */
type PrintValue = (value: unknown) => unknown;

/** The paths of a field's values in a source, and how they are printed. */
export interface StoredField {
  readonly name: string;
  readonly paths: readonly ValuePath[];
  readonly print: (values: readonly unknown[]) => unknown[];
}

/** A field with `store`. @param name the requested name */
export function storedField(name: string, field: MappedField, mapping: Target['mapping']): StoredField {
  const print = printerOf(field, ownerOf(field, mapping), {
    dates: field.format,
    point: ({ lat, lon }) => `${javaDouble(lat)}, ${javaDouble(lon)}`,
    range: (value) => storedRange(field, value),
  });
  return {
    name,
    paths: pathsOfField(field, mapping),
    print: (values) => printAll(values, print),
  };
}

/** `fields`: values from the source, in the mapping's formats. */
export function fetchedValues(
  { index, mapping }: Target,
  field: MappedField,
  source: Json,
  format: string | undefined,
): unknown[] {
  const point = field.family === 'geo' ? geoPrinter(format ?? 'geojson') : undefined;
  const isDate = field.family === 'date' || field.type === 'date_range';
  if (format !== undefined && !isDate && point === undefined)
    throw shardArgument(`Field [${field.path}] of type [${field.type}] doesn't support formats.`);
  // Metadata is not in the source.
  if (isMetadata(field)) return [];
  if (isConstant(field)) {
    const constant = constantOf(field, index.name);
    return constant === undefined ? [] : [constant];
  }
  const dates = isDate && format !== undefined ? givenFormat(format, field) : field.format;
  // The texts below a point are the source's own here, and its hashes in the index.
  const isText = field.family === 'text' || field.family === 'keyword';
  const owner = isText ? field : ownerOf(field, mapping);
  const ofText = isText && ownerOf(field, mapping).family === 'geo';
  const print = printerOf(field, owner, {
    dates,
    point: point ?? String,
    range: (value) => (field.type === 'date_range' && isObject(value) ? printBounds(field, value, dates) : value),
  });
  // Elasticsearch shows values of `copy_to` only if the field has values of its own (SourceValueFetcher).
  const found = pathsOfField(field, mapping).map((path) =>
    ofText
      ? valuesOfPaths(source, [{ ...path, isPoint: false }]).map((value) => show(asHashMap(value)))
      : valuesOfPaths(source, [path]),
  );
  const all = found.some(({ length }) => length === 0) ? [] : found.flat();
  const shown = printAll(all, print);
  // Points are read together: one that is malformed hides all.
  const values = point !== undefined && shown.length < all.length ? [] : shown;
  // They come from a column.
  return field.type === 'token_count' ? (values as number[]).sort((a, b) => a - b) : values;
}

/** Prints values; skips malformed ones, which were ignored. */
function printAll(values: readonly unknown[], print: PrintValue): unknown[] {
  return values.flatMap((value) => {
    try {
      const shown = print(value);
      return shown === undefined ? [] : [shown];
    } catch {
      return [];
    }
  });
}

interface Formats {
  readonly dates: DateFormat;
  readonly point: (point: Point) => unknown;
  readonly range: (value: unknown) => unknown;
}

/** @param owner the field with the values: the parent of a multi-field */
function printerOf(field: MappedField, owner: MappedField, { dates, point, range }: Formats): PrintValue {
  if (owner.family === 'geo' && field.family !== 'geo') {
    const print = printerOf(field, field, { dates, point, range });
    return (value) => {
      const { lat, lon } = parsePoint(value);
      return print(geohash(lat, lon, 12));
    };
  }
  switch (field.family) {
    case 'text':
      return String;
    case 'keyword':
      return (value) => (textOf(value).length > field.ignoreAbove ? undefined : toTerm(field, value));
    case 'ip':
      return (value) => printTerm(field, toTerm(field, value));
    case 'date':
      return (value) => {
        const { millis, nanos } = hasNanos(field)
          ? toFineInstant(field, value)
          : { millis: toNumber(field, value), nanos: 0 };
        return dates.print(millis, UTC, nanos);
      };
    case 'geo':
      return (value) => point(parsePoint(value));
    case 'range':
      return range;
    default:
      return isNumeric(field) ? (value) => printNumber(field, value) : (value) => value;
  }
}

function printNumber(field: MappedField, value: unknown): unknown {
  // A malformed value was ignored.
  if (typeof value === 'string' && field.type !== 'token_count') toNumber(field, value);
  switch (field.type) {
    case 'boolean':
      return toNumber(field, value) === 1;
    case 'token_count':
      return countTokens(field, textOf(value));
    case 'float':
    case 'half_float':
      return shortFloat(Number(value));
    case 'scaled_float':
      return Math.round(Number(value) * field.scalingFactor) / field.scalingFactor;
    default:
      return toNumber(field, value);
  }
}

/** Prints the bounds of a date range. */
function printBounds({ format }: MappedField, range: Json, dates: DateFormat): Json {
  const print = (bound: unknown): string => dates.print(parseDateMath(dateText(bound), format, { now: undefined }));
  return Object.fromEntries(Object.entries(range).map(([key, bound]) => [key, bound === null ? null : print(bound)]));
}

/** Printer of points in `fields`. @throws RequestError for an unknown format */
function geoPrinter(format: string): (point: Point) => unknown {
  const decimal = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : String(value));
  if (format === 'geojson') return ({ lat, lon }) => ({ type: 'Point', coordinates: [lon, lat] });
  if (format === 'wkt') return ({ lat, lon }) => `POINT (${decimal(lon)} ${decimal(lat)})`;
  throw shardArgument(`Unrecognized geometry format [${format}].`);
}
