// Every kind of query that the API knows, and random ones of them.
import { JOINING_QUERIES } from './joining-queries.ts';
import { SPAN_QUERIES, TEXT_QUERIES } from './text-queries.ts';
import { VALUE_QUERIES } from './value-queries.ts';
import type { Kinds, Words } from './words.ts';

/** By the word for it. */
export const QUERIES: Kinds = { ...TEXT_QUERIES, ...SPAN_QUERIES, ...VALUE_QUERIES, ...JOINING_QUERIES };

const GROUPS: readonly Kinds[] = [TEXT_QUERIES, VALUE_QUERIES, TEXT_QUERIES, VALUE_QUERIES, SPAN_QUERIES];

/** Makes a query. @param depth how deep others stand in it at most */
export function randomQuery(words: Words, depth: number): object {
  const { random } = words;
  // Most of what can fail on a document joins others.
  const isJoined = depth > 0 && (words.mistake === 'risky' || random.once(2));
  return queryOf(words, words.kind(isJoined ? JOINING_QUERIES : random.pick(GROUPS)), depth);
}

/** Makes one of a kind. */
export function queryOf(words: Words, kind: string, depth: number): object {
  return { [kind]: words.make(QUERIES[kind]!, () => randomQuery(words, depth - 1)) };
}
