// How unmanaged columns of SQLite are read and written as they are. A value has its own type there, whatever its column
// declares, so most reads decide by the type of each value.
import type { NativeType } from '../schema/model.ts';
import { SORT_CHARACTERS } from '../schema/decimal.ts';
import { FROM_BASE64, TO_BASE64 } from '../store/base64.ts';
import { DECIMAL } from '../store/decimal-text.ts';
import { withLabels } from './enum-labels.ts';
import type { ColumnCompatibility } from './column-compatibility.ts';
import { affinityOf } from './sqlite-types.ts';
import { type ColumnShape, storageOfType } from './table-shape.ts';

type Kept = Extract<ColumnCompatibility, { kind: 'kept' }>;

/** Decides for an unmanaged column: kept as it is, or refused. */
export function sqliteNative(old: ColumnShape, wanted: ColumnShape): ColumnCompatibility {
  const found = nativeOf(old, wanted);
  if (old.found?.looseCollation !== true || found.kind !== 'kept' || found.native === undefined) return found;
  if (found.native.read !== undefined || storageOfType('sqlite', wanted.type) !== 'text') return found;
  // Texts are compared by code point, also where the column takes `a` for `A`.
  return { ...found, native: { ...found.native, isLoose: true, read: (v) => `${v} COLLATE BINARY` } };
}

function nativeOf(old: ColumnShape, wanted: ColumnShape): ColumnCompatibility {
  const affinity = affinityOf(old.type);
  const kept = (read?: NativeType['read'], write?: NativeType['write']): Kept => ({
    kind: 'kept',
    native: { type: old.type, read, write },
  });
  const field = wanted.holds?.type ?? 'ID';
  const other = (reason: string): ColumnCompatibility => ({ kind: 'refused', reason });
  // sqlite3ColumnsFromExprList calls a column of a subquery otherwise.
  if (/^(?:true|false)$/i.test(old.name))
    return other('SQLite takes its name for a value; leave the field out of the schema, or rename the column');
  switch (storageOfType('sqlite', wanted.type)) {
    case 'text':
      if (wanted.holds?.labels !== undefined)
        return { kind: 'kept', native: withLabels({ type: old.type }, wanted.holds.labels) };
      if (field === 'Date')
        return kept((v) => `CASE WHEN length(${v}) > 10 THEN coalesce(date(${v}), ${v}) ELSE ${v} END`);
      if (field === 'LocalDateTime') return kept(readLocalTime, (v) => `replace(${v}, 'T', ' ')`);
      if (field === 'Bytes')
        return kept(
          (v) => `${TO_BASE64}(${v})`,
          (v) => `${FROM_BASE64}(${v})`,
        );
      // A column of numbers would store a text of digits as a number.
      return affinity === 'TEXT'
        ? kept()
        : kept((v) => `CASE WHEN typeof(${v}) IN ('integer', 'real') THEN CAST(${v} AS TEXT) ELSE ${v} END`);
    case 'real':
      return kept((v) => `CASE WHEN typeof(${v}) = 'integer' THEN CAST(${v} AS REAL) ELSE ${v} END`);
    case 'decimal':
      return keepDecimal(affinity, kept);
    case 'timestamp':
      if (/^TIMESTAMP TEXT$/i.test(old.type)) return kept();
      return wanted.holds?.timeZone === 'UTC'
        ? kept(
            (v) =>
              `CASE WHEN typeof(${v}) = 'text' THEN coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', ${v}), ${v}) ELSE ${v} END`,
            (v) => `rtrim(rtrim(strftime('%Y-%m-%d %H:%M:%f', ${v}), '0'), '.')`,
          )
        : other(
            'nothing says whose time its values are; write DateTime with @column(timeZone: "UTC") if they are in UTC, else LocalDateTime',
          );
    case 'boolean':
      // A column of texts holds '1' and '0'.
      return affinity === 'TEXT' ? kept((v) => `CASE ${v} WHEN 1 THEN 1 WHEN 0 THEN 0 ELSE ${v} END`) : kept();
    case 'integer':
      return affinity === 'REAL' ? { ...kept(), doubles: 'all' } : kept();
    default:
      return kept();
  }
}

/** `2020-02-29 10:00:00` → `2020-02-29T10:00:00`. */
function readLocalTime(v: string): string {
  return `CASE WHEN substr(${v}, 11, 1) = ' ' THEN substr(${v}, 1, 10) || 'T' || substr(${v}, 12) ELSE ${v} END`;
}

/** A column of numbers holds doubles, and integers of 64 bits unless it is REAL; 15 digits of a double survive. */
function keepDecimal(affinity: string, kept: (...how: [NativeType['read'], NativeType['write']]) => Kept): Kept {
  const read = (v: string): string =>
    `CASE WHEN typeof(${v}) = 'blob' THEN ${v} ELSE coalesce(${DECIMAL}(CAST(${v} AS TEXT)), ${v}) END`;
  const number = (v: string): string => `ltrim(${v}, '${SORT_CHARACTERS}')`;
  return affinity === 'TEXT' || affinity === 'BLOB'
    ? kept(read, number)
    : {
        ...kept(read, (v) => `CAST(${number(v)} AS NUMERIC)`),
        doubles: affinity === 'REAL' ? 'all' : 'fractions',
      };
}
