// Renames tables whose types have a new name (`@renamedFrom`), with the join tables named after them. Everything else is
// planned under the old names; the tables are renamed last.
import type { Entity, Field, Model } from '../schema/model.ts';
import { fitName, plural, snakeCase } from '../schema/names.ts';
import type { Store } from '../store/store.ts';
import { type MigrationStep, safe } from './change.ts';
import { sameIndex } from './compare-keys.ts';
import { createIndexSql } from './create-sql.ts';
import { introspect, otherRelations } from './introspect.ts';
import { renameColumns } from './rename-columns.ts';
import { SCHEMA_TABLE, softDeleteRow } from './stored-schema.ts';
import { type Dialect, quoteName, type TableShape } from './table-shape.ts';
import { tablesOfModel } from './tables-of-model.ts';
import { quoteText } from '../schema/table-name.ts';
import { required } from '../present.ts';

/** The table of a type of that name, unless its schema says another. */
function tableOfType(name: string): string {
  return fitName(snakeCase(plural(name)));
}

/** New table → the existing table that becomes it. */
export async function findTableRenamings(model: Model, store: Store): Promise<ReadonlyMap<string, string>> {
  const candidates = formerTables(model);
  if (candidates.size === 0) return new Map();
  const wanted = new Set(tablesOfModel(model, store.dialect).map(({ name }) => name));
  const found = await introspect(store, [...new Set([...candidates].flatMap(([name, former]) => [name, ...former]))]);
  const renamings = new Map<string, string>();
  for (const [name, formers] of candidates) {
    const former = formers.find((each) => found.has(each) && !wanted.has(each));
    if (former !== undefined && !found.has(name)) renamings.set(name, former);
  }
  return renamings;
}

/** Table → the names that it may have had. */
function formerTables({ entities }: Model): ReadonlyMap<string, readonly string[]> {
  const candidates = new Map<string, readonly string[]>();
  for (const { table, formerNames, unmanaged, fields } of entities.values()) {
    const formers = (formerNames ?? []).flatMap((name) => [tableOfType(name), name]);
    if (!unmanaged && formers.length > 0) candidates.set(table, formers);
    for (const field of fields.values()) {
      if (field.kind !== 'relation' || field.unmanaged || !('table' in field.storage)) continue;
      const joined = field.storage.table;
      // The other end names it.
      if (!joined.startsWith(`${table}_`)) continue;
      const words = [joined.slice(table.length + 1), ...(field.formerColumns ?? [])];
      const names = [table, ...formers].flatMap((owner) => words.map((word) => fitName(`${owner}_${word}`)));
      if (names.length > 1) candidates.set(joined, names.slice(1));
    }
  }
  return candidates;
}

/** The model over the tables that are there now. */
export function withFormerTables(model: Model, renamings: ReadonlyMap<string, string>): Model {
  const former = (table: string): string => renamings.get(table) ?? table;
  const entities = [...model.entities].map(([name, entity]): [string, Entity] => {
    const fields = [...entity.fields].map(([key, field]): [string, Field] => {
      if (field.kind !== 'relation' || !('table' in field.storage)) return [key, field];
      return [key, { ...field, storage: { ...field.storage, table: former(field.storage.table) } }];
    });
    return [name, { ...entity, table: former(entity.table), fields: new Map(fields) }];
  });
  return { ...model, entities: new Map(entities) };
}

/** The steps, and the SQL after all else. */
export async function renameTables(
  model: Model,
  store: Store,
  renamings: ReadonlyMap<string, string>,
): Promise<{ readonly steps: readonly MigrationStep[]; readonly sql: readonly string[] }> {
  const { dialect } = store;
  const strangers = await otherRelations(store, new Set(renamings.keys()));
  const before = tablesOfModel(withFormerTables(model, renamings), dialect);
  const after = tablesOfModel(model, dialect);
  const steps = [...renamings].map(([name, former]): MigrationStep => {
    const step = safe(`rename ${former}`, `Rename table ${former} to ${name}`);
    const other = strangers.get(name);
    return other === undefined
      ? step
      : { ...step, loses: `a ${other} is called ${name}; rename it first`, blocked: true };
  });
  const sql = [...renamings].flatMap(([name, former]) => [
    `ALTER TABLE ${quoteName(former)} RENAME TO ${quoteName(name)}`,
    ...[(table: string) => table, softDeleteRow].map(
      (rowOf) => `UPDATE ${SCHEMA_TABLE} SET name = ${quoteText(rowOf(name))} WHERE name = ${quoteText(rowOf(former))}`,
    ),
  ]);
  const found = await introspect(store, [...renamings.values()]);
  const indexes = after.flatMap((table, at) => {
    const former = required(before[at], table.name);
    return renameIndexes(former, table, found.get(former.name), dialect);
  });
  return { steps, sql: [...sql, ...indexes] };
}

/** Indexes are named after their table. @param now the table as it is; undefined: it is not renamed */
function renameIndexes(before: TableShape, after: TableShape, now: TableShape | undefined, dialect: Dialect): string[] {
  if (now === undefined || before.name === after.name) return [];
  const { indexes } = renameColumns(before, now, dialect)?.now ?? now;
  return after.indexes.flatMap((index, at) => {
    // One that is missing is created under the name of the former table.
    const former = (indexes.find((each) => sameIndex(each, index)) ?? before.indexes[at])?.name;
    if (former === undefined || former === index.name) return [];
    return dialect === 'postgres'
      ? [`ALTER INDEX ${quoteName(former)} RENAME TO ${quoteName(index.name)}`]
      : [`DROP INDEX IF EXISTS ${quoteName(former)}`, createIndexSql(after.name, index)];
  });
}
