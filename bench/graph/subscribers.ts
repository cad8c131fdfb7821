// A thousand subscribers on one process: how long an event takes to each of them, what it costs the server's processor, and
// what a subscriber weighs; beside a bare graphql-ws server with its events in memory.
//   npm run bench -- subscribers [SUBSCRIBERS] [EVENTS] [ROUNDS]
import { WebSocket } from 'ws';
import { type BenchServer, startBenchServer } from '../lib/load.ts';
import { digits, printTable } from '../lib/table.ts';

const [subscribers = 1000, events = 30, rounds = 5] = process.argv.slice(2).map(Number);
const authorization = `Basic ${Buffer.from('user:bench').toString('base64')}`;
const SUBSCRIPTION = 'subscription { noteCreated { id title likes created } }';
const MUTATION = 'mutation { createNote(input: { title: "A note of some length", likes: 3 }) { id } }';
/** Events before anything is measured: the JIT needs some thousand deliveries. */
const WARM_UP = 20;

interface Measured {
  readonly latencies: readonly number[];
  /** Processor time of the server for one delivery, in µs. */
  readonly cpuMicros: number;
  /** Bytes of heap and buffers for one subscriber. */
  readonly weight: number;
}

async function measure(server: BenchServer): Promise<Measured> {
  let heard = 0;
  let arrived: (at: number) => void = () => undefined;
  const before = await server.heap();
  const sockets: WebSocket[] = [];
  for (let index = 0; index < subscribers; index++) {
    sockets.push(
      await subscribe(server.url, () => {
        heard++;
        arrived(performance.now());
      }),
    );
  }
  const weight = ((await server.heap()) - before) / subscribers;
  const publish = async (): Promise<readonly number[]> => {
    heard = 0;
    const times: number[] = [];
    const done = new Promise<void>((resolve) => {
      arrived = (at) => {
        times.push(at - sent);
        if (heard === subscribers) resolve();
      };
    });
    const sent = performance.now();
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ query: MUTATION }),
    });
    if (!response.ok) throw new Error(`${server.name} answered ${response.status}`);
    await response.text();
    await done;
    return times;
  };
  for (let index = 0; index < WARM_UP; index++) await publish();
  const cpu = await server.cpu();
  const latencies: number[] = [];
  for (let index = 0; index < events; index++) latencies.push(...(await publish()));
  const cpuMicros = ((await server.cpu()) - cpu) / (events * subscribers);
  for (const socket of sockets) socket.terminate();
  return { latencies: latencies.toSorted((a, b) => a - b), cpuMicros, weight };
}

/** Opens a socket and subscribes; resolves once a question sent after it was answered. */
function subscribe(url: string, onEvent: () => void): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, ['graphql-transport-ws'], {
    headers: { authorization },
  });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.on('message', (data: Buffer) => {
      const { type, id } = JSON.parse(String(data)) as { readonly type: string; readonly id?: string };
      if (type === 'connection_ack') {
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: SUBSCRIPTION } }));
        socket.send(JSON.stringify({ id: '2', type: 'subscribe', payload: { query: '{ note(id: 1) { id } }' } }));
      } else if (type === 'next' && id === '1') onEvent();
      else if (type === 'complete') resolve(socket);
    });
  });
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor((sorted.length - 1) * share)]!;

const contestants = [
  ['bare graphql-ws, events in memory', 'bare-subscriber-server.ts'],
  ['Lockstitch', 'subscriber-server.ts'],
] as const;
const servers: BenchServer[] = [];
for (const [name, file] of contestants)
  servers.push(await startBenchServer(name, new URL(file, import.meta.url), [], ['--expose-gc']));
const measured: Measured[][] = servers.map(() => []);
for (let round = 0; round < rounds; round++) {
  for (const [index, server] of servers.entries()) measured[index]!.push(await measure(server));
}
await Promise.all(servers.map((server) => server.close()));
/** The median round of each, by processor time. */
const results = measured.map(
  (list) => list.toSorted((a, b) => a.cpuMicros - b.cpuMicros)[Math.floor(list.length / 2)]!,
);
const [bare] = results;
printTable(
  `${subscribers} subscribers on one process, ${events} events one after the other; the median of ${rounds} rounds in turn`,
  ['server', 'median ms', 'p99 ms', 'µs a delivery', '× bare', 'KB a subscriber'],
  results.map(({ latencies, cpuMicros, weight }, index) => [
    contestants[index]![0],
    digits(percentile(latencies, 0.5)),
    digits(percentile(latencies, 0.99)),
    digits(cpuMicros),
    digits(cpuMicros / bare!.cpuMicros),
    digits(weight / 1024),
  ]),
);
process.exit(0);
