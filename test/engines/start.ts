// Starts an engine by hand: `npm run engine -- elasticsearch-7.10 [nodes]`. Ends with Ctrl+C, and takes its data with it.
import { once } from 'node:events';
import { startCluster } from './cluster.ts';
import { ENGINES, install } from './engines.ts';

const [name, nodes = '1'] = process.argv.slice(2);
const engine = ENGINES.find((each) => each.name === name);
if (engine === undefined || (nodes !== '1' && nodes !== '3')) {
  process.stderr.write(`Usage: npm run engine -- ${ENGINES.map((each) => each.name).join('|')} [1|3]\n`);
  process.exit(2);
}
const installed = install(engine);
if (typeof installed === 'string') {
  process.stderr.write(`${installed}\n`);
  process.exit(1);
}
process.stderr.write(`Starting ${engine.name} with ${nodes} node(s); it takes 10 to 20 s …\n`);
const cluster = await startCluster(engine, installed, { nodes: nodes === '3' ? 3 : 1 });
for (const node of cluster.nodes) process.stdout.write(`${node.name} ${node.url}\n`);
await Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
await cluster.close();
