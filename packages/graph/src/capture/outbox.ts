// The table that triggers write what others change to. Its rows become feed entries (sequencer.ts) and are deleted.
import type { Dialect, TableShape } from '../migrate/table-shape.ts';

/** One row per row that others wrote, in the order of their statements per row. */
export const OUTBOX_TABLE = 'lockstitch_outbox';

/**
 * What happened to a row. `conflict`: SQLite's REPLACE may have deleted it, which fires no other trigger. `all`: any row
 * of the table may have changed, by TRUNCATE or before the triggers were there.
 */
export type OutboxOperation = 'insert' | 'update' | 'delete' | 'conflict' | 'all';

/** The shape of the table. */
export function outboxTable(dialect: Dialect): TableShape {
  const [text, integer] = dialect === 'sqlite' ? ['TEXT', 'INTEGER'] : ['text', 'bigint'];
  const column = (name: string, type: string, nullable = false) => ({ name, type, nullable, identity: false });
  return {
    name: OUTBOX_TABLE,
    columns: [
      { ...column('id', integer), identity: true },
      // As capturedTables names it.
      column('type', text),
      column('operation', text),
      // The former row; of an insert, the key of the new one. JSON on PostgreSQL, literals on SQLite (sqlite-image.ts).
      column('image', text, true),
      // Seconds since 1970.
      column('at', integer),
    ],
    primaryKey: ['id'],
    indexes: [],
    foreignKeys: [],
  };
}
