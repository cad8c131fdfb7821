export type { Engine, Index, IndexDefinition, IndexSettings, IndexStats } from './engine/engine-api.ts';
export { fileDirectory } from './directory/file.ts';
export { memoryDirectory } from './directory/memory.ts';
export { openEngine, type EngineOptions } from './engine/engine.ts';
export { Mapping } from './mapping/mapping.ts';
export { standardAnalysis } from './analysis/analysis-registry.ts';
