// Decides what happens to an existing column that a field will use: kept with its type, converted, or rejected because
// its type is unknown. Not here: the SQL of conversions (convert-column.ts).
import type { NativeType } from '../schema/model.ts';
import { convertColumn, type Conversion } from './convert-column.ts';
import { postgresNative } from './postgres-native.ts';
import { sqliteNative } from './sqlite-native.ts';
import { postgresCompatibility } from './postgres-types.ts';
import { sqliteCompatibility } from './sqlite-types.ts';
import { type ColumnShape, type Dialect, quoteName, storageOfType } from './table-shape.ts';

/** The three outcomes. */
export type ColumnCompatibility =
  /** `native`: its type; `longest`: its maximum number of characters; `scale`: of digits behind the point; `doubles`: numbers that it rounds. */
  | {
      readonly kind: 'kept';
      readonly native?: NativeType | undefined;
      readonly longest?: number | undefined;
      readonly scale?: number | undefined;
      readonly doubles?: 'all' | 'fractions' | undefined;
    }
  /** `foreign`: another application created the column, so its values are never set to null. */
  | ({ readonly kind: 'converted'; readonly foreign: boolean } & Conversion)
  /** `reason`: the problem and what to do. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Decides for one column. */
export function columnCompatibility(dialect: Dialect, old: ColumnShape, wanted: ColumnShape): ColumnCompatibility {
  if (wanted.unmanaged === true) return (dialect === 'postgres' ? postgresNative : sqliteNative)(old, wanted);
  if (old.found?.computed)
    return {
      kind: 'refused',
      reason: 'the database computes its values, so none can be written; leave the field out of the schema',
    };
  const isLoose = old.found?.looseCollation === true;
  if (old.type.toLowerCase() === wanted.type.toLowerCase() && !isLoose) return { kind: 'kept' };
  if (wanted.using !== undefined)
    return { kind: 'converted', foreign: false, fits: `(${wanted.using}) IS NOT NULL`, value: `(${wanted.using})` };
  const isOurs = storageOfType(dialect, old.type) !== undefined && !isLoose;
  if (!isOurs) return (dialect === 'postgres' ? postgresCompatibility : sqliteCompatibility)(old, wanted);
  return { kind: 'converted', foreign: false, ...convertColumn(dialect, old.type, wanted.type, quoteName(old.name)) };
}

/** Whether a column stays unchanged. */
export function isKept(dialect: Dialect, old: ColumnShape, wanted: ColumnShape): boolean {
  return columnCompatibility(dialect, old, wanted).kind === 'kept';
}
