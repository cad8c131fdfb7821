// Which tables have triggers, by @captureChanges: those of the types, and the join tables of their relations.
import { columnsOfField, type Entity, type Model, type RelationField } from '../schema/model.ts';

/** A table with triggers. */
export interface CapturedTable {
  /** The type, or the relation of a join table: `Photo`, `Photo.taggedUsers`. */
  readonly name: string;
  /** As in the model. */
  readonly table: string;
  /** Columns that identify a row. */
  readonly key: readonly string[];
  /** Columns that the model has, the key among them. */
  readonly columns: readonly string[];
  readonly entity: Entity;
  /** The relation of a join table. */
  readonly relation?: RelationField;
}

/** The tables, in schema order. */
export function capturedTables(model: Model): readonly CapturedTable[] {
  const found = new Map<string, CapturedTable>();
  for (const entity of model.entities.values()) {
    if (entity.captured) found.set(entity.table, capturedTable(entity));
    for (const field of entity.fields.values()) {
      if (field.kind !== 'relation' || !isCaptured(model, entity, field)) continue;
      const { storage } = field;
      if (storage.kind !== 'joinTable' && storage.kind !== 'polymorphicJoinTable') continue;
      const ends = storage.kind === 'joinTable' ? [storage.to] : [storage.typeColumn, storage.keyColumn];
      const key = [storage.from, ...ends];
      const name = `${entity.name}.${field.name}`;
      // Both ends of a many-to-many relation name the same table.
      if (!found.has(storage.table))
        found.set(storage.table, { name, table: storage.table, key, columns: key, entity, relation: field });
    }
  }
  return [...found.values()];
}

function capturedTable(entity: Entity): CapturedTable {
  const { column, parts } = entity.key;
  const key = parts ?? [column];
  const columns = [...entity.fields.values()].flatMap((field) =>
    field === entity.key && parts !== undefined ? [] : columnsOfField(field),
  );
  return { name: entity.name, table: entity.table, key, columns: [...new Set([...key, ...columns])], entity };
}

/** Links belong to both ends. */
function isCaptured(model: Model, entity: Entity, { target }: RelationField): boolean {
  const ends = [entity.name, ...(model.abstractTypes.get(target) ?? [target])];
  return ends.some((name) => model.entities.get(name)?.captured === true);
}
