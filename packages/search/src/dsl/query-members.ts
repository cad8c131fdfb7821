// Reads the members of a query as the parsers that Elasticsearch wrote by hand do: one after the other, so that the first mistake is told,
// each by the token that its value begins with.
import { asNumber, isObject, type Json, knownHere, setMember, textOf, tokenOf } from '../json/json.ts';
import { coercedInteger } from '../json/object-parser.ts';
import { illegalArgument, jsonParsing, parsingError, RequestError } from '../errors/request-error.ts';

/**
 * How a value is read. `any` is left to the reader of the query; `unused` is a deprecated option without any effect; the last three take
 * objects and lists.
 */
export type ValueKind =
  | 'text'
  | 'textOrNull'
  | 'number'
  | 'integer'
  | 'flag'
  | 'any'
  | 'unused'
  | 'object'
  | 'list'
  | 'anything';

/**
 * What becomes of a value that begins with a token of another kind: it is read all the same, refused as an unknown member, refused as an
 * unknown token, or ignored. Of an ignored list the elements are read.
 */
type Misfit = 'read' | 'unknown' | 'token' | 'ignored';

/** How a query's parser takes its members. */
export interface QueryMembers {
  readonly members: Readonly<Record<string, ValueKind>>;
  /** What is said of a member that there is not; `[type] query does not support` by default. */
  readonly refusal?: string;
  /** What is said of a token that no member takes; `[type] unknown token … after …` by default. */
  readonly tokenRefusal?: string;
  readonly nulls?: Misfit;
  readonly objects?: Misfit;
  readonly lists?: Misfit;
}

/**
 * Reads members.
 *
 * @param type the name of the query in messages
 * @returns those that are there, each of the kind that it is read as
 * @throws RequestError for the first mistake
 */
export function readMembers(body: Json, type: string, query: QueryMembers): Json {
  const found: Record<string, unknown> = {};
  for (const [name, value] of tokensOf(body, query)) {
    const kind = Object.hasOwn(query.members, name) ? query.members[name] : undefined;
    const stray = misfitOf(value, kind, query);
    if (stray === 'ignored') continue;
    if (stray === 'token') {
      const said = query.tokenRefusal === undefined ? '' : `${query.tokenRefusal} [${tokenOf(value)}]`;
      throw parsingError(said || `[${type}] unknown token [${tokenOf(value)}] after [${name}]`);
    }
    if (kind === undefined || stray === 'unknown') {
      const known = Object.keys(query.members).filter((each) => query.members[each] !== 'unused');
      throw parsingError(`${query.refusal ?? `[${type}] query does not support`} [${name}]`, knownHere(name, known));
    }
    const read = readValue(value, kind, name);
    if (read !== undefined) setMember(found, name, read);
  }
  return found;
}

/** The values that a parser meets: one that ignores the beginning of a list reads what is in it, and the last of it counts. */
function tokensOf(body: Json, { lists, members }: QueryMembers): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(body);
  if (lists !== 'ignored') return entries;
  return entries.flatMap(([name, value]) =>
    !Array.isArray(value) || members[name] === 'list' || members[name] === 'anything'
      ? [[name, value] as const]
      : value.flat(Infinity).map((each: unknown) => [name, each] as const),
  );
}

function misfitOf(
  value: unknown,
  kind: ValueKind | undefined,
  { lists = 'unknown', nulls = 'read', objects = 'unknown' }: QueryMembers,
): Misfit {
  if (kind === 'anything') return 'read';
  if (value === null) return nulls;
  const isList = Array.isArray(value);
  if (kind === 'list' || kind === 'object') {
    if ((kind === 'list') === isList && typeof value === 'object') return 'read';
    const stray = typeof value !== 'object' ? 'unknown' : isList ? lists : objects;
    return stray === 'read' ? 'unknown' : stray;
  }
  if (isList) return lists;
  return isObject(value) ? objects : 'read';
}

function readValue(value: unknown, kind: ValueKind, name: string): unknown {
  const isValue = value !== null && typeof value !== 'object';
  switch (kind) {
    case 'textOrNull':
    case 'text':
      if (value === null && kind === 'textOrNull') return undefined;
      if (!isValue)
        throw new RequestError('SEARCH_PARSING', 'illegal_state_exception', `Can't get text on a ${tokenOf(value)}`);
      return textOf(value);
    case 'number':
    case 'integer':
      if (!isValue)
        throw jsonParsing(`Current token (${tokenOf(value)}) not numeric, can not use numeric value accessors`);
      return kind === 'integer' ? coercedInteger(value, name) : asNumber(value, name);
    case 'flag':
      return readFlag(value);
    case 'unused':
      return undefined;
    default:
      return value;
  }
}

/** A truth; an empty text is none. */
function readFlag(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') throw jsonParsing(`Current token (${jsonToken(value)}) not of boolean type`);
  if (value === 'true') return true;
  if (value === 'false' || value === '') return false;
  throw illegalArgument(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
}

/** A token as the reader of JSON names it. */
function jsonToken(value: unknown): string {
  return typeof value === 'number' ? `VALUE_NUMBER_${Number.isInteger(value) ? 'INT' : 'FLOAT'}` : tokenOf(value);
}
