// The dialect of a model's database, with casts for columns of foreign types.
import { castsOf } from '../migrate/adopt-columns.ts';
import { columnsOfField, type Entity, type Model } from '../schema/model.ts';
import { quoteName, quoteTable } from '../schema/table-name.ts';
import type { Store } from '../store/store.ts';
import type { Dialect } from './dialect.ts';
import { postgresDialect } from './dialect-postgres.ts';
import { sqliteDialect } from './dialect-sqlite.ts';

/** Selects the dialect and adds the casts. */
export function dialectOf(model: Model, { dialect }: Pick<Store, 'dialect'>): Dialect {
  if (dialect === 'sqlite') return sqliteDialect;
  const sources = new Map<string, string>();
  for (const entity of model.entities.values()) {
    const source = sourceOf(entity);
    if (source !== undefined) sources.set(entity.table, source);
  }
  return sources.size === 0 ? postgresDialect : { ...postgresDialect, source: (table) => sources.get(table) };
}

/** PostgreSQL flattens the subquery, so indexes on columns without a cast still apply. */
function sourceOf(entity: Entity): string | undefined {
  const casts = castsOf(entity);
  if (casts.size === 0) return undefined;
  const names = new Set<string>();
  for (const field of entity.fields.values()) columnsOfField(field).forEach((name) => names.add(name));
  const columns = [...names].map((name) => {
    const cast = casts.get(name);
    return cast === undefined ? quoteName(name) : `${cast} AS ${quoteName(name)}`;
  });
  return `(SELECT ${columns.join(', ')} FROM ${quoteTable(entity.table)})`;
}
