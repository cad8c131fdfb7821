// Which changes a subscription field is about: by its binding (type and operation) and its arguments, compared with the
// values of the object as of the event.
import type { GraphQLScalarType } from 'graphql';
import type { Change } from '../feed/change.ts';
import { membersOf } from '../plan/conditions.ts';
import type { Field, Model, RootBinding } from '../schema/model.ts';
import { toStored } from '../schema/scalars.ts';

/** Decides by values alone; what the caller may see is asked afterwards. */
export interface EventFilter {
  passes(change: Change): boolean;
  /** The fields whose values `passes` looks at: an event must not tell what one of them is to a caller who may not read it. */
  readonly fields: ReadonlySet<string>;
  /** Some argument asks for more than the object's own values can tell: the database must be asked too. */
  readonly asksDatabase: boolean;
}

type ChangesBinding = Extract<RootBinding, { kind: 'changes' }>;

/**
 * Reads the coerced arguments of a subscription field.
 *
 * @param restricts whether the caller may not read all objects of a stored type
 */
export function createEventFilter(
  model: Model,
  binding: ChangesBinding,
  args: Readonly<Record<string, unknown>>,
  restricts: (entity: string) => boolean,
): EventFilter {
  const entity = model.entities.get(binding.entity)!;
  const tests: ((values: Readonly<Record<string, unknown>>) => boolean)[] = [];
  const fields = new Set<string>();
  let asksDatabase = false;
  for (const [name, argument] of binding.arguments) {
    const value = args[name];
    if (value === undefined || value === null) continue;
    if (argument.kind !== 'equals') {
      asksDatabase = true;
      continue;
    }
    const field = entity.fields.get(argument.field)!;
    fields.add(field.name);
    // To whom an object is hidden, what leads to it is null.
    if (field.kind === 'relation' && membersOf(model, field.target).some(({ name: each }) => restricts(each)))
      asksDatabase = true;
    const list = argument.list ? (value as readonly unknown[]) : [value];
    const wanted = new Set(list.map((each) => comparable(model, field, each)));
    tests.push((values) => wanted.has(comparable(model, field, values[argument.field])));
  }
  const { operation } = binding;
  return {
    fields,
    asksDatabase,
    passes(change) {
      if (change.type !== binding.entity || (operation !== 'any' && change.operation !== operation)) return false;
      const values = change.after ?? change.before ?? {};
      try {
        return tests.every((test) => test(values));
      } catch {
        // A scalar of the application does not take what is stored. Whether the subscriber may see that is not asked yet.
        return false;
      }
    },
  };
}

/** Coerced arguments and values of the feed in one form. */
function comparable(model: Model, field: Field, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const stored =
    field.kind !== 'column' || value instanceof Date
      ? value
      : toStored(model.schema.getType(field.typeName) as GraphQLScalarType, value);
  if (typeof stored === 'string') return stored;
  if (stored instanceof Date) return stored.toISOString();
  return JSON.stringify(stored, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}
