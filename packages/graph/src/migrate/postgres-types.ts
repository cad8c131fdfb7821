// PostgreSQL types that the engine does not create: which hold a field's values unchanged, which convert without loss,
// and which are unknown. Every row of the table is tested on a real database.
import type { Storage } from '../schema/model.ts';
import type { ColumnCompatibility } from './column-compatibility.ts';
import { asText, ELEMENTS, inMilliseconds, isFineTime, UUID } from './postgres-native.ts';
import { type Conversion, decimalFits, onPostgres } from './convert-column.ts';
import { type ColumnShape, quoteName, storageOfType } from './table-shape.ts';
import { required } from '../present.ts';

/** Conversion of a type's values to the engine's own. */
interface Source {
  readonly storage: Storage;
  /** The value, in SQL. */
  readonly value: string;
  /** A condition on values that the engine's column can hold; undefined: all. */
  readonly fits?: string;
}

/** Types whose text form PostgreSQL reads back unchanged; they convert to text for String fields. */
const WORDS = /^(?:inet|cidr|macaddr8?|interval|time(?:\(\d\))? with(?:out)? time zone|bit|bit varying)(?:\(\d+\))?$/;

/** Decides for a column that the engine did not create. */
export function postgresCompatibility(old: ColumnShape, wanted: ColumnShape): ColumnCompatibility {
  const { base = old.type, kind = 'base', looseCollation = false } = old.found ?? {};
  const kept = looseCollation ? undefined : keepType(base, wanted);
  if (kept !== undefined) return kept;
  if (kind === 'domain') return { kind: 'refused', reason: unknownType(old, wanted) };
  const conversion = convert(old, wanted);
  return conversion === undefined
    ? { kind: 'refused', reason: unknownType(old, wanted) }
    : { kind: 'converted', foreign: true, ...conversion };
}

/** Types that hold, read and compare every value of the field like the engine's own, possibly with a cast. */
function keepType(type: string, wanted: ColumnShape): ColumnCompatibility | undefined {
  if (type === wanted.type) return { kind: 'kept' };
  const { holds } = wanted;
  switch (storageOfType('postgres', wanted.type)) {
    case 'text': {
      const varying = /^character varying(?:\((\d+)\))?$/.exec(type);
      const longest = varying?.[1] === undefined ? undefined : Number(varying[1]);
      if (varying !== null && (longest === undefined || (holds?.longest ?? 0) <= longest))
        return { kind: 'kept', longest };
      if (holds === undefined || holds.isKey) return undefined;
      if (type === 'date' && holds.type === 'Date') return { kind: 'kept', native: asText('date') };
      return type === 'uuid' && holds.type === 'UUID' ? { kind: 'kept', native: UUID } : undefined;
    }
    case 'integer':
      return type === 'integer' && holds?.type === 'Int' && !holds.isKey
        ? { kind: 'kept', native: { type } }
        : undefined;
    case 'timestamp':
      // Finer than a millisecond, the resolution of DateTime.
      return isFineTime(type) ? { kind: 'kept', native: inMilliseconds(type) } : undefined;
    default:
      return undefined;
  }
}

function convert(old: ColumnShape, wanted: ColumnShape): Conversion | undefined {
  const v = quoteName(old.name);
  const after = required(storageOfType('postgres', wanted.type), wanted.type);
  const type = old.type;
  const field = wanted.holds?.type ?? 'ID';
  const isText = after === 'text' && (field === 'String' || field === 'ID');
  if (type === 'uuid')
    return isText || (field === 'UUID' && after === 'text') ? { fits: 'true', value: `${v}::text` } : undefined;
  if (WORDS.test(type)) return isText ? { fits: 'true', value: `${v}::text` } : undefined;
  // Infinite times and other years only have PostgreSQL's own text.
  const isUsual = `isfinite(${v}) AND extract(year FROM ${v}) BETWEEN 1 AND 9999`;
  const print = (form: string): string => `CASE WHEN ${isUsual} THEN to_char(${v}, '${form}') ELSE ${v}::text END`;
  if (type === 'date') return isText ? { fits: 'true', value: print('YYYY-MM-DD') } : undefined;
  if (/^timestamp(?:\(\d\))? without time zone$/.test(type))
    return isText ? { fits: 'true', value: print('YYYY-MM-DD"T"HH24:MI:SS.US') } : undefined;
  if (type === 'json' && after === 'json') return fromJson(v);
  if (after === 'json') {
    if (wanted.holds?.list !== true || !ELEMENTS.test(type)) return undefined;
    const fits = `coalesce(array_ndims(${v}), 1) = 1`;
    const isReal = /^(?:real|double)/.test(type);
    const finite = ['NaN', 'Infinity', '-Infinity'].map((word) => `'${word}' = ANY(${v})`).join(' OR ');
    return { fits: isReal ? `${fits} AND (${finite}) IS NOT TRUE` : fits, value: `to_jsonb(${v})` };
  }
  if (/^numeric(?:\([^)]*\))?$/.test(type)) return fromNumeric(v, after, field);
  const source = sourceOf(old, v);
  if (source === undefined) return undefined;
  if (source.storage === after) return { fits: source.fits ?? 'true', value: source.value };
  return onPostgres(source.value)[`${source.storage} ${after}`];
}

