// Random rows for a model, as plain data and written into a database as the model lays them out.
import { isEnumType, isObjectType } from 'graphql';
import { toSortable } from '../../src/schema/decimal.ts';
import type { ColumnField, Entity, Model, RelationField } from '../../src/schema/model.ts';
import type { Session, SqlValue, Store } from '../../src/store/store.ts';
import { isFirst, type PlainData, type PlainKey, type PlainRow } from './plain-world.ts';
import type { Random } from './random.ts';

const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  String: ['Ann', 'ann', 'Zoë', 'b"q\\', "o'neil", '', '日本', '𝒜b', 'Ａ', 'line\nbreak', '%_'],
  ID: ['1', 'x', '01'],
  Int: [0, 1, 2, 3, -1, 2_147_483_647],
  Float: [0, 1, -1, 0.1, 0.30000000000000004, 1e21, 1e-7, 123456.789, -0.5],
  Boolean: [true, false],
  DateTime: ['2020-01-02T03:04:05.006Z', '1999-12-31T23:59:59.999Z', '1990-01-01T00:00:00.000Z'],
  BigInt: ['1', '-9007199254740993', '9223372036854775807', '3'],
  Decimal: ['0', '10.25', '100', '9.5', '-3', '-3.25', '0.0499', '12345678901234567890.5'],
  JSON: [
    { a: [1, 'two', null] },
    [],
    'text',
    5,
    false,
    { a: { _0: 'n', b: -2.5 }, 0: 'n' },
    [[5, 'Ann'], { a: 'text' }],
  ],
  Tone: ['a', 'B', 'é'],
  UUID: ['8a3c1f0e-0d4b-4c8e-9f53-0b6a2c1d3e4f', '00000000-0000-4000-8000-000000000000'],
};

/** Makes rows for every entity. */
export function randomData(model: Model, random: Random): PlainData {
  const keys = new Map<string, readonly (string | number)[]>();
  for (const entity of model.entities.values()) {
    const all = entity.key.storage === 'integer' ? [1, 2, 3, 10] : ['k1', '10', 'é', 'K', '3'];
    keys.set(entity.name, all.slice(0, 2 + random.below(all.length - 1)));
  }
  const rows = new Map<string, PlainRow[]>();
  const pairs = new Map<string, { from: string; to: PlainKey }[]>();
  for (const entity of model.entities.values()) {
    const taken = new Map<string, unknown[]>();
    const own = keys.get(entity.name)!.map((key): PlainRow => {
      const values: Record<string, unknown> = {};
      for (const field of entity.fields.values()) {
        if (field.kind === 'column') values[field.name] = field.isKey ? key : randomColumn(model, field, random);
        else if (field.kind === 'relation') values[field.name] = randomRelation(model, field, keys, taken, random);
      }
      return { type: entity.name, values };
    });
    rows.set(entity.name, own);
    for (const field of entity.fields.values()) {
      if (field.kind !== 'relation') continue;
      const { storage } = field;
      if (storage.kind !== 'joinTable' && storage.kind !== 'polymorphicJoinTable') continue;
      if (!isFirst(model, entity.name, field)) continue;
      const targets = targetsOf(model, field, keys);
      const list = own.flatMap(({ values }) =>
        random.some(targets, 0.35).map((to) => ({ from: String(values[entity.key.name]), to })),
      );
      pairs.set(storage.table, list);
    }
  }
  return { rows, pairs };
}

function randomColumn(model: Model, field: ColumnField, random: Random): unknown {
  if (field.nullable && random.chance(0.25)) return null;
  if (!field.list) return randomValue(model, field.typeName, random, 2);
  const inner = field.typeName;
  return Array.from({ length: random.below(3) }, () => {
    const value = randomValue(model, inner, random, 2);
    // As it is kept in a list: a number where JSON can hold it.
    return inner === 'BigInt' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  });
}

function randomValue(model: Model, typeName: string, random: Random, depth: number): unknown {
  const type = model.schema.getType(typeName);
  if (isEnumType(type)) return random.pick(type.getValues()).name;
  if (!isObjectType(type)) return random.pick(VALUES[typeName]!);
  const values: Record<string, unknown> = {};
  for (const field of Object.values(type.getFields())) {
    const text = String(field.type);
    if (!text.endsWith('!') && random.chance(0.3)) values[field.name] = null;
    else if (text.startsWith('[')) values[field.name] = random.some(['p', 'q"', 'é'], 0.5);
    else if (text === type.name)
      values[field.name] = depth === 0 ? null : randomValue(model, typeName, random, depth - 1);
    else values[field.name] = randomValue(model, text.replace('!', ''), random, depth);
  }
  return values;
}

