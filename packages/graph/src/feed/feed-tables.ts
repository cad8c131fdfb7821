// The tables of the feed. The database generates positions and never reuses one, even after trimming.
import type { Dialect, TableShape } from '../migrate/table-shape.ts';

/** One row per change, in the order of commits. */
export const FEED_TABLE = 'lockstitch_feed';
/** The position of each named reader. */
export const READERS_TABLE = 'lockstitch_feed_readers';

function feedTables(text: string, integer: string): readonly TableShape[] {
  const column = (name: string, nullable = false) => ({ name, type: text, nullable, identity: false });
  return [
    {
      name: FEED_TABLE,
      columns: [
        { name: 'position', type: integer, nullable: false, identity: true },
        column('type'),
        column('key'),
        column('operation'),
        column('at'),
        column('principal'),
        // JSON text: { before?, after?, links?, quiet? }. It is written and read as a whole, so PostgreSQL need not
        // parse it.
        column('data'),
      ],
      primaryKey: ['position'],
      indexes: [],
      foreignKeys: [],
    },
    {
      name: READERS_TABLE,
      columns: [column('name'), { name: 'position', type: integer, nullable: false, identity: false }, column('at')],
      primaryKey: ['name'],
      indexes: [],
      foreignKeys: [],
    },
  ];
}

/** The feed's tables, by dialect. */
export const FEED_TABLES: Readonly<Record<Dialect, readonly TableShape[]>> = {
  sqlite: feedTables('TEXT', 'INTEGER'),
  postgres: feedTables('text', 'bigint'),
};
