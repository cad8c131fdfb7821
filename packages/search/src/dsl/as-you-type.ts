// What a prefix means on a field of type `search_as_you_type` and on its shingles: words in a row, the last of them begun. Elasticsearch
// keeps such beginnings in a sub-field `_index_prefix`; here they are phrases of the field itself.
import type { MappedField } from '../mapping/field-type.ts';
import type { Query } from '../query/query.ts';
import type { QueryContext } from './context.ts';

/** Characters of a beginning that Elasticsearch keeps at most. */
const MOST_CHARACTERS = 20;
/** Words that a beginning may stand for. */
const MOST_WORDS = 10_000;

/** The query for a prefix; undefined for other fields, and for texts that are looked for as they are. */
export function asYouTypePrefix(field: MappedField, text: string, context: QueryContext): Query | undefined {
  const parent = /^(.+)\._[2-4]gram$/.exec(field.path)?.[1];
  const whole = parent === undefined ? field : context.mapping.field(parent);
  if (whole?.type !== 'search_as_you_type' || text === '' || Array.from(text).length > MOST_CHARACTERS)
    return undefined;
  const words = text.split(' ');
  const last = words.length - 1;
  if (last === 0) return { kind: 'prefix', field: whole.path, prefix: text };
  // More words than the longest shingle has.
  if (words.length > Number(whole.definition['max_shingle_size'] ?? 3)) return { kind: 'match_none' };
  const terms = words.slice(0, -1).map((word, position) => ({ position, terms: [word] }));
  const prefix = { position: last, texts: [words[last]!], maxExpansions: MOST_WORDS };
  return { kind: 'constant_score', query: { kind: 'phrase', field: whole.path, terms, prefix } };
}
