// An index that this server writes in one term of leadership.
import type { SchemaIndex } from '../sync/schema-index.ts';

export interface LedIndex {
  readonly index: SchemaIndex;
  readonly definition: string;
  readonly epoch: number;
  /** The definition is an older one: its generation is gone on with, and never built again. */
  readonly isFormer: boolean;
}
