// Changes the model where a caller may read a field in no document: the field is not searched, or has another type. The
// caller must not notice, neither in mappings nor in answers. Data is changed in change-hidden.ts.
import { type Entity, type Field, type Model, searchDocumentShape } from '@lockstitch/graph';
import { lookUp, type Principal } from '@lockstitch/kernel';

import type { Random } from '@lockstitch/search/requests';
import { fieldType } from '../mapping/mapping.ts';
import { createSearchPolicy } from '../policy/search-policy.ts';

/** Types whose values can be indexed as words. */
const WORDY: ReadonlySet<string> = new Set(['String', 'ID', 'Int', 'Float', 'Boolean', 'DateTime']);

/** A model that differs only in withheld fields. */
export interface ChangedModel {
  readonly model: Model;
  /** Changed fields: `Photo.text`. */
  readonly fields: readonly string[];
}

/** Changes withheld fields at random; changes nothing if no field is withheld everywhere. */
export function changeWithheldFields(model: Model, principal: Principal, random: Random): ChangedModel {
  let changed: ChangedModel = { model, fields: [] };
  let visibility = fieldVisibility(model, principal);
  for (const entity of model.entities.values()) {
    for (const field of entity.fields.values()) {
      for (const other of random.once(2) ? [cut(field), retyped(field)] : [retyped(field), cut(field)]) {
        if (other === undefined) continue;
        const next = withField(changed.model, entity.name, other);
        const after = fieldVisibility(next, principal);
        if (!isHiddenChange(visibility, after)) continue;
        visibility = after;
        changed = { model: next, fields: [...changed.fields, `${entity.name}.${field.name}`] };
        break;
      }
    }
  }
  return changed;
}

/** The field, not searched. */
function cut(field: Field): Field | undefined {
  if (field.kind === 'relation') return { ...field, search: { ...SEARCHED, ...field.search, embed: false } };
  return field.kind === 'column' && !field.isKey && field.search !== undefined
    ? { ...field, search: undefined }
    : undefined;
}

const SEARCHED = { type: undefined, analyzer: undefined, depth: undefined };

/** The field, searched as another type. */
function retyped(field: Field): Field | undefined {
  if (field.kind !== 'column' || field.isKey || field.search === undefined || !WORDY.has(field.typeName))
    return undefined;
  const type = fieldType({ typeName: field.typeName, type: field.search.type }) === 'keyword' ? 'text' : 'keyword';
  return { ...field, search: { ...field.search, type, analyzer: undefined } };
}

function withField(model: Model, type: string, field: Field): Model {
  const entities = new Map<string, Entity>(model.entities);
  const entity = lookUp(entities, type);
  entities.set(type, { ...entity, fields: new Map(entity.fields).set(field.name, field) });
  return { ...model, entities };
}

/** By index: its fields, and the fields that a caller may know, each with its mapping. */
type FieldVisibility = ReadonlyMap<string, { readonly ruled: boolean; readonly all: string; readonly known: string }>;

function fieldVisibility(model: Model, principal: Principal): FieldVisibility {
  const viewOf = createSearchPolicy(model).viewOf(principal);
  const visibility = new Map<string, { readonly ruled: boolean; readonly all: string; readonly known: string }>();
  for (const entity of model.entities.values()) {
    if (entity.searchIndex === undefined) continue;
    const view = viewOf(entity.searchIndex.index);
    const isHidden = (path: string): boolean =>
      view?.hidden?.some((each) => path === each || path.startsWith(`${each}.`)) ?? false;
    const shape = searchDocumentShape(model, entity);
    const print = (fields: typeof shape): string =>
      fields.map((field) => `${field.path} ${fieldType(field)} ${field.analyzer}`).join();
    const known = print(shape.filter(({ path }) => !isHidden(path)));
    visibility.set(entity.searchIndex.index, { ruled: view !== undefined, all: print(shape), known });
  }
  return visibility;
}

function isHiddenChange(before: FieldVisibility, after: FieldVisibility): boolean {
  const pairs = [...before].map(([index, visibility]) => [visibility, lookUp(after, index)] as const);
  return (
    pairs.some(([one, other]) => one.all !== other.all) &&
    pairs.every(([one, other]) => one.known === other.known && one.ruled === other.ruled)
  );
}
