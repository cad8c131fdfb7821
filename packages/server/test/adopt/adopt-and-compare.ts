// Adopts a database as the command does, serves it in this process, and compares every type with SQL row by row.
import {
  type Adoption,
  createGraph,
  type DatabaseDescription,
  describePostgres,
  describeSqlite,
  openPostgresStore,
  openSqliteStore,
  openTablesOf,
  printAdoptedSchema,
  readSchema,
  settleAdoption,
  type Store,
} from '@lockstitch/graph';
import { createPrincipal } from '@lockstitch/kernel';

import { type Ask, compareWithSql } from '../adopted.ts';

/** What came of an adoption. */
export interface Adopted {
  readonly adoption: Adoption;
  readonly description: DatabaseDescription;
  readonly schema: string;
  /** Rows that were compared; 0 if there was nothing to adopt. */
  readonly rows: number;
}

/** Adopts an SQLite file. */
export async function adoptSqlite(file: string): Promise<Adopted> {
  const description = describeSqlite(file);
  const tables = await openTablesOf(description);
  const adoption = await settleAdoption(description, tables);
  await tables.close();
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(file, { readOnly: true });
  const ask: Ask = (sql) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return Promise.resolve(statement.all());
  };
  try {
    return await serve(adoption, description, () => openSqliteStore({ file }), ask);
  } finally {
    database.close();
  }
}

/** Adopts a PostgreSQL database. */
export async function adoptPostgres(url: string): Promise<Adopted> {
  const description = await describePostgres(url);
  const store = await openPostgresStore({ url, connections: 1 });
  const adoption = await settleAdoption(description, store);
  await store.close();
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SET IntervalStyle = iso_8601');
    const ask: Ask = async (sql) => (await client.query<Record<string, unknown>>(sql)).rows;
    return await serve(adoption, description, () => openPostgresStore({ url, connections: 2 }), ask);
  } finally {
    await client.end();
  }
}

async function serve(
  adoption: Adoption,
  description: DatabaseDescription,
  open: () => Promise<Store>,
  ask: Ask,
): Promise<Adopted> {
  const schema = printAdoptedSchema(adoption);
  if (adoption.types.length === 0) return { adoption, description, schema, rows: 0 };
  const store = await open();
  try {
    const model = readSchema([{ file: 'schema.graphql', text: schema }]);
    const graph = await createGraph({ model, store });
    const principal = createPrincipal('admin', ['ROLE_ADMIN']);
    const ofGraph = async (query: string): Promise<unknown> => {
      const { data, errors } = JSON.parse((await graph.execute({ query }, { principal })).body);
      if (errors !== undefined) throw new Error(JSON.stringify(errors.slice(0, 3)));
      return data;
    };
    const rows = await compareWithSql({ model: graph.model, graph: ofGraph }, ask, description.dialect);
    graph.feed.close();
    return { adoption, description, schema, rows };
  } finally {
    await store.close();
  }
}
