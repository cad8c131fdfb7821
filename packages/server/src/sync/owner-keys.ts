// Looks up the objects that refer to a given one, in pages of keys, so that an object with very many owners needs
// little memory.
import { type Entity, quoteName, quoteTable, type Store } from '@lockstitch/graph';

import type { Hop } from './dependency-paths.ts';

/** Returns at most `limit` owner keys in order, after a key. */
export async function ownerKeys(
  store: Store,
  hop: Hop,
  changed: { readonly type: string; readonly key: string },
  after: string | undefined,
  limit: number,
): Promise<readonly string[]> {
  const query = ownerQuery(hop, changed);
  if (query === undefined) return [];
  const sqlite = store.dialect === 'sqlite';
  const place = (position: number): string => (sqlite ? '?' : `$${position}`);
  const values: (string | number)[] = [...query.values];
  const conditions = [`${query.key} IS NOT NULL`];
  conditions.push(...query.where.map((column, index) => `${column} = ${place(index + 1)}`));
  if (after !== undefined) conditions.push(`${query.key} > ${place(values.push(after))}`);
  // SQLite prepares `LIMIT ?` again for each value, `LIMIT +?` once.
  const bound = `${sqlite ? '+' : ''}${place(values.push(limit))}`;
  const sql = `SELECT DISTINCT ${query.key} FROM ${query.table} WHERE ${conditions.join(' AND ')} ORDER BY 1 LIMIT ${bound}`;
  const rows = await store.prepare(sql).rows(values);
  return rows.map((row) => String(row[0]));
}

interface OwnerQuery {
  readonly table: string;
  /** Column that holds the owner's key. */
  readonly key: string;
  readonly where: readonly string[];
  readonly values: readonly string[];
}

function ownerQuery(
  { owner, relation: { storage }, target }: Hop,
  { type, key }: { readonly type: string; readonly key: string },
): OwnerQuery | undefined {
  const own = asKey(owner.natives, owner.key.column);
  switch (storage.kind) {
    case 'foreignKey':
      return { table: quoteTable(owner.table), key: own, where: [inOwn(owner.natives, storage.column)], values: [key] };
    case 'joinTable':
      return {
        table: quoteTable(storage.table),
        key: asKey(storage.natives, storage.from),
        where: [inOwn(storage.natives, storage.to)],
        values: [key],
      };
    case 'polymorphic':
      return {
        table: quoteTable(owner.table),
        key: own,
        where: [quoteName(storage.typeColumn), inOwn(owner.natives, storage.keyColumn)],
        values: [type, key],
      };
    case 'polymorphicJoinTable':
      return {
        table: quoteTable(storage.table),
        key: quoteName(storage.from),
        where: [quoteName(storage.typeColumn), quoteName(storage.keyColumn)],
        values: [type, key],
      };
    case 'inverse': {
      // The target's own row names its owner.
      const other = target.fields.get(storage.field);
      if (other?.kind !== 'relation') return undefined;
      const table = quoteTable(target.table);
      const own = inOwn(target.natives, target.key.column);
      if (other.storage.kind === 'foreignKey')
        return { table, key: asKey(target.natives, other.storage.column), where: [own], values: [key] };
      if (other.storage.kind === 'polymorphic') {
        const { keyColumn, typeColumn } = other.storage;
        return {
          table,
          key: asKey(target.natives, keyColumn),
          where: [own, quoteName(typeColumn)],
          values: [key, owner.name],
        };
      }
      return undefined;
    }
  }
}

/** A key as the engine writes it: the database may pad or encode it, and one of several columns is an expression of them. */
function asKey(natives: Entity['natives'], column: string): string {
  return natives?.get(column)?.read?.(quoteName(column)) ?? quoteName(column);
}

/** What equals a key: the column itself where its type compares with the key's text, as an index can answer that. */
function inOwn(natives: Entity['natives'], column: string): string {
  return natives?.get(column)?.texts === undefined ? asKey(natives, column) : quoteName(column);
}
