// Puts load on an HTTP server that runs in a child process and tells what a request cost that process. Requests per second on a
// small shared machine measure the client and the neighbours too; processor time per request measures the server. Both are
// reported, ratios are made from the second. What a request costs falls for seconds after a start, while the JIT compiles:
// every server is warmed up until that is over.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { sendLoad } from './client.ts';

/** One request, sent over and over. */
export interface LoadRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A function makes a new body for each request. */
  readonly body?: string | (() => string);
}

/** What one round measured. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Processor time (user and system) of the server process for one request, in microseconds. */
  readonly cpuMicros: number;
  readonly p99Millis: number;
  /** Bytes that the server process takes from V8's heap for one request, whatever becomes of them. */
  readonly allocatedBytes: number;
}

/** A server under load. */
export interface BenchServer {
  readonly name: string;
  readonly url: string;
  /** Resident memory of the process in bytes. */
  memory(): Promise<number>;
  cpu(): Promise<number>;
  /** Bytes taken from V8's heap since the start. */
  allocated(): Promise<number>;
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
    allocated: () => ask(child, 'allocated'),
    heap: () => ask(child, 'heap'),
    async close() {
      child.kill('SIGKILL');
      await once(child, 'exit').catch(() => undefined);
    },
  };
}

type Question = 'memory' | 'cpu' | 'heap' | 'allocated';

async function ask(child: ChildProcess, question: Question): Promise<number> {
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
  const taken = await server.allocated();
  const before = await server.cpu();
  const { method = 'GET', headers = {}, body, path } = request;
  const count = await sendLoad({
    url: new URL(path, server.url),
    method,
    headers,
    body,
    connections: 32,
    seconds,
  });
  const after = await server.cpu();
  if (count.refusals > 0) {
    throw new Error(`${server.name}: ${count.refusals} answers other than 2xx on ${path}`);
  }
  return {
    requestsPerSecond: count.answers / count.seconds,
    cpuMicros: (after - before) / count.answers,
    p99Millis: count.p99Millis,
    allocatedBytes: ((await server.allocated()) - taken) / count.answers,
  };
}

/** What is answered before the first round counts: V8 compiles a server's paths by how often they were run. */
const WARM_UP = { answers: 60_000, seconds: 20 } as const;

/** Puts load on for 60,000 answers, at most so many seconds: the same rule for every server. */
async function warmUp(server: BenchServer, request: LoadRequest, seconds: number): Promise<void> {
  let answers = 0;
  for (let second = 0; second < seconds && answers < WARM_UP.answers; second += 1) {
    answers += (await putLoad(server, request, 1)).requestsPerSecond;
  }
}

/**
 * Warms every server up, runs `rounds` rounds with the servers in turn, and answers the median round of each.
 *
 * @param warmUpSeconds each server's at most
 */
export async function compareServers(
  contestants: readonly { readonly server: BenchServer; readonly request: LoadRequest }[],
  rounds = 7,
  seconds = 1,
  warmUpSeconds: number = WARM_UP.seconds,
): Promise<LoadResult[]> {
  for (const { server, request } of contestants) await warmUp(server, request, warmUpSeconds);
  const results: LoadResult[][] = contestants.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { server, request }] of contestants.entries()) {
      results[index]!.push(await putLoad(server, request, seconds));
    }
  }
  return results.map((list) => list.toSorted((a, b) => a.cpuMicros - b.cpuMicros)[Math.floor(list.length / 2)]!);
}
