// Whether the time of an answer tells which accounts exist: wrong passwords for a known, a locked and an unknown user, in
// random order over one connection, as many as the first argument says for each pair. The times of two kinds are compared by
// the Mann-Whitney test, which asks nothing of their distribution: the share of pairs in which one was slower, and how
// many standard deviations that is from one half. Beyond four the run fails. The second argument is bcrypt's strength; the lower,
// the more would show through.
import { Agent, request } from 'node:http';
import { startBenchServer } from '../lib/load.ts';
import { digits, printTable } from '../lib/table.ts';

const tries = Number(process.argv[2] ?? 2000);
const strength = process.argv[3] ?? '4';
/** One in 15,000 runs fails by chance for each pair. */
const BOUND = 4;

const server = await startBenchServer('guessing', new URL('server.ts', import.meta.url), [`guessing ${strength}`]);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const kinds = ['known', 'locked', 'unknown'] as const;
type Kind = (typeof kinds)[number];
let serial = 0;
/** Names of one length, so that the request has one length too. A name is never tried twice with the same password. */
const NAMES: Readonly<Record<Kind, () => string>> = {
  known: () => 'john-00000',
  locked: () => 'jack-00000',
  unknown: () => `jane-${String(serial % 100_000).padStart(5, '0')}`,
};

try {
  const times: Record<Kind, number[]> = { known: [], locked: [], unknown: [] };
  for (let warm = 0; warm < 50; warm++) for (const kind of kinds) await guess(kind);
  const perKind = Math.ceil(tries / 2);
  const order = shuffle(kinds.flatMap((kind) => Array.from({ length: perKind }, () => kind)));
  for (const kind of order) times[kind].push(await guess(kind));
  const rows = (['locked', 'unknown'] as const).map((other) => {
    const { share, deviations } = compare(times.known, times[other]);
    if (Math.abs(deviations) > BOUND) process.exitCode = 1;
    const medians = [times.known, times[other]].map((list) => digits(median(list) * 1000));
    return [`known and ${other}`, ...medians, digits(share), digits(deviations)];
  });
  printTable(
    `${perKind} wrong passwords of each kind, bcrypt strength ${strength}`,
    ['pair', 'median µs', 'median µs', 'share slower', 'deviations'],
    rows,
  );
  process.stdout.write(process.exitCode === 1 ? 'Time tells them apart.\n' : 'Time does not tell them apart.\n');
} finally {
  agent.destroy();
  await server.close();
}

function guess(kind: Kind): Promise<number> {
  serial += 1;
  const credentials = Buffer.from(`${NAMES[kind]()}:wrong-${String(serial).padStart(8, '0')}`).toString('base64');
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      `${server.url}/`,
      { agent, headers: { authorization: `Basic ${credentials}` } },
      (response) => {
        response.resume();
        response.on('end', () => {
          if (response.statusCode === 401) resolve(performance.now() - started);
          else reject(new Error(`A wrong password was answered ${response.statusCode}.`));
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

/** Mann-Whitney: the share of pairs in which the first is slower, and its distance from one half. */
function compare(one: readonly number[], other: readonly number[]): { share: number; deviations: number } {
  const all = [...one.map((time) => ({ time, first: true })), ...other.map((time) => ({ time, first: false }))];
  all.sort((a, b) => a.time - b.time);
  let ranks = 0;
  for (const [index, { first }] of all.entries()) if (first) ranks += index + 1;
  const [n, m] = [one.length, other.length];
  const share = (ranks - (n * (n + 1)) / 2) / (n * m);
  return { share, deviations: (share - 0.5) / Math.sqrt((n + m + 1) / (12 * n * m)) };
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
}

function shuffle<T>(list: T[]): T[] {
  for (let index = list.length - 1; index > 0; index--) {
    const other = Math.floor(Math.random() * (index + 1));
    [list[index], list[other]] = [list[other]!, list[index]!];
  }
  return list;
}
