// Patterns of `pattern` and `flags` as Java reads them, and its replacements.
import { illegalArgument, RequestError } from '../errors/request-error.ts';
import { type BoundedRegex, boundRegex } from './bounded-regex.ts';
import type { JavaFlag } from './java-regex.ts';

/** Flags of Java by their letters; undefined: they change nothing of what is offered. */
const FLAGS: Readonly<Record<string, JavaFlag | undefined>> = {
  CASE_INSENSITIVE: 'i',
  MULTILINE: 'm',
  DOTALL: 's',
  COMMENTS: 'x',
  LITERAL: 'l',
  UNICODE_CASE: 'u',
  CANON_EQ: undefined,
  UNIX_LINES: 'd',
  UNICODE_CHAR_CLASS: 'U',
  UNICODE_CHARACTER_CLASS: 'U',
};

/**
 * A pattern of Java.
 *
 * @throws RequestError for what is no pattern, and for unknown flags
 */
export function readPattern(source: string, flags = ''): BoundedRegex {
  const named = flags
    .toUpperCase()
    .split('|')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .flatMap((each) => {
      if (!Object.hasOwn(FLAGS, each)) throw illegalArgument(`Unknown regex flag [${each}]`);
      return FLAGS[each] ?? [];
    });
  return boundRegex(source, new Set(named));
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
