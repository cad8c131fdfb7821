// The reason in a thrown value, for messages.

/** Returns the message of an error; any other value as text. A connection error of several addresses has only the errors of each. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
