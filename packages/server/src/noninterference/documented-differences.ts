// The few differences between two states that the guide says a mutation may show (docs/guide/policy.md, "What is not
// promised"): a refusal because of a hidden object that has a value or refers to the deleted object, and what hangs on
// hidden objects that are deleted. After one, the states differ in visible data, and the comparison ends.
import type { Entity, Model } from '@lockstitch/graph';
import { lookUp } from '@lockstitch/kernel';

import type { Visible } from './change-hidden.ts';
import { isLiving, referenceColumns, referredBy, type StoredTypes } from './stored-rows.ts';

/** What a state answered to a mutation. */
export interface MutatedState {
  readonly answer: string;
  readonly before: StoredTypes;
  readonly after: StoredTypes;
}

/** A mutation of two states. */
export interface Mutated {
  readonly model: Model;
  readonly query: string;
  /** What the caller saw before it, in both states. */
  readonly seen: ReadonlyMap<string, Visible>;
}

/** Whether the guide names the difference between two answers to a mutation. */
export function isDocumented(mutated: Mutated, [one, other]: readonly [MutatedState, MutatedState]): boolean {
  return isDocumentedIn(mutated, one, other) || isDocumentedIn(mutated, other, one);
}

function isDocumentedIn(mutated: Mutated, state: MutatedState, other: MutatedState): boolean {
  const carried = new CarriedObjects(mutated, state.before);
  if (takesSeen(mutated, state, other, carried)) return true;
  const known = new Set(refusalsOf(other.answer));
  return refusalsOf(state.answer).some((refusal) => {
    if (known.has(refusal)) return false;
    const [message = ''] = refusal.split('\n');
    return (
      isTaken(mutated, message, state, other) ||
      isHeld(mutated, message, state) ||
      isRefusedForCarried(mutated, message, state, carried)
    );
  });
}

/** Message and place of each error of an answer, in a line each. */
function refusalsOf(answer: string): readonly string[] {
  const at = answer.indexOf('"errors":[');
  if (at === -1) return [];
  const errors = answer.slice(at).matchAll(/"message":("(?:[^"\\]|\\.)*"),"locations":(\[[^\]]*\])/g);
  return Array.from(errors, ([, message = '""', locations]) => `${String(JSON.parse(message))}\n${locations}`);
}

/** Whether a value that the mutation names is taken by an object that the caller did not see with it, and that only one state had. */
function isTaken({ model, query, seen }: Mutated, refusal: string, state: MutatedState, other: MutatedState): boolean {
  const [, type, names] = /another (\w+) has the same ([\w, ]+?)\./.exec(refusal) ?? [];
  const entity = model.entities.get(type ?? '');
  if (entity === undefined || names === undefined) return false;
  const fields = names.split(' and ');
  const columns = fields.flatMap((name) => {
    const field = entity.fields.get(name);
    if (field?.kind === 'column') return [field.column];
    return field?.kind === 'relation' ? referenceColumns(field) : [];
  });
  if (columns.length === 0) return false;
  const named = namedIn(query);
  const valuesIn = ({ before }: MutatedState): readonly (readonly [key: string, values: readonly string[]])[] =>
    [...lookUp(before, entity.name)].flatMap(([key, row]) => {
      const values = columns.flatMap((column) => row.get(column) ?? []);
      return values.length === columns.length ? [[key, values] as const] : [];
    });
  const elsewhere = new Set(valuesIn(other).map(([, values]) => JSON.stringify(values)));
  const sight = lookUp(seen, entity.name);
  return valuesIn(state).some(([key, values]) => {
    const isHidden = !sight.rows.has(key) || fields.some((name) => sight.fields.get(name)?.has(key) === false);
    return isHidden && values.some((value) => named.has(value)) && !elsewhere.has(JSON.stringify(values));
  });
}

/** The texts and numbers of an operation; of a node id, the key. */
function namedIn(query: string): ReadonlySet<string> {
  const named = new Set<string>();
  for (const [, text, number] of query.matchAll(/("(?:[^"\\]|\\.)*")|(-?\d[\d.e+-]*)/g)) {
    const value = text === undefined ? number! : String(JSON.parse(text));
    named.add(value);
    const [, key] = /^\w+:(.*)$/s.exec(Buffer.from(value, 'base64url').toString()) ?? [];
    if (key !== undefined) named.add(key);
  }
  return named;
}

