// Tables that are written as words, several a line.

/** The words of a list that may go over several lines. */
export function wordsOf(list: string): string[] {
  return list.trim().split(/\s+/);
}

/** A table of what words mean: `byWord({ whole: 'long integer', term: 'keyword' })` says of `long` that it is `whole`. */
export function byWord<const Meaning extends string>(
  lists: Readonly<Record<Meaning, string>>,
): Readonly<Record<string, Meaning>> {
  return Object.fromEntries(
    (Object.keys(lists) as Meaning[]).flatMap((meaning) => wordsOf(lists[meaning]).map((word) => [word, meaning])),
  );
}
