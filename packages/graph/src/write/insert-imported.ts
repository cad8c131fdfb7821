// Inserts rows of an import, unless their keys or unique values exist: few statements where the database stores what is
// written, else row by row.
import { columnType } from '../migrate/table-shape.ts';
import { fromSortable } from '../schema/decimal.ts';
import { entityOf, type Entity, type Model } from '../schema/model.ts';
import { quoteName, quoteTable } from '../schema/table-name.ts';
import type { EntityTable, StoredRow, Values } from './entity-table.ts';
import type { ReadRow } from './read-import-row.ts';
import type { WriteUnit } from './write-unit.ts';

/** A row of an import, by its place among all of them. */
export interface Candidate {
  readonly index: number;
  readonly read: ReadRow;
}

/** Inserts rows; undefined for each that exists. */
export function insertImported(
  unit: WriteUnit,
  table: EntityTable,
  rows: readonly Candidate[],
): Promise<readonly (StoredRow | undefined)[]> {
  if (table.rereads) return insertAndRead(unit, table, rows);
  return unit.dialect === 'sqlite' ? insertEach(unit, table, rows) : insertAll(unit, table, rows);
}

/** The columns that some row of the batch has, without the key. */
function columnsOf(table: EntityTable, rows: readonly Candidate[]): readonly string[] {
  const names = new Set<string>();
  for (const { read } of rows) for (const name of read.values.keys()) names.add(name);
  names.delete(table.entity.key.column);
  return [...names];
}

/** Row by row: the database may store other values than are written. */
async function insertAndRead(
  unit: WriteUnit,
  table: EntityTable,
  rows: readonly Candidate[],
): Promise<readonly (StoredRow | undefined)[]> {
  const inserted: (StoredRow | undefined)[] = [];
  for (const { read } of rows) {
    // The database's own defaults apply.
    const values = new Map([...read.values].filter(([, value]) => value !== null));
    const key = await table.insertNew(unit.session, values);
    inserted.push(
      key === undefined
        ? undefined
        : ((await table.find(unit.session, key)) ?? (await table.findDeleted(unit.session, key))),
    );
  }
  return inserted;
}

async function insertEach(
  unit: WriteUnit,
  table: EntityTable,
  rows: readonly Candidate[],
): Promise<readonly (StoredRow | undefined)[]> {
  const key = table.entity.key.column;
  // For null, SQLite generates an integer key.
  const names = [key, ...columnsOf(table, rows)];
  const sql =
    `INSERT INTO ${quoteTable(table.entity.table)} (${names.map(quoteName).join(', ')}) ` +
    `VALUES (${names.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING RETURNING ${quoteName(key)}`;
  const insert = unit.session.prepare(sql);
  const inserted: (StoredRow | undefined)[] = [];
  for (const { read } of rows) {
    const given = insert.rows(names.map((name) => read.values.get(name) ?? null));
    const [row] = given instanceof Promise ? await given : given;
    if (row !== undefined) read.values.set(key, row[0] ?? null);
    inserted.push(row === undefined ? undefined : read.values);
  }
  return inserted;
}

/** One statement for all rows; PostgreSQL converts the JSON by the columns' types. */
async function insertAll(
  unit: WriteUnit,
  table: EntityTable,
  rows: readonly Candidate[],
): Promise<readonly (StoredRow | undefined)[]> {
  if (rows.length === 0) return [];
  const { entity } = table;
  const key = entity.key.column;
  const names = [key, ...columnsOf(table, rows)];
  const unkeyed = rows.filter(({ read }) => read.values.get(key) === undefined);
  const keyed = rows.length - unkeyed.length;
  const sequence = `pg_get_serial_sequence('${quoteTable(entity.table).replaceAll("'", "''")}', '${key}')`;
  if (unkeyed.length > 0) {
    const next = unit.session.prepare(`SELECT nextval(${sequence}) FROM generate_series(1, $1)`);
    const keys = await next.rows([unkeyed.length]);
    for (const [index, { read }] of unkeyed.entries()) read.values.set(key, keys[index]?.[0] ?? null);
  }
  const storages = storagesOf(table.entity, unit.model);
  const list = names.map(quoteName).join(', ');
  const shape = names
    .map(
      (name) =>
        `${quoteName(name)} ${entity.natives?.get(name)?.type ?? columnType('postgres', storages.get(name) ?? 'text')}`,
    )
    .join(', ');
  const sql =
    `INSERT INTO ${quoteTable(entity.table)} (${list}) SELECT ${list} FROM json_to_recordset($1::json) AS given(${shape}) ` +
    `ON CONFLICT DO NOTHING RETURNING ${quoteName(key)}`;
  const json = JSON.stringify(rows.map(({ read }) => toObject(read.values, names, storages)));
  const written = new Set((await unit.session.prepare(sql).rows([json])).map((row) => String(row[0])));
  if (keyed > 0 && entity.key.default?.kind === 'identity') {
    const highest = `SELECT setval(${sequence}, greatest((SELECT max(${quoteName(key)}) FROM ${quoteTable(entity.table)}), nextval(${sequence})))`;
    await unit.session.prepare(highest).rows([]);
  }
  return rows.map(({ read }) => {
    // Of two rows with one key in a batch, the second is rejected.
    const own = String(read.values.get(key));
    return written.delete(own) ? read.values : undefined;
  });
}

function toObject(
  values: Values,
  names: readonly string[],
  storages: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const name of names) {
    const value = values.get(name) ?? null;
    object[name] =
      storages.get(name) === 'json' && typeof value === 'string'
        ? JSON.parse(value)
        : storages.get(name) === 'decimal' && typeof value === 'string'
          ? fromSortable(value)
          : typeof value === 'bigint'
            ? String(value)
            : value;
  }
  return object;
}

function storagesOf(entity: Entity, model: Model): ReadonlyMap<string, Parameters<typeof columnType>[1]> {
  const storages = new Map<string, Parameters<typeof columnType>[1]>();
  for (const field of entity.fields.values()) {
    if (field.kind === 'column') storages.set(field.column, field.storage);
    else if (field.kind === 'relation' && field.storage.kind === 'foreignKey')
      storages.set(field.storage.column, entityOf(model, field.target).key.storage);
  }
  return storages;
}
