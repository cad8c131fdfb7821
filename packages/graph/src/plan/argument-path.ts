// The path of a value in a field's arguments. A plan reads the same path again at each execution.
import type { ArgumentValues, FieldArguments } from './field-arguments.ts';
import { listOf, membersIn } from '../present.ts';

/** The part of the arguments that conditions need. */
export type ConditionArguments = Pick<FieldArguments, 'values' | 'parameter' | 'timedParameter'>;

/** Names of input fields and indexes of list items, from the arguments down. */
export type Path = readonly (string | number)[];

/** The value at a path. */
export function at(values: ArgumentValues, path: Path): unknown {
  let value: unknown = values;
  for (const step of path) value = (value as Readonly<Record<string | number, unknown>> | null | undefined)?.[step];
  return value;
}

/** Wraps a single value in a list; null and undefined become an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : listOf(value);
}

/** The members of the input object at a path. */
export function entriesAt(values: ArgumentValues, path: Path): readonly (readonly [string, unknown])[] {
  return Object.entries(membersIn(at(values, path)));
}