function targetsOf(
  model: Model,
  field: RelationField,
  keys: ReadonlyMap<string, readonly (string | number)[]>,
): readonly PlainKey[] {
  return (model.abstractTypes.get(field.target) ?? [field.target]).flatMap((type) =>
    keys.get(type)!.map((key) => ({ type, key: String(key) })),
  );
}

function randomRelation(
  model: Model,
  field: RelationField,
  keys: ReadonlyMap<string, readonly (string | number)[]>,
  taken: Map<string, unknown[]>,
  random: Random,
): unknown {
  const { storage } = field;
  if (storage.kind === 'polymorphic') return random.chance(0.3) ? null : random.pick(targetsOf(model, field, keys));
  if (storage.kind !== 'foreignKey') return undefined;
  if (field.nullable && random.chance(0.3)) return null;
  const used = taken.get(field.name) ?? [];
  taken.set(field.name, used);
  const free = keys.get(field.target)!.filter((key) => !storage.unique || !used.includes(key));
  if (free.length === 0) return null;
  const key = random.pick(free);
  used.push(key);
  return key;
}

/** Writes the rows. Keys of other objects are filled in once all objects are there. */
export async function writeData(store: Store, model: Model, { rows, pairs }: PlainData): Promise<void> {
  await store.transaction(async (session) => {
    for (const entity of [...model.entities.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      for (const { values } of rows.get(entity.name)!)
        await insert(store, session, entity.table, columnsOf(entity, values, false, store.dialect));
    for (const entity of model.entities.values()) {
      for (const { values } of rows.get(entity.name)!) {
        const columns = Object.entries(columnsOf(entity, values, true, store.dialect));
        if (columns.length === 0) continue;
        const place = places(store);
        const sets = columns.map(([name], index) => `"${name}" = ${place(index)}`).join(', ');
        const sql = `UPDATE "${entity.table}" SET ${sets} WHERE "${entity.key.column}" = ${place(columns.length)}`;
        const bound = [...columns.map(([, value]) => value), values[entity.key.name] as SqlValue];
        await session.prepare(sql).run(bound);
      }
      for (const field of entity.fields.values()) {
        if (field.kind !== 'relation' || !isFirst(model, entity.name, field)) continue;
        const { storage } = field;
        if (storage.kind !== 'joinTable' && storage.kind !== 'polymorphicJoinTable') continue;
        for (const { from, to } of pairs.get(storage.table) ?? []) {
          const target = model.entities.get(to.type)!;
          const columns: Record<string, SqlValue> = { [storage.from]: keyOf(entity, from) };
          if (storage.kind === 'joinTable') columns[storage.to] = keyOf(target, to.key);
          else Object.assign(columns, { [storage.typeColumn]: to.type, [storage.keyColumn]: to.key });
          await insert(store, session, storage.table, columns);
        }
      }
    }
  });
}

function keyOf({ key }: Entity, text: string): SqlValue {
  return key.storage === 'integer' ? Number(text) : text;
}

function places({ dialect }: Store): (index: number) => string {
  return (index) => (dialect === 'sqlite' ? '?' : `$${index + 1}`);
}

async function insert(
  store: Store,
  session: Session,
  table: string,
  columns: Readonly<Record<string, SqlValue>>,
): Promise<void> {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const sql = `INSERT INTO "${table}" (${names.join(', ')}) VALUES (${names.map((_, index) => places(store)(index)).join(', ')})`;
  await session.prepare(sql).run(Object.values(columns));
}

/** The columns of a row; `late`: those that refer to other rows and may be empty at first. */
function columnsOf(
  entity: Entity,
  values: Readonly<Record<string, unknown>>,
  late: boolean,
  dialect: Store['dialect'],
): Record<string, SqlValue> {
  const columns: Record<string, SqlValue> = {};
  for (const field of entity.fields.values()) {
    const value = values[field.name];
    if (field.kind === 'column' && !late) {
      if (value === null) columns[field.column] = null;
      else if (field.storage === 'json') columns[field.column] = JSON.stringify(value);
      else if (field.storage === 'decimal')
        columns[field.column] = dialect === 'sqlite' ? toSortable(value as string) : (value as string);
      else columns[field.column] = field.typeName === 'BigInt' ? BigInt(value as string) : (value as SqlValue);
    } else if (field.kind === 'relation' && field.storage.kind === 'foreignKey' && late === field.nullable) {
      columns[field.storage.column] = value as SqlValue;
    } else if (field.kind === 'relation' && field.storage.kind === 'polymorphic' && late) {
      const place = value as PlainKey | null;
      columns[field.storage.typeColumn] = place?.type ?? null;
      columns[field.storage.keyColumn] = place?.key ?? null;
    }
  }
  return columns;
}
