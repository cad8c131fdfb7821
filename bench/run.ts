// `npm run bench [-- NAME [ARGUMENTS]]`: runs the benches that need nothing but the project, or the one that is named.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Name → module, in the order of a plain `npm run bench`. `search` needs a corpus and runs only when it is named. */
const BENCHES: Readonly<Record<string, { readonly module: string; readonly alone?: boolean }>> = {
  product: { module: 'product/run.ts' },
  'in-memory': { module: 'product/in-memory.ts', alone: true },
  sizing: { module: 'product/sizing.ts', alone: true },
  graph: { module: 'graph/in-process.ts' },
  mutations: { module: 'graph/mutations.ts' },
  spot: { module: 'graph/spot.ts', alone: true },
  // Installs what it measures against.
  peers: { module: 'graph/run.ts', alone: true },
  subscribers: { module: 'graph/subscribers.ts' },
  security: { module: 'security/run.ts' },
  feed: { module: 'promise/feed.ts' },
  capture: { module: 'promise/capture.ts' },
  // Installs what it measures against.
  'by-hand': { module: 'promise/by-hand.ts', alone: true },
  views: { module: 'promise/views.ts', alone: true },
  'search-peers': { module: 'search/peers.ts', alone: true },
  'search-http': { module: 'search/http.ts', alone: true },
  'search-growth': { module: 'search/growth.ts', alone: true },
  'search-loop': { module: 'search/loop.ts', alone: true },
  search: { module: 'search/run.ts', alone: true },
  relevance: { module: 'search/relevance.ts', alone: true },
  // Needs Java and Maven.
  cluster: { module: 'search/cluster.ts', alone: true },
  scale: { module: 'fleet/scale.ts', alone: true },
  build: { module: 'fleet/build.ts', alone: true },
};

const [wanted, ...args] = process.argv.slice(2);
if (wanted !== undefined && !Object.hasOwn(BENCHES, wanted)) {
  process.stderr.write(`No bench is named "${wanted}". Known: ${Object.keys(BENCHES).join(', ')}.\n`);
  process.exit(2);
}
for (const [name, { module, alone }] of Object.entries(BENCHES)) {
  if (wanted === undefined ? alone === true : name !== wanted) continue;
  // Each in a process of its own: one bench's heap and compiled code must not be another's.
  const chosen = name === 'views' && args.includes('--timing') ? 'promise/view-timing.ts' : module;
  const file = fileURLToPath(new URL(chosen, import.meta.url));
  const { status } = spawnSync(process.execPath, ['--conditions=source', file, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
