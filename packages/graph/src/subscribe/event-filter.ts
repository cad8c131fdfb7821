// Decides which changes concern a subscription: by type, operation, and arguments, compared with the object's values at
// the event.
import type { Change } from '../feed/change.ts';
import { entityOf, type Field, membersOf, type Model, type RootBinding } from '../schema/model.ts';
import { toNodeId } from '../plan/node-id.ts';
import { leafType } from '../schema/declared-field.ts';
import { toStored } from '../schema/scalars.ts';
import { listOf, lookUp } from '../present.ts';

/** Compares values only; read rules are checked afterwards. */
export interface EventFilter {
  passes(change: Change): boolean;
  /** The fields that `passes` reads: a caller who may not read one must not learn its value from an event. */
  readonly fields: ReadonlySet<string>;
  /** Some argument needs more than the object's own values, so the database must be queried. */
  readonly asksDatabase: boolean;
}

type ChangesBinding = Extract<RootBinding, { kind: 'changes' }>;

/**
 * Reads the coerced arguments of a subscription field.
 *
 * @param hidesKeys whether some objects of a type, or their keys, are hidden from the caller
 */
export function createEventFilter(
  model: Model,
  binding: ChangesBinding,
  args: Readonly<Record<string, unknown>>,
  hidesKeys: (entity: string) => boolean,
): EventFilter {
  const entity = entityOf(model, binding.entity);
  const tests: ((values: Readonly<Record<string, unknown>>, change: Change) => boolean)[] = [];
  const fields = new Set<string>();
  let asksDatabase = false;
  for (const [name, argument] of binding.arguments) {
    const value = args[name];
    if (value === undefined || value === null) continue;
    if (argument.kind === 'nodeId') {
      fields.add(argument.field);
      const ids = new Set(argument.list ? listOf(value) : [value]);
      tests.push((_values, { key }) => ids.has(toNodeId(entity.name, key)));
      continue;
    }
    if (argument.kind !== 'equals') {
      asksDatabase = true;
      continue;
    }
    const field = lookUp(entity.fields, argument.field);
    fields.add(field.name);
    // A reference to an object that is hidden, or whose key is, is null.
    if (field.kind === 'relation' && membersOf(model, field.target).some(({ name: each }) => hidesKeys(each)))
      asksDatabase = true;
    const list = argument.list ? listOf(value) : [value];
    const wanted = new Set(list.map((each) => comparable(model, field, each)));
    tests.push((values) => wanted.has(comparable(model, field, values[argument.field])));
  }
  const { operation } = binding;
  return {
    fields,
    asksDatabase,
    passes(change) {
      if (change.type !== binding.entity || change.operation === 'invalidated') return false;
      if (operation !== 'any' && change.operation !== operation) return false;
      const values = change.after ?? change.before ?? {};
      try {
        return tests.every((test) => test(values, change));
      } catch {
        // The application's scalar rejects the stored value. Whether the subscriber may see it is not known yet.
        return false;
      }
    },
  };
}

/** The common form of coerced arguments and feed values. */
function comparable(model: Model, field: Field, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const stored =
    field.kind !== 'column' || value instanceof Date ? value : toStored(leafType(model.schema, field.typeName), value);
  if (typeof stored === 'string') return stored;
  if (stored instanceof Date) return stored.toISOString();
  return JSON.stringify(stored, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}
