// Every kind of query that the API knows, and random ones of them.
import { QUERY_TYPES, type QueryType } from '../dsl/query-types.ts';
import { isObject } from '../json/json.ts';
import { JOINING_QUERIES } from './joining-queries.ts';
import { SPAN_QUERIES, TEXT_QUERIES } from './text-queries.ts';
import { VALUE_QUERIES } from './value-queries.ts';
import type { Kind, Kinds, Words } from './words.ts';

const OWN: Kinds = { ...TEXT_QUERIES, ...SPAN_QUERIES, ...VALUE_QUERIES, ...JOINING_QUERIES };

/** What the fields of samples are here. */
const FIELDS: ReadonlyMap<string, (words: Words) => string> = new Map([
  ['text', (w: Words) => w.text()],
  ['tag', (w: Words) => w.keyword()],
  ['n', (w: Words) => w.number()],
  ['at', (w: Words) => w.date()],
  ['ip', (w: Words) => w.of('ip')],
  ['place', (w: Words) => w.of('geo_point')],
  ['rank', (w: Words) => w.of('rank_feature')],
]);

/** Asks for what the sample of a type asks for, of fields of the index. */
export function ofSample(type: string, { sample }: QueryType): Kind {
  return { right: [(words) => renamed(sample[type], words)], wrong: [() => ({ absent: { absent: {} } })] };
}

/** What it says, of fields of the index. */
export function renamed(json: unknown, words: Words): unknown {
  const named = (name: string): string => FIELDS.get(name)?.(words) ?? name;
  if (typeof json === 'string') return named(json);
  if (Array.isArray(json)) return json.map((each) => renamed(each, words));
  if (!isObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [named(key), renamed(value, words)]));
}

/** Types without requests of their own. */
const OTHERS: Kinds = Object.fromEntries(
  Object.entries(QUERY_TYPES).flatMap(([type, each]) =>
    Object.hasOwn(OWN, type) ? [] : [[type, ofSample(type, each)]],
  ),
);

/** By the word for it. */
export const QUERIES: Kinds = { ...OTHERS, ...OWN };

const VALUES: Kinds = { ...VALUE_QUERIES, ...OTHERS };
const GROUPS: readonly Kinds[] = [TEXT_QUERIES, VALUES, TEXT_QUERIES, VALUES, SPAN_QUERIES];

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
