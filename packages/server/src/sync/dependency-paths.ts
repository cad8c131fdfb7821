// Finds the documents that a change affects: documents that embed the changed object, and documents whose read rules
// depend on it. The paths are computed once from the model. The owners at the other end of a path are looked up in
// owner-keys.ts.
import { last, lookUp } from '@lockstitch/kernel';
import type { Change, Dependency, Entity, Model, RelationField } from '@lockstitch/graph';

/** One relation on the path from a document to an object it depends on. */
export interface Hop {
  /** Type that declares the relation. */
  readonly owner: Entity;
  readonly relation: RelationField;
  /** Type that the relation leads to. */
  readonly target: Entity;
}

/** Path of relations from a document to another type whose fields it embeds or its rules read. */
export interface DependencyPath {
  /** From the document's type to the other type; never empty. */
  readonly path: readonly Hop[];
  /** Fields of the other type that are embedded or read, including its key if it is one of them. */
  readonly fields: ReadonlySet<string>;
}

/** Paths by the type at their end. */
export type DependencyPaths = ReadonlyMap<string, readonly DependencyPath[]>;

/** Everything in one type's documents that comes from other objects. */
export interface DocumentParts {
  /** Dotted paths of the document fields. */
  readonly paths: readonly string[];
  /** Other objects that the read rules depend on. */
  readonly dependencies: readonly Dependency[];
}

/**
 * Finds all paths from documents to objects of other types.
 *
 * @param documents by indexed type
 */
export function findDependencyPaths(model: Model, documents: ReadonlyMap<string, DocumentParts>): DependencyPaths {
  const found = new Map<string, { readonly path: readonly Hop[]; readonly fields: Set<string> }[]>();
  const add = (path: readonly Hop[], field: string | undefined): void => {
    const type = last(path).target.name;
    const list = found.get(type) ?? [];
    found.set(type, list);
    let dependencyPath = list.find((each) => isSamePath(each.path, path));
    if (dependencyPath === undefined) list.push((dependencyPath = { path, fields: new Set() }));
    if (field !== undefined) dependencyPath.fields.add(field);
  };
  for (const [ownerName, { paths, dependencies }] of documents) {
    const owner = lookUp(model.entities, ownerName);
    for (const path of paths) {
      const names = path.split('.');
      const field = names.pop();
      for (const hops of findWays(model, owner, names)) {
        // A relation that leads on from an intermediate object is part of the document too.
        for (let end = 1; end < hops.length; end++) add(hops.slice(0, end), names[end]);
        add(hops, field);
      }
    }
    for (const { entities, field, path } of dependencies) {
      const hops = path.map((relation, at): Hop => ({ owner: entities[at]!, relation, target: entities[at + 1]! }));
      if (hops.length > 0) add(hops, field);
      const holder = last(entities);
      const relation = holder.fields.get(field);
      if (relation?.kind !== 'relation') continue;
      // Rules cannot read relations to interfaces and unions.
      const target = model.entities.get(relation.target);
      // An object has no change of its own when objects that refer to it come or go, nor when one that it refers to is
      // deleted or restored and its row stays.
      if (target !== undefined && (relation.storage.kind === 'inverse' || target.softDelete !== undefined))
        add([...hops, { owner: holder, relation, target }], undefined);
    }
  }
  return found;
}

/** Resolves relation names to paths; a relation to an interface or union gives several. */
function findWays(model: Model, owner: Entity, names: readonly string[]): readonly (readonly Hop[])[] {
  let ways: readonly (readonly Hop[])[] = [[]];
  for (const name of names)
    ways = ways.flatMap((way) => {
      const from = way.at(-1)?.target ?? owner;
      const relation = from.fields.get(name);
      if (relation?.kind !== 'relation') return [];
      const targets = model.abstractTypes.get(relation.target) ?? [relation.target];
      return targets.map((target) => [...way, { owner: from, relation, target: lookUp(model.entities, target) }]);
    });
  return ways.filter((way) => way.length > 0);
}

function isSamePath(a: readonly Hop[], b: readonly Hop[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ owner, relation }, at) => owner === b[at]!.owner && relation === b[at]!.relation)
  );
}

/**
 * An object from which affected documents are found by following `level` relations back; level 0 is the document's own
 * object.
 */
export interface Affected {
  readonly dependencyPath: DependencyPath;
  readonly level: number;
  readonly key: string;
}

/** Returns the objects from which the documents affected by a change are found. */
export function findAffected(dependencyPaths: DependencyPaths, change: Change): readonly Affected[] {
  const found: Affected[] = [];
  for (const dependencyPath of dependencyPaths.get(change.type) ?? []) {
    const { fields, path } = dependencyPath;
    const { storage } = last(path).relation;
    if (storage.kind === 'inverse') {
      // The changed row itself names its owner, before and after.
      for (const snapshot of [change.before, change.after]) {
        const key = keyIn(snapshot?.[storage.field]);
        if (key !== undefined) found.push({ dependencyPath, level: path.length - 1, key });
      }
    }
    // An owner whose relation gained or lost this object has a change of its own, unless the object was deleted or
    // restored and its row stays. Else only new values of embedded fields matter.
    else if (change.operation === 'updated' ? touches(change, fields) : last(path).target.softDelete !== undefined)
      found.push({ dependencyPath, level: path.length, key: change.key });
  }
  return found;
}

/** Returns the key that a snapshot's relation refers to. A relation to an interface holds the type name too. */
function keyIn(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null || !('key' in value)) return undefined;
  return keyIn(value.key);
}

function touches(change: Change, fields: ReadonlySet<string>): boolean {
  const { before, links = {} } = change;
  return (
    before === undefined ||
    Object.keys(before).some((field) => fields.has(field)) ||
    Object.keys(links).some((field) => fields.has(field))
  );
}
