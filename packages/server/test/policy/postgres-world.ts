// Copies of the data on PostgreSQL instead of in memory: the promise is asked of both databases.
import { type Model, openPostgresStore } from '@lockstitch/graph';

import { unmanagedTables } from './random-world.ts';
import {
  type Cell,
  decimalsOf,
  insertsOf,
  openApis,
  type OpenScratchApp,
  type Tables,
} from '../../src/noninterference/scratch-app.ts';

let opened = 0;

/** Opens copies in schemas of their own on a server, like `openScratch`. */
export function postgresWorlds(url: string): OpenScratchApp {
  return async (model, tables, change = () => Promise.resolve()) => {
    const schema = `world_${process.pid}_${++opened}`;
    const store = await openPostgresStore({ url, schema });
    const fill = async (): Promise<void> => {
      await store.script(postgresInserts(model, tables));
      await change(store);
    };
    const world = await openApis(model, store, fill, { unmanaged: unmanagedTables(model) });
    return {
      ...world,
      async close() {
        await store.script(`DROP SCHEMA "${schema}" CASCADE`);
        await world.close();
      },
    };
  };
}

/** Rows as PostgreSQL writes them, in one transaction, whose rows may refer to later ones. */
export function postgresInserts(model: Model, tables: Tables): string {
  const own: Tables = new Map(
    [...tables].map(([table, { columns, rows }]) => {
      const decimals = decimalsOf(model, table);
      // SQLite's form of a decimal ends with the number.
      const read = (cell: Cell, column: string): Cell =>
        decimals.has(column) && typeof cell === 'string' ? cell.slice(cell.lastIndexOf(' ') + 1) : cell;
      return [table, { columns, rows: rows.map((row) => row.map((cell, at) => read(cell, columns[at]!))) }];
    }),
  );
  const counters = [...model.entities.values()]
    .filter(({ key }) => key.default?.kind === 'identity')
    .map(({ key, table }) => {
      const last = `(SELECT coalesce(max("${key.column}"), 0) + 1 FROM "${table}")`;
      return `SELECT setval(pg_get_serial_sequence('"${table}"', '${key.column}'), ${last}, false);`;
    });
  return ['SET LOCAL session_replication_role = replica;', insertsOf(own, literal), ...counters].join('\n');
}

/** A quoted literal is read as a value of its column, whatever the type: `'1'` is true, too. */
function literal(value: Cell): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  return `'${String(value).replaceAll("'", "''")}'`;
}
