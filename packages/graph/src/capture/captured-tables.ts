// Which tables have triggers, by @captureChanges: those of the types, and the join tables of their relations.
import { type Entity, type Model, type RelationField, storedColumnsOf } from '../schema/model.ts';

/** A table with triggers. */
export interface CapturedTable {
  /** The type, or the relation of a join table: `Photo`, `Photo.taggedUsers`. */
  readonly name: string;
  /** As in the model. */
  readonly table: string;
  /** Columns of the database that identify a row. */
  readonly key: readonly string[];
  /** The same in queries, where a key of several columns is one. */
  readonly identity: readonly string[];
  /** Columns of the database that the model has, the key among them. */
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
      // Both ends of a many-to-many relation name the same table.
      if (!found.has(storage.table)) found.set(storage.table, joinTable(entity, field, storage));
    }
  }
  return [...found.values()];
}

function capturedTable(entity: Entity): CapturedTable {
  const { name, table } = entity;
  const { column, parts } = entity.key;
  const key = parts ?? [column];
  const columns = [...new Set([...key, ...[...entity.fields.values()].flatMap(storedColumnsOf)])];
  return { name, table, key, identity: [column], columns, entity };
}

type JoinStorage = Extract<RelationField['storage'], { readonly table: string }>;

function joinTable(entity: Entity, relation: RelationField, storage: JoinStorage): CapturedTable {
  const { table, from } = storage;
  const isPlain = storage.kind === 'joinTable';
  const identity = [from, ...(isPlain ? [storage.to] : [storage.typeColumn, storage.keyColumn])];
  const fromParts = (isPlain ? storage.fromParts : undefined) ?? [from];
  const toParts = (isPlain ? storage.toParts : undefined) ?? identity.slice(1);
  // Both ends may have a column in common.
  const key = [...new Set([...fromParts, ...toParts])];
  return { name: `${entity.name}.${relation.name}`, table, key, identity, columns: key, entity, relation };
}

/** Links belong to both ends. */
function isCaptured(model: Model, entity: Entity, { target }: RelationField): boolean {
  const ends = [entity.name, ...(model.abstractTypes.get(target) ?? [target])];
  return ends.some((name) => model.entities.get(name)?.captured === true);
}
