// How long anything holds the event loop on a large corpus: the processor time that the main thread spends between two turns of the
// loop, while documents are written, segments are merged and committed, and for every kind of request at least one hard one is answered.
// Processor time and not the clock, so that the neighbours on the machine do not count; the clock stands beside it.
// npm run bench -- search-loop CORPUS [--keep FOLDER] [--only TEXT] [--rounds 3]
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { digits, printTable } from '../lib/table.ts';
import { type Crowd, crowds } from './crowds.ts';
import { type HardRequest, hardRequests, wordsOf } from './hard-requests.ts';
import { hardReadings, hardWrites } from './hard-writes.ts';
import { encode, type LoopIndex, openLoopIndex } from './loop-index.ts';
import { endIdleThread, startIdleThread, type Watched, watchTurns } from './watch-turns.ts';

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'string' }, only: { type: 'string' }, rounds: { type: 'string' } },
});
const [corpus] = positionals;
if (corpus === undefined) throw new Error('Name the corpus.');
const rounds = Number(flags.rounds ?? 3);

function row(name: string, { millis, turns, longest, at, clock, idle }: Watched): readonly (string | number)[] {
  return [
    name,
    digits(millis / 1000),
    turns,
    digits(at(9900)),
    digits(at(9999)),
    digits(longest),
    digits(clock),
    digits(idle),
  ];
}

const TURNS = ['while', 'seconds', 'turns', 'p99', 'p99.99', 'longest', 'clock', 'idle'];

/** Every request alone, several times; the longest turn of the first time and of all later ones. */
async function runRequests(
  index: LoopIndex,
  requests: readonly HardRequest[],
): Promise<readonly (string | number)[][]> {
  const rows: (string | number)[][] = [];
  for (const { name, method = 'POST', path, body, view } of requests) {
    const watched: Watched[] = [];
    let refused = '';
    for (let round = 0; round < rounds; round++) {
      watched.push(
        await watchTurns(async () => {
          await index.call(method, path, body, view).catch((error: unknown) => {
            refused = /"type":"(\w+)/.exec(String(error))?.[1] ?? String(error);
          });
        }),
      );
    }
    const [first, ...later] = watched as [Watched, ...Watched[]];
    rows.push([
      name,
      digits(first.longest),
      digits(Math.max(0, ...later.map(({ longest }) => longest))),
      digits(Math.max(...watched.map(({ clock }) => clock))),
      digits(Math.max(...watched.map(({ idle }) => idle))),
      digits(first.millis),
      digits(Math.min(...watched.map(({ millis }) => millis))),
      refused,
    ]);
  }
  return rows;
}

/** The same requests many times at once, as when many clients ask together. */
async function runCrowds(
  index: LoopIndex,
  crowds: readonly Crowd[],
): Promise<readonly (readonly (string | number)[])[]> {
  const rows: (readonly (string | number)[])[] = [];
  for (const { name, path, bodies } of crowds) {
    const ask = async (body: Uint8Array): Promise<void> => {
      // As sockets bring them: each has gone as far as it can by itself before the next comes, in the same turn.
      await nextImmediate();
      await index.call('POST', path, body);
    };
    const watched = await watchTurns(() => Promise.all(bodies.map(ask)));
    rows.push(row(name, watched));
  }
  return rows;
}

/** Requests that change something, once each. */
async function runWrites(index: LoopIndex, only: (name: string) => boolean): Promise<readonly (string | number)[][]> {
  const rows: (string | number)[][] = [];
  for (const { name, method = 'POST', path, body, view } of hardWrites(corpus!)) {
    const encoded = encode(body);
    let refused = '';
    const watched = await watchTurns(async () => {
      await index.call(method, path, encoded, view).catch((error: unknown) => {
        refused = String(error).slice(0, 100);
      });
    });
    if (only(name) || refused !== '') rows.push([...row(name, watched), refused]);
  }
  return rows;
}

const folder = flags.keep ?? mkdtempSync(join(tmpdir(), 'bench-loop-'));
const only = (name: string): boolean => flags.only === undefined || name.includes(flags.only);
try {
  const made = existsSync(join(folder, 'packages'));
  await startIdleThread();
  let index!: LoopIndex;
  const opening = await watchTurns(async () => {
    index = await openLoopIndex(folder, corpus);
  });
  const packages = index.engine.index('packages');
  const words = wordsOf(packages, 1000);
  // As bytes, which the collector need not walk: as objects they would be nine tenths of this process's heap, and its pauses theirs.
  const requests = [...hardRequests(words), ...hardReadings(words.common)]
    .filter(({ name }) => only(name))
    .map((each) => ({ ...each, body: encode(each.body) }));
  printTable(
    'Every kind of request. Longest turn of the main thread, ms of processor: the first time and later; by the clock, and of an idle thread meanwhile; until the answer, ms: the first time and at best',
    ['request', 'first', 'later', 'clock', 'idle', 'answer', 'best', 'refused'],
    await runRequests(index, requests),
  );
  printTable(
    'Many at once. Processor time between two turns of the event loop, ms; by the clock, and of an idle thread',
    TURNS,
    await runCrowds(
      index,
      crowds(words.common).filter(({ name }) => only(name)),
    ),
  );
  const rows = [row(made ? 'opening' : 'indexing, merging and commits', opening)];
  if (!made) {
    rows.push(row('merging everything', await watchTurns(() => packages.forceMerge())));
    rows.push(row('commit of the merged', await watchTurns(() => packages.commit())));
  }
  printTable(
    'Processor time between two turns of the event loop, ms; by the clock, and of an idle thread',
    TURNS,
    rows,
  );
  printTable('The same for large requests that change something', [...TURNS, 'refused'], await runWrites(index, only));
  index.rest.close();
  await index.engine.close();
  await endIdleThread();
} finally {
  if (flags.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
