// Definition of an index of the schema, the metadata the engine stores with it, and whether both still agree. Building
// is build-index.ts.
import type { Dependency } from '@lockstitch/graph';
import type { Engine, Index, IndexDefinition } from '@lockstitch/search';

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
  /** Where the value of each path is read, as a hash. */
  readonly sources: readonly string[];
  /** Other objects that the read rules over its documents depend on. */
  readonly dependencies: readonly Dependency[];
  /** Changes whenever a read rule over its documents does, or which objects are deleted. Two hashes, the second one optional: `a.b`. */
  readonly rules: string;
}

/** Metadata stored with an index of the schema. */
export interface Ownership {
  readonly owner: 'schema';
  readonly fingerprint: string;
  readonly paths: readonly string[];
  /** Absent where an earlier version stored it. */
  readonly sources?: readonly string[];
  readonly rules: string;
}

/** What an engine stores with an index of the schema. */
export interface OwnedCustom {
  readonly lockstitch: Ownership;
  /** Tells the REST API which typed paths lead to documents: /photos/photo/_search. */
  readonly typeName: string;
}

/** Returns whether the index exists and matches the schema. */
export function isCurrent(engine: Engine, wanted: SchemaIndex): boolean {
  return matches(customOf(engine, wanted), wanted);
}

/** Returns whether an index with this metadata matches the schema. */
function matches(custom: Partial<OwnedCustom> | undefined, wanted: SchemaIndex): boolean {
  const ownership = former(custom, wanted);
  return ownership?.fingerprint === wanted.fingerprint && ownership.rules === wanted.rules;
}

/**
 * Returns whether the old index may serve searches while the new one is built: it must have no field that the new
 * schema lacks or reads elsewhere, and the same read rules.
 */
export function mayServeMeanwhile(custom: Partial<OwnedCustom> | undefined, wanted: SchemaIndex): boolean {
  const ownership = former(custom, wanted);
  if (ownership === undefined || ownership.rules !== wanted.rules) return false;
  const sources = new Map(wanted.paths.map((path, at) => [path, wanted.sources[at]]));
  return ownership.paths.every((path, at) => sources.has(path) && sources.get(path) === ownership.sources?.[at]);
}

/** The metadata of the index that the engine has under the name; undefined if there is none. */
export function customOf(engine: Engine, { name }: SchemaIndex): Partial<OwnedCustom> | undefined {
  return engine.has(name) ? (engine.index(name).definition.custom as Partial<OwnedCustom> | undefined) : undefined;
}

function former(custom: Partial<OwnedCustom> | undefined, wanted: SchemaIndex): Ownership | undefined {
  return custom?.typeName === wanted.documentType && custom.lockstitch?.owner === 'schema'
    ? custom.lockstitch
    : undefined;
}

/** Returns the metadata of an index of the schema; undefined for an index that a client created by REST. */
export function ownershipOf(index: Pick<Index, 'definition'>): Ownership | undefined {
  const custom = index.definition.custom as Partial<OwnedCustom> | undefined;
  return custom?.lockstitch?.owner === 'schema' ? custom.lockstitch : undefined;
}

/** Metadata to store with an index of the schema. */
export function ownedCustom({ documentType, fingerprint, paths, rules, sources }: SchemaIndex): OwnedCustom {
  return { lockstitch: { owner: 'schema', fingerprint, paths, sources, rules }, typeName: documentType };
}

/** Definition of an index of the schema. */
export function definitionOf(mappings: SchemaIndex['mappings'], custom: OwnedCustom): IndexDefinition {
  return {
    mappings,
    // The feed survives a crash, so the index only has to know its position. It accepts every value of the database:
    // one value that does not fit its field would block all later changes.
    settings: { durability: 'async', refreshInterval: -1, takesAll: true },
    custom,
  };
}

/** Creates an index of the schema in the engine, beside the one that it replaces. */
export function createShadow(engine: Engine, wanted: SchemaIndex): Promise<Index> {
  return engine.createShadow(wanted.name, definitionOf(wanted.mappings, ownedCustom(wanted)));
}
