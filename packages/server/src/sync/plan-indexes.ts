// Definitions of the indexes that the schema asks for. What becomes of the existing ones is classify-indexes.ts.
import { createHash } from 'node:crypto';
import { last, lookUp, required } from '@lockstitch/kernel';

import { type DocumentPolicy, embeddedPaths, type Graph, searchDocumentShape } from '@lockstitch/graph';

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
        entity.table,
        shape.map(({ list, typeName }) => [typeName, list]),
        embeddedPaths(model, entity).map(({ path, target }) => [
          target.table,
          ...path.map((relation) => [relation.target, relation.storage]),
        ]),
      ]),
      paths: shape.map((field) => field.path),
      dependencies: documents.dependencies,
      rules: fingerprintRules(documents),
    });
  }
  return wanted;
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
            ? [each.name, each.typeName, each.storage, each.list]
            : each.name,
      ),
    ]),
  ];
  return createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, 16);
}
