// The few differences between two states that the guide says a mutation may show (docs/guide/policy.md, "What is not
// promised"): a refusal because of a hidden object that has a value or refers to the deleted object, and what hangs on
// hidden objects that are deleted. After one, the states differ in visible data, and the comparison ends.
import { deletedWith, type Entity, holdersOf, type Model, type Store } from '@lockstitch/graph';
import { lookUp } from '@lockstitch/kernel';

import type { Visible } from './change-hidden.ts';

/** A state of the data, what the caller sees of it, and what it answered to a mutation. */
export interface MutatedState {
  readonly store: Store;
  readonly visible: ReadonlyMap<string, Visible>;
  readonly answer: string;
}

/** Whether the guide names the difference between two answers to a mutation. */
export async function isDocumented(
  model: Model,
  entity: Entity,
  states: readonly [MutatedState, MutatedState],
): Promise<boolean> {
  for (const [refusing, other] of [states, [states[1], states[0]] as const]) {
    const refusal = refusalOf(refusing.answer);
    if (refusal === undefined || refusalOf(other.answer) === refusal) continue;
    if (await isTaken(model, refusal, refusing, other)) return true;
    if (await isHeld(model, refusal, refusing)) return true;
  }
  return hasHiddenChain(model, entity);
}

/** Code and text of the first error. */
function refusalOf(answer: string): string | undefined {
  return /"message":"[^"\\]*(?:\\.[^"\\]*)*"[^{}]*|"code":"\w+"/.test(answer) && answer.includes('"errors":[')
    ? answer.slice(answer.indexOf('"errors":['))
    : undefined;
}

/** Whether a value is taken by an object that the caller does not see with this value, and that only one state has. */
async function isTaken(model: Model, refusal: string, refusing: MutatedState, other: MutatedState): Promise<boolean> {
  const [, type, names] = /another (\w+) has the same ([\w, ]+?)\./.exec(refusal) ?? [];
  const entity = model.entities.get(type ?? '');
  if (entity === undefined || names === undefined) return false;
  for (const name of names.split(' and ')) {
    const field = entity.fields.get(name);
    const column =
      field?.kind === 'column'
        ? field.column
        : field?.kind === 'relation' && field.storage.kind === 'foreignKey'
          ? field.storage.column
          : undefined;
    if (column === undefined) continue;
    const { fields, rows } = lookUp(refusing.visible, entity.name);
    const elsewhere = new Set((await valuesOf(other.store, entity, column)).map(([, value]) => value));
    for (const [key, value] of await valuesOf(refusing.store, entity, column)) {
      const isHidden = !rows.has(key) || fields.get(name)?.has(key) === false;
      if (isHidden && !elsewhere.has(value)) return true;
    }
  }
  return false;
}

async function valuesOf(
  store: Store,
  { key, table }: Entity,
  column: string,
): Promise<readonly (readonly [key: string, value: string])[]> {
  const sql = `SELECT "${key.column}", "${column}" FROM "${table}" WHERE "${column}" IS NOT NULL`;
  return (await store.prepare(sql).rows([])).map(([found, value]) => [String(found), String(value)] as const);
}

/** Whether a hidden object refers to the deleted one by a relation whose refusals reveal that, as the schema says. */
async function isHeld(model: Model, refusal: string, { store, visible }: MutatedState): Promise<boolean> {
  const [, holder, relation] = /still referred to by (\w+) objects in \\"(\w+)\\"/.exec(refusal) ?? [];
  const entity = model.entities.get(holder ?? '');
  const field = entity?.fields.get(relation ?? '');
  if (entity === undefined || field?.kind !== 'relation' || field.onDeleteRules === 'caller') return false;
  const keys = await store.prepare(`SELECT "${entity.key.column}" FROM "${entity.table}"`).rows([]);
  const { fields, rows } = lookUp(visible, entity.name);
  return keys.some(([key]) => !rows.has(String(key)) || fields.get(field.name)?.has(String(key)) === false);
}

/**
 * Whether a deletion of the type goes along hidden objects, or along fields that the caller may not read, to others
 * (`onDelete: CASCADE`, `onDeleteRules: OVERRIDE`).
 */
function hasHiddenChain(model: Model, entity: Entity): boolean {
  return [...deletedWith(model, [entity.name])].some((type) =>
    holdersOf(model, type).some(
      (holder) =>
        holder.effect === 'delete' &&
        holder.field.onDeleteRules === 'override' &&
        (holder.entity.auth?.read !== undefined || holder.field.auth?.read !== undefined) &&
        holdersOf(model, holder.entity.name).length > 0,
    ),
  );
}
