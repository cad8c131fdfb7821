// An empty database for a test that needs one to itself, as two applications on one database would.
import { postgresUrl } from '../../graph/test/stores.ts';

let databases = 0;

/** The address of an empty database on the PostgreSQL of the tests, or the reason why there is none. */
export async function freshDatabase(): Promise<string> {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return url;
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const name = `fresh_${process.pid}_${++databases}`;
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return url.replace(/\/postgres$/, `/${name}`);
}
