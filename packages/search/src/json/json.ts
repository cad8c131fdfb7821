// Reading request JSON: typed access to members with Elasticsearch's complaints. Nothing here knows what a member means.
import { didYouMean } from '@lockstitch/kernel';
import { exactElements } from './exact-json.ts';
import { editDistance } from '../text/text-distance.ts';
import { illegalArgument, numberFormat, parsingError, RequestError } from '../errors/request-error.ts';

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** How deep a request body may nest; deeper ones are refused before anything walks them (Elasticsearch: 1,000). */
const MAX_JSON_DEPTH = 200;

/** Tells an object from arrays, null and scalars. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as a list: an array as it stands, anything else alone. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Sets a member of any name: an assignment to `__proto__` would create none. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  else object[name] = value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON text.
 *
 * @throws RequestError `parse_exception` family when it is malformed, not UTF-8 or too deep
 */
export function parseJson(body: Uint8Array | string): unknown {
  let text: string;
  try {
    text = typeof body === 'string' ? body : utf8.decode(body);
  } catch {
    throw jsonError('Invalid UTF-8 in request body');
  }
  const colons = checkDepth(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'malformed JSON';
    throw jsonError(message, endsEarly(text, message));
  }
  // Of two members with one name `JSON.parse` drops the first without a word.
  if (colons !== keysIn(value)) throw jsonError(`Duplicate field '${duplicateIn(text)}'`);
  return value;
}

/** Where text follows a whole value, by the complaint of `JSON.parse`; undefined where another mistake is reported. */
export function endOfValue(message: string): number | undefined {
  const at = /^Unexpected non-whitespace character after JSON at position (\d+)/.exec(message)?.[1];
  return at === undefined ? undefined : Number(at);
}

/** Members of all objects in a value. */
function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') count += keysIn(element);
    return count;
  }
  const object = value as Json;
  for (const key of Object.keys(object)) {
    count++;
    const member = object[key];
    if (typeof member === 'object') count += keysIn(member);
  }
  return count;
}

/** The first name that an object of a well-formed text has twice. */
function duplicateIn(text: string): string {
  const open: (Set<string> | undefined)[] = [];
  for (const [token, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(token.slice(0, token.length - colon.length)) as string;
      if (open.at(-1)?.has(name) === true) return name;
      open.at(-1)?.add(name);
    }
  }
  return '';
}

/** Whether a text is malformed only because it ends, by the complaint of `JSON.parse`. */
function endsEarly(text: string, message: string): boolean {
  const at = /at position (\d+)/.exec(message)?.[1];
  return /^(?:Unexpected end|Unterminated)/.test(message) || (at !== undefined && Number(at) >= text.trimEnd().length);
}

/**
 * Parses the body of a request. Nanoseconds since 1970, which `search_after` may hold, are more than a double does: they become texts.
 *
 * @param ignoresRest whether text after the value is ignored
 * @throws RequestError as `parseJson`
 */
export function parseBody(body: Uint8Array | string, ignoresRest = false): unknown {
  const read = (): string => (typeof body === 'string' ? body : utf8.decode(body));
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (error) {
    const end = ignoresRest && error instanceof RequestError ? endOfValue(error.message) : undefined;
    if (end === undefined) throw error;
    return parseBody(read().slice(0, end));
  }
  if (!isObject(value) || !Array.isArray(value['search_after']) || !value['search_after'].some(isUnsafe)) return value;
  return { ...value, search_after: exactElements(read(), 'search_after') };
}

const isUnsafe = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

function jsonError(reason: string, isEnd = false): Error {
  return new RequestError('SEARCH_PARSING', isEnd ? 'json_e_o_f_exception' : 'json_parse_exception', reason);
}

/**
 * Counts open brackets outside strings, so that no recursive reader ever sees a body that could overflow the stack.
 *
 * @returns colons outside strings: one a member
 */
function checkDepth(text: string): number {
  let depth = 0;
  let colons = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === 0x5c) at++;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) {
      inString = true;
    } else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > MAX_JSON_DEPTH) throw jsonError(`the body is nested deeper than ${MAX_JSON_DEPTH} levels`);
    } else if (unit === 0x7d || unit === 0x5d) {
      depth--;
    } else if (unit === 0x3a) {
      colons++;
    }
  }
  return colons;
}

/**
 * Refuses members that are not known, naming the first and the nearest known one.
 *
 * @param where the object's name in messages, for example `match`
 */
export function checkKeys(object: Json, where: string, known: readonly string[]): void {
  for (const key of Object.keys(object)) {
    if (!known.includes(key)) throw unknownKey(key, where, known);
  }
}

/** The refusal of one unknown member. */
function unknownKey(key: string, where: string, known: readonly string[]): Error {
  return parsingError(`[${where}] unknown field [${key}]${nearest(key, known)}`, knownHere(key, known));
}

/** The known words that are near, in Elasticsearch's words (SuggestingErrorOnUnknown); empty where none is. */
export function nearest(word: string, known: readonly string[], least = 0.5): string {
  const near = known
    .map((candidate) => ({ candidate, likeness: likeness(word, candidate) }))
    .filter(({ likeness }) => likeness > least)
    .sort((a, b) => b.likeness - a.likeness || (a.candidate < b.candidate ? -1 : 1))
    .map(({ candidate }) => candidate);
  if (near.length === 0) return '';
  return ` did you mean ${near.length === 1 ? `[${near[0]}]` : `any of [${near.join(', ')}]`}?`;
}

/** 1 for equal words, 0 where every letter is another (Lucene's LevenshteinDistance). */
function likeness(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  // More would differ than may.
  if (Math.abs(a.length - b.length) * 2 >= longest) return 0;
  return 1 - editDistance(a, b, longest, false) / longest;
}

