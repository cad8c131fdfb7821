// Adds the properties of existing PostgreSQL columns to a model: a type other than the engine's own, and the maximum
// text length. Not for SQLite, whose declared types do not restrict values.
import type { ColumnField, Entity, Field, Model } from '../schema/model.ts';
import type { Store } from '../store/store.ts';
import { columnCompatibility } from './column-compatibility.ts';
import { introspect } from './introspect.ts';
import { tablesOfModel } from './tables-of-model.ts';

/** Returns the model itself if all columns have the engine's own types. */
export async function adoptColumns(model: Model, store: Store): Promise<Model> {
  if (store.dialect === 'sqlite') return model;
  const wanted = new Map(tablesOfModel(model, 'postgres').map((table) => [table.name, table]));
  const tables = [...model.entities.values()].map((entity) => entity.table);
  const present = await introspect(store, tables);
  const entities = new Map<string, Entity>();
  let isChanged = false;
  for (const [name, entity] of model.entities) {
    const [now, asked] = [present.get(entity.table), wanted.get(entity.table)];
    const adopt = (field: ColumnField): ColumnField => {
      const old = now?.columns.find((column) => column.name === field.column);
      const column = asked?.columns.find((each) => each.name === field.column);
      if (old === undefined || column === undefined) return field;
      const fate = columnCompatibility('postgres', old, column);
      if (fate.kind !== 'kept' || (fate.native === undefined && fate.longest === undefined)) return field;
      isChanged = true;
      return { ...field, native: fate.native, longest: fate.longest };
    };
    const fields = new Map<string, Field>();
    for (const [key, field] of entity.fields) fields.set(key, field.kind === 'column' ? adopt(field) : field);
    entities.set(name, { ...entity, fields, key: fields.get(entity.key.name) as ColumnField });
  }
  return isChanged ? { ...model, entities } : model;
}

/** Casts of a table's columns, by name, to the engine's own types. */
export function castsOf(entity: Entity): ReadonlyMap<string, string> {
  const casts = new Map<string, string>();
  for (const field of entity.fields.values()) {
    if (field.kind !== 'column') continue;
    const cast = castOf(field);
    if (cast !== undefined) casts.set(field.column, cast);
  }
  return casts;
}

/** The cast of one column; undefined if it needs none. */
function castOf({ native, column }: ColumnField): string | undefined {
  const quoted = `"${column.replaceAll('"', '""')}"`;
  switch (native) {
    case 'date':
    case 'uuid':
      return `${quoted}::text`;
    case 'timestamptz':
      return `date_trunc('milliseconds', ${quoted})`;
    default:
      return undefined;
  }
}
