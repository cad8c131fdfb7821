// What the rows of a state hold in keys, unique columns and references: for comparing what two states allow a mutation.
import type { Entity, Model, RelationField, Store } from '@lockstitch/graph';
import { keyColumns, keyOf, referringColumns } from './row-keys.ts';
import { toCell } from './scratch-app.ts';

/** The rows of a type by key; of each, its texts by column. */
export type StoredRows = ReadonlyMap<string, ReadonlyMap<string, string | undefined>>;

/** By type. */
export type StoredTypes = ReadonlyMap<string, StoredRows>;

/** Reads keys, unique columns, references and marks of deletion of all rows. */
export async function readStored(model: Model, store: Store): Promise<StoredTypes> {
  const types = new Map<string, StoredRows>();
  for (const entity of model.entities.values()) {
    const columns = [...columnsOf(entity)];
    const keyed = keyColumns(entity).map((column) => columns.indexOf(column));
    const sql = `SELECT ${columns.map((column) => `"${column}"`).join(', ')} FROM "${entity.table}"`;
    const rows = await store.prepare(sql).rows([]);
    const found = new Map<string, ReadonlyMap<string, string | undefined>>();
    for (const row of rows) {
      const texts = row.map(cellText);
      const key = keyOf(keyed.map((at) => texts[at]));
      if (key !== undefined) found.set(key, new Map(columns.map((column, at) => [column, texts[at]])));
    }
    types.set(entity.name, found);
  }
  return types;
}

function cellText(value: unknown): string | undefined {
  const cell = toCell(value);
  return cell === null ? undefined : cell.toString();
}

function columnsOf(entity: Entity): ReadonlySet<string> {
  const { fields, indexes, softDelete } = entity;
  const columns = new Set(keyColumns(entity));
  for (const field of fields.values()) {
    if (field.kind === 'column' && field.unique && field.parts === undefined) columns.add(field.column);
    if (field.kind === 'relation') for (const column of referenceColumns(field)) columns.add(column);
  }
  for (const { columns: each, unique } of indexes) if (unique) for (const column of each) columns.add(column);
  if (softDelete !== undefined) columns.add(softDelete.column);
  return columns;
}

/** The columns of a to-one relation that hold a key, after that of the type if the target has several. */
export function referenceColumns({ storage }: RelationField): readonly string[] {
  const columns = referringColumns(storage);
  return storage.kind === 'polymorphic' ? [storage.typeColumn, ...columns] : columns;
}

/** The object that a row refers to. */
export function referredBy(
  row: ReadonlyMap<string, string | undefined> | undefined,
  field: RelationField,
): { readonly type: string; readonly key: string } | undefined {
  const { storage, target } = field;
  if (storage.kind !== 'foreignKey' && storage.kind !== 'polymorphic') return undefined;
  const key = keyOf(referringColumns(storage).map((column) => row?.get(column)));
  const type = storage.kind === 'foreignKey' ? target : row?.get(storage.typeColumn);
  return key === undefined || type === undefined ? undefined : { type, key };
}

/** Whether an object is there and not deleted softly. */
export function isLiving({ name, softDelete }: Entity, key: string, stored: StoredTypes): boolean {
  const row = stored.get(name)?.get(key);
  if (row === undefined || softDelete === undefined) return row !== undefined;
  const mark = row.get(softDelete.column);
  return mark === undefined || mark === '0';
}
