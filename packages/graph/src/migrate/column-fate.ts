// What becomes of a column that is in the database when a field is to live in it: kept with its type, converted, or refused
// because nothing is known about its type. Not here: the SQL that converts one kind of value to another (convert-column.ts).
import type { NativeType } from '../schema/model.ts';
import { convertColumn, type Conversion } from './convert-column.ts';
import { postgresFate } from './postgres-types.ts';
import { sqliteFate } from './sqlite-types.ts';
import { type ColumnShape, type Dialect, quoteName, storageOfType } from './table-shape.ts';

/** The three outcomes. */
export type ColumnFate =
  /** `native`: reads say how its values look to the engine; `longest`: characters that it takes. */
  | { readonly kind: 'kept'; readonly native?: NativeType | undefined; readonly longest?: number | undefined }
  /** `foreign`: the engine did not make the column, so nothing of it is offered for emptying. */
  | ({ readonly kind: 'converted'; readonly foreign: boolean } & Conversion)
  /** `reason`: what stands in the way and what to do. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Decides on a column. */
export function columnFate(dialect: Dialect, old: ColumnShape, wanted: ColumnShape): ColumnFate {
  if (old.found?.computed)
    return {
      kind: 'refused',
      reason: 'the database computes its values, so none can be written; leave the field out of the schema',
    };
  const isLoose = old.found?.looseCollation === true;
  if (old.type.toLowerCase() === wanted.type.toLowerCase() && !isLoose) return { kind: 'kept' };
  const isOurs = storageOfType(dialect, old.type) !== undefined && !isLoose;
  if (!isOurs) return (dialect === 'postgres' ? postgresFate : sqliteFate)(old, wanted);
  return { kind: 'converted', foreign: false, ...convertColumn(dialect, old.type, wanted.type, quoteName(old.name)) };
}

/** Whether a column stays as it is. */
export function isKept(dialect: Dialect, old: ColumnShape, wanted: ColumnShape): boolean {
  return columnFate(dialect, old, wanted).kind === 'kept';
}
