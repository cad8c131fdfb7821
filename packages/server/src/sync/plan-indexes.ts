// Definitions of the indexes that the schema asks for. What becomes of the existing ones is classify-indexes.ts.
import { createHash } from 'node:crypto';
import { last, lookUp, required } from '@lockstitch/kernel';

import {
  type DocumentPolicy,
  embeddedPaths,
  type Entity,
  type Graph,
  type Model,
  searchDocumentShape,
} from '@lockstitch/graph';

import { buildMapping } from '../mapping/mapping.ts';
import { fieldOf, mappingOf } from '../policy/document-inputs.ts';
import type { SearchPolicy } from '../policy/search-policy.ts';
import type { SchemaIndex } from './schema-index.ts';

/** Returns the indexes that the schema defines. */
export function planIndexes({ model }: Pick<Graph, 'model'>, policy: SearchPolicy): readonly SchemaIndex[] {
  const wanted: SchemaIndex[] = [];
  for (const entity of model.entities.values()) {
    if (entity.searchIndex === undefined) continue;
    const shape = searchDocumentShape(model, entity);
    const documents = required(policy.documents(entity.name), entity.name);
    wanted.push({
      name: entity.searchIndex.index,
      type: entity.name,
      documentType: entity.searchIndex.type,
      ...buildMapping(shape, new Map(documents.inputs.map((input) => [fieldOf(input), mappingOf(input)])), [
        shape.map(({ list, source, typeName }) => [typeName, list, source]),
      ]),
      paths: shape.map((field) => field.path),
      sources: shape.map(({ source }) => shortHash(source)),
      dependencies: documents.dependencies,
      rules: [fingerprintRules(documents), ...fingerprintDeleted(model, entity, documents)].join('.'),
    });
  }
  return wanted;
}

/** Fingerprint of the columns that say which objects are deleted, of the types that a document is made of; empty if there are none. */
function fingerprintDeleted(model: Model, entity: Entity, { dependencies }: DocumentPolicy): readonly string[] {
  const reached = embeddedPaths(model, entity).flatMap(({ path }) => path.map(({ target }) => target));
  const names = [entity.name, ...reached, ...dependencies.flatMap(({ entities }) => entities.map(({ name }) => name))];
  const types = new Set(names.flatMap((name) => model.abstractTypes.get(name) ?? name));
  const columns = [...types].toSorted().flatMap((type) => {
    const { table, softDelete } = model.entities.get(type) ?? {};
    return softDelete === undefined ? [] : [[table, softDelete.column, softDelete.storage]];
  });
  return columns.length === 0 ? [] : [shortHash(columns)];
}

/**
 * Fingerprint of the read rules over a type's documents, and of how their inputs are stored. An index built under other
 * rules must not serve searches. Rules that apply to no document do not count.
 */
function fingerprintRules({ dependencies, rules }: DocumentPolicy): string {
  const given = [
    rules.map(({ of, path, text }) => [path, of, text]),
    dependencies.map(({ entities, field, path }) => [
      entities.map(({ table }) => table),
      [...path, lookUp(last(entities).fields, field)].map((each) =>
        each.kind === 'relation'
          ? [each.name, each.target, each.storage]
          : each.kind === 'column'
            ? [each.name, each.typeName, each.column, each.storage, each.list]
            : each.name,
      ),
    ]),
  ];
  return shortHash(given);
}

function shortHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