/** A refusal to delete an object that others refer to: its key, unless a deletion of another one reached it; the type and the field of those. */
const HELD =
  /(?:"((?:[^"\\]|\\.)*)"|would be deleted too) is still referred to by (?:deleted )?(\w+) objects in "(\w+)"/;

/** Whether a hidden object refers to the deleted one by a relation whose refusals reveal that, as the schema says. */
function isHeld({ model, seen }: Mutated, refusal: string, { before }: MutatedState): boolean {
  const [, deleted, name, relation] = HELD.exec(refusal) ?? [];
  const holder = model.entities.get(name ?? '');
  const field = holder?.fields.get(relation ?? '');
  if (holder === undefined || field?.kind !== 'relation' || field.onDeleteRules === 'caller') return false;
  const { fields, rows } = lookUp(seen, holder.name);
  return [...lookUp(before, holder.name)].some(
    ([key, row]) =>
      deleted !== undefined &&
      referredBy(row, field)?.key === deleted &&
      (!rows.has(key) || fields.get(field.name)?.has(key) === false),
  );
}

/** Objects that a deletion reaches by a link that the caller does not see: along `onDelete: CASCADE`, `onDeleteRules: OVERRIDE`. */
class CarriedObjects {
  readonly #known = new Map<string, boolean>();
  readonly #mutated: Mutated;
  readonly #stored: StoredTypes;

  constructor(mutated: Mutated, stored: StoredTypes) {
    this.#mutated = mutated;
    this.#stored = stored;
  }

  has(type: string, key: string): boolean {
    const name = `${type}:${key}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    // Objects can refer to each other in a circle.
    this.#known.set(name, false);
    const found = this.#isCarried(lookUp(this.#mutated.model.entities, type), key);
    this.#known.set(name, found);
    return found;
  }

  #isCarried(entity: Entity, key: string): boolean {
    const { rows, fields } = lookUp(this.#mutated.seen, entity.name);
    const row = this.#stored.get(entity.name)?.get(key);
    return [...entity.fields.values()].some((field) => {
      if (field.kind !== 'relation' || field.onDelete !== 'cascade') return false;
      const target = referredBy(row, field);
      if (target === undefined) return false;
      const isUnseen = !rows.has(key) || fields.get(field.name)?.has(key) === false;
      return (isUnseen && field.onDeleteRules === 'override') || this.has(target.type, target.key);
    });
  }
}

/** Whether a visible object went with a hidden one. */
function takesSeen(
  { model, seen }: Mutated,
  { after, before }: MutatedState,
  other: MutatedState,
  carried: CarriedObjects,
): boolean {
  return [...model.entities.values()].some((entity) =>
    [...lookUp(seen, entity.name).rows].some(
      (key) =>
        isLiving(entity, key, before) !== isLiving(entity, key, after) &&
        isLiving(entity, key, after) !== isLiving(entity, key, other.after) &&
        carried.has(entity.name, key),
    ),
  );
}

/** Whether a deletion is refused for what hangs on an object that the caller does not see in its place. */
function isRefusedForCarried(
  { model }: Mutated,
  refusal: string,
  { before }: MutatedState,
  carried: CarriedObjects,
): boolean {
  const [, , restricting, relation] = HELD.exec(refusal) ?? [];
  return [...model.entities.values()].some((holder) =>
    [...holder.fields.values()].some((field) => {
      if (field.kind !== 'relation') return false;
      const isMeant =
        restricting === undefined
          ? field.onDeleteRules === 'rows' && new RegExp(`\\b${holder.name}\\b`).test(refusal)
          : holder.name === restricting && field.name === relation;
      if (!isMeant) return false;
      return [...lookUp(before, holder.name).values()].some((row) => {
        const target = referredBy(row, field);
        return target !== undefined && carried.has(target.type, target.key);
      });
    }),
  );
}
