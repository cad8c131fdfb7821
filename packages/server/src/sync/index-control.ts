// Control socket between a command and the server that holds a data folder. Its address is in a file of the folder.
// Users who can read that file can read the data itself, so there are no credentials. It is local to this machine.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { isProductError, ProductError, reasonOf } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import {
  type IndexAction,
  type IndexProgress,
  type IndexResult,
  readIndexAction,
  runIndexAction,
} from './index-action.ts';
import type { CopiedIndexes } from './copy-indexes.ts';
import type { Sync } from './sync.ts';

const ADDRESS_FILE = 'control';
/** Paths of Unix sockets end at 104 bytes on macOS and 108 on Linux. */
const LONGEST_SOCKET_PATH = 100;
const PROGRESS_MS = 100;
const LONGEST_REQUEST = 65_536;

/** For a backup: copies the indexes that clients made; `all`: those of the schema, too. */
interface CopyAction {
  readonly kind: 'copy';
  readonly all: boolean;
}
type ControlAction = IndexAction | CopyAction;
type ControlResult = IndexResult | ({ readonly kind: 'copy' } & CopiedIndexes);
type ResultOf<Action extends ControlAction> = Extract<ControlResult, { readonly kind: Action['kind'] }>;
type ControlledSync = Parameters<typeof runIndexAction>[0] & Pick<Sync, 'copy'>;

/** One line of a response. */
type Message =
  | { readonly kind: 'progress'; readonly progress: IndexProgress }
  | { readonly kind: 'result'; readonly result: ControlResult }
  | { readonly kind: 'error'; readonly code: string; readonly message: string; readonly hint: string | undefined };

export interface IndexControl {
  close(): void;
}

/** Serves the indexes of a data folder to commands on this machine. */
export async function serveIndexControl(folder: string, sync: ControlledSync): Promise<IndexControl> {
  const address = chooseAddress(folder);
  const file = join(folder, ADDRESS_FILE);
  if (!isPipe(address)) rmSync(address, { force: true });
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    void answer(socket, sync);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  server.on('error', () => undefined);
  server.unref();
  if (!isPipe(address)) chmodSync(address, 0o600);
  writeFileSync(file, address, { mode: 0o600 });
  return {
    close() {
      rmSync(file, { force: true });
      for (const socket of open) socket.destroy();
      server.close();
      if (!isPipe(address) && dirname(address) !== folder) rmSync(dirname(address), { recursive: true, force: true });
    },
  };
}

function chooseAddress(folder: string): string {
  if (process.platform === 'win32') return String.raw`\\.\pipe\lockstitch-${randomUUID()}`;
  const inside = join(folder, 'control.sock');
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH) return inside;
  // mkdtemp creates the folder with mode 0700.
  return join(mkdtempSync(join(tmpdir(), 'lockstitch-')), 'control.sock');
}

function isPipe(address: string): boolean {
  return address.startsWith('\\\\');
}

async function answer(socket: Socket, sync: ControlledSync): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  const send = (message: Message): void => void (socket.writable && socket.write(`${JSON.stringify(message)}\n`));
  let told = 0;
  try {
    const asked: unknown = JSON.parse(await readLine(socket));
    const copy = readCopyAction(asked);
    if (copy !== undefined) {
      send({ kind: 'result', result: { kind: 'copy', ...(await sync.copy(copy.all)) } });
      socket.end();
      return;
    }
    const action = readIndexAction(asked);
    const onProgress = (progress: IndexProgress): void => {
      const now = Date.now();
      // Always send the last one: it stays on the screen.
      if (progress.done < progress.total && now - told < PROGRESS_MS) return;
      told = now;
      send({ kind: 'progress', progress });
    };
    send({ kind: 'result', result: await runIndexAction(sync, action, onProgress, gone.signal) });
  } catch (error) {
    const { code, message, hint } = isProductError(error)
      ? error
      : serverErrors.create('SERVER_INDEX_FAILED', { reason: reasonOf(error) });
    send({ kind: 'error', code, message, hint });
  }
  socket.end();
}

function readCopyAction(value: unknown): CopyAction | undefined {
  const { kind, all } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return kind === 'copy' && typeof all === 'boolean' ? { kind, all } : undefined;
}

function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => {
      text += piece;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > LONGEST_REQUEST) reject(new Error('The request is too long.'));
    });
    socket.once('close', () => reject(new Error('The request is not complete.')));
  });
}

/**
 * Sends an action to the server that holds a data folder; undefined if there is none.
 *
 * @throws ProductError the error that the server returned
 */
export async function askIndexControl<Action extends ControlAction>(
  folder: string,
  action: Action,
  onProgress: (progress: IndexProgress) => void,
): Promise<ResultOf<Action> | undefined> {
  const socket = await reach(folder);
  if (socket === undefined) return undefined;
  try {
    socket.write(`${JSON.stringify(action)}\n`);
    for await (const line of createInterface({ input: socket })) {
      const message: Message = JSON.parse(line);
      if (message.kind === 'progress') onProgress(message.progress);
      else if (message.kind === 'result') return message.result as ResultOf<Action>;
      else throw new ProductError({ ...message, status: 500 });
    }
  } finally {
    socket.destroy();
  }
  throw serverErrors.create('SERVER_INDEX_CUT_OFF', { folder });
}

function reach(folder: string): Promise<Socket | undefined> {
  let address: string;
  try {
    address = readFileSync(join(folder, ADDRESS_FILE), 'utf8');
  } catch {
    // No address file: no server holds the folder.
    return Promise.resolve(undefined);
  }
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => resolve(socket));
    // A killed server leaves its file behind.
    socket.on('error', () => resolve(undefined));
  });
}
