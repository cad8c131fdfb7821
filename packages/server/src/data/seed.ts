// Fills an empty database once with what the application brings along. Each call of `write` is one transaction; when a later
// one fails, the database holds the earlier ones, and the message says so.
import type { Graph, ImportRow } from '@lockstitch/graph';
import { createPrincipal } from '@lockstitch/kernel';

import type { Seed } from '../config/load-app.ts';
import { serverErrors } from '../errors.ts';

const SEEDER = createPrincipal('seed');

/**
 * Runs the seed when no type has a row yet.
 *
 * @param onSeed told the rows written so far
 * @throws ProductError SERVER_SEED_FAILED
 */
export async function seedOnce(graph: Graph, seed: Seed, onSeed: (rows: number) => void): Promise<void> {
  // One row answers it; a count would walk through the whole table at every start.
  for (const type of graph.model.entities.keys())
    if ((await graph.loadDocuments(type, { limit: 1 })).length > 0) return;
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
