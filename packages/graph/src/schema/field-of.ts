// Fields of a known kind by name. A field of another kind is a fault of the engine.
import type { ColumnField, Field, RelationField } from './model.ts';

type Fields = ReadonlyMap<string, Field>;

/** The column of that name. */
export function columnOf(fields: Fields, name: string): ColumnField {
  const field = fields.get(name);
  if (field?.kind !== 'column') throw new Error(`"${name}" is no column.`);
  return field;
}

/** The relation of that name. */
export function relationOf(fields: Fields, name: string): RelationField {
  const field = fields.get(name);
  if (field?.kind !== 'relation') throw new Error(`"${name}" is no relation.`);
  return field;
}
