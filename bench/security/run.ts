// What the security chain costs: processor time per request against plain node:http, and how it grows with the rules.
//   node --conditions=source bench/security/run.ts [rounds] [seconds]
// Full chain: firewall, headers, CORS check, CSRF check, session look-up, HTTP Basic from the verified-credential cache,
// context, 30 rules. The middleware beside it: helmet, cors, express-session, csrf-csrf, passport HTTP Basic (peer.ts).
import { compareServers, startBenchServer } from '../lib/load.ts';
import { digits, printTable } from '../lib/table.ts';

const [rounds = 7, seconds = 1] = process.argv.slice(2).map(Number);
const authorization = `Basic ${Buffer.from('john:12345').toString('base64')}`;
const names = ['plain', 'full chain', '10 rules', '1000 rules', 'Express 5', 'Express 5 and middleware'] as const;

const module = new URL('server.ts', import.meta.url);
const servers = await Promise.all(names.map((name) => startBenchServer(name, module, [name])));
try {
  const request = { path: '/photos/mine', headers: { authorization } };
  const results = await compareServers(
    servers.map((server) => ({ server, request })),
    rounds,
    seconds,
  );
  const plain = results[0]!.cpuMicros;
  const peer = results.at(-1)!.cpuMicros;
  printTable(
    'Security chain around one JSON handler, HTTP Basic on every request',
    ['server', 'µs CPU / request', 'of plain', 'of Express and middleware', 'requests/s', 'p99 ms'],
    results.map((result, index) => [
      names[index]!,
      digits(result.cpuMicros),
      digits(plain / result.cpuMicros),
      digits(peer / result.cpuMicros),
      digits(result.requestsPerSecond),
      digits(result.p99Millis),
    ]),
  );
} finally {
  await Promise.all(servers.map((server) => server.close()));
}
