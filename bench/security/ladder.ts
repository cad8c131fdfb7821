// Where the time of the chain goes: one server a rung, all in turn, and what each part adds to the one below it.
//   npm run bench -- security ladder [rounds] [seconds]
import { compareServers, type LoadRequest, startBenchServer } from '../lib/load.ts';
import { digits, printTable } from '../lib/table.ts';
import { createRungs } from './rungs.ts';

/** Measures every rung beside plain node:http and prints the ladder. */
export async function climb(request: LoadRequest, rounds: number, seconds: number): Promise<void> {
  const rungs = createRungs(undefined).map(({ name }) => name);
  const variants = ['plain', 'plain with the headers', ...rungs.map((_, index) => `rung ${index}`)];
  const module = new URL('server.ts', import.meta.url);
  const servers = await Promise.all(variants.map((variant) => startBenchServer(variant, module, [variant])));
  try {
    const results = await compareServers(
      servers.map((server) => ({ server, request })),
      rounds,
      seconds,
    );
    printTable(
      'The chain, part by part',
      ['server', 'µs CPU / request', 'more than before', 'bytes / request', 'more than before'],
      ['plain node:http', 'the same headers by hand', ...rungs].map((name, index) => {
        const { cpuMicros, allocatedBytes } = results[index]!;
        const below = results[index < 3 ? 0 : index - 1]!;
        const more = (value: number): string => (index === 0 ? '' : digits(value));
        return [
          name,
          digits(cpuMicros),
          more(cpuMicros - below.cpuMicros),
          Math.round(allocatedBytes),
          more(allocatedBytes - below.allocatedBytes),
        ];
      }),
    );
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}