/** The nearest known word; where none is near, the words there are. */
export function nearOrKnown(word: string, known: readonly string[]): string {
  return nearest(word, known, 0.7) || `; ${listOf(known)}`;
}

/** The hint of an error that says no known word itself: those that are near, or all. */
export function knownHere(word: string, known: readonly string[]): { readonly hint: string } {
  return { hint: nearest(word, known).trim() || listOf(known) };
}

function listOf(known: readonly string[]): string {
  return `known here: ${[...known].sort().join(', ')}`;
}

/** An object, or a refusal naming where. */
export function asObject(value: unknown, where: string): Json {
  if (!isObject(value)) throw parsingError(`[${where}] malformed: an object is expected, but got ${nameOf(value)}`);
  return value;
}

/** A string; numbers and booleans are spelled out as Elasticsearch's lenient reader does. */
export function asString(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw parsingError(`[${where}] a string is expected, but got ${nameOf(value)}`);
}

/** A value that the reader of JSON cannot take for what is asked. */
function unreadable(type: string, reason: string): Error {
  return new RequestError('SEARCH_PARSING', type, reason);
}

/** A finite number; a string that spells one is accepted. */
export function asNumber(value: unknown, where: string): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof value === 'string' && Number.isNaN(Number(value.trim() === '' ? 'x' : value))) throw numberFormat(value);
  if (typeof value === 'boolean')
    throw unreadable(
      'json_parse_exception',
      `Current token (${tokenOf(value)}) not numeric, can not use numeric value accessors, for [${where}]`,
    );
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw illegalArgument(`Failed to parse [${where}]: a number is expected, but got ${nameOf(value)}`);
  return number;
}

/** An integer; a string that spells one is accepted. */
export function asInteger(value: unknown, where: string): number {
  const number = typeof value === 'number' ? Math.trunc(asNumber(value, where)) : asNumber(value, where);
  if (!Number.isSafeInteger(number))
    throw illegalArgument(`Failed to parse [${where}]: an integer is expected, but got [${number}]`);
  return number;
}

/** The cause that a text is no number, in the JVM's words. */
export function notANumber(text: string): { readonly type: string; readonly reason: string } {
  return { type: 'number_format_exception', reason: `For input string: "${text}"` };
}

/**
 * The objects of an array as Elasticsearch's readers of inner queries find them: a value before an object is skipped
 * (AbstractQueryBuilder.parseInnerQueryBuilder).
 */
export function innerObjects(value: unknown): readonly unknown[] {
  const list = toList(value);
  return list.filter((each, at) => {
    const isSkipped = (each === null || typeof each !== 'object') && isObject(list[at + 1]);
    const isAlone = at === 0 || isObject(list[at - 1]);
    return !(isSkipped && isAlone);
  });
}

/** A whole number of a parameter; a string that spells one is accepted. */
export function asLong(value: unknown, name: string): number {
  const text = textOf(value);
  if (!/^[+-]?\d+$/.test(text))
    throw illegalArgument(`Failed to parse long parameter [${name}] with value [${text}]`, {
      causedBy: notANumber(text),
    });
  return Number(text);
}

/** A boolean; `"true"`, `"false"` are accepted, and the empty text counts as true in URLs only. */
export function asBoolean(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true') return true;
  if (value === 'false') return false;
  if (typeof value === 'number')
    throw unreadable('json_parse_exception', `Current token (${tokenOf(value)}) not of boolean type, for [${where}]`);
  throw illegalArgument(
    `Failed to parse value [${textOf(value)}] as only [true] or [false] are allowed for [${where}].`,
  );
}

/** One of a few words. */
export function asChoice<Choice extends string>(value: unknown, where: string, choices: readonly Choice[]): Choice {
  const text = asString(value, where).toLowerCase();
  const found = choices.find((choice) => choice === text);
  if (found === undefined)
    throw illegalArgument(
      `[${where}] does not accept [${textOf(value)}]; it is one of [${choices.join(', ')}].${didYouMean(text, choices)}`,
    );
  return found;
}

/** Any JSON value as text: strings as they are, objects as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  // Unlike JSON: not every number is one there.
  if (typeof value === 'number') return String(value);
  return value === undefined ? 'undefined' : JSON.stringify(value);
}

/** What a JSON reader calls the token that a value begins with. */
export function tokenOf(value: unknown): string {
  if (Array.isArray(value)) return 'START_ARRAY';
  if (value === null) return 'VALUE_NULL';
  return typeof value === 'object'
    ? 'START_OBJECT'
    : typeof value === 'boolean'
      ? 'VALUE_BOOLEAN'
      : typeof value === 'number'
        ? 'VALUE_NUMBER'
        : 'VALUE_STRING';
}

/** Names a JSON value for a message. */
function nameOf(value: unknown): string {
  if (value === null) return '[null]';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (value === undefined) return 'nothing';
  const text = textOf(value);
  return `[${text.length > 80 ? `${text.slice(0, 77)}...` : text}]`;
}

/** The single member of an object, as query and aggregation bodies are written. */
export function onlyMember(object: Json, where: string): readonly [string, unknown] {
  const keys = Object.keys(object);
  if (keys.length === 0) throw illegalArgument(`${where} malformed, empty clause found`);
  if (keys.length > 1)
    throw parsingError(
      `[${keys[0]}] malformed query, expected [END_OBJECT] but found [FIELD_NAME]: [${keys[1]}] stands beside it in ${where}`,
    );
  return [keys[0]!, object[keys[0]!]];
}

/** An object for members whose names clients choose: one without a prototype, of which "__proto__" is a member like any other. */
export function emptyObject(): Record<string, unknown> {
  return Object.create(null);
}
