// Adds the properties of existing columns to a model: types other than the engine's own, and limits of values. On SQLite
// only for unmanaged columns: it converts the others, and its declared types do not restrict values.
import {
  entityOf,
  type Entity,
  type Field,
  type KeyPart,
  type Model,
  type NativeType,
  type NativeTypes,
  type SoftDelete,
} from '../schema/model.ts';
import { quoteName } from '../schema/table-name.ts';
import type { Store } from '../store/store.ts';
import { columnCompatibility, type ColumnCompatibility } from './column-compatibility.ts';
import { introspect } from './introspect.ts';
import { WHOLE_TEXTS } from './postgres-native.ts';
import type { TableShape } from './table-shape.ts';
import { affinityOf } from './sqlite-types.ts';
import { keyPartOf, tablesOfModel } from './tables-of-model.ts';
import { columnOf } from '../schema/field-of.ts';

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
    const composites = compositesOf(entity, model);
    const now = present.get(entity.table);
    const natives = composites.reduce((all, each) => withComposite(all, each, store.dialect, now), nativesOf(kept));
    for (const [key, field] of entity.fields) {
      const adopted = adoptField(field, kept, natives);
      fields.set(key, adoptJoins(adopted, entity, model, { found, present, store }));
    }
    const softDelete = store.dialect === 'sqlite' ? adoptSoftDelete(entity, natives) : entity.softDelete;
    entities.set(name, { ...entity, fields, natives, softDelete, key: columnOf(fields, entity.key.name) });
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
    if (fate?.kind === 'kept' && (fate.native ?? fate.longest ?? fate.scale ?? fate.doubles) !== undefined)
      kept.set(column.name, fate);
  }
  return kept;
}

function adoptField(field: Field, kept: ReadonlyMap<string, Kept>, natives: NativeTypes): Field {
  if (field.kind !== 'column') return field;
  const { longest, scale, doubles } = kept.get(field.column) ?? {};
  const native = natives.get(field.column);
  return (native ?? longest ?? scale ?? doubles) === undefined ? field : { ...field, native, longest, scale, doubles };
}

/** On SQLite, a column of others holds values of any type. */
function adoptSoftDelete({ softDelete }: Entity, natives: NativeTypes): SoftDelete | undefined {
  const isLoose = softDelete?.storage === 'boolean' && natives.has(softDelete.column);
  return isLoose ? { ...softDelete, isLoose } : softDelete;
}

interface Found {
  readonly found: ReadonlyMap<string, ReadonlyMap<string, Kept>>;
  readonly present: ReadonlyMap<string, TableShape>;
  readonly store: Store;
}

/** A relation with the types of its join table. */
function adoptJoins(field: Field, entity: Entity, model: Model, { found, present, store }: Found): Field {
  if (field.kind !== 'relation' || field.storage.kind !== 'joinTable') return field;
  const { table, from, to, fromParts, toParts } = field.storage;
  const joined = found.get(table);
  if (joined === undefined) return field;
  const ends = [
    compositeOf(from, fromParts, entity, model),
    compositeOf(to, toParts, entityOf(model, field.target), model),
  ];
  // In one order, since both ends of a relation read the same row source.
  const sorted = ends.flat().toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const natives = sorted.reduce(
    (all, each) => withComposite(all, each, store.dialect, present.get(table)),
    nativesOf(joined),
  );
  return { ...field, storage: { ...field.storage, natives } };
}

/** Several columns that hold one key, as a text. */
interface Composite {
  /** Its name in queries. */
  readonly name: string;
  readonly columns: NonNullable<NativeType['columns']>;
}

/** The key of an entity and its references, as far as they have several columns. */
function compositesOf(entity: Entity, model: Model): readonly Composite[] {
  const { key } = entity;
  const references = [...entity.fields.values()].flatMap((field) =>
    field.kind === 'relation' && field.storage.kind === 'foreignKey'
      ? compositeOf(field.storage.column, field.storage.parts, entityOf(model, field.target), model)
      : [],
  );
  return [...compositeOf(key.column, key.parts, entity, model), ...references];
}

function compositeOf(
  name: string,
  parts: readonly string[] | undefined,
  target: Entity,
  model: Model,
): readonly Composite[] {
  if (parts === undefined) return [];
  const columns = parts.map((column, index) => ({
    name: column,
    storage: keyPartOf(target, target.key.parts?.[index] ?? '', model).storage,
  }));
  return [{ name, columns }];
}

/** Types whose text never needs an escape. */
const PLAIN_PART = /^(?:smallint|integer|bigint|uuid|date)$/;

/** Adds the text of a key of several columns: their values, with escapes of `,` and `%`. */
function withComposite(
  natives: NativeTypes,
  { name, columns }: Composite,
  dialect: Store['dialect'],
  table: TableShape | undefined,
): NativeTypes {
  const isPostgres = dialect === 'postgres';
  const texts = columns.map((column) => {
    const quoted = quoteName(column.name);
    const text = isPostgres ? `${quoted}::text` : `CAST(${quoted} AS TEXT)`;
    const isPlain = isPostgres && PLAIN_PART.test(natives.get(column.name)?.type ?? '');
    return isPlain ? text : `replace(replace(${text}, '%', '%25'), ',', '%2C')`;
  });
  const read = (): string => `(${texts.join(` || ',' || `)})`;
  const parts = columns.flatMap((column, index): readonly KeyPart[] => {
    const native = natives.get(column.name);
    const part = { column: column.name, raw: `~${natives.size}.${index}`, place: index + 1 };
    // SQLite compares a column of another affinity with a text as values of different types.
    if (!isPostgres) {
      const affinity = affinityOf(native?.type ?? '');
      if (affinity !== 'INTEGER' && affinity !== 'TEXT') return [];
      const isLoose = table?.columns.find((each) => each.name === column.name)?.found?.looseCollation !== false;
      return [{ ...part, texts: undefined, exact: isLoose ? undefined : affinity }];
    }
    const { type = '', texts: form } = native ?? {};
    const whole = /^(?:smallint|integer|bigint)$/.test(type) ? WHOLE_TEXTS : form;
    const isText = type === 'text' || type.startsWith('character varying');
    return whole !== undefined || isText ? [{ ...part, texts: whole }] : [];
  });
  const isUnique =
    parts.length === columns.length &&
    parts.every(({ column, exact }) => exact !== undefined && table?.primaryKey.includes(column) === true) &&
    parts.length === table?.primaryKey.length;
  return new Map([...natives, [name, { type: 'text', read, parts, isUnique, columns }]]);
}

function nativesOf(kept: ReadonlyMap<string, Kept>): NativeTypes {
  const natives = new Map<string, NativeType>();
  for (const [column, { native }] of kept) {
    if (native !== undefined)
      natives.set(
        column,
        native.texts === undefined && native.isLoose !== true ? native : { ...native, raw: `~${natives.size}` },
      );
  }
  return natives;
}
