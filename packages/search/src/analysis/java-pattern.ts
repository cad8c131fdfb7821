// Patterns of `pattern` and `flags` as Java reads them, and its replacements. Patterns are JavaScript's where both agree.
import { illegalArgument, RequestError } from '../errors/request-error.ts';
import { type BoundedRegex, boundRegex } from './bounded-regex.ts';

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
