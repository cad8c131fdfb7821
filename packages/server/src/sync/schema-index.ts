// Definition of an index of the schema, the metadata the engine stores with it, and whether both still agree. Building
// is build-index.ts.
import type { Dependency } from '@lockstitch/graph';
import type { Engine, Index } from '@lockstitch/search';

export interface SchemaIndex {
  /** Name of the index: `photos`. */
  readonly name: string;
  /** Stored type that it holds: `Photo`. */
  readonly type: string;
  /** Second segment of typed paths: `photo`. */
  readonly documentType: string;
  readonly mappings: Readonly<Record<string, unknown>>;
  /** Changes whenever the documents or their mapping do. */
  readonly fingerprint: string;
  /** Dotted paths of the document fields. */
  readonly paths: readonly string[];
  /** Other objects that the read rules over its documents depend on. */
  readonly dependencies: readonly Dependency[];
  /** Changes whenever a read rule over its documents does. */
  readonly rules: string;
}

/** Metadata stored with the index. */
interface Ownership {
  readonly owner: 'schema';
  readonly fingerprint: string;
  readonly paths: readonly string[];
  readonly rules: string;
}

/** Returns whether the index exists and matches the schema. */
export function isCurrent(engine: Engine, wanted: SchemaIndex): boolean {
  const ownership = former(engine, wanted);
  return ownership?.fingerprint === wanted.fingerprint && ownership.rules === wanted.rules;
}

/**
 * Returns whether the old index may serve searches while the new one is built: it must have no field that the new
 * schema lacks, and the same read rules.
 */
export function mayServeMeanwhile(engine: Engine, wanted: SchemaIndex): boolean {
  const ownership = former(engine, wanted);
  return (
    ownership !== undefined &&
    ownership.rules === wanted.rules &&
    ownership.paths.every((path) => wanted.paths.includes(path))
  );
}

function former(engine: Engine, wanted: SchemaIndex): Ownership | undefined {
  if (!engine.has(wanted.name)) return undefined;
  const index = engine.index(wanted.name);
  const custom = index.definition.custom as { readonly typeName?: string } | undefined;
  return custom?.typeName === wanted.documentType ? ownershipOf(index) : undefined;
}

/** Returns the metadata of an index of the schema; undefined for an index that a client created by REST. */
export function ownershipOf(index: Pick<Index, 'definition'>): Ownership | undefined {
  const custom = index.definition.custom as { readonly lockstitch?: Ownership } | undefined;
  return custom?.lockstitch?.owner === 'schema' ? custom.lockstitch : undefined;
}

/** Metadata that the engine stores with an index of the schema. */
export function ownershipCustom(wanted: SchemaIndex): unknown {
  const { fingerprint, paths, rules } = wanted;
  const lockstitch: Ownership = { owner: 'schema', fingerprint, paths, rules };
  // The type name tells the REST API which typed paths lead to documents: /photos/photo/_search.
  return { lockstitch, typeName: wanted.documentType };
}
