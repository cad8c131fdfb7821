export type { Engine, Index, IndexDefinition, IndexSettings, IndexStats } from './engine/engine-api.ts';
