// An engine whose indices understand Elasticsearch's mappings and settings: the usual way to open one.
import { createMapper } from './create-mapper.ts';
import { type EngineOptions, openEngine } from './engine/engine.ts';
import type { Engine } from './engine/engine-api.ts';

/**
 * Opens an engine on a directory (memory by default), with every index as it was left.
 *
 * @throws ProductError `SEARCH_LOCKED`, `SEARCH_DAMAGED` or `SEARCH_FORMAT` when the directory cannot be used
 */
export function createEngine(options: Partial<EngineOptions> = {}): Promise<Engine> {
  return openEngine({ ...options, mapperFactory: options.mapperFactory ?? createMapper });
}
