// Which documents hold a copy of a changed object: worked out once from the model, then asked for each change. It answers
// with keys of owners that are certain (they stand in the change itself) and with relations whose owners must be looked up.
import type { Change, Entity, Model, RelationField } from '@lockstitch/graph';

/** One relation by which documents of `owner` hold fields of another type. */
export interface Embedding {
  readonly owner: Entity;
  readonly relation: RelationField;
  /** Fields of the embedded object that the document holds, its key among them. */
  readonly fields: ReadonlySet<string>;
}

/** Embedded type → the relations that embed it. */
export type Embeddings = ReadonlyMap<string, readonly Embedding[]>;

/**
 * Finds every relation whose objects are part of a search document.
 *
 * @param documentPaths dotted paths of the documents' fields, by the type that is indexed
 */
export function findEmbeddings(model: Model, documentPaths: ReadonlyMap<string, readonly string[]>): Embeddings {
  const found = new Map<string, Embedding[]>();
  for (const [ownerName, paths] of documentPaths) {
    const owner = model.entities.get(ownerName)!;
    const byRelation = new Map<string, Set<string>>();
    for (const path of paths) {
      const [relation, field] = path.split('.');
      if (field === undefined) continue;
      byRelation.set(relation!, (byRelation.get(relation!) ?? new Set()).add(field));
    }
    for (const [name, fields] of byRelation) {
      const relation = owner.fields.get(name);
      if (relation?.kind !== 'relation') continue;
      for (const target of model.abstractTypes.get(relation.target) ?? [relation.target]) {
        const list = found.get(target) ?? [];
        list.push({ owner, relation, fields });
        found.set(target, list);
      }
    }
  }
  return found;
}

/** What a change means for documents of other types. */
export interface Affected {
  /** Owners named by the change itself. */
  readonly keys: readonly { readonly type: string; readonly key: string }[];
  /** Relations whose owners hold the changed object now; to be looked up. */
  readonly lookups: readonly Embedding[];
}

/** Says which documents a change of an embedded object touches. */
export function findAffected(embeddings: Embeddings, change: Change): Affected {
  const keys: { type: string; key: string }[] = [];
  const lookups: Embedding[] = [];
  for (const embedding of embeddings.get(change.type) ?? []) {
    const { owner, relation, fields } = embedding;
    const { storage } = relation;
    if (storage.kind === 'inverse') {
      // The changed object's own row names its owner, before and after.
      for (const snapshot of [change.before, change.after]) {
        const key = snapshot?.[storage.field];
        if (typeof key === 'string' || typeof key === 'number') keys.push({ type: owner.name, key: String(key) });
      }
      continue;
    }
    // An owner whose relation gained or lost this object has a change of its own; only new values of what is held matter.
    if (change.operation === 'updated' && touches(change, fields)) lookups.push(embedding);
  }
  return { keys, lookups };
}

function touches(change: Change, fields: ReadonlySet<string>): boolean {
  return change.before === undefined || Object.keys(change.before).some((field) => fields.has(field));
}
