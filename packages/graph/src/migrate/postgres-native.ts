// How unmanaged columns of PostgreSQL are read and written as they are: for each type of a field, the types of columns
// that hold its values exactly. Every row is tested on a real database.
import type { NativeType } from '../schema/model.ts';
import { withLabels } from './enum-labels.ts';
import type { ColumnCompatibility } from './column-compatibility.ts';
import { type ColumnShape, type HeldValues, quoteName, storageOfType } from './table-shape.ts';

type Kept = Extract<ColumnCompatibility, { kind: 'kept' }>;

/** Element types that `to_jsonb` prints as the engine stores lists. */
export const ELEMENTS =
  /^(?:text|citext|character varying|name|uuid|smallint|integer|bigint|boolean|date|real|double precision)(?:\(\d+\))?\[\]$/;
const WHOLE = /^(?:smallint|integer|bigint)$/;
const LOCAL_TIME = /^timestamp(?:\(\d\))? without time zone$/;
/** Where a text of the type depends on the server's locale. */
const UNSTABLE = /^(?:money)$/;

/** A type whose values are read as PostgreSQL prints them. */
export function asText(type: string): NativeType {
  return { type, read: (column) => `${column}::text` };
}

/** An address without a mask: the cast to text would add one. */
const INET: NativeType = {
  type: 'inet',
  read: (column) => `CASE WHEN ${column} IS NOT NULL THEN concat(${column}) END`,
};

