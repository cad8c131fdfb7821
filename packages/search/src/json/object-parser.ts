// Reads objects as Elasticsearch's ObjectParser does: member by member in the order in which they stand, so that the first mistake is told.
// A member has a kind of value; what its reader refuses is the cause of the error.
import { causeOf } from './error-shape.ts';
import { asBoolean, asNumber, type Json, knownHere, nearest, textOf, tokenOf, toList } from './json.ts';
import {
  contentError,
  illegalArgument,
  isShardFailure,
  jsonParsing,
  parsingError,
  RequestError,
} from '../errors/request-error.ts';

/** What tokens a member may begin with. */
const TOKENS = {
  string: ['VALUE_STRING'],
  number: ['VALUE_NUMBER', 'VALUE_STRING'],
  boolean: ['VALUE_BOOLEAN', 'VALUE_STRING'],
  object: ['START_OBJECT'],
  strings: ['VALUE_STRING', 'START_ARRAY'],
  objects: ['START_OBJECT', 'START_ARRAY'],
  objectOrBoolean: ['START_OBJECT', 'VALUE_BOOLEAN'],
  objectOrString: ['START_OBJECT', 'VALUE_STRING'],
  objectsOrString: ['START_OBJECT', 'START_ARRAY', 'VALUE_STRING'],
  numbers: ['VALUE_NUMBER', 'VALUE_STRING', 'START_ARRAY'],
  objectsOrNull: ['START_OBJECT', 'START_ARRAY', 'VALUE_NULL'],
  numberOrNull: ['VALUE_NUMBER', 'VALUE_STRING', 'VALUE_NULL'],
  stringOrNull: ['VALUE_STRING', 'VALUE_NULL'],
  point: ['START_OBJECT', 'START_ARRAY', 'VALUE_STRING'],
  pointOrNumber: ['START_OBJECT', 'START_ARRAY', 'VALUE_STRING', 'VALUE_NUMBER'],
  value: ['VALUE_STRING', 'VALUE_NUMBER', 'VALUE_BOOLEAN', 'VALUE_NULL'],
  any: ['START_OBJECT', 'START_ARRAY', 'VALUE_STRING', 'VALUE_NUMBER', 'VALUE_BOOLEAN', 'VALUE_NULL'],
} as const;

/** @throws RequestError for a member without which no object is built */
export function checkRequired(body: Json, ...names: readonly string[]): void {
  const missing = names.filter((name) => body[name] === undefined);
  if (missing.length > 0) throw illegalArgument(`Required [${missing.join(', ')}]`);
}

/** Makes of an object what it stands for; what that refuses is the cause of the error. */
export function built<T>(where: string, build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof RequestError) || isShardFailure(error)) throw error;
    throw contentError(`Failed to build [${where}] after last required field arrived`, causeOf(error).error);
  }
}

/** What a member takes. */
export type MemberKind = keyof typeof TOKENS;

/** A member that an object may have. */
export interface Member<T> {
  readonly kind: MemberKind;
  /** Checks and converts a value. @throws RequestError */
  readonly read: (value: unknown, name: string) => T;
}

type Members = Readonly<Record<string, Member<unknown>>>;

/** What was read of the members that are there. */
export type Parsed<M extends Members> = { readonly [Name in keyof M]?: M[Name] extends Member<infer T> ? T : never };

/** A member of words. */
export const TEXT: Member<string> = { kind: 'string', read: textOf };
/** One text or several. */
export const TEXTS: Member<readonly string[]> = {
  kind: 'strings',
  read(value) {
    const list = toList(value);
    const odd = list.find((each) => each === null || typeof each === 'object');
    if (odd !== undefined) throw illegalState(`Can't get text on a ${tokenOf(odd)}`);
    return list.map(textOf);
  },
};
/** A truth; an empty text is none. */
export const FLAG: Member<boolean> = {
  kind: 'boolean',
  read: (value, name) => value !== '' && asBoolean(value, name),
};
/** A whole number. */
export const INTEGER: Member<number> = { kind: 'number', read: coercedInteger };
/** Any number. */
export const NUMBER: Member<number> = { kind: 'number', read: asNumber };

/** A whole number of 32 bits; decimals are cut off, also in a string. */
export function coercedInteger(value: unknown, name: string): number {
  if (value === null || typeof value === 'object')
    throw jsonParsing(`Current token (${tokenOf(value)}) not numeric, can not use numeric value accessors`);
  const found = Math.trunc(asNumber(value, name));
  if (Math.abs(found + 0.5) < 2 ** 31) return found;
  if (typeof value === 'string') throw illegalArgument(`Value [${value}] is out of range for an integer`);
  throw new RequestError(
    'SEARCH_PARSING',
    'input_coercion_exception',
    `Numeric value (${textOf(value)}) out of range of int (-2147483648 - 2147483647)`,
  );
}

