// Fills an empty database once with what the application brings along. Each call of `write` is one transaction; when a later
// one fails, the database holds the earlier ones, and the message says so.
import type { Graph, ImportRow } from '@lockstitch/graph';
import { createPrincipal } from '@lockstitch/kernel';

import type { Seed } from '../app/load-app.ts';
import type { IndexAhead } from '../sync/sync.ts';
import { serverErrors } from '../errors.ts';

const SEEDER = createPrincipal('seed');

/** What a seed depends on. */
export interface Seeding {
  /** Called with the number of rows written so far. */
  readonly onSeed: (rows: number) => void;
  /** What a search index beside the database has seen that the database does not know. */
  readonly lost: () => Promise<IndexAhead | undefined>;
  /** The database, for messages. */
  readonly database: string;
}

/**
 * Runs the seed when no type has a row yet: never over data that was there and is gone.
 *
 * @throws ProductError SERVER_SEED_FAILED, SERVER_DATA_GONE
 */
export async function seedOnce(graph: Graph, seed: Seed, { onSeed, lost, database }: Seeding): Promise<void> {
  // One row answers it; a count would walk through the whole table at every start.
  for (const type of graph.model.entities.keys())
    if ((await graph.loadDocuments(type, { limit: 1 })).length > 0) return;
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
    const reason = error instanceof Error ? error.message : String(error);
    throw serverErrors.create('SERVER_SEED_FAILED', { reason }, { cause: error });
  }
}

/** Writes rows of a type, all or none. @throws Error naming the first bad row */
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
