// The way from a server to a part of the fleet. Where the run may make network namespaces (root on Linux), each way is a pair of virtual
// interfaces on which packets can be lost, so that nobody is told and TCP sends again; else it is a proxy alone.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SOURCE_FLAGS } from '../../packages/kernel/test/source-flags.ts';
import { Proxy } from './proxy.ts';

/** A hardware address that nobody has: what is sent to it is lost without a word. */
const NOBODY = '02:00:00:00:00:99';
const FIRST_PORT = 7001;
/** Ways of one network at most: each has four addresses of 256. */
const MOST_WAYS = 64;

/** A namespace that ends with the run. */
export class Network {
  readonly #child: ChildProcess;
  readonly folder = mkdtempSync(join(tmpdir(), 'lockstitch-net-'));
  #ways = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** undefined: the run may make none here. */
  static async open(): Promise<Network | undefined> {
    try {
      execFileSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' });
    } catch {
      return undefined;
    }
    const words = ['--net', process.execPath, ...SOURCE_FLAGS, join(import.meta.dirname, 'forwarder.ts')];
    const child = spawn('unshare', words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(child, 'spawn');
    return new Network(child);
  }

  /** Makes a way to proxies that listen on the sockets. Returns where it begins, an address and port each. */
  async way(paths: readonly string[]): Promise<{ readonly hosts: readonly string[]; readonly way: Way }> {
    const at = this.#ways++;
    if (at >= MOST_WAYS) throw new Error(`A network has ${MOST_WAYS} ways at most.`);
    const { pid = 0 } = this.#child;
    const way = new Way(pid, at);
    way.create();
    const hosts: string[] = [];
    for (const [index, path] of paths.entries()) {
      const port = FIRST_PORT + index;
      const listens = once(this.#child, 'message');
      this.#child.send({ host: way.far, port, path });
      await listens;
      hosts.push(`${way.far}:${port}`);
    }
    return { hosts, way };
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A pair of interfaces, one here and one in the namespace. */
class Way {
  readonly far: string;
  readonly #near: string;
  readonly #pid: string;
  readonly #device: string;

  constructor(pid: number, at: number) {
    // Of different runs at the same time, too.
    const net = `10.${200 + ((pid >> 8) % 50)}.${pid % 256}`;
    this.#pid = String(pid);
    this.#near = `${net}.${4 * at + 1}`;
    this.far = `${net}.${4 * at + 2}`;
    this.#device = `ls${pid}x${at}`;
  }

  create(): void {
    const far = `${this.#device}f`;
    this.#ip('link', 'add', this.#device, 'type', 'veth', 'peer', 'name', far, 'netns', this.#pid);
    this.#ip('addr', 'add', `${this.#near}/30`, 'dev', this.#device);
    this.#ip('link', 'set', this.#device, 'up');
    this.#ipThere('addr', 'add', `${this.far}/30`, 'dev', far);
    this.#ipThere('link', 'set', far, 'up');
  }

  /** From now on packets are lost, in both directions. */
  cut(): void {
    const there = `${this.#device}f`;
    this.#ip('neigh', 'replace', this.far, 'lladdr', NOBODY, 'dev', this.#device, 'nud', 'permanent');
    this.#ipThere('neigh', 'replace', this.#near, 'lladdr', NOBODY, 'dev', there, 'nud', 'permanent');
  }

  heal(): void {
    this.#ip('neigh', 'del', this.far, 'dev', this.#device);
    this.#ipThere('neigh', 'del', this.#near, 'dev', `${this.#device}f`);
  }

  #ip(...words: readonly string[]): void {
    execFileSync('ip', words);
  }

  #ipThere(...words: readonly string[]): void {
    execFileSync('nsenter', ['--target', this.#pid, '--net', 'ip', ...words]);
  }
}

/** What lies between a server and a part of the fleet. */
export class Link {
  /** The addresses that the server is given, in the order of the targets. */
  readonly addresses: readonly string[];
  readonly #proxies: readonly Proxy[];
  readonly #way: Way | undefined;

  private constructor(addresses: readonly string[], proxies: readonly Proxy[], way?: Way) {
    this.addresses = addresses;
    this.#proxies = proxies;
    this.#way = way;
  }

  /** @param targets addresses with ports */
  static async to(targets: readonly string[], network: Network | undefined): Promise<Link> {
    if (network === undefined) {
      const proxies = await Promise.all(targets.map((target) => Proxy.to(target)));
      return new Link(
        targets.map((target, at) => through(target, `127.0.0.1:${proxies[at]!.port}`)),
        proxies,
      );
    }
    const folder = mkdtempSync(join(network.folder, 'way-'));
    const paths = targets.map((_, at) => join(folder, String(at)));
    const proxies = await Promise.all(targets.map((target, at) => Proxy.to(target, paths[at])));
    const { hosts, way } = await network.way(paths);
    return new Link(
      targets.map((target, at) => through(target, hosts[at]!)),
      proxies,
      way,
    );
  }

  cut(): void {
    if (this.#way !== undefined) this.#way.cut();
    else for (const proxy of this.#proxies) proxy.cut();
  }

  heal(): void {
    if (this.#way !== undefined) this.#way.heal();
    else for (const proxy of this.#proxies) proxy.heal();
  }

  /** Holds back requests of the server that contain a text. */
  hold(text: string): void {
    for (const proxy of this.#proxies) proxy.hold(text);
  }

  /** What is held back. */
  get held(): string {
    return this.#proxies.map(({ held }) => held).join('\n');
  }

  /** Sends it on. @param change what to send instead */
  release(change?: (request: string) => string): void {
    for (const proxy of this.#proxies) proxy.release(change);
  }

  close(): void {
    for (const proxy of this.#proxies) proxy.close();
  }
}

function through(target: string, host: string): string {
  const url = new URL(target);
  url.host = host;
  return url.href;
}
