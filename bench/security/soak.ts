// Whether the chain keeps memory from request to request: ten million requests (or as many as the first argument says) of
// every kind that could leave something behind: a verified password, new sessions with their tokens, refusals by firewall, rules
// and CSRF, broken credentials, paths, queries and cookies never used before. Afterwards the heap must be what it was once all
// stores were full. Wrong passwords are left to the tests of the limiter: hashing them would take days.
import autocannon from 'autocannon';
import { type BenchServer, startBenchServer } from '../lib/load.ts';
import { digits } from '../lib/table.ts';

const wanted = Number(process.argv[2] ?? 10_000_000);
if (!Number.isSafeInteger(wanted) || wanted < 1000) {
  process.stderr.write('The number of requests must be a whole number from 1000.\n');
  process.exit(2);
}
/** Parts of the run, so that growth shows as a line and not as one number. */
const PARTS = 10;
/** Fills the bounded store of sessions and lets code settle. */
const WARM_UP = Math.max(100_000, wanted / 50);
/** Megabytes by which heaps of equal content were seen to differ. */
const NOISE = 4;

const john = `Basic ${Buffer.from('john:12345').toString('base64')}`;
let serial = 0;
const fresh = (): string => (serial += 1).toString(36);
const requests: autocannon.Request[] = [
  { path: '/photos/mine', headers: { authorization: john } },
  // A new session with a token, each time.
  { path: '/csrf', headers: { authorization: john } },
  // Nobody, a new path each time.
  { setupRequest: (request) => ({ ...request, path: `/deep/a/b/${fresh()}`, headers: {} }) },
  // A new query and a session id that nobody gave out.
  {
    setupRequest: (request) => ({
      ...request,
      path: `/photos/list1/7?x=${fresh()}`,
      headers: { cookie: `JSESSIONID=${fresh()}` },
    }),
  },
  { path: '/photos/mine', method: 'POST', headers: { authorization: john }, body: 'a=1' },
  { path: '/photos/..%2fmine' },
  // No colon in it.
  {
    setupRequest: (request) => ({
      ...request,
      path: '/photos/mine',
      headers: { authorization: `Basic ${Buffer.from(fresh()).toString('base64')}` },
    }),
  },
];

const server = await startBenchServer(
  'full chain',
  new URL('server.ts', import.meta.url),
  ['full chain'],
  ['--expose-gc'],
);
try {
  await send(server, WARM_UP);
  const first = await server.heap();
  print(0, first, first);
  let last = first;
  for (let part = 1; part <= PARTS; part++) {
    await send(server, wanted / PARTS);
    last = await server.heap();
    print((part * wanted) / PARTS, last, first);
  }
  const grown = (last - first) / 1e6;
  if (grown > NOISE) {
    process.stdout.write(`The heap grew by ${digits(grown)} MB.\n`);
    process.exitCode = 1;
  } else process.stdout.write('The heap did not grow.\n');
} finally {
  await server.close();
}

async function send({ url }: BenchServer, amount: number): Promise<void> {
  const result = await autocannon({ url, connections: 16, amount: Math.ceil(amount), requests });
  const faults = result.errors + result.timeouts + result['5xx'];
  if (faults > 0) throw new Error(`${faults} requests failed or were answered 5xx.`);
}

function print(sent: number, heap: number, first: number): void {
  process.stdout.write(
    `${sent.toLocaleString('en-US').padStart(12)} requests  heap ${digits(heap / 1e6)} MB  ${digits((heap - first) / 1e6)} MB more\n`,
  );
}
