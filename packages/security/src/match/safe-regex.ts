// Configured regular expressions for matchers: they test whole texts and can never block the process.
import { securityErrors } from '../errors/chain-errors.ts';
import { compileLinear } from './linear-regex.ts';

/** Longest text for an expression that needs backtracking; requests with a longer one are rejected. */
const MAX_BACKTRACKING_LENGTH = 256;

export interface SafeRegex {
  /** Returns whether the whole text matches. @throws ProductError SECURITY_TARGET_REFUSED if the text is too long */
  test(text: string): boolean;
}

/**
 * Compiles a regular expression of the configuration.
 *
 * @throws ProductError SECURITY_PATTERN_INVALID if it is not an expression
 */
export function compileRegex(source: string, caseSensitive: boolean, matcher: string, pattern: string): SafeRegex {
  let backtracking: RegExp;
  try {
    backtracking = new RegExp(`^(?:${source})$`, caseSensitive ? 's' : 'is');
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it is not a regular expression';
    throw securityErrors.create('SECURITY_PATTERN_INVALID', { matcher, pattern, reason });
  }
  const foreign = findForeign(source);
  if (foreign !== undefined) {
    const reason = `${foreign} means one thing in Java and another here, or nothing; write it in plain characters and classes`;
    throw securityErrors.create('SECURITY_PATTERN_INVALID', { matcher, pattern, reason });
  }
  // With a single unbounded repetition, and none of a group, backtracking is linear too and several times faster than
  // the simulation.
  if (isPlain(source)) return backtracking;
  const linear = compileLinear(source, caseSensitive);
  if (linear !== undefined) return linear;
  if (!isBounded(source)) {
    const reason =
      'it combines look-around, back-references or \\b with repetitions that could take for ever; simplify it';
    throw securityErrors.create('SECURITY_PATTERN_INVALID', { matcher, pattern, reason });
  }
  return {
    test(text) {
      if (text.length <= MAX_BACKTRACKING_LENGTH) return backtracking.test(text);
      throw securityErrors.create('SECURITY_TARGET_REFUSED', {
        reason: 'it is too long for the pattern it must be compared with',
      });
    },
  };
}

/** Escapes that JavaScript defines. Any other letter after a backslash is the letter itself. */
const KNOWN_ESCAPE = /\\(?:[dDwWsSbBtnrfv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|c[A-Za-z]|k<|[1-9]|0(?!\d)|[^A-Za-z0-9])/y;

/**
 * First syntax that JavaScript would silently read as something else: `\p{Alpha}`, `\Q…\E`, `\A`, `[a-z&&[^b]]`. Such a
 * rule, brought from Java, would never select anything, and its `denyAll` would never deny.
 */
function findForeign(source: string): string | undefined {
  let inClass = false;
  for (let index = 0; index < source.length; index++) {
    const character = source[index]!;
    if (character === '\\') {
      KNOWN_ESCAPE.lastIndex = index;
      if (!KNOWN_ESCAPE.test(source)) return `"${source.slice(index, index + 2)}"`;
      index += 1;
    } else if (!inClass) inClass = character === '[';
    else if (character === ']') inClass = false;
    else if (character === '[') return '"[" within a class';
    else if (character === '&' && source[index + 1] === '&') return '"&&" within a class';
  }
  return undefined;
}

/** Repeated groups make backtracking exponential: `(a|a)*`, `(a+)+`, `(a?){30}`. */
function isPlain(source: string): boolean {
  const { unbounded, repeatsGroups } = countRepetitions(source);
  return unbounded <= 1 && !repeatsGroups;
}

/** At most the cube of MAX_BACKTRACKING_LENGTH steps: about ten milliseconds. */
function isBounded(source: string): boolean {
  const { unbounded, repeatsGroups } = countRepetitions(source);
  return unbounded <= 3 && !repeatsGroups;
}

function countRepetitions(source: string): { readonly unbounded: number; readonly repeatsGroups: boolean } {
  const withoutClasses = source.replace(/\\./gs, 'e').replace(/\[[^\]]*\]/g, 'c');
  return {
    unbounded: withoutClasses.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0,
    repeatsGroups: /\)[*+?{]/.test(withoutClasses),
  };
}
