// What a thrown value says. Anything may be thrown, and libraries throw errors with members of their own.
import { toText } from './to-text.ts';

/** Returns the message of an error; any other value as text. A connection error of several addresses has only the errors of each. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') return thrown.errors.map(reasonOf).join('; ');
  return thrown instanceof Error ? thrown.message : toText(thrown);
}

/** Returns the `code` of a thrown object, such as Node's `ENOENT`; undefined if it has none. */
export function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
}

/** Returns a thrown error as it is; any other value as an error with its text. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(toText(thrown));
}
