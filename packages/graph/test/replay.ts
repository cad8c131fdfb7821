// Compares the state that replaying the feed yields with the tables.
import type { Feed } from '../src/feed/feed.ts';
import { quoteName } from '../src/migrate/table-shape.ts';
import type { Model } from '../src/schema/model.ts';
import type { SqlValue, Store } from '../src/store/store.ts';
import { createEntityTables } from '../src/write/entity-table.ts';

/** Objects by `Type key`: their values, and under `links` their joined objects. */
export type Contents = Readonly<Record<string, unknown>>;

/** Replays the whole feed. */
export async function replay(feed: Feed): Promise<Contents> {
  const objects = new Map<string, { values: unknown; links: Record<string, Set<string>> }>();
  let position = 0;
  for (;;) {
    const changes = await feed.read(position, 100);
    if (changes.length === 0) break;
    for (const change of changes) {
      if (change.position <= position) throw new Error(`position ${change.position} came after ${position}`);
      position = change.position;
      const name = `${change.type} ${change.key}`;
      const known = objects.get(name);
      if (change.operation === 'created' && known !== undefined) throw new Error(`${name} was created twice`);
      if (change.operation !== 'created' && known === undefined)
        throw new Error(`${name} changed before it was created`);
      if (change.operation === 'deleted') {
        objects.delete(name);
        continue;
      }
      const links = known?.links ?? {};
      for (const [field, link] of Object.entries(change.links ?? {})) {
        const keys = (links[field] ??= new Set());
        for (const key of link.removed) keys.delete(key);
        for (const key of link.added) keys.add(key);
      }
      objects.set(name, { values: change.after, links });
    }
  }
  return present([...objects].map(([name, { values, links }]) => [name, values, links]));
}

/** Reads the tables. */
export async function contents(model: Model, store: Store): Promise<Contents> {
  const found: [string, unknown, Record<string, Set<string>>][] = [];
  for (const table of createEntityTables(model, store).values()) {
    const { entity } = table;
    const keys = await store.prepare(`SELECT ${quoteName(entity.key.column)} FROM ${quoteName(entity.table)}`).rows([]);
    const rows = await table.findBy(
      store,
      entity.key.column,
      keys.map((row) => row[0] as SqlValue),
    );
    const links = new Map<string, Record<string, Set<string>>>();
    for (const field of entity.fields.values()) {
      if (field.kind !== 'relation' || field.storage.kind !== 'joinTable') continue;
      const { table: pairs, from, to } = field.storage;
      const sql = `SELECT ${quoteName(from)}, ${quoteName(to)} FROM ${quoteName(pairs)}`;
      for (const row of await store.prepare(sql).rows([])) {
        const [own, other] = [String(row[0] as SqlValue), String(row[1] as SqlValue)];
        const all = links.get(own) ?? {};
        links.set(own, all);
        (all[field.name] ??= new Set()).add(other);
      }
    }
    for (const row of rows) {
      const key = String(table.keyOf(row));
      found.push([`${entity.name} ${key}`, table.snapshot(row), links.get(key) ?? {}]);
    }
  }
  return present(found);
}

function present(
  objects: readonly (readonly [string, unknown, Readonly<Record<string, ReadonlySet<string>>>])[],
): Contents {
  const shown: Record<string, unknown> = {};
  for (const [name, values, links] of objects.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const sorted = Object.entries(links)
      .filter(([, keys]) => keys.size > 0)
      .map(([field, keys]) => [field, [...keys].toSorted()]);
    shown[name] = { values, links: Object.fromEntries(sorted) };
  }
  return shown;
}