function sourceOf({ type, found }: ColumnShape, v: string): Source | undefined {
  // The padding of char(n) is not part of the value; the cast removes it.
  if (found?.kind === 'enum' || /^(?:text|name|citext|character(?: varying)?(?:\(\d+\))?)$/.test(type))
    return { storage: 'text', value: `(${v})::text COLLATE "C"` };
  if (type === 'smallint' || type === 'integer') return { storage: 'integer', value: `(${v})::bigint` };
  // Through text: 0.1 stays 0.1; a cast would make it 0.10000000149011612.
  if (type === 'real')
    return {
      storage: 'real',
      value: `(${v})::text::double precision`,
      fits: `${v} NOT IN ('NaN', 'Infinity', '-Infinity')`,
    };
  if (/^timestamp(?:\(\d\))? with time zone$/.test(type)) return { storage: 'timestamp', value: `(${v})` };
  return undefined;
}

/** An exact decimal, if the other type holds exactly the same value. */
function fromNumeric(v: string, after: Storage, field: string): Conversion | undefined {
  switch (after) {
    case 'text':
      return field === 'String' || field === 'ID' ? { fits: 'true', value: `${v}::text` } : undefined;
    case 'integer':
      return {
        fits: `${v} = trunc(${v}) AND ${v} BETWEEN -9223372036854775808 AND 9223372036854775807`,
        value: `${v}::bigint`,
      };
    case 'decimal':
      return { fits: decimalFits(v), value: `trim_scale(${v})` };
    case 'real':
      return {
        fits: `CASE WHEN abs(${v}) < 1e300 AND (${v} = 0 OR abs(${v}) > 1e-300) THEN ${v}::double precision::text::numeric = ${v} END`,
        value: `${v}::double precision`,
      };
    default:
      return undefined;
  }
}

/** jsonb drops duplicate names of json and may change the digits of numbers; then the texts differ in length. */
function fromJson(v: string): Conversion {
  const bare = (value: string): string => `length(regexp_replace(${value}::text, '\\s', '', 'g'))`;
  return {
    fits: `CASE WHEN ${v}::text !~ '\\\\u|[eE][-+]?\\d{3}' THEN ${bare(v)} = ${bare(`${v}::jsonb`)} END`,
    value: `${v}::jsonb`,
  };
}

/** Alternatives for the schema. */
export function unknownType({ name, type, found }: ColumnShape, wanted: ColumnShape): string {
  const { holds } = wanted;
  const asked = holds === undefined ? wanted.type : holds.list ? `[${holds.type}]` : holds.type;
  const isTime = /^timestamp.* without time zone$/.test(type);
  const other = isTime
    ? `say whose time it is (ALTER COLUMN ${quoteName(name)} TYPE timestamptz USING ${quoteName(name)} AT TIME ZONE 'UTC', or another zone), declare the field as String`
    : type === 'date'
      ? 'declare the field as Date or String'
      : type === 'uuid'
        ? 'declare the field as UUID, ID or String (a key: ID! @id @default(value: "uuid"))'
        : type.endsWith('[]')
          ? 'declare the field as a list of what the array holds'
          : type.startsWith('numeric')
            ? 'declare the field as Decimal or String'
            : WORDS.test(type)
              ? 'declare the field as String'
              : `give the column another type (ALTER COLUMN ${quoteName(name)} TYPE ${wanted.type} USING …)`;
  const what = found?.kind === 'domain' ? `${type} (a domain over ${found.base})` : type;
  return `unknown type: nothing says how values of ${what} are to be read as ${asked}; ${other}, or leave the field out of the schema`;
}
