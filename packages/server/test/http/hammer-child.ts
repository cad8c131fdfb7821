// Sixteen clients that ask without pause, each over a connection that it keeps, until the server refuses connections. Says `asking`
// once they were answered more often than they are, and at the end what went wrong, and for how long this process stood still.
import { Agent, request } from 'node:http';

const CLIENTS = 16;
const [port, size] = process.argv.slice(2).map(Number);
const failures: string[] = [];
let answered = 0;
/** Milliseconds between two looks at the clock, the longest. */
let stoodStill = 0;
let looked = performance.now();
const watch = setInterval(() => {
  const now = performance.now();
  stoodStill = Math.max(stoodStill, now - looked);
  looked = now;
}, 5);

function ask(agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const sent = request({ port, host: '127.0.0.1', agent, method: 'POST' }, (response) => {
      let bytes = 0;
      response.on('data', (piece: Uint8Array) => (bytes += piece.length));
      response.on('end', () => resolve(bytes === size ? 'answered' : 'cut'));
      response.on('error', () => resolve('cut'));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end('x'.repeat(1000));
  });
}

async function hammer(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    const result = await ask(agent);
    if (result === 'ECONNREFUSED') break;
    if (result !== 'answered') failures.push(result);
    else if (++answered === CLIENTS + 1) console.log('asking');
  }
  agent.destroy();
}

await Promise.all(Array.from({ length: CLIENTS }, hammer));
clearInterval(watch);
console.log(JSON.stringify({ stoodStill, failures }));
