// What an index of the schema is: what it should hold, what it says of itself, and whether that is still the same. Filling it
// is build-index.ts.
import type { Dependency } from '@lockstitch/graph';
import type { Engine, Index } from '@lockstitch/search';

/** An index that the schema asks for. */
export interface SchemaIndex {
  /** Name of the index: `photos`. */
  readonly name: string;
  /** The stored type it holds: `Photo`. */
  readonly type: string;
  /** Second segment of typed paths: `photo`. */
  readonly documentType: string;
  readonly mappings: Readonly<Record<string, unknown>>;
  /** Differs whenever documents or their mapping do. */
  readonly fingerprint: string;
  /** Dotted paths of the documents' fields. */
  readonly paths: readonly string[];
  /** What the rules over its documents read of other rows. */
  readonly dependencies: readonly Dependency[];
  /** Differs whenever a read rule over its documents does. */
  readonly rules: string;
}

/** What the owner keeps with an index. */
interface Ownership {
  readonly owner: 'schema';
  readonly fingerprint: string;
  readonly paths: readonly string[];
  readonly rules: string;
}

/** Whether the index is there and holds what the schema says. */
export function isCurrent(engine: Engine, wanted: SchemaIndex): boolean {
  const ownership = former(engine, wanted);
  return ownership?.fingerprint === wanted.fingerprint && ownership.rules === wanted.rules;
}

/**
 * Whether searches may be answered from the index as it is while its successor is built: it must show no field that the
 * new schema would not, and under no other rules.
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

/** Whether an index belongs to the schema, and not to a client that made it by REST. */
export function ownershipOf(index: Pick<Index, 'definition'>): Ownership | undefined {
  const custom = index.definition.custom as { readonly lockstitch?: Ownership } | undefined;
  return custom?.lockstitch?.owner === 'schema' ? custom.lockstitch : undefined;
}

/** What the engine keeps with an index of the schema. */
export function ownershipCustom(wanted: SchemaIndex): unknown {
  const { fingerprint, paths, rules } = wanted;
  const lockstitch: Ownership = { owner: 'schema', fingerprint, paths, rules };
  // By its type name the REST API knows which typed paths lead to documents: /photos/photo/_search.
  return { lockstitch, typeName: wanted.documentType };
}
