// Compares the indexes of a data folder with the schema: what the next start will build or drop, and why. Only reads,
// so it may run beside a server.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Model } from '@lockstitch/graph';
import { fileDirectory, type IndexDefinition, readDefinitions } from '@lockstitch/search';

import { createSearchPolicy } from '../policy/search-policy.ts';
import { POLICY_FIELD } from '../policy/document-inputs.ts';
import { planIndexes } from './plan-indexes.ts';
import { ownershipOf, type SchemaIndex } from './schema-index.ts';

export interface IndexStep {
  readonly index: string;
  readonly kind: 'build' | 'rebuild' | 'drop';
  /** Example: `Rebuild index photos: field stars (long) is new`. */
  readonly text: string;
}

/**
 * Compares the indexes with the schema.
 *
 * @param folder the data folder
 */
export async function compareIndexes(model: Model, folder: string): Promise<readonly IndexStep[]> {
  const path = join(folder, 'search');
  const present = existsSync(path) ? await readDefinitions(fileDirectory(path)) : new Map<string, IndexDefinition>();
  const steps: IndexStep[] = [];
  const wanted = planIndexes({ model }, createSearchPolicy(model));
  for (const index of wanted) {
    const definition = present.get(index.name);
    const owned = definition === undefined ? undefined : ownershipOf({ definition });
    if (definition === undefined || owned === undefined) {
      const fields = [...fieldsOf(index.mappings)].map(([name, type]) => `${name} (${type})`);
      steps.push({ index: index.name, kind: 'build', text: `Build index ${index.name}: ${fields.join(', ')}` });
      continue;
    }
    const typeName = (definition.custom as { readonly typeName?: string }).typeName;
    if (owned.fingerprint === index.fingerprint && owned.rules === index.rules && typeName === index.documentType)
      continue;
    const reasons = differences(definition, index);
    if (typeName !== index.documentType)
      reasons.push(`its type is called ${index.documentType}, no longer ${typeName}`);
    const [[rules, deleted], [wantedRules, wantedDeleted]] = [owned.rules.split('.'), index.rules.split('.')];
    if (rules !== wantedRules) reasons.push('read rules have changed');
    if (deleted !== wantedDeleted) reasons.push('other objects count as deleted');
    if (reasons.length === 0) reasons.push('its documents are made differently');
    steps.push({ index: index.name, kind: 'rebuild', text: `Rebuild index ${index.name}: ${reasons.join('; ')}` });
  }
  for (const [name, definition] of present) {
    if (ownershipOf({ definition }) === undefined || wanted.some((index) => index.name === name)) continue;
    steps.push({ index: name, kind: 'drop', text: `Drop index ${name}, which the schema does not have` });
  }
  return steps;
}

function differences({ mappings }: IndexDefinition, wanted: SchemaIndex): string[] {
  const now = fieldsOf(mappings);
  const then = fieldsOf(wanted.mappings);
  const reasons: string[] = [];
  for (const [name, type] of then) {
    const known = now.get(name);
    if (known === undefined) reasons.push(`field ${name} (${type}) is new`);
    else if (known !== type) reasons.push(`field ${name} is ${type}, no longer ${known}`);
  }
  for (const name of now.keys()) if (!then.has(name)) reasons.push(`field ${name} is gone`);
  return reasons;
}

interface Properties {
  readonly properties?: Readonly<Record<string, Properties & { readonly type?: string; readonly analyzer?: string }>>;
}

/**
 * Returns the type of every field by dotted path, with the analyzer if it is not the default. Policy fields are left
 * out.
 */
function fieldsOf(mappings: unknown, prefix = ''): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, property] of Object.entries((mappings as Properties | undefined)?.properties ?? {})) {
    if (prefix === '' && name === POLICY_FIELD) continue;
    const path = `${prefix}${name}`;
    if (property.properties !== undefined)
      for (const [each, type] of fieldsOf(property, `${path}.`)) fields.set(each, type);
    else fields.set(path, [property.type, property.analyzer].filter((each) => each !== undefined).join(' '));
  }
  return fields;
}
