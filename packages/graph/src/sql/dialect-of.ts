// The dialect of a model's database, with the conversions of columns of foreign types.
import { columnsOfField, type Model, type NativeTypes } from '../schema/model.ts';
import { quoteName, quoteTable } from '../schema/table-name.ts';
import type { Store } from '../store/store.ts';
import type { Dialect } from './dialect.ts';
import { postgresDialect } from './dialect-postgres.ts';
import { sqliteDialect } from './dialect-sqlite.ts';

/** Selects the dialect and adds the conversions. */
export function dialectOf(model: Model, { dialect }: Pick<Store, 'dialect'>): Dialect {
  const sources = new Map<string, string>();
  const add = (table: string, columns: readonly string[], natives: NativeTypes | undefined): void => {
    const source = natives === undefined ? undefined : sourceOf(table, columns, natives);
    if (source !== undefined) sources.set(table, source);
  };
  for (const entity of model.entities.values()) {
    add(
      entity.table,
      [...entity.fields.values()].flatMap((field) => columnsOfField(field)),
      entity.natives,
    );
    for (const field of entity.fields.values()) {
      if (field.kind !== 'relation' || field.storage.kind !== 'joinTable') continue;
      const { table, from, to, natives } = field.storage;
      add(table, [from, to], natives);
    }
  }
  const plain = dialect === 'sqlite' ? sqliteDialect : postgresDialect;
  return sources.size === 0 ? plain : { ...plain, source: (table) => sources.get(table) };
}

/** Both databases flatten the subquery, so indexes on columns without a conversion still apply. */
function sourceOf(table: string, names: readonly string[], natives: NativeTypes): string | undefined {
  if (![...natives.values()].some(({ read }) => read !== undefined)) return undefined;
  const columns = [...new Set(names)].flatMap((name) => {
    const { read, raw, parts = [] } = natives.get(name) ?? {};
    const quoted = quoteName(name);
    const shown = read === undefined ? quoted : `${read(quoted)} AS ${quoted}`;
    const hidden = raw === undefined ? parts : [{ column: name, raw }];
    return [shown, ...hidden.map((part) => `${quoteName(part.column)} AS ${quoteName(part.raw)}`)];
  });
  return `(SELECT ${columns.join(', ')} FROM ${quoteTable(table)})`;
}
