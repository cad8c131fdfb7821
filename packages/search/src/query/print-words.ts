// How patterns and phrases print in Lucene.
import type { FuzzyQuery, PhraseQuery, PrefixQuery, RegexpQuery, WildcardQuery } from './query.ts';

/** A pattern with its field. */
export function printPattern(query: PrefixQuery | WildcardQuery | RegexpQuery | FuzzyQuery): string {
  switch (query.kind) {
    case 'prefix':
      return `${query.field}:${query.prefix}*`;
    case 'wildcard':
      return `${query.field}:${query.pattern}`;
    case 'regexp':
      return `${query.field}:/${query.pattern}/`;
    case 'fuzzy':
      return `${query.field}:${query.term}~${query.maxEdits}`;
  }
}

/** A phrase with its field: alternatives in brackets, a question mark for a position without any, stars at prefixes. */
export function printPhrase({ field, prefix, slop = 0, terms }: Omit<PhraseQuery, 'kind'>): string {
  const slots = terms.map(({ position, terms: words }) => ({ position, words }));
  if (prefix !== undefined) slots.push({ position: prefix.position, words: prefix.texts.map((text) => `${text}*`) });
  const words: string[] = [];
  let next = slots[0]?.position ?? 0;
  for (const { position, words: here } of slots) {
    for (; next < position; next++) words.push('?');
    words.push(here.length === 1 ? here[0]! : `(${here.join(' ')})`);
    next = position + 1;
  }
  return `${field}:"${words.join(' ')}"${slop === 0 ? '' : `~${slop}`}`;
}
