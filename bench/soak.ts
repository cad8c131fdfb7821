// `npm run soak [-- NAME [ARGUMENTS]]`: what takes longer than a test run may. Each part prints what it found and fails the run
// when it found anything.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

interface Part {
  readonly module: string;
  /** Arguments that stay whatever else is given. */
  readonly first?: readonly string[];
  readonly args: readonly string[];
}

/** Name → module and its usual arguments. */
const PARTS: Readonly<Record<string, Part>> = {
  /** Random operations, answered by the engine and by graphql-js over plain data. */
  graph: { module: './graph/soak.ts', args: ['10000'] },
  /** The same on PostgreSQL. */
  'graph-postgres': { module: './graph/soak.ts', args: ['3000', '1000', 'postgres'] },
  /** The heap of a secured server over ten million requests of every kind. */
  security: { module: './security/soak.ts', args: ['10000000'] },
  /** Random request targets through every adapter. */
  'security-paths': { module: './security/soak-paths.ts', args: ['100000'] },
  /** Whether the time of a refusal tells which accounts exist. */
  'security-timing': { module: './security/soak-timing.ts', args: ['2000', '4'] },
  /** What a flood of passwords to hash does to everybody else. */
  'security-flood': { module: './security/soak-flood.ts', args: ['5'] },
  /** An index whose writer is killed at random moments. */
  search: { module: '../packages/search/test/engine/kill-rounds.ts', args: ['200'] },
  /** A server that writes, indexes and rebuilds, killed at random moments: afterwards the index equals the data. */
  feed: { module: '../packages/server/test/sync/kill-rounds.ts', args: ['200'] },
  /** The same over PostgreSQL. */
  'feed-postgres': { module: './promise/soak-postgres.ts', args: ['30'] },
  /** An index over PostgreSQL that is compared and rebuilt while 500 writes a second go on. */
  'verify-postgres': { module: './promise/soak-verify.ts', args: ['60', '500'] },
  /** Three servers on one PostgreSQL, restarted, killed and paused under writes. */
  fleet: { module: './fleet/soak.ts', args: ['18'] },
  /** Whether any request tells apart data that differ only in what its caller may not see. */
  policy: { module: '../packages/server/test/policy/soak.ts', args: ['200000'] },
  /** Whether that check notices leaks that are planted in mutations. */
  'policy-leaks': { module: '../packages/server/test/policy/soak-leaks.ts', args: ['60'] },
  /** Requests of `policy` with the data on PostgreSQL, over HTTP, and both. */
  'policy-postgres': { module: './promise/soak-policy.ts', first: ['postgres'], args: ['10000'] },
  'policy-http': { module: './promise/soak-policy.ts', first: ['http'], args: ['5000'] },
  'policy-http-postgres': { module: './promise/soak-policy.ts', first: ['http-postgres'], args: ['2000'] },
  /** Whether any mutation, or what it leaves to be read, tells apart data that differ only so. */
  mutations: { module: '../packages/graph/test/write/hidden-rows.ts', args: ['1000'] },
  /** Hostile and random databases, adopted and compared with SQL row by row. */
  adopt: { module: '../packages/server/test/adopt/soak.ts', args: ['60'] },
  /** Random requests to Elasticsearch 7.10.2 and to this engine; needs Java and Maven. */
  engines: { module: '../test/engines/soak.ts', args: ['200000'] },
};

const [wanted, ...given] = process.argv.slice(2);
if (wanted !== undefined && !Object.hasOwn(PARTS, wanted)) {
  process.stderr.write(`No part is named "${wanted}". Known: ${Object.keys(PARTS).join(', ')}.\n`);
  process.exit(2);
}
for (const [name, { module, first = [], args }] of Object.entries(PARTS)) {
  if (wanted !== undefined && name !== wanted) continue;
  const file = fileURLToPath(new URL(module, import.meta.url));
  process.stdout.write(`soak ${name}\n`);
  const words = ['--conditions=source', file, ...first, ...(given.length > 0 ? given : args)];
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
