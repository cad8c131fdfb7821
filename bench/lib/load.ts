// Puts load on an HTTP server that runs in a child process and tells what a request cost that process. Requests per second on a
// small shared machine measure the client and the neighbours too; processor time per request measures the server. Both are
// reported, ratios are made from the second.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';

/** One request, sent over and over. */
export interface LoadRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What one round measured. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Processor time (user and system) of the server process for one request, in microseconds. */
  readonly cpuMicros: number;
  readonly p99Millis: number;
}

/** A server under load. */
export interface BenchServer {
  readonly name: string;
  readonly url: string;
  /** Resident memory of the process in bytes. */
  memory(): Promise<number>;
  cpu(): Promise<number>;
  /** Bytes in use after a collection; for processes started with `--expose-gc`. */
  heap(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Starts `module` in a process of its own. The module must call `serveBench` (./serve.ts).
 *
 * @param args handed to the module as its arguments
 * @param flags handed to Node, besides those of this process
 */
export async function startBenchServer(
  name: string,
  module: URL,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<BenchServer> {
  const child = fork(module, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [...process.execArgv, ...flags],
  });
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with exit code ${String(code)} before it was ready`);
  });
  exited.catch(() => undefined);
  const [first] = (await Promise.race([once(child, 'message'), exited])) as [{ url: string }];
  return {
    name,
    url: first.url,
    memory: () => ask(child, 'memory'),
    cpu: () => ask(child, 'cpu'),
    heap: () => ask(child, 'heap'),
    async close() {
      child.kill('SIGKILL');
      await once(child, 'exit').catch(() => undefined);
    },
  };
}

async function ask(child: ChildProcess, question: 'memory' | 'cpu' | 'heap'): Promise<number> {
  child.send(question);
  const [answer] = (await once(child, 'message')) as [number];
  return answer;
}

/**
 * Sends `request` from 32 connections for `seconds`.
 *
 * @throws Error when an answer is not 2xx: a bench of refusals would flatter
 */
async function putLoad(server: BenchServer, request: LoadRequest, seconds: number): Promise<LoadResult> {
  const before = await server.cpu();
  const result = await autocannon({
    url: server.url + request.path,
    method: request.method ?? 'GET',
    headers: { ...request.headers },
    ...(request.body === undefined ? {} : { body: request.body }),
    connections: 32,
    duration: seconds,
  });
  const after = await server.cpu();
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(
      `${server.name}: ${result.non2xx} answers other than 2xx, ${result.errors} errors on ${request.path}`,
    );
  }
  const total = result['2xx'];
  return {
    requestsPerSecond: total / result.duration,
    cpuMicros: (after - before) / total,
    p99Millis: result.latency.p99,
  };
}

/** Runs `rounds` rounds, the servers in turn, after one warm-up each, and answers the median round of each. */
export async function compareServers(
  contestants: readonly { readonly server: BenchServer; readonly request: LoadRequest }[],
  rounds = 5,
  seconds = 2,
): Promise<LoadResult[]> {
  for (const { server, request } of contestants) await putLoad(server, request, seconds);
  const results: LoadResult[][] = contestants.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { server, request }] of contestants.entries()) {
      results[index]!.push(await putLoad(server, request, seconds));
    }
  }
  return results.map((list) => list.toSorted((a, b) => a.cpuMicros - b.cpuMicros)[Math.floor(list.length / 2)]!);
}
