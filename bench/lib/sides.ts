// Compares sides of several processes each: two processes of the same code lie up to 10 % apart, by how each came to be compiled
// and laid out in memory, so of each side the median process counts. Not here: what a round measures (load.ts).
import { type BenchServer, compareServers, type LoadRequest, type LoadResult } from './load.ts';
import { digits } from './table.ts';

/** The same code in one or more processes, all asked the same. */
export interface Side {
  readonly name: string;
  readonly servers: readonly BenchServer[];
}

/** What one side took. */
export interface SideResult {
  /** Of the median process. */
  readonly median: LoadResult;
  /** Microseconds of the best and of the worst process: `44.3–44.9`; one number for a single process. */
  readonly range: string;
}

/** Processes of a side whose ratio to another is to be told. */
export const PROCESSES = 3;

/** Starts the processes of each side, in turns: the first of each, the second of each, and so on. */
export async function startSides(
  sides: readonly { readonly name: string; readonly processes: number; readonly start: () => Promise<BenchServer> }[],
): Promise<Side[]> {
  const started = sides.map(({ name }) => ({ name, servers: [] as BenchServer[] }));
  try {
    for (let turn = 0; turn < Math.max(...sides.map(({ processes }) => processes)); turn += 1)
      for (const [index, { processes, start }] of sides.entries())
        if (turn < processes) started[index]!.servers.push(await start());
    return started;
  } catch (error) {
    await closeSides(started);
    throw error;
  }
}

/** Ends all processes. */
export async function closeSides(sides: readonly Side[]): Promise<void> {
  await Promise.all(sides.flatMap(({ servers }) => servers.map((server) => server.close())));
}

/** Warms every process up, runs the rounds with the processes in turn, and answers what each side took. */
export async function compareSides(
  sides: readonly { readonly side: Side; readonly request: LoadRequest }[],
  rounds: number,
  seconds: number,
  warmUpSeconds?: number,
): Promise<SideResult[]> {
  const processes = Array.from({ length: Math.max(...sides.map(({ side }) => side.servers.length)) }, (_, turn) =>
    sides.flatMap(({ side, request }, index) => {
      const server = side.servers[turn];
      return server === undefined ? [] : [{ server, request, index }];
    }),
  ).flat();
  const results = await compareServers(processes, rounds, seconds, warmUpSeconds);
  return sides.map((_, index) => {
    const own = results
      .filter((_result, place) => processes[place]!.index === index)
      .toSorted((a, b) => a.cpuMicros - b.cpuMicros);
    const [first, last] = [own[0]!, own.at(-1)!].map(({ cpuMicros }) => digits(cpuMicros));
    return { median: own[own.length >> 1]!, range: own.length === 1 ? first! : `${first!}–${last!}` };
  });
}