/** Compared as `uuid`; texts in upper case equal no value, as in the engine's own columns. */
export const UUID: NativeType = {
  ...asText('uuid'),
  texts: { pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', cast: 'uuid' },
};

/** The texts of 64-bit integers: the cast of any other would raise an error. */
export const WHOLE_TEXTS: NonNullable<NativeType['texts']> = { pattern: patternOfWhole(), cast: 'bigint' };

function patternOfWhole(): string {
  const largest = '9223372036854775807';
  // As long as the largest and less: equal up to a digit that is smaller.
  const less = largest
    .split('')
    .flatMap((digit, place) =>
      digit === '0'
        ? []
        : [`${largest.slice(0, place)}[${place === 0 ? 1 : 0}-${Number(digit) - 1}][0-9]{${18 - place}}`],
    );
  return `^(0|-?([1-9][0-9]{0,17}|${less.join('|')}|${largest})|-9223372036854775808)$`;
}

/** Times finer than a millisecond, the resolution of DateTime. */
export function isFineTime(type: string): boolean {
  return /^timestamp(?:\([4-6]\))? with time zone$/.test(type);
}

export function inMilliseconds(type: string): NativeType {
  return { type, read: (column) => `date_trunc('milliseconds', ${column})` };
}

/** Decides for an unmanaged column: kept as it is, or refused. */
export function postgresNative(old: ColumnShape, wanted: ColumnShape): ColumnCompatibility {
  const kept = keepAsIs(old, wanted);
  return kept ?? { kind: 'refused', reason: misfit(old, wanted) };
}

function keepAsIs(old: ColumnShape, wanted: ColumnShape): Kept | undefined {
  const type = old.found?.base ?? old.type;
  const { holds } = wanted;
  switch (storageOfType('postgres', wanted.type)) {
    case 'text':
      return keepText(old, type, holds);
    case 'integer':
      return WHOLE.test(type) ? { kind: 'kept', native: { type: old.type } } : undefined;
    case 'real':
      return keepReal(old.type, type);
    case 'decimal':
      if (WHOLE.test(type)) return { kind: 'kept', native: { type: old.type, read: (v) => `${v}::numeric` }, scale: 0 };
      return type.startsWith('numeric')
        ? { kind: 'kept', native: { type: old.type }, scale: scaleOf(type) }
        : undefined;
    case 'boolean':
      return type === 'boolean' ? { kind: 'kept', native: { type: old.type } } : undefined;
    case 'timestamp':
      if (LOCAL_TIME.test(type))
        return holds?.timeZone === 'UTC' ? { kind: 'kept', native: atUtc(old.type) } : undefined;
      if (isFineTime(type)) return { kind: 'kept', native: inMilliseconds(old.type) };
      return /^timestamp\(\d\) with time zone$/.test(type) ? { kind: 'kept', native: { type: old.type } } : undefined;
    case 'json':
      return keepJson(old.type, type, holds);
    default:
      return undefined;
  }
}

function keepText(old: ColumnShape, type: string, holds: HeldValues | undefined): Kept | undefined {
  const kept = keepPlainText(old, type, holds);
  if (kept?.native === undefined || holds?.labels === undefined) return kept;
  const cast = old.found?.kind === 'enum' ? (text: string): string => `(${text})::${old.type}` : undefined;
  return { ...kept, longest: undefined, native: withLabels(kept.native, holds.labels, cast) };
}

function keepPlainText(old: ColumnShape, type: string, holds: HeldValues | undefined): Kept | undefined {
  const field = holds?.type ?? 'ID';
  const isPlain = field === 'String' || field === 'ID';
  const limited = /^character( varying)?\((\d+)\)$/.exec(type);
  const longest = limited === null ? undefined : Number(limited[2]);
  const text = (native: NativeType): Kept => ({ kind: 'kept', native, longest });
  if (type === 'text' || type.startsWith('character varying'))
    return text(old.found?.looseCollation === true ? asText(old.type) : { type: old.type });
  if (/^(?:citext|name|"char"|character\(\d+\))$/.test(type) || old.found?.kind === 'enum')
    return isPlain || holds?.isEnum === true || old.found?.kind !== 'enum' ? text(asText(old.type)) : undefined;
  if (type === 'uuid') return isPlain || field === 'UUID' ? text({ ...UUID, type: old.type }) : undefined;
  if (WHOLE.test(type) && field === 'ID') return text({ ...asText(old.type), texts: WHOLE_TEXTS });
  const scalar = SCALARS[field]?.(type);
  if (scalar !== undefined) return text({ ...scalar, type: old.type });
  if (!isPlain || UNSTABLE.test(type) || type.endsWith('[]')) return undefined;
  return text(type === 'inet' ? { ...INET, type: old.type } : asText(old.type));
}

/** Scalars other than texts: the type of the column → how to read it. */
const SCALARS: Readonly<Record<string, (type: string) => NativeType | undefined>> = {
  Date: (type) => (type === 'date' ? asText(type) : undefined),
  LocalDateTime: (type) =>
    LOCAL_TIME.test(type) ? { type, read: (column) => `replace(${column}::text, ' ', 'T')` } : undefined,
  LocalTime: (type) => (/^time(?:\(\d\))? without time zone$/.test(type) ? asText(type) : undefined),
  Duration: (type) => (type.startsWith('interval') ? asText(type) : undefined),
  Bytes: (type) =>
    type === 'bytea'
      ? {
          type,
          // PostgreSQL breaks lines of base64.
          read: (column) => `translate(encode(${column}, 'base64'), E'\\n', '')`,
          write: (placeholder) => `decode(${placeholder}, 'base64')`,
        }
      : undefined,
};

function keepReal(named: string, type: string): Kept | undefined {
  const read = (value: (column: string) => string): Kept => ({ kind: 'kept', native: { type: named, read: value } });
  if (type === 'double precision') return { kind: 'kept', native: { type: named } };
  // Through text: 0.1 stays 0.1; a cast would make it 0.10000000149011612.
  if (type === 'real') return read((column) => `${column}::text::double precision`);
  if (type === 'smallint' || type === 'integer')
    return { ...read((column) => `${column}::double precision`), scale: 0 };
  if (!type.startsWith('numeric')) return undefined;
  // A number beyond a double has no value; the cast would raise an error.
  const kept = read(
    (v) => `CASE WHEN abs(${v}) < 1e308 AND (${v} = 0 OR abs(${v}) > 1e-307) THEN ${v}::double precision END`,
  );
  return { ...kept, scale: scaleOf(type) };
}

/** `numeric(10,2)` → 2; a value with more digits would be rounded. */
function scaleOf(type: string): number | undefined {
  const digits = /^numeric\((\d+)(?:,(-?\d+))?\)$/.exec(type);
  return digits === null ? undefined : Math.max(0, Number(digits[2] ?? 0));
}

/** A time without a zone that is in UTC. The zone of the engine's texts, UTC, is ignored when they are written. */
function atUtc(type: string): NativeType {
  return { type, read: (column) => `date_trunc('milliseconds', ${column} AT TIME ZONE 'UTC')` };
}

/** Lists whose elements `to_jsonb` does not print as the engine stores them: the types of arrays, and an element as JSON. */
const ELEMENT_FORMS: Readonly<Record<string, readonly [type: RegExp, element: string]>> = {
  // A JSON number beyond 2^53 loses digits.
  BigInt: [
    /^bigint\[\]$/,
    'CASE WHEN e.v BETWEEN -9007199254740991 AND 9007199254740991 THEN to_jsonb(e.v) ELSE to_jsonb(e.v::text) END',
  ],
  Decimal: [/^numeric(?:\(\d+,-?\d+\))?\[\]$/, 'to_jsonb(trim_scale(e.v)::text)'],
  DateTime: [
    /^timestamp(?:\(\d\))? with time zone\[\]$/,
    `to_jsonb(to_char(e.v AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`,
  ],
  LocalDateTime: [/^timestamp(?:\(\d\))? without time zone\[\]$/, `to_jsonb(replace(e.v::text, ' ', 'T'))`],
  LocalTime: [/^time(?:\(\d\))? without time zone\[\]$/, 'to_jsonb(e.v::text)'],
};

/** SQL that reads an array as JSON. One of several dimensions stays as it is, and is no list of the field. */
function readArray(column: string, element: string): string {
  const list = `SELECT jsonb_agg(${element} ORDER BY e.n) FROM unnest(${column}) WITH ORDINALITY AS e(v, n)`;
  return `CASE WHEN array_ndims(${column}) > 1 THEN to_jsonb(${column}) WHEN ${column} IS NOT NULL THEN coalesce((${list}), '[]'::jsonb) END`;
}

function keepJson(named: string, type: string, holds: HeldValues | undefined): Kept | undefined {
  if (type === 'jsonb') return { kind: 'kept', native: { type: named } };
  // Values that jsonb rejects cannot be compared; they read as null.
  if (type === 'json')
    return {
      kind: 'kept',
      native: {
        type: named,
        read: (v) => `CASE WHEN ${v}::text !~ '\\\\u0000|[eE][-+]?[0-9]{4}' THEN ${v}::jsonb END`,
      },
    };
  if (holds?.list !== true) return undefined;
  const [form, element] = ELEMENT_FORMS[holds.type] ?? [];
  const isFormed = form?.test(type) === true;
  const isEnum = holds.isEnum && holds.labels === undefined && type.endsWith('[]');
  if (!isFormed && !isEnum && !ELEMENTS.test(type)) return undefined;
  return {
    kind: 'kept',
    native: {
      type: named,
      read: (column) => (isFormed && element !== undefined ? readArray(column, element) : `to_jsonb(${column})`),
      write: (given) =>
        `CASE WHEN ${given}::jsonb IS NOT NULL THEN ARRAY(SELECT e.value FROM jsonb_array_elements_text(${given}::jsonb) WITH ORDINALITY AS e(value, n) ORDER BY e.n)::text[]::${named} END`,
    },
  };
}

/** What the field or schema could say instead. */
function misfit({ name, type, found }: ColumnShape, { holds, type: stored }: ColumnShape): string {
  const base = found?.base ?? type;
  const asked = holds === undefined ? stored : holds.list ? `[${holds.type}]` : holds.type;
  const what = base === type ? type : `${type} (${found?.kind === 'domain' ? 'a domain over ' : ''}${base})`;
  return `${quoteName(name)} is of type ${what}, whose values cannot be read as ${asked} without changing them; ${remedyFor(base, found?.kind)}, or leave the field out of the schema`;
}

function remedyFor(type: string, kind: string | undefined): string {
  if (LOCAL_TIME.test(type))
    return 'declare the field as LocalDateTime, or as DateTime with @column(timeZone: "UTC") if its times are in UTC';
  if (type.endsWith('[]')) return 'declare the field as a list of what the array holds';
  if (kind === 'enum') return 'declare the field as String, or as an enum with these values';
  if (WHOLE.test(type)) return 'declare the field as Int, BigInt, Decimal or ID';
  if (type.startsWith('numeric')) return 'declare the field as Decimal';
  if (type.startsWith('json')) return 'declare the field as JSON';
  if (type.startsWith('timestamp')) return 'declare the field as DateTime';
  const scalar = { bytea: 'Bytes', date: 'Date', uuid: 'UUID', boolean: 'Boolean', real: 'Float' }[type];
  if (scalar !== undefined) return `declare the field as ${scalar}`;
  if (type.startsWith('interval')) return 'declare the field as Duration or String';
  return UNSTABLE.test(type) ? 'let a view cast it to numeric' : 'declare the field as String';
}
