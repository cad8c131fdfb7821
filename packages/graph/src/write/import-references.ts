// Finds the objects that rows of an import refer to, and says which are missing.
import type { SqlValue } from '../store/store.ts';
import type { EntityTable, StoredRow } from './entity-table.ts';
import { type ImportReference, noTarget, type ReadRow } from './read-import-row.ts';
import { tableOf, type WriteUnit } from './write-unit.ts';

/** What rows refer to, as it was before them. */
export interface References {
  /** The objects to be joined, by type and key; kept as links leave them. */
  readonly joined: Map<string, StoredRow>;
  /** Sentences about what does not exist. @param isDeleted the row is, afterwards */
  missing(read: ReadRow, isDeleted: boolean): readonly string[];
  /** Makes an object known that a row creates. */
  add(table: EntityTable, key: SqlValue, isDeleted: boolean): void;
}

/** Names an object by type and key. */
export function objectName(type: string, key: SqlValue): string {
  return `${type} ${String(key)}`;
}

/** Everything that a row refers to. */
export function referencesOf({ references, links, members }: ReadRow): readonly ImportReference[] {
  return [...references, ...links, ...members];
}

/** Looks up what rows refer to. Objects of lists are locked, as links change both ends. */
export async function loadReferences(unit: WriteUnit, rows: readonly ReadRow[]): Promise<References> {
  const known = new Set<string>();
  /** Of these, objects that are deleted and keep their row. */
  const deleted = new Set<string>();
  const joined = new Map<string, StoredRow>();
  for (const [type, keys] of keysByType(rows.flatMap(({ references, members }) => [...references, ...members]))) {
    const target = tableOf(unit, type);
    const existing = await target.existing(unit.session, keys);
    for (const key of existing) known.add(objectName(type, key));
    if (target.entity.softDelete === undefined) continue;
    const living = await target.shareBy(unit.session, target.entity.key.column, keys);
    const names = new Set(living.map((row) => String(target.keyOf(row))));
    for (const key of existing) if (!names.has(key)) deleted.add(objectName(type, key));
  }
  for (const [type, keys] of keysByType(rows.flatMap(({ links }) => links))) {
    const target = tableOf(unit, type);
    const { column } = target.entity.key;
    const living = await target.claimBy(unit.session, column, keys);
    for (const row of [...living, ...(await target.claimDeleted(unit.session, column, keys))])
      joined.set(objectName(type, target.keyOf(row)), row);
  }
  const lack = ({ field, type, key }: ImportReference): string => noTarget(field, tableOf(unit, type).entity, key);
  return {
    joined,
    missing({ references, links, members }, isDeleted) {
      const reasons: string[] = [];
      for (const each of references) {
        const name = objectName(each.type, each.key);
        if (!known.has(name)) reasons.push(lack(each));
        // An object whose required reference leads to a deleted one could not be read.
        else if (deleted.has(name) && !isDeleted && !each.field.nullable)
          reasons.push(`"${each.field.name}": ${each.type} "${String(each.key)}" is deleted.`);
      }
      for (const each of links) if (!joined.has(objectName(each.type, each.key))) reasons.push(lack(each));
      for (const each of members) if (!known.has(objectName(each.type, each.key))) reasons.push(lack(each));
      return reasons;
    },
    add({ entity }, key, isDeleted) {
      const name = objectName(entity.name, key);
      known.add(name);
      if (isDeleted) deleted.add(name);
      else deleted.delete(name);
    },
  };
}

/** Each key once, by type. */
function keysByType(references: readonly ImportReference[]): ReadonlyMap<string, readonly SqlValue[]> {
  const keys = new Map<string, Map<string, SqlValue>>();
  for (const { type, key } of references) {
    const own = keys.get(type) ?? new Map<string, SqlValue>();
    keys.set(type, own.set(String(key), key));
  }
  return new Map([...keys].map(([type, own]) => [type, [...own.values()]]));
}
