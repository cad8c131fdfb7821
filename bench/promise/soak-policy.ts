// The promise on copies elsewhere than in memory: `npm run soak -- policy-postgres`, `policy-http`, `policy-http-postgres`
// [CASES [SEED]].
import { soakPolicy } from '../../packages/server/test/policy/soak.ts';
import { httpWorlds } from '../../packages/server/test/policy/http-world.ts';
import { postgresWorlds } from '../../packages/server/test/policy/postgres-world.ts';
import { startPostgres } from '../lib/postgres.ts';

const [where, cases = '2000', seed = String(Date.now() % 1_000_000_000)] = process.argv.slice(2);
const asked = { cases: Number(cases), first: Number(seed), perSchema: 160 };

async function soak(): Promise<boolean> {
  if (where === 'http')
    return soakPolicy({ ...asked, only: 'reads', worlds: (sdl, callers) => httpWorlds(sdl, callers) });
  const postgres = await startPostgres();
  try {
    const worlds = postgresWorlds(postgres.url);
    if (where === 'postgres') return await soakPolicy({ ...asked, worlds: () => worlds });
    let made = 0;
    const newDatabase = async (): Promise<string> => {
      const name = `world_${++made}`;
      const { default: pg } = await import('pg');
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return postgres.url.replace(/\/postgres$/, `/${name}`);
    };
    return await soakPolicy({
      ...asked,
      only: 'reads',
      worlds: (sdl, callers) => httpWorlds(sdl, callers, newDatabase),
    });
  } finally {
    await postgres.close();
  }
}

if (!(await soak())) process.exitCode = 1;
