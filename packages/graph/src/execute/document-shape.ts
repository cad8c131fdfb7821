// The fields of a type's search documents: the key, @search fields, and embedded objects to the declared depth. Not
// here: loading documents (load-documents.ts) and their read rules (document-policy.ts).
import { entityOf, type ColumnField, type Entity, type Model, type RelationField } from '../schema/model.ts';

/** A field of a search document. */
export interface DocumentField {
  /** Dotted: `postedBy.githubLogin`. */
  readonly path: string;
  /** The GraphQL named type: `String`, `ID`, `DateTime`, an enum. */
  readonly typeName: string;
  /** The field can have several values: a list, or a field of listed objects. */
  readonly list: boolean;
  /** `@search(type:)`, if given. */
  readonly type: string | undefined;
  /** `@search(analyzer:)`, if given. */
  readonly analyzer: string | undefined;
  /** Where the value is read: the table and the column, after the relations that lead there. Differs where another value may be found. */
  readonly source: readonly unknown[];
}

/** Describes the documents of a type: its key and @search fields, then those of embedded objects. */
export function searchDocumentShape(model: Pick<Model, 'entities'>, entity: Entity): readonly DocumentField[] {
  const fields = searchedColumns(entity).map((field) => describe(field, [], entity));
  for (const { path, target } of embeddedPaths(model, entity))
    for (const field of searchedColumns(target)) fields.push(describe(field, path, target));
  return fields;
}

/** Embedded objects. */
export interface EmbeddedPath {
  /** The relations from the document's row; never empty. */
  readonly path: readonly RelationField[];
  readonly target: Entity;
}

/** All paths to embedded objects, each after its prefixes. */
export function embeddedPaths(model: Pick<Model, 'entities'>, entity: Entity): readonly EmbeddedPath[] {
  const found: EmbeddedPath[] = [];
  const visit = (from: Entity, path: readonly RelationField[], more: number): void => {
    for (const relation of embeddedRelations(model, from)) {
      const target = entityOf(model, relation.target);
      const longer = [...path, relation];
      found.push({ path: longer, target });
      // The embedding relation decides the depth; an embedded type does not extend it.
      const depth = path.length === 0 ? (relation.search?.depth ?? 1) : more;
      if (depth > 1) visit(target, longer, depth - 1);
    }
  };
  visit(entity, [], 1);
  return found;
}

function describe(field: ColumnField, relations: readonly RelationField[], { table }: Entity): DocumentField {
  return {
    path: [...relations, field].map(({ name }) => name).join('.'),
    typeName: field.typeName,
    list: [...relations.map(({ many }) => many), field.list].includes(true),
    // A registered scalar named Decimal need not be a number.
    type: field.search?.type ?? (field.unordered && field.typeName === 'Decimal' ? 'keyword' : undefined),
    analyzer: field.search?.analyzer,
    source: [...relations.map(({ storage, target }) => [target, storage]), table, field.column, field.storage],
  };
}

/** The columns of an entity that are part of documents. */
export function searchedColumns(entity: Entity): ColumnField[] {
  return [...entity.fields.values()].filter(
    (field): field is ColumnField => field.kind === 'column' && (field.isKey || field.search !== undefined),
  );
}

/**
 * The relations whose objects documents embed: those marked @search, every to-one relation, and a many-to-many relation
 * on the type that comes first in the schema. In both directions, each user would contain all photos they are tagged
 * in, and be re-indexed with each of them.
 */
export function embeddedRelations(model: Pick<Model, 'entities'>, entity: Entity): readonly RelationField[] {
  const order = [...model.entities.keys()];
  return [...entity.fields.values()].filter((field): field is RelationField => {
    if (field.kind !== 'relation') return false;
    const target = model.entities.get(field.target);
    if (target === undefined || target.searchIndex === undefined) return false;
    if (field.search?.embed === false) return false;
    if (field.search !== undefined || (!field.many && field.storage.kind === 'foreignKey')) return true;
    if (field.storage.kind !== 'joinTable') return false;
    return field.inverse === undefined || order.indexOf(entity.name) < order.indexOf(target.name);
  });
}
