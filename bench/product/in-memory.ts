// What the server does around a statement, without the kernel: the whole server on the photo-share example answers over
// sockets in memory, beside the statement written by hand, in one process. Rounds are short and a low one counts, so that this
// tells a microsecond apart on a machine that others use, where servers behind real sockets do not.
//   npm run bench -- in-memory [SECONDS]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Duplex } from 'node:stream';
import { createApp, loadApp } from 'lockstitch';
import { digits, printTable } from '../lib/table.ts';
import { HAND_WRITTEN, OPERATIONS, type QueryName } from './queries.ts';

const [seconds = 8] = process.argv.slice(2).map(Number);
const CONNECTIONS = 16;
/** Requests of each connection in a round: about 3 ms, less than the system lets a process run at a time. */
const TURNS: Readonly<Record<QueryName, number>> = { q1: 2, q2: 3, q3: 12, q4: 1 };

/** A client's end that counts what the server writes, and takes it at once. */
class MemorySocket extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  answers = 0;
  override _read(): void {
    // What is read is pushed.
  }
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    // A long answer comes behind its head, as JSON in bytes.
    if (chunk.toString('latin1', 0, 12) === 'HTTP/1.1 200') this.answers += 1;
    else if (chunk.toString('latin1', 0, 1) !== '{') throw new Error(chunk.toString());
    done();
  }
  setTimeout(): this {
    return this;
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Microseconds of processor a request: the round at one in twenty, for as long as it takes and half as long before. */
async function measure(round: () => number | Promise<number>): Promise<number> {
  const times: number[] = [];
  const begun = performance.now();
  const warm = begun + seconds * 500;
  while (performance.now() < begun + seconds * 1500) {
    const before = process.cpuUsage();
    const answers = await round();
    const { user, system } = process.cpuUsage(before);
    if (performance.now() > warm) times.push((user + system) / answers);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 20)]!;
}

const folder = mkdtempSync(join(tmpdir(), 'lockstitch-bench-'));
const app = await createApp(
  await loadApp('examples/photo-share', { LOCKSTITCH_USER_PASSWORD: 'bench' }, { port: 0, data: folder }),
);
const { server } = await app.listen();
const database = new DatabaseSync(join(folder, 'data.sqlite'), { readOnly: true });
try {
  database.exec('PRAGMA mmap_size = 268435456; PRAGMA cache_size = -65536');
  const typical = 'SELECT posted_by FROM photos GROUP BY posted_by ORDER BY abs(count(*) - 20), posted_by LIMIT 1';
  const login = database.prepare(typical).get()!['posted_by'] as string;
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = new MemorySocket();
    server.emit('connection', socket);
    return socket;
  });
  const answered = (): number => sockets.reduce((sum, { answers }) => sum + answers, 0);
  const authorization = `Basic ${Buffer.from('user:bench').toString('base64')}`;
  const rows: string[][] = [];
  for (const name of Object.keys(OPERATIONS) as QueryName[]) {
    const { sql, bind, limit } = HAND_WRITTEN[name];
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    const value = bind === 'login' ? login : BigInt(limit!);
    const byHand = await measure(() => {
      for (let run = 0; run < CONNECTIONS * TURNS[name]; run += 1) statement.get(value);
      return CONNECTIONS * TURNS[name];
    });
    const body = JSON.stringify({ query: OPERATIONS[name].replace('LOGIN', login) });
    const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: ${authorization}\r\nContent-Length: ${Buffer.byteLength(body)}`;
    const request = Buffer.from(`${head}\r\n\r\n${body}`);
    const whole = await measure(async () => {
      const before = answered();
      for (let turn = 0; turn < TURNS[name]; turn += 1) {
        for (const socket of sockets) socket.push(request);
        const due = answered() + CONNECTIONS;
        while (answered() < due) await nextTurn();
      }
      return answered() - before;
    });
    rows.push([name, digits(byHand), digits(whole), digits(whole - byHand)]);
  }
  printTable(
    'µs of processor a request: the statement by hand, and the whole server with its chain and HTTP Basic over sockets in memory',
    ['query', 'statement', 'server', 'around it'],
    rows,
  );
} finally {
  database.close();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
