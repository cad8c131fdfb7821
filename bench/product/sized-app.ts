// The application of the benches of sizes: rows of as many words as are asked for, each with an author, and a server of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../packages/server/src/cli/main.ts', import.meta.url));
const AUTHORS = 1000;
/** As deploy/ sets them. */
const MEMORY_SETTINGS = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '65536', MALLOC_MMAP_THRESHOLD_: '65536' };

const SCHEMA = `
  scalar DateTime
  type Note @entity {
    id: ID!
    title: String! @search
    text: String! @search
    likes: Int! @search
    created: DateTime! @search
    author: Author!
  }
  type Author @entity { login: ID! @id @search  name: String @search  notes: [Note!]! }
  type Query { note(id: ID!): Note }
`;

/** Rows written by the seed of the application: words drawn by a generator that always draws the same. */
const seedOf = (words: number): string => `
  export default async ({ write }) => {
    let state = 1;
    const draw = (limit) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % limit;
    // The square makes some words common and most rare, as in texts.
    const word = () => 'w' + Math.floor((draw(65536) / 65536) ** 3 * 50000).toString(36);
    const text = (length) => Array.from({ length }, word).join(' ');
    await write('Author', Array.from({ length: ${AUTHORS} }, (_, at) => ({ login: 'a' + at, name: 'Author ' + at })));
    const rows = Number(process.env.ROWS);
    for (let from = 0; from < rows; from += 10000)
      await write('Note', Array.from({ length: Math.min(10000, rows - from) }, (_, at) => ({
        id: from + at + 1,
        title: text(4),
        text: text(${words}),
        likes: draw(1000),
        created: new Date(1.7e12 + (from + at) * 1000).toISOString(),
        author: 'a' + draw(${AUTHORS}),
      })));
  };
`;

/** Writes the application into a folder. @param config besides the seed */
export function writeApp(folder: string, words: number, config: Readonly<Record<string, unknown>> = {}): void {
  const settings = { seed: './seed.mjs', csrf: { enabled: false }, console: false, ...config };
  writeFileSync(join(folder, 'schema.graphql'), SCHEMA);
  writeFileSync(join(folder, 'seed.mjs'), seedOf(words));
  writeFileSync(join(folder, 'lockstitch.config.mjs'), `export default ${JSON.stringify(settings)};`);
}

export interface Started {
  readonly url: string;
  /** Seconds until it serves. */
  readonly took: number;
  stop(): Promise<void>;
}

/** Starts a server, which writes the rows the first time. */
export async function start(
  folder: string,
  rows: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const began = performance.now();
  const flags = ['--conditions=source', '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, MAIN, 'start', folder, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...MEMORY_SETTINGS, ...environment, ROWS: String(rows), LOCKSTITCH_USER_PASSWORD: 'bench' },
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /(http:\S+)\/graphql/.exec(line)?.[1];
    if (url === undefined) continue;
    return {
      url,
      took: (performance.now() - began) / 1000,
      async stop() {
        child.kill();
        await once(child, 'exit');
      },
    };
  }
  throw new Error('The server did not start.');
}

export const HEADERS = { authorization: `Basic ${btoa('user:bench')}`, 'content-type': 'application/json' };

/** Sum of the samples of a metric. */
export async function metric(url: string, pattern: RegExp): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: HEADERS })).text();
  return [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
}
