// How an index of the schema is defined on a cluster, and what a generation says of the definition that it was built with. Servers whose
// schemas define an index alike share its generations; each other definition has generations of its own.
import { createHash } from 'node:crypto';

import { clusterIndex, type ScoreMode } from '@lockstitch/search/cluster';

import { mayServeMeanwhile, ownedCustom, type OwnedCustom, type SchemaIndex } from '../sync/schema-index.ts';

/** How an index lies on the cluster. */
export interface ClusterLayout {
  readonly scores: ScoreMode;
  readonly shards: number;
  readonly replicas: number;
}

/** Stored with a generation when it is created. */
export interface GenerationMeta {
  /** The mapping, as the embedded engine has it. */
  readonly mappings: Readonly<Record<string, unknown>>;
  readonly custom: OwnedCustom;
  readonly scores: ScoreMode;
}

interface StoredMeta extends OwnedCustom, Omit<GenerationMeta, 'custom'> {
  readonly definition: string;
}

/** Digits of a definition's hash. */
const DIGITS = 16;

/** Name of the definition of an index: `photos-` and a hash. Changes whenever generations that are there cannot be gone on with. */
export function definitionName(index: SchemaIndex, { scores, shards }: ClusterLayout): string {
  const hash = createHash('sha256').update(JSON.stringify([ownedCustom(index), scores, shards]));
  return `${index.name}-${hash.digest('hex').slice(0, DIGITS)}`;
}

/** Whether this can be the name of a definition of an index. */
export function isDefinitionOf(index: Pick<SchemaIndex, 'name'>, definition: string): boolean {
  const start = `${index.name}-`;
  return definition.startsWith(start) && definition.length === start.length + DIGITS;
}

/** Settings and mappings of a new generation. */
export function generationBody(index: SchemaIndex, layout: ClusterLayout): Readonly<Record<string, unknown>> {
  const { mappings, settings } = clusterIndex({ mappings: index.mappings }, layout.scores, layout);
  const definition = definitionName(index, layout);
  const meta: StoredMeta = { ...ownedCustom(index), mappings: index.mappings, scores: layout.scores, definition };
  return {
    // As in the embedded engine, a value that does not fit its field is left out, and not the document.
    settings: { ...(settings as object), mapping: { ignore_malformed: true } },
    mappings: { ...(mappings as object), _meta: meta },
  };
}

/** What a generation of this definition says of itself; undefined where its words are not ours, or searches of the schema may not see it. */
export function readMeta(
  stored: Readonly<Record<string, unknown>>,
  index: SchemaIndex,
  definition: string,
): GenerationMeta | undefined {
  const meta: Partial<StoredMeta> = stored;
  const { lockstitch, mappings, scores, typeName } = meta;
  if (meta.definition !== definition || !mayServeMeanwhile(meta, index)) return undefined;
  if (!mappings || !lockstitch || !typeName || !scores) return undefined;
  return { mappings, custom: { lockstitch, typeName }, scores };
}
