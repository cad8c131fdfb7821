// What becomes of everybody else when two hundred connections do nothing but send passwords to be hashed: the slowest
// hundredth of a calm client's requests, idle and under the flood, in rounds in turn. Guesses are not counted on this server,
// so that every one of them reaches the hash. A ratio of three and more fails the run. The argument is the number of rounds.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { startBenchServer } from '../lib/load.ts';
import { digits, printTable } from '../lib/table.ts';
import type { Flooded } from './flood.ts';

const rounds = Number(process.argv[2] ?? 5);
const HOSTILE = 200;
/** Requests of the calm client in one round, one every so many milliseconds. */
const CALM = 400;
const EVERY = 5;
const BOUND = 3;

const server = await startBenchServer('flooded', new URL('server.ts', import.meta.url), ['guessing 10']);
const john = `Basic ${Buffer.from('john-00000:12345').toString('base64')}`;
// Idle sockets are let go before the server does so, which would fail the request that picks one up just then.
const calmAgent = new Agent({ keepAlive: true, timeout: 2000 });
const results: ({ readonly idle: number; readonly flooded: number } & Flooded)[] = [];
try {
  await ask(calmAgent, john);
  for (let round = 0; round <= rounds; round++) {
    const idle = await calmly();
    const flood = startFlood();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const flooded = await calmly();
    const { refused, hashed } = await flood.stop();
    // The first round warms up.
    if (round > 0) results.push({ idle, flooded, refused, hashed });
  }
  printTable(
    `${HOSTILE} connections that send wrong passwords, and one client that asks every ${EVERY} ms`,
    ['round', 'p99 ms idle', 'p99 ms flooded', 'ratio', 'hashed', 'answered 503'],
    results.map(({ idle, flooded, refused, hashed }, index) => [
      index + 1,
      digits(idle),
      digits(flooded),
      digits(flooded / idle),
      hashed,
      refused,
    ]),
  );
  const ratios = results.map(({ idle, flooded }) => flooded / idle).toSorted((a, b) => a - b);
  const ratio = ratios[Math.floor(ratios.length / 2)]!;
  process.stdout.write(`Median ratio ${digits(ratio)}; allowed is less than ${BOUND}.\n`);
  if (ratio >= BOUND) process.exitCode = 1;
} finally {
  calmAgent.destroy();
  await server.close();
}

/** The 99th percentile of the calm client, in milliseconds. */
async function calmly(): Promise<number> {
  const times: number[] = [];
  const running: Promise<unknown>[] = [];
  for (let index = 0; index < CALM; index++) {
    const started = performance.now();
    running.push(
      ask(calmAgent, john).then((status) => {
        if (status !== 200) throw new Error(`The calm client was answered ${status}.`);
        return times.push(performance.now() - started);
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, EVERY));
  }
  await Promise.all(running);
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
}

/** In a process of its own: the calm client would else wait for its neighbours' callbacks. */
function startFlood(): { stop(): Promise<Flooded> } {
  const child = fork(new URL('flood.ts', import.meta.url), [server.url, String(HOSTILE)]);
  return {
    async stop() {
      child.send('stop');
      const [counted] = (await once(child, 'message')) as [Flooded];
      child.kill();
      return counted;
    },
  };
}

function ask(agent: Agent, authorization: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}/`, { agent, headers: { authorization } }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode!));
    });
    sent.on('error', reject);
    sent.end();
  });
}
