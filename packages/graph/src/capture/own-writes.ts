// Deletes the outbox rows of what the engine has written itself, which is in the feed already. What triggers of others and
// foreign keys did with it stays. Only on SQLite, where triggers cannot know who writes: nobody else writes during a
// transaction. On PostgreSQL, triggers skip the engine's own statements.
import type { NewChange } from '../feed/change.ts';
import type { Model } from '../schema/model.ts';
import type { Session, Store } from '../store/store.ts';
import type { EntityTable } from '../write/entity-table.ts';
import { capturedTables } from './captured-tables.ts';
import { OUTBOX_TABLE, type OutboxOperation } from './outbox.ts';
import { createRowReaders, imageRow } from './read-outbox.ts';
import { parseImage, READABLE_IMAGE } from './sqlite-image.ts';

/** Removes what one transaction put into the outbox. */
export interface OwnWrites {
  /** The end of the outbox before the first write. */
  mark(session: Session): Promise<number>;
  /** Deletes rows after a mark that record these changes. */
  forget(session: Session, mark: number, changes: readonly NewChange[]): Promise<void>;
}

/** Creates it; undefined where triggers record nothing of the engine's own. */
export function createOwnWrites(
  model: Model,
  store: Store,
  tables: ReadonlyMap<string, EntityTable>,
): OwnWrites | undefined {
  if (store.dialect !== 'sqlite' || capturedTables(model).length === 0) return undefined;
  const readers = createRowReaders(model, tables);
  return {
    async mark(session) {
      return Number(await session.prepare(`SELECT coalesce(max(id), 0) FROM ${OUTBOX_TABLE}`).text([]));
    },
    async forget(session, mark, changes) {
      if (changes.length === 0) return;
      const own = new Set(changes.flatMap(namesOf));
      const rows = await session
        .prepare(`SELECT id, type, operation, ${READABLE_IMAGE} FROM ${OUTBOX_TABLE} WHERE id > ? ORDER BY id`)
        .rows([mark]);
      const forgotten: number[] = [];
      for (const [id, type, operation, image] of rows) {
        const reader = readers.get(String(type));
        const values = parseImage(String(image ?? ''));
        if (reader === undefined || values === undefined) continue;
        const row = await imageRow(session, reader, operation as OutboxOperation, values);
        if (row === undefined) continue;
        const { table } = reader;
        const key = table.identity.map((column) => row.get(column));
        if (own.has(JSON.stringify([table.name, ...key.map(String)]))) forgotten.push(Number(id));
      }
      if (forgotten.length === 0) return;
      await session
        .prepare(`DELETE FROM ${OUTBOX_TABLE} WHERE id IN (SELECT value FROM json_each(?))`)
        .run([JSON.stringify(forgotten)]);
    },
  };

  /** The object, and its join rows from either end. */
  function namesOf({ type, key, links = {} }: NewChange): readonly string[] {
    const names = [JSON.stringify([type, key])];
    for (const [field, { added, removed }] of Object.entries(links)) {
      const relation = model.entities.get(type)?.fields.get(field);
      if (relation?.kind !== 'relation') continue;
      for (const other of [...added, ...removed]) {
        const member = relation.storage.kind === 'polymorphicJoinTable' ? splitMember(other) : [other];
        names.push(JSON.stringify([`${type}.${field}`, key, ...member]));
        if (relation.inverse !== undefined)
          names.push(JSON.stringify([`${relation.target}.${relation.inverse}`, other, key]));
      }
    }
    return names;
  }
}

/** `Type:key`, as links to an interface or union are named. */
function splitMember(name: string): readonly string[] {
  const colon = name.indexOf(':');
  return [name.slice(0, colon), name.slice(colon + 1)];
}