function illegalState(reason: string): RequestError {
  return new RequestError('SEARCH_PARSING', 'illegal_state_exception', reason);
}

/** The same member, whose value is looked at. @param check throws a RequestError */
export function checked<T>({ kind, read }: Member<T>, check: (value: T) => void): Member<T> {
  return {
    kind,
    read(value, name) {
      const found = read(value, name);
      check(found);
      return found;
    },
  };
}

/** Reads an object. @param where its name in messages */
export function parseObject<M extends Members>(body: Json, where: string, members: M): Parsed<M> {
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const member = Object.hasOwn(members, name) ? members[name]! : undefined;
    if (member === undefined) throw unknownMember(where, name, Object.keys(members));
    checkToken(where, name, value, member.kind);
    found[name] = within(where, name, () => member.read(value, name));
  }
  return found as Parsed<M>;
}

/** @throws RequestError for a value that begins with a token which its kind does not */
export function checkToken(where: string, name: string, value: unknown, kind: MemberKind): void {
  const token = tokenOf(value);
  const taken: readonly string[] = TOKENS[kind];
  if (!taken.includes(token)) throw contentError(`[${where}] ${name} doesn't support values of type: ${token}`);
}

/** The refusal of a member that such a parser does not know. */
export function unknownMember(where: string, name: string, known: readonly string[]): RequestError {
  return new RequestError(
    'SEARCH_PARSING',
    'x_content_parse_exception',
    `[${where}] unknown field [${name}]${nearest(name, known)}`,
    knownHere(name, known),
  );
}

/**
 * Checks the members of an object in their order, for a reader of its own.
 *
 * @param where its name in messages
 * @throws RequestError `x_content_parse_exception` for the first member that it does not take
 */
export function checkObject(body: Json, where: string, members: Readonly<Record<string, MemberKind>>): void {
  for (const [name, value] of Object.entries(body)) {
    const kind = Object.hasOwn(members, name) ? members[name]! : undefined;
    if (kind === undefined) throw unknownMember(where, name, Object.keys(members));
    checkToken(where, name, value, kind);
    if (kind === 'number') within(where, name, () => asNumber(value, name));
    if (kind === 'boolean') within(where, name, () => asBoolean(value, name));
  }
}

/** Reads a member; what is wrong in it becomes the cause of the error. What only a shard refuses is told as it is. */
export function within<T>(where: string, name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RequestError) || isShardFailure(error) || error.details.inRewrite === true) throw error;
    if (error.code === 'SEARCH_UNSUPPORTED') throw error;
    const { hint } = error.details;
    throw new RequestError(
      'SEARCH_PARSING',
      'x_content_parse_exception',
      `[${where}] failed to parse field [${name}]`,
      {
        causedBy: causeOf(error).error,
        ...(hint === undefined ? {} : { hint }),
      },
    );
  }
}

/** Reads an object whose parser's refusals are told as mistakes of the query that it stands in. */
export function asParsingError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RequestError) || error.type !== 'x_content_parse_exception') throw error;
    throw parsingError(error.message, { causedBy: causeOf(error).error });
  }
}

/**
 * The member that a mistake in an object is in: without it the reader finds no mistake, or another one. Undefined where it is in none.
 *
 * @param read reads the object, without side effects
 */
export function memberOf(error: RequestError, body: Json, read: (body: Json) => unknown): string | undefined {
  let found: string | undefined;
  for (const name of Object.keys(body)) {
    const { [name]: _, ...others } = body;
    try {
      read(others);
      return name;
    } catch (other) {
      // Without its field hardly anything can be read.
      const isOther = other instanceof RequestError && other.message !== error.message;
      if (isOther && (found === undefined || found === 'field')) found = name;
    }
  }
  return found;
}

/** Reads an object; what is wrong in one of its members becomes the cause of the error, as `within`. */
export function withinMembers<T>(where: string, body: Json, read: (body: Json) => T): T {
  try {
    return read(body);
  } catch (error) {
    const isOwn =
      error instanceof RequestError && !['parsing_exception', 'x_content_parse_exception'].includes(error.type);
    const member = isOwn ? memberOf(error, body, read) : undefined;
    if (member === undefined) throw error;
    return within(where, member, () => {
      throw error;
    });
  }
}
