// Starts the nodes of one engine, each a JVM of its own, and waits until they are one cluster. A node can be killed, paused and
// started again with its data.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Engine, type Installed, MODULES } from './engines.ts';

/** Milliseconds that a node may take to answer; a start takes 10 to 20 s on two cores. */
const START_LIMIT = 180_000;

export interface ClusterOptions {
  /** One or three; 1 by default. */
  readonly nodes?: 1 | 3;
  /** Heap of each node, MB; 512 by default. */
  readonly heap?: number;
  /** MB of a file system in memory for the data of each node; by default it lies with all else. Only root may have one. */
  readonly disk?: number;
  /** Whether nodes start with a third of the work and compute at half the speed, for those that are started often; false by default. */
  readonly startsOften?: boolean;
}

export interface EngineNode {
  readonly name: string;
  readonly url: string;
  /** Where its own file system is, if it has one. */
  readonly disk: string | undefined;
  /** Of its process, while it runs. */
  readonly pid: number | undefined;
  /** As `kill -9` does; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Stops the process without ending it (SIGSTOP). */
  pause(): void;
  resume(): void;
  /** Starts a killed node again with its data. */
  restart(): Promise<void>;
}

export interface Cluster {
  readonly nodes: readonly EngineNode[];
  /** Of the first node. */
  readonly url: string;
  /** Ends all nodes and removes their data. */
  close(): Promise<void>;
}

/**
 * Starts a cluster.
 *
 * @throws Error with the end of a node's log when it does not start, or lacks a module
 */
export async function startCluster(
  engine: Engine,
  installed: Installed,
  options: ClusterOptions = {},
): Promise<Cluster> {
  const { nodes: count = 1, heap = 512, disk, startsOften = false } = options;
  const folder = mkdtempSync(join(tmpdir(), `lockstitch-${engine.name}-`));
  const ports = await freePorts(2 * count);
  const names = Array.from({ length: count }, (_, index) => `node-${index + 1}`);
  const addresses = names.map((_, index) => `127.0.0.1:${ports[2 * index + 1]}`);
  const nodes = names.map(
    (name, index) =>
      new JvmNode(engine, installed, {
        name,
        heap,
        folder: join(folder, name),
        disk,
        startsOften,
        http: ports[2 * index]!,
        transport: ports[2 * index + 1]!,
        addresses: addresses.join(','),
        first: names.join(','),
      }),
  );
  const close = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.close()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
    await waitForNodes(nodes[0]!.url, count);
    await checkModules(nodes[0]!.url);
  } catch (error) {
    await close();
    throw error;
  }
  return { nodes, url: nodes[0]!.url, close };
}

interface NodeSettings {
  readonly name: string;
  readonly heap: number;
  readonly folder: string;
  readonly disk: number | undefined;
  readonly startsOften: boolean;
  readonly http: number;
  readonly transport: number;
  readonly addresses: string;
  readonly first: string;
}

class JvmNode implements EngineNode {
  readonly name: string;
  readonly url: string;
  readonly disk: string | undefined;
  readonly #engine: Engine;
  readonly #installed: Installed;
  readonly #settings: NodeSettings;
  #process: ChildProcess | undefined;
  #isFirstStart = true;

  constructor(engine: Engine, installed: Installed, settings: NodeSettings) {
    this.name = settings.name;
    this.url = `http://127.0.0.1:${settings.http}`;
    this.#engine = engine;
    this.#installed = installed;
    this.#settings = settings;
    if (settings.disk === undefined) return;
    // Where the runner puts the data.
    this.disk = join(settings.folder, 'node_1/data');
    mkdirSync(this.disk, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${settings.disk}m`, 'tmpfs', this.disk]);
  }

  async start(): Promise<void> {
    const { name, heap, folder, http, transport, addresses, first, startsOften } = this.#settings;
    const { archive, classPath, java } = this.#installed;
    const configuration = join(folder, 'node_1/config');
    mkdirSync(configuration, { recursive: true });
    if (this.#engine.logging !== undefined)
      copyFileSync(this.#engine.logging, join(configuration, 'log4j2.properties'));
    const logFile = join(folder, 'node.log');
    const log = openSync(logFile, 'a');
    const flags = [
      `-Xms${heap}m`,
      `-Xmx${heap}m`,
      '-XX:+UseSerialGC',
      '-Djna.nosys=true',
      '-Dlog4j2.formatMsgNoLookups=true',
      ...(startsOften ? ['-XX:TieredStopAtLevel=1', archiveFlag(archive)] : []),
    ];
    // The first managers are named once: a node that names them again after a restart could form a second cluster.
    const managers = this.#isFirstStart ? first : '-';
    const words = [name, String(http), String(transport), folder, this.#engine.name, addresses, managers];
    const child = spawn(java, [...flags, '-cp', classPath, 'Node', ...words], { stdio: ['pipe', log, log] });
    closeSync(log);
    this.#process = child;
    this.#isFirstStart = false;
    const until = Date.now() + START_LIMIT;
    while (!(await answers(this.url))) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > until) {
        await this.kill();
        throw new Error(`${this.#engine.name} ${name} did not start:\n${readFileSync(logFile, 'utf8').slice(-2000)}`);
      }
      await pause(100);
    }
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  restart(): Promise<void> {
    return this.start();
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    const { archive, java } = this.#installed;
    // Last of all: Java 25 may crash after it.
    if (this.#settings.startsOften && this.#process !== undefined && !existsSync(archive))
      archiveClasses(java, this.#process, archive);
    await this.kill();
    if (this.disk !== undefined) execFileSync('umount', [this.disk]);
  }

  pause(): void {
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }
}

const archiveFlag = (archive: string): string =>
  existsSync(archive) ? `-XX:SharedArchiveFile=${archive}` : '-XX:+RecordDynamicDumpInfo';

/** Keeps the classes that a node has loaded, for those of the next run; a node that has ended or crashes leaves none. */
function archiveClasses(java: string, { pid }: ChildProcess, archive: string): void {
  const made = `${archive}.${process.pid}`;
  const words = ['--module', 'jdk.jcmd/sun.tools.jcmd.JCmd', String(pid), 'VM.cds', 'dynamic_dump', made];
  try {
    execFileSync(java, words, { stdio: 'ignore' });
    renameSync(made, archive);
  } catch {
    rmSync(made, { force: true });
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

async function waitForNodes(url: string, count: number): Promise<void> {
  const path = `/_cluster/health?wait_for_nodes=${count}&wait_for_status=green&timeout=60s`;
  const health = (await (await fetch(url + path)).json()) as { readonly timed_out: boolean };
  if (health.timed_out)
    throw new Error(`The cluster at ${url} did not find its ${count} nodes: ${JSON.stringify(health)}`);
}

async function checkModules(url: string): Promise<void> {
  const plugins = await (await fetch(`${url}/_cat/plugins?h=component`)).text();
  const names = plugins.split('\n').map((line) => line.trim());
  const missing = MODULES.filter((module) => !names.some((name) => module.test(name)));
  if (missing.length > 0)
    throw new Error(`The engine at ${url} lacks modules: ${missing.join(', ')}; it has\n${plugins}`);
}

/** Ports that nobody listens on; all are held until the last is known, so that they differ. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address === 'object' && address !== null) ports.push(address.port);
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
