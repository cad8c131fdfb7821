// Adds the properties of existing columns to a model: types other than the engine's own, and limits of values. On SQLite
// only for unmanaged columns: it converts the others, and its declared types do not restrict values.
import type { ColumnField, Entity, Field, KeyPart, Model, NativeType, NativeTypes } from '../schema/model.ts';
import { quoteName } from '../schema/table-name.ts';
import type { Store } from '../store/store.ts';
import { columnCompatibility, type ColumnCompatibility } from './column-compatibility.ts';
import { introspect } from './introspect.ts';
import { WHOLE_TEXTS } from './postgres-native.ts';
import type { TableShape } from './table-shape.ts';
import { tablesOfModel } from './tables-of-model.ts';

type Kept = Extract<ColumnCompatibility, { kind: 'kept' }>;

/** Returns the model itself if all columns have the engine's own types. */
export async function adoptColumns(model: Model, store: Store): Promise<Model> {
  const tables = tablesOfModel(model, store.dialect).filter(({ name }) => !name.startsWith('lockstitch_'));
  const unmanaged = tables.filter((table) => table.unmanaged === true);
  const managed = tables.filter((table) => table.unmanaged !== true);
  const asked = store.dialect === 'postgres' ? managed : managed.filter(hasUnmanaged);
  const present = await introspect(store, asked.map(nameOf), unmanaged.map(nameOf));
  const found = new Map<string, ReadonlyMap<string, Kept>>();
  for (const table of tables) {
    const now = present.get(table.name);
    const kept = now === undefined ? undefined : keptColumns(table, now, store.dialect);
    if (kept !== undefined && kept.size > 0) found.set(table.name, kept);
  }
  if (found.size === 0) return model;
  const entities = new Map<string, Entity>();
  for (const [name, entity] of model.entities) {
    const kept: ReadonlyMap<string, Kept> = found.get(entity.table) ?? new Map<string, Kept>();
    const fields = new Map<string, Field>();
    const natives = withCompositeKey(entity.key, nativesOf(kept), store.dialect);
    for (const [key, field] of entity.fields) fields.set(key, adoptField(field, kept, natives, found));
    entities.set(name, { ...entity, fields, natives, key: fields.get(entity.key.name) as ColumnField });
  }
  return { ...model, entities };
}

function nameOf({ name }: TableShape): string {
  return name;
}

function hasUnmanaged({ columns }: TableShape): boolean {
  return columns.some((column) => column.unmanaged === true);
}

/** The columns of another type, or with limits. */
function keptColumns(asked: TableShape, now: TableShape, dialect: Store['dialect']): ReadonlyMap<string, Kept> {
  const kept = new Map<string, Kept>();
  for (const column of asked.columns) {
    const old = now.columns.find(({ name }) => name === column.name);
    const fate = old === undefined ? undefined : columnCompatibility(dialect, old, column);
    if (fate?.kind === 'kept' && (fate.native ?? fate.longest ?? fate.scale) !== undefined) kept.set(column.name, fate);
  }
  return kept;
}

function adoptField(
  field: Field,
  kept: ReadonlyMap<string, Kept>,
  natives: NativeTypes,
  found: ReadonlyMap<string, ReadonlyMap<string, Kept>>,
): Field {
  if (field.kind === 'column') {
    const { longest, scale } = kept.get(field.column) ?? {};
    const native = natives.get(field.column);
    return (native ?? longest ?? scale) === undefined ? field : { ...field, native, longest, scale };
  }
  if (field.kind !== 'relation' || field.storage.kind !== 'joinTable') return field;
  const joined = found.get(field.storage.table);
  return joined === undefined ? field : { ...field, storage: { ...field.storage, natives: nativesOf(joined) } };
}

/** Types whose text never needs an escape. */
const PLAIN_PART = /^(?:smallint|integer|bigint|uuid|date)$/;

/** Adds the text of a key of several columns: their values, with escapes of `,` and `%`. */
function withCompositeKey(key: ColumnField, natives: NativeTypes, dialect: Store['dialect']): NativeTypes {
  if (key.parts === undefined) return natives;
  const isPostgres = dialect === 'postgres';
  const texts = key.parts.map((column) => {
    const quoted = quoteName(column);
    const text = isPostgres ? `${quoted}::text` : `CAST(${quoted} AS TEXT)`;
    const isPlain = isPostgres && PLAIN_PART.test(natives.get(column)?.type ?? '');
    return isPlain ? text : `replace(replace(${text}, '%', '%25'), ',', '%2C')`;
  });
  const read = (): string => `(${texts.join(` || ',' || `)})`;
  const parts = key.parts.flatMap((column, index): readonly KeyPart[] => {
    const { type = '', texts: form } = natives.get(column) ?? {};
    const whole = /^(?:smallint|integer|bigint)$/.test(type) ? WHOLE_TEXTS : form;
    const isText = type === 'text' || type.startsWith('character varying');
    return whole !== undefined || isText
      ? [{ column, raw: `~${natives.size + index}`, texts: whole, place: index + 1 }]
      : [];
  });
  return new Map([...natives, [key.column, { type: 'text', read, parts: isPostgres ? parts : undefined }]]);
}

function nativesOf(kept: ReadonlyMap<string, Kept>): NativeTypes {
  const natives = new Map<string, NativeType>();
  for (const [column, { native }] of kept) {
    if (native !== undefined)
      natives.set(column, native.texts === undefined ? native : { ...native, raw: `~${natives.size}` });
  }
  return natives;
}
