// Ends a transaction of the engine's own on captured tables. What triggers of others did to the same rows belongs to its
// changes: subscribers are sent what is committed, never what was in between. On SQLite, where triggers cannot know who
// writes, the outbox rows of these changes are deleted: nobody else writes during a transaction. On PostgreSQL, triggers
// skip the engine's own statements.
import type { NewChange, Snapshot } from '../feed/change.ts';
import type { Model } from '../schema/model.ts';
import type { Session, Store } from '../store/store.ts';
import { isSameShown } from '../write/change-set.ts';
import type { EntityTable } from '../write/entity-table.ts';
import { lookUp } from '../present.ts';
import { capturedTables } from './captured-tables.ts';
import { OUTBOX_TABLE, type OutboxOperation } from './outbox.ts';
import { createRowReaders, imageRow } from './read-outbox.ts';
import { READABLE_IMAGE } from './sqlite-image.ts';

/** Ends transactions that write captured tables. */
export interface OwnWrites {
  /** The end of the outbox before the first write. */
  mark(session: Session): Promise<number>;
  /** Deletes rows after a mark that record these changes, and returns the changes as they are at the end. */
  settle(session: Session, mark: number, changes: readonly NewChange[]): Promise<readonly NewChange[]>;
}

/** Creates it; undefined if nothing is captured. */
export function createOwnWrites(
  model: Model,
  store: Store,
  tables: ReadonlyMap<string, EntityTable>,
): OwnWrites | undefined {
  if (capturedTables(model).length === 0) return undefined;
  const readers = createRowReaders(model, tables);
  const isRecorded = store.dialect === 'sqlite';
  return {
    async mark(session) {
      if (!isRecorded) return 0;
      return Number(await session.prepare(`SELECT coalesce(max(id), 0) FROM ${OUTBOX_TABLE}`).text([]));
    },
    async settle(session, mark, changes) {
      if (changes.length === 0) return changes;
      if (isRecorded) await forget(session, mark, changes);
      const present = await readPresent(session, changes);
      return changes.flatMap((change) => {
        const rows = present.get(change.type);
        const settled = rows === undefined ? change : settledChange(change, rows.get(change.key));
        return settled === undefined ? [] : [settled];
      });
    },
  };

  /** Snapshots of the changed objects of captured types, by type and key. */
  async function readPresent(session: Session, changes: readonly NewChange[]) {
    const present = new Map<string, ReadonlyMap<string, Snapshot>>();
    for (const [type, own] of Map.groupBy(changes, (change) => change.type)) {
      if (model.entities.get(type)?.captured !== true) continue;
      const table = lookUp(tables, type);
      const keys = own.flatMap(({ key }) => table.toKey(key) ?? []);
      const rows = await table.findBy(session, table.entity.key.column, keys);
      present.set(type, new Map(rows.map((row) => [String(table.keyOf(row)), table.snapshot(row)])));
    }
    return present;
  }

  async function forget(session: Session, mark: number, changes: readonly NewChange[]): Promise<void> {
    const own = new Map(changes.flatMap(namesOf));
    const rows = await session
      .prepare(`SELECT id, type, operation, ${READABLE_IMAGE} FROM ${OUTBOX_TABLE} WHERE id > ? ORDER BY id`)
      .rows([mark]);
    const forgotten: number[] = [];
    for (const [id, type, operation, image] of rows) {
      const reader = readers.get(String(type));
      if (reader === undefined) continue;
      const row = await imageRow(session, reader, operation as OutboxOperation, String(image ?? ''));
      if (row === undefined) continue;
      const { table } = reader;
      const key = table.identity.map((column) => row.get(column));
      const name = JSON.stringify([table.name, ...key.map(String)]);
      const recorded = own.get(name);
      if (recorded !== 'any' && recorded !== operation) continue;
      forgotten.push(Number(id));
      // What others did to the join row afterwards is not told yet.
      if (recorded !== 'any') own.delete(name);
    }
    if (forgotten.length === 0) return;
    await session
      .prepare(`DELETE FROM ${OUTBOX_TABLE} WHERE id IN (SELECT value FROM json_each(?))`)
      .run([JSON.stringify(forgotten)]);
  }

  /** The object, of which the change tells everything, and its join rows from either end. */
  function namesOf({ type, key, links = {} }: NewChange): readonly (readonly [string, OutboxOperation | 'any'])[] {
    const names: (readonly [string, OutboxOperation | 'any'])[] = [[JSON.stringify([type, key]), 'any']];
    for (const [field, { added, removed }] of Object.entries(links)) {
      const relation = model.entities.get(type)?.fields.get(field);
      if (relation?.kind !== 'relation') continue;
      const ends = [
        ...added.map((other) => [other, 'insert'] as const),
        ...removed.map((other) => [other, 'delete'] as const),
      ];
      for (const [other, how] of ends) {
        const member = relation.storage.kind === 'polymorphicJoinTable' ? splitMember(other) : [other];
        names.push([JSON.stringify([`${type}.${field}`, key, ...member]), how]);
        if (relation.inverse !== undefined)
          names.push([JSON.stringify([`${relation.target}.${relation.inverse}`, other, key]), how]);
      }
    }
    return names;
  }
}

/** A change whose object ends as it is now; undefined if nothing has changed. */
function settledChange(change: NewChange, now: Snapshot | undefined): NewChange | undefined {
  const { operation, before = {}, after = {}, links, quiet = [] } = change;
  if (operation === 'invalidated') return change;
  if (now === undefined) {
    if (operation === 'deleted') return change;
    // Nobody else saw it.
    if (operation === 'created') return undefined;
    const { type, key } = change;
    return {
      type,
      key,
      operation: 'deleted',
      before: { ...after, ...before },
      ...(links === undefined ? {} : { links }),
    };
  }
  if (operation !== 'deleted' && isSame(after, now)) return change;
  if (operation === 'created') return { ...change, after: now };
  const former = { ...after, ...before };
  const changed = Object.keys(now).filter((name) => !isSameShown(former[name], now[name]));
  if (changed.length === 0 && links === undefined) return undefined;
  // Subscribers see what others changed.
  const stillQuiet = quiet.filter((name) => isSameShown(after[name], now[name]));
  return {
    type: change.type,
    key: change.key,
    operation: 'updated',
    before: Object.fromEntries(changed.map((name) => [name, former[name]])),
    after: now,
    ...(links === undefined ? {} : { links }),
    ...(stillQuiet.length === 0 ? {} : { quiet: stillQuiet }),
  };
}

function isSame(one: Snapshot, other: Snapshot): boolean {
  return Object.keys(other).every((name) => isSameShown(one[name], other[name]));
}

/** `Type:key`, as links to an interface or union are named. */
function splitMember(name: string): readonly string[] {
  const colon = name.indexOf(':');
  return [name.slice(0, colon), name.slice(colon + 1)];
}
