// Which documents hold a copy of a changed object, or a value that a read rule takes from it: worked out once from the model,
// then asked for each change. It answers with objects on the way to the documents: the changed one, or those that its own row
// names; finding the documents from there is owner-keys.ts.
import type { Change, Dependency, Entity, Model, RelationField } from '@lockstitch/graph';

/** One relation on the way from a document to what it holds. */
export interface Hop {
  /** The type that has the relation. */
  readonly owner: Entity;
  readonly relation: RelationField;
  /** The type at its end. */
  readonly target: Entity;
}

/** Relations by which documents hold, or their rules read, fields of another type. */
export interface Embedding {
  /** From the document's type to the other; never empty. */
  readonly path: readonly Hop[];
  /** Fields of the other type that are held or read, its key among them where it is. */
  readonly fields: ReadonlySet<string>;
}

/** Type at the end → the ways it is held by documents. */
export type Embeddings = ReadonlyMap<string, readonly Embedding[]>;

/** What of one type's documents comes from elsewhere. */
export interface DocumentParts {
  /** Dotted paths of the documents' fields. */
  readonly paths: readonly string[];
  /** What the rules they stand under read. */
  readonly dependencies: readonly Dependency[];
}

/**
 * Finds every way in which documents depend on objects of other types.
 *
 * @param documents by the type that is indexed
 */
export function findEmbeddings(model: Model, documents: ReadonlyMap<string, DocumentParts>): Embeddings {
  const found = new Map<string, { readonly path: readonly Hop[]; readonly fields: Set<string> }[]>();
  const add = (path: readonly Hop[], field: string | undefined): void => {
    const type = path.at(-1)!.target.name;
    const list = found.get(type) ?? [];
    found.set(type, list);
    let embedding = list.find((each) => isSamePath(each.path, path));
    if (embedding === undefined) list.push((embedding = { path, fields: new Set() }));
    if (field !== undefined) embedding.fields.add(field);
  };
  for (const [ownerName, { paths, dependencies }] of documents) {
    const owner = model.entities.get(ownerName)!;
    for (const path of paths) {
      const names = path.split('.');
      const field = names.pop()!;
      for (const hops of findWays(model, owner, names)) {
        // What leads on from an object on the way is part of the document, too.
        for (let end = 1; end < hops.length; end++) add(hops.slice(0, end), names[end]);
        add(hops, field);
      }
    }
    for (const { entities, field, path } of dependencies) {
      const hops = path.map((relation, at): Hop => ({ owner: entities[at]!, relation, target: entities[at + 1]! }));
      if (hops.length > 0) add(hops, field);
      const last = entities.at(-1)!;
      const relation = last.fields.get(field);
      // Who gains or loses objects that name it themselves has no change of its own.
      if (relation?.kind !== 'relation' || relation.storage.kind !== 'inverse') continue;
      const target = model.entities.get(relation.target);
      if (target !== undefined) add([...hops, { owner: last, relation, target }], undefined);
    }
  }
  return found;
}

/** The relations of those names, one after the other: several ways where one leads to an interface or union. */
function findWays(model: Model, owner: Entity, names: readonly string[]): readonly (readonly Hop[])[] {
  let ways: readonly (readonly Hop[])[] = [[]];
  for (const name of names) {
    ways = ways.flatMap((way) => {
      const from = way.at(-1)?.target ?? owner;
      const relation = from.fields.get(name);
      if (relation?.kind !== 'relation') return [];
      const targets = model.abstractTypes.get(relation.target) ?? [relation.target];
      return targets.map((target) => [...way, { owner: from, relation, target: model.entities.get(target)! }]);
    });
  }
  return ways.filter((way) => way.length > 0);
}

function isSamePath(a: readonly Hop[], b: readonly Hop[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ owner, relation }, at) => owner === b[at]!.owner && relation === b[at]!.relation)
  );
}

/** An object that documents depend on by the first `level` relations of an embedding; with none it is the document's own. */
export interface Affected {
  readonly embedding: Embedding;
  readonly level: number;
  readonly key: string;
}

/** Says from which objects the documents that a change touches are found. */
export function findAffected(embeddings: Embeddings, change: Change): readonly Affected[] {
  const found: Affected[] = [];
  for (const embedding of embeddings.get(change.type) ?? []) {
    const { fields, path } = embedding;
    const { storage } = path.at(-1)!.relation;
    if (storage.kind === 'inverse') {
      // The changed object's own row names its owner, before and after.
      for (const snapshot of [change.before, change.after]) {
        const key = keyIn(snapshot?.[storage.field]);
        if (key !== undefined) found.push({ embedding, level: path.length - 1, key });
      }
    }
    // An owner whose relation gained or lost this object has a change of its own; only new values of what is held matter.
    else if (change.operation === 'updated' && touches(change, fields))
      found.push({ embedding, level: path.length, key: change.key });
  }
  return found;
}

/** The key of the object a snapshot's relation leads to; one to an interface names its type, too. */
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
