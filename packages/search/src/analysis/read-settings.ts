// Values of the settings of an analysis as Elasticsearch reads them (Settings.getAsInt, getAsBoolean, get): texts, whatever JSON says.
import { isObject, type Json, notANumber, textOf } from '../json.ts';
import { illegalArgument, RequestError } from '../request-error.ts';
import { type BoundedRegex, boundRegex } from './bounded-regex.ts';

/** A setting as text; undefined where it is not given. An object is none: its members are settings of their own. */
function settingText(value: unknown): string | undefined {
  if (value === undefined || value === null || isObject(value)) return undefined;
  if (!Array.isArray(value)) return textOf(value);
  return value.length === 0 ? '[]' : value.map(textOf).join(',');
}

const MOST = 2 ** 31;

/** A whole number. @throws RequestError for another text */
export function integerSetting(definition: Json, key: string, fallback: number): number {
  const text = settingText(definition[key]);
  if (text === undefined) return fallback;
  const found = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (found >= -MOST && found < MOST) return found;
  throw new RequestError(
    'SEARCH_ILLEGAL_ARGUMENT',
    'settings_exception',
    `Failed to parse int setting [${key}] with value [${text}]`,
    { causedBy: notANumber(text) },
  );
}

/** A flag. @throws RequestError for another text than `true` and `false` */
export function flagSetting(definition: Json, key: string, fallback: boolean): boolean {
  const text = settingText(definition[key]);
  if (text === undefined) return fallback;
  if (text === 'true' || text === 'false') return text === 'true';
  throw illegalArgument(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
}

/** A text. */
export function textSetting(definition: Json, key: string, fallback: string): string {
  return settingText(definition[key]) ?? fallback;
}

/** Characters of a token at most, for tokenizers of a grammar. */
export function tokenLength(definition: Json): number {
  const found = integerSetting(definition, 'max_token_length', 255);
  if (found <= 0) throw illegalArgument('maxTokenLength must be greater than zero');
  if (found > MOST_TOKEN_LENGTH) throw illegalArgument(`maxTokenLength may not exceed ${MOST_TOKEN_LENGTH}`);
  return found;
}

/** The same for tokenizers that look at one character after the other. */
export function runLength(definition: Json, key = 'max_token_length'): number {
  const found = integerSetting(definition, key, 255);
  if (found <= 0 || found > MOST_TOKEN_LENGTH)
    throw illegalArgument(`maxTokenLen must be greater than 0 and less than ${MOST_TOKEN_LENGTH} passed: ${found}`);
  return found;
}

const MOST_TOKEN_LENGTH = 2 ** 20;

/** Flags of Java by what they are here; undefined: they change nothing of what is offered. */
const FLAGS: Readonly<Record<string, string | undefined>> = {
  CASE_INSENSITIVE: 'i',
  MULTILINE: 'm',
  DOTALL: 's',
  COMMENTS: 'x',
  LITERAL: 'l',
  UNICODE_CASE: undefined,
  CANON_EQ: undefined,
  UNIX_LINES: undefined,
  UNICODE_CHAR_CLASS: undefined,
  UNICODE_CHARACTER_CLASS: undefined,
};

/**
 * A pattern of Java. Patterns are JavaScript's; flags at their beginning (`(?i)`) and scripts in `\p{…}` work as far as JavaScript has them.
 *
 * @throws RequestError for what is no pattern, and for unknown flags
 */
export function readPattern(source: string, flags = ''): BoundedRegex {
  const named = flags
    .toUpperCase()
    .split('|')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => {
      if (!Object.hasOwn(FLAGS, each)) throw illegalArgument(`Unknown regex flag [${each}]`);
      return FLAGS[each] ?? '';
    });
  const [head = '', inline = ''] = /^\(\?([imsx]+)\)/.exec(source) ?? [];
  const all = new Set(Array.from(named.join('') + inline));
  const rest = source.slice(head.length);
  const text = all.has('l')
    ? rest.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    : all.has('x')
      ? withoutComments(rest)
      : rest;
  return boundRegex(text, [...all].filter((flag) => 'ims'.includes(flag)).join(''), 'pattern');
}

/** A pattern without the blanks and comments that the flag `COMMENTS` allows. */
function withoutComments(source: string): string {
  return source.replaceAll(/(\\.|\[(?:\\.|[^\]\\])*\])|\s+|#.*/gs, (_, kept: string | undefined) => kept ?? '');
}

/**
 * What a match is replaced by: Java's `$1`, `${name}` and escapes.
 *
 * @throws RequestError for a group that the pattern does not have
 */
export function fillReplacement(replacement: string, match: RegExpMatchArray | RegExpExecArray): string {
  if (!/[\\$]/.test(replacement)) return replacement;
  return replacement.replaceAll(
    /\\(.)|\$\{(\w+)\}|\$(\d+)|[\\$]/gs,
    (whole, escaped?: string, name?: string, digits?: string) => {
      if (escaped !== undefined) return escaped;
      if (name !== undefined) {
        if (match.groups === undefined || !(name in match.groups))
          throw illegalArgument(`No group with name {${name}}`);
        return match.groups[name] ?? '';
      }
      if (digits === undefined)
        throw illegalArgument(whole === '$' ? 'Illegal group reference' : 'character to be escaped is missing');
      // As many digits as name a group that there is; the others are text.
      let length = 1;
      while (length < digits.length && Number(digits.slice(0, length + 1)) < match.length) length++;
      const group = Number(digits.slice(0, length));
      if (group >= match.length)
        throw new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'index_out_of_bounds_exception', `No group ${group}`);
      return (match[group] ?? '') + digits.slice(length);
    },
  );
}
