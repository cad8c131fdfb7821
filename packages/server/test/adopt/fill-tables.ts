// Fills the tables of a PostgreSQL database with generated rows. Every foreign key refers to the row of the same number.
import { describePostgres } from '@lockstitch/graph';
import type { Client } from 'pg';

/** SQL of a value of a type (`pg_type.typname`), for the row of that number. */
const VALUES: Readonly<Record<string, (row: number) => string>> = {
  bool: (row) => String(row % 2 === 0),
  bytea: (row) => `'\\x0${row}'`,
  date: (row) => `'2020-02-0${row}'`,
  inet: (row) => `'10.0.0.${row}'`,
  interval: (row) => `'${row} days'`,
  json: (row) => `'{"row": ${row}}'`,
  jsonb: (row) => `'{"row": ${row}}'`,
  time: (row) => `'10:00:0${row}'`,
  timestamp: (row) => `'2020-02-0${row} 10:00'`,
  timestamptz: (row) => `'2020-02-0${row} 10:00Z'`,
  uuid: (row) => `'00000000-0000-0000-0000-00000000000${row}'`,
};

/** Inserts rows into each table, as far as its constraints allow; returns how many. At most 9 a table. */
export async function fillTables(client: Client, rows: number): Promise<number> {
  const { host, port, user, password, database } = client;
  const url = `postgres://${user ?? ''}:${String(password)}@${host}:${port}/${database ?? ''}`;
  const description = await describePostgres(url);
  // No trigger and no foreign key is checked.
  await client.query('SET session_replication_role = replica');
  let filled = 0;
  for (const { schema, name, kind, columns } of description.tables) {
    if (kind !== 'table') continue;
    const written = columns.filter(({ generated }) => !generated);
    const place = [schema, name]
      .flatMap((part) => (part === undefined ? [] : `"${part.replaceAll('"', '""')}"`))
      .join('.');
    const list = written.map((column) => `"${column.name.replaceAll('"', '""')}"`).join(', ');
    for (let row = 1; row <= rows; row++) {
      const values = written.map(({ base, list: isList, enum: named, type }) => {
        if (isList) return `'{}'`;
        if (named !== undefined) return `(enum_range(NULL::${type}))[1]`;
        return VALUES[base]?.(row) ?? String(/^(?:int|float|numeric|oid)/.test(base) ? row : `'${row}'`);
      });
      try {
        await client.query(`INSERT INTO ${place} (${list}) OVERRIDING SYSTEM VALUE VALUES (${values.join(', ')})`);
        filled++;
      } catch {
        // A check, a partition or a type that wants other values.
      }
    }
  }
  return filled;
}
