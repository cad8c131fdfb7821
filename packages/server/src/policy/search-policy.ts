// Applies the read rules of a schema to search: which fields the indexes carry for the rules, and which view one caller
// gets of each. For GraphQL the same rules become SQL (packages/graph/src/plan/policy.ts).
import { type DocumentPolicy, type Model, readDocumentPolicy } from '@lockstitch/graph';
import type { Principal } from '@lockstitch/kernel';
import type { IndexView, Query, ViewOf } from '@lockstitch/search';

import { POLICY_FIELD } from './document-inputs.ts';
import { ALL, both, lowerForm, NONE } from './lower-form.ts';

export interface SearchPolicy {
  /** Returns the view of each index for a caller. */
  viewOf(principal: Principal): ViewOf;
  /** Read rules of a type's documents; undefined if the type is not searched. */
  documents(type: string): DocumentPolicy | undefined;
}

export function createSearchPolicy(model: Model): SearchPolicy {
  const byType = new Map<string, DocumentPolicy>();
  const byIndex = new Map<string, DocumentPolicy>();
  const open = new Set<string>();
  const touched = typesTouchedByHidden(model);
  for (const entity of model.entities.values()) {
    if (entity.searchIndex === undefined) continue;
    const { policy } = readDocumentPolicy(model, entity);
    byType.set(entity.name, policy);
    byIndex.set(entity.searchIndex.index, policy);
    if (policy.rules.length === 0 && !touched.has(entity.name)) open.add(entity.searchIndex.index);
  }
  const known = new WeakMap<Principal, Map<string, IndexView | undefined>>();
  return {
    viewOf(principal) {
      const views = known.get(principal) ?? new Map<string, IndexView | undefined>();
      known.set(principal, views);
      return (index) => {
        if (!views.has(index)) {
          const policy = byIndex.get(index);
          views.set(index, policy === undefined || open.has(index) ? undefined : viewUnder(policy, principal));
        }
        return views.get(index);
      };
    },
    documents: (type) => byType.get(type),
  };
}

/**
 * Finds the types whose documents hidden objects can cause to be rewritten: types with read rules, and all types that
 * relations join to them. Counters and index order would reveal hidden writes, so callers see such an index through a
 * view, which has neither.
 */
function typesTouchedByHidden({ abstractTypes, entities }: Model): ReadonlySet<string> {
  const touched = new Set<string>();
  const near = new Map<string, Set<string>>([...entities.keys()].map((name) => [name, new Set()]));
  for (const { auth, fields, name } of entities.values()) {
    if (auth?.read !== undefined) touched.add(name);
    for (const field of fields.values()) {
      if (field.auth?.read !== undefined) touched.add(name);
      if (field.kind !== 'relation') continue;
      for (const target of abstractTypes.get(field.target) ?? [field.target]) {
        near.get(name)?.add(target);
        near.get(target)?.add(name);
      }
    }
  }
  for (const name of touched) for (const other of near.get(name) ?? []) touched.add(other);
  return touched;
}

function viewUnder({ inputs, rules }: DocumentPolicy, principal: Principal): IndexView {
  let rows: Query = ALL;
  // No caller sees the policy fields.
  const hidden: string[] = inputs.length === 0 ? [] : [POLICY_FIELD];
  const guarded: { path: string; when: Query }[] = [];
  for (const { form, path } of rules) {
    const { isTrue } = lowerForm(form, principal);
    if (path === '') rows = both(rows, isTrue);
    else if (isTrue.kind === 'match_none') hidden.push(path);
    else if (isTrue.kind !== 'match_all') guarded.push({ path, when: isTrue });
  }
  return {
    ...(rows === ALL ? {} : { rows: rows.kind === 'match_none' ? NONE : rows }),
    ...(hidden.length === 0 ? {} : { hidden }),
    ...(guarded.length === 0 ? {} : { guarded }),
  };
}
