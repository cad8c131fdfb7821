// Copies the search indexes of a data folder: those that clients made, which exist nowhere else, and on request those of
// the schema, which can be built again.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Engine } from '@lockstitch/search';

import { ownershipOf } from './schema-index.ts';

const PREFIX = '.backup-';
/** A copy older than this was left by a process that was killed. */
const DAY = 86_400_000;

export interface CopiedIndexes {
  readonly folder: string;
  readonly indexes: readonly string[];
}

/**
 * Copies indexes into a new folder in the data folder, as hard links where possible.
 *
 * @param data the data folder
 * @param all also the indexes of the schema
 */
export async function copyIndexes(engine: Engine, data: string, all: boolean): Promise<CopiedIndexes> {
  for (const name of readdirSync(data)) {
    const path = join(data, name);
    const isLeft = name.startsWith(PREFIX) && Date.now() - statSync(path).mtimeMs > DAY;
    if (isLeft) rmSync(path, { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(data, PREFIX));
  try {
    return { folder, indexes: await engine.snapshot(folder, (name) => all || !isOfSchema(engine, name)) };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function isOfSchema(engine: Engine, name: string): boolean {
  const damaged = engine.damaged().find((index) => index.name === name);
  const definition = damaged === undefined ? engine.index(name).definition : damaged.definition;
  return definition !== undefined && ownershipOf({ definition }) !== undefined;
}
