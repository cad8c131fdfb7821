// Where in the arguments of a field a value stands: filters nest, and a plan reads the same place again at each execution.
import type { ArgumentValues, FieldArguments } from './field-arguments.ts';

/** Arguments as conditions need them. */
export type ConditionArguments = Pick<FieldArguments, 'values' | 'parameter'>;

/** Names of input fields and places in lists, from the arguments down. */
export type Path = readonly (string | number)[];

/** The value at a place. */
export function at(values: ArgumentValues, path: Path): unknown {
  let value: unknown = values;
  for (const step of path) value = (value as Readonly<Record<string | number, unknown>> | null | undefined)?.[step];
  return value;
}

/** A list of one where one was given. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : value === undefined || value === null ? [] : [value];
}
