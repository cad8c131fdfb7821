// An engine whose indices understand Elasticsearch's mappings and settings: the usual way to open one.
import { createMapper } from './mapping/create-mapper.ts';
import type { Directory } from './directory/directory.ts';
import { fileDirectory } from './directory/file.ts';
import { type EngineOptions, openEngine } from './engine/engine.ts';
import type { Engine } from './engine/engine-api.ts';

/**
 * Opens an engine with every index as it was left.
 *
 * @param options of `openEngine`; `directory` may be a path besides, and is memory by default
 * @throws ProductError `SEARCH_LOCKED`, `SEARCH_DAMAGED` or `SEARCH_FORMAT` when the directory cannot be used
 */
export function createEngine(
  options: Partial<Omit<EngineOptions, 'directory'>> & { readonly directory?: Directory | string | undefined } = {},
): Promise<Engine> {
  const { directory, mapperFactory = createMapper } = options;
  return openEngine({
    ...options,
    directory: typeof directory === 'string' ? fileDirectory(directory) : directory,
    mapperFactory,
  });
}
