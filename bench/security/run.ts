// What the security chain costs: processor time per request against plain node:http, and how it grows with the rules.
//   npm run bench -- security [rounds] [seconds]
//   npm run bench -- security ladder [rounds] [seconds]     (ladder.ts)
// Full chain: firewall, headers, CORS check, CSRF check, session look-up, HTTP Basic from the verified-credential cache,
// context, 30 rules. The middleware beside it: helmet, cors, express-session, csrf-csrf, passport HTTP Basic (peer.ts).
import { compareServers, startBenchServer } from '../lib/load.ts';
import { digits, printTable } from '../lib/table.ts';
import { climb } from './ladder.ts';

const isLadder = process.argv[2] === 'ladder';
const [rounds = 7, seconds = 1] = process.argv.slice(isLadder ? 3 : 2).map(Number);
const authorization = `Basic ${Buffer.from('john:12345').toString('base64')}`;
const names = ['plain', 'full chain', '10 rules', '1000 rules', 'Express 5', 'Express 5 and middleware'] as const;
const request = { path: '/photos/mine', headers: { authorization } };

async function compare(): Promise<void> {
  const module = new URL('server.ts', import.meta.url);
  const servers = await Promise.all(names.map((name) => startBenchServer(name, module, [name])));
  try {
    const results = await compareServers(
      servers.map((server) => ({ server, request })),
      rounds,
      seconds,
    );
    const plain = results[0]!.cpuMicros;
    const peer = results.at(-1)!.cpuMicros;
    printTable(
      'Security chain around one JSON handler, HTTP Basic on every request',
      [
        'server',
        'µs CPU / request',
        'of plain',
        'of Express and middleware',
        'bytes / request',
        'requests/s',
        'p99 ms',
      ],
      results.map((result, index) => [
        names[index]!,
        digits(result.cpuMicros),
        digits(plain / result.cpuMicros),
        digits(peer / result.cpuMicros),
        Math.round(result.allocatedBytes),
        digits(result.requestsPerSecond),
        digits(result.p99Millis),
      ]),
    );
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

await (isLadder ? climb(request, rounds, seconds) : compare());
