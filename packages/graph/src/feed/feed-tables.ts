// Where the feed lives in the database. Positions are given by the database and never used twice, even when all rows
// before them have been trimmed away.
import type { Dialect, TableShape } from '../migrate/table-shape.ts';

/** One row for each change, in order of commit. */
export const FEED_TABLE = 'lockstitch_feed';
/** How far each named reader has come. */
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
        // JSON text: { before?, after?, links?, quiet? }. Written once and read whole, so PostgreSQL need not take it apart.
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
