// What is there at the end: acknowledged writes against the database, and the database against what each server finds.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { AS_USER } from './app.ts';
import { send } from './balancer.ts';
import type { Load } from './writers.ts';

/** Hits of one page. */
const PAGE = 5000;
/** Milliseconds until a server must have read the feed. */
const LIMIT = 600_000;

/** Position of the last change. */
export async function headOf(database: string): Promise<string> {
  return withClient(database, async (client) => {
    const { rows } = await client.query<{ readonly head: string | null }>(
      'SELECT max(position) AS head FROM lockstitch_feed',
    );
    return rows[0]?.head ?? '0';
  });
}

/** Prints what differs. Returns whether nothing does. */
export async function compare(database: string, ports: readonly number[], load: Load): Promise<boolean> {
  const rows = await withClient(database, async (client) => {
    const found = await client.query<{ readonly title: string; readonly likes: string; readonly n: string }>(
      'SELECT title, max(likes) AS likes, count(*) AS n FROM notes GROUP BY title',
    );
    return found.rows;
  });
  const head = await headOf(database);
  const stored = new Map(rows.map(({ likes, title }) => [title, Number(likes)]));
  const { acknowledged, deleted, faults, unknown } = load;
  const counts = {
    lost: [...acknowledged].filter(([title, likes]) => stored.get(title) !== likes).length,
    twice: rows.filter(({ n }) => Number(n) > 1).length,
    returned: [...deleted].filter((title) => stored.has(title)).length,
    'from nowhere': [...stored.keys()].filter((title) => !acknowledged.has(title) && !unknown.has(title)).length,
  };
  print(
    `${acknowledged.size} notes and ${deleted.size} deletions acknowledged, ${unknown.size} with unknown outcome; ${Object.entries(
      counts,
    )
      .map(([what, count]) => `${count} ${what}`)
      .join(', ')}; ${faults.length} requests failed in order, ${load.failures - faults.length} besides`,
  );
  for (const line of faults.slice(0, 10)) print(`  ${line}`);
  let isRight = faults.length === 0 && Object.values(counts).every((count) => count === 0);
  for (const [at, port] of ports.entries()) {
    const { found, repeated } = await findAll(port, head);
    const missing = [...stored.keys()].filter((title) => !found.has(title)).length;
    const changed = [...found].filter(([title, likes]) => stored.has(title) && stored.get(title) !== likes).length;
    const surplus = [...found.keys()].filter((title) => !stored.has(title));
    const returned = surplus.filter((title) => deleted.has(title)).length;
    print(
      `server ${at + 1} finds ${found.size}: ${missing} missing, ${changed} with former values, ${repeated} twice, ${surplus.length} that are not there (${returned} of them deleted)`,
    );
    isRight &&= missing + changed + repeated + surplus.length === 0;
  }
  return isRight;
}

/** Every note that a server finds once it has read the feed up to a position, with its likes. */
async function findAll(
  port: number,
  position: string,
): Promise<{ readonly found: ReadonlyMap<string, number>; readonly repeated: number }> {
  const found = new Map<string, number>();
  let repeated = 0;
  let after: readonly unknown[] | undefined;
  for (const until = performance.now() + LIMIT; ;) {
    const body = JSON.stringify({ size: PAGE, sort: [{ id: 'asc' }], search_after: after });
    const headers = { ...AS_USER, 'lockstitch-min-position': position };
    const { status, text } = await send(port, '/notes/_search', { method: 'POST', headers, body });
    if (status === 503 && performance.now() < until) {
      await sleep(200);
      continue;
    }
    if (status !== 200) throw new Error(`${status} ${text}`);
    const { hits } = (JSON.parse(text) as Found).hits;
    if (hits.length === 0) return { found, repeated };
    for (const { _source: note } of hits) {
      if (found.has(note.title)) repeated += 1;
      found.set(note.title, note.likes);
    }
    after = hits.at(-1)?.sort;
  }
}

interface Found {
  readonly hits: {
    readonly hits: readonly {
      readonly _source: { readonly title: string; readonly likes: number };
      readonly sort: readonly unknown[];
    }[];
  };
}

async function withClient<T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
