// Fills an empty database once with the application's seed. Each call of `write` is one transaction. If a later one
// fails, the earlier ones stay, and the message says so.
import type { Graph, ImportRow } from '@lockstitch/graph';
import { createPrincipal, reasonOf } from '@lockstitch/kernel';

import type { Seed } from '../app/load-app.ts';
import type { IndexAhead } from '../sync/sync.ts';
import { serverErrors } from '../errors.ts';

const SEEDER = createPrincipal('seed');

export interface Seeding {
  /** Called with the number of rows written so far. */
  readonly onSeed: (rows: number) => void;
  /** Returns the search index that is ahead of the database, if any. */
  readonly lost: () => Promise<IndexAhead | undefined>;
  /** Description of the database for messages. */
  readonly database: string;
}

/**
 * Runs the seed if no type has a row yet. It never refills a database whose data was lost.
 *
 * @throws ProductError SERVER_SEED_FAILED, SERVER_DATA_GONE
 */
export async function seedOnce(graph: Graph, seed: Seed, seeding: Seeding): Promise<void> {
  if (!(await isEmpty(graph))) return;
  const { exclusively } = graph.store;
  if (exclusively === undefined) return fill(graph, seed, seeding);
  // Asked again: another server may have filled it until the lock was free.
  await exclusively(async () => {
    if (await isEmpty(graph)) await fill(graph, seed, seeding);
  });
}

/** Reads one row: a count would scan the whole table at every start. */
async function isEmpty(graph: Graph): Promise<boolean> {
  for (const type of graph.model.entities.keys())
    if ((await graph.loadRows(type, { limit: 1 })).length > 0) return false;
  return true;
}

async function fill(graph: Graph, seed: Seed, { onSeed, lost, database }: Seeding): Promise<void> {
  const known = await lost();
  if (known !== undefined) throw serverErrors.create('SERVER_DATA_GONE', { database, ...known });
  let rows = 0;
  try {
    await seed({
      async write(type, batch) {
        await writeAll(graph, type, batch);
        rows += batch.length;
        onSeed(rows);
      },
    });
  } catch (error) {
    const reason = reasonOf(error);
    throw serverErrors.create('SERVER_SEED_FAILED', { reason }, { cause: error });
  }
}

/** Writes rows of a type, all or none. @throws Error that names the first bad row */
export async function writeAll(graph: Graph, type: string, rows: readonly ImportRow[]): Promise<void> {
  const bad: string[] = [];
  await graph.importRows(type, [rows], {
    principal: SEEDER,
    onReject: ({ index, reasons }) => {
      if (bad.length < 3) bad.push(`row ${index + 1} of ${type}: ${reasons.join('; ')}`);
    },
  });
  if (bad.length > 0) throw new Error(bad.join('\n'));
}
