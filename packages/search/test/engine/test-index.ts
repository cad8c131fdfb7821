// Opens engines over the plain mapper and writes plain documents, for the tests of this package.
import { memoryDirectory } from '../../src/directory/memory.ts';
import type { Directory } from '../../src/directory/directory.ts';
import { openEngine, type EngineOptions } from '../../src/engine/engine.ts';
import type { Engine, Index } from '../../src/engine/engine-api.ts';
import type { IndexSettings } from '../../src/settings/index-definition.ts';
import type { Operation, StoredDocument } from '../../src/index/operation.ts';
import { plainMapper } from './plain-mapper.ts';

const toSource = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** An index operation of a plain object; lists of words become a text. */
export function indexing(
  id: string,
  body: object,
  more: Partial<Extract<Operation, { kind: 'index' }>> = {},
): Operation {
  const flat = Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      (name === 'text' || name === 'title') && Array.isArray(value) ? value.join(' ') : (value as unknown),
    ]),
  );
  return { kind: 'index', id, source: toSource(flat), ...more };
}

export const deleting = (id: string): Operation => ({ kind: 'delete', id });

export const openTestEngine = (
  directory: Directory = memoryDirectory(),
  options: Partial<EngineOptions> = {},
): Promise<Engine> => openEngine({ directory, mapperFactory: plainMapper, ...options });

/** A fresh index in memory that refreshes only when told. */
export async function createTestIndex(settings: IndexSettings = {}): Promise<Index> {
  const engine = await openTestEngine();
  return await engine.createIndex('test', { settings: { refreshInterval: -1, ...settings } });
}

/** Cuts an engine off as a crash would: nothing is committed, the directory is free again. */
export async function crash(engine: Engine, directory: Directory): Promise<void> {
  for (const index of engine.indices()) await (index as Index & { abandon(): Promise<void> }).abandon();
  await directory.unlock();
}

/** A document whose latest write was acknowledged. */
export function getNow(index: Index, id: string): StoredDocument | undefined {
  const found = index.get(id);
  if (found instanceof Promise) throw new Error(`the latest write of ${id} may still be refused`);
  return found;
}
