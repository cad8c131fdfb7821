// How patterns, phrases and ids print in Lucene.
import type { FuzzyQuery, PrefixQuery, RegexpQuery, TermRangeQuery, WildcardQuery } from '../kinds/patterns.ts';
import type { PhraseQuery } from '../kinds/phrase.ts';

/** A pattern with its field. */
export function printPattern(query: PrefixQuery | WildcardQuery | RegexpQuery | FuzzyQuery | TermRangeQuery): string {
  switch (query.kind) {
    case 'prefix':
      return `${query.field}:${query.prefix}*`;
    case 'wildcard':
      return `${query.field}:${query.pattern}`;
    case 'regexp':
      return `${query.field}:/${query.pattern}/`;
    case 'fuzzy':
      return `${query.field}:${query.term}~${query.maxEdits}`;
    case 'term_range': {
      const opens = query.includeFrom === false ? '{' : '[';
      const closes = query.includeTo === false ? '}' : ']';
      return `${query.field}:${opens}${query.from ?? '*'} TO ${query.to ?? '*'}${closes}`;
    }
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

/** An id as Elasticsearch indexes it (Uid.encodeId), in hexadecimal: digits by twos, base64 by its bytes, others by theirs. */
export function printId(id: string): string {
  const bytes: number[] = [];
  if (/^\d+$/.test(id)) {
    bytes.push(0xfe);
    for (let at = 0; at < id.length; at += 2)
      bytes.push((Number(id[at]) << 4) | (id[at + 1] === undefined ? 0xf : Number(id[at + 1])));
  } else if (isBase64Id(id)) {
    const decoded = Buffer.from(id, 'base64url');
    // A byte that says how an id is kept is not mistaken for one of a decoded id.
    if (decoded[0]! >= 0xfd) bytes.push(0xfd);
    bytes.push(...decoded);
  } else bytes.push(0xff, ...Buffer.from(id));
  return `[${bytes.map((byte) => byte.toString(16)).join(' ')}]`;
}

function isBase64Id(id: string): boolean {
  return (
    /^[A-Za-z0-9_-]+$/.test(id) && id.length % 4 !== 1 && Buffer.from(id, 'base64url').toString('base64url') === id
  );
}
