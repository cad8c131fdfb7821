// A server of the fleet: a process of its own, with its own ways to the database and to the cluster.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCli } from '../../packages/server/test/cli/run-cli.ts';
import { AS_USER } from './app.ts';
import { type Balancer, send } from './balancer.ts';
import { Link, type Network } from './network.ts';

export interface ServerParts {
  readonly at: number;
  /** Folder of the application. */
  readonly home: string;
  readonly database: string;
  /** Addresses of the nodes; none with the embedded engine. */
  readonly nodes: readonly string[];
  readonly network: Network | undefined;
  readonly balancer: Balancer;
}

export class FleetServer {
  readonly toDatabase: Link;
  /** undefined with the embedded engine. */
  readonly toCluster: Link | undefined;
  readonly #parts: ServerParts;
  /** Folder of the application that it serves. */
  #home: string;
  #process: Awaited<ReturnType<typeof startCli>> | undefined;
  port = 0;

  private constructor(parts: ServerParts, toDatabase: Link, toCluster: Link | undefined) {
    this.#parts = parts;
    this.#home = parts.home;
    this.toDatabase = toDatabase;
    this.toCluster = toCluster;
  }

  static async start(parts: ServerParts): Promise<FleetServer> {
    const { database, network, nodes } = parts;
    const toDatabase = await Link.to([database], network);
    const toCluster = nodes.length === 0 ? undefined : await Link.to(nodes, network);
    const server = new FleetServer(parts, toDatabase, toCluster);
    await server.#start();
    return server;
  }

  async #start(): Promise<void> {
    const { at, balancer } = this.#parts;
    const data = join(this.#parts.home, `data-${at}`);
    const [database = ''] = this.toDatabase.addresses;
    this.#process = await startCli(['start', this.#home, '--port', '0', '--data', data], /http:\/\/127\.0\.0\.1:\d+/, {
      DATABASE_URL: database,
      LOCKSTITCH_SERVERS: 'several',
      LOCKSTITCH_USER_PASSWORD: 'x',
      ...(this.toCluster && { SEARCH_URL: this.toCluster.addresses.join(',') }),
    });
    this.port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(this.#process.out())?.[1]);
    balancer.add(this.port);
  }

  /** Ends it and starts it again. @param home folder of the application that it serves from then on */
  async restart(signal: 'SIGTERM' | 'SIGKILL', home = this.#home): Promise<void> {
    await this.stop(signal);
    this.#home = home;
    await this.#start();
  }

  /** Waits until it gets requests at both doors. */
  async becomesReady(): Promise<void> {
    while (!this.#parts.balancer.readyPorts('search').includes(this.port)) await sleep(20);
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#process?.child.kill(signal);
    await this.#process?.exit;
    this.#parts.balancer.remove(this.port);
  }

  /** Stops the process for some milliseconds without ending it. */
  async pause(milliseconds: number): Promise<void> {
    this.#process?.child.kill('SIGSTOP');
    await sleep(milliseconds);
    this.#process?.child.kill('SIGCONT');
  }

  /** Whether it writes to an index on the search cluster. */
  async leads(): Promise<boolean> {
    return /^lockstitch_index_leader\{[^}]*\} 1$/m.test(await this.#metrics());
  }

  /** Changes that its searches do not show yet. */
  async lag(): Promise<number> {
    return Number(/^lockstitch_index_lag_changes (\d+)$/m.exec(await this.#metrics())?.[1]);
  }

  /** Whether its searches show all changes up to a position; waits a few seconds for it. */
  async finds(position: string): Promise<boolean> {
    const headers = { ...AS_USER, 'lockstitch-min-position': position };
    return (await send(this.port, '/notes/_search?size=0', { headers }, 10_000)).status === 200;
  }

  async #metrics(): Promise<string> {
    return (await send(this.port, '/metrics', { headers: AS_USER }, 1000)).text;
  }

  close(): void {
    this.toDatabase.close();
    this.toCluster?.close();
  }
}
