// A configured regular expression as matchers use it: tested against whole texts, never able to hold the process.
import { securityErrors } from '../errors/chain-errors.ts';
import { compileLinear } from './linear-regex.ts';

/** Beyond this length an expression that needs a backtracking engine is not tried: the request is refused. */
const MAX_BACKTRACKING_LENGTH = 256;

export interface SafeRegex {
  /** Whether the whole text matches. @throws ProductError SECURITY_TARGET_REFUSED when the text is too long to try */
  test(text: string): boolean;
}

/**
 * Compiles a regular expression of the configuration.
 *
 * @throws ProductError SECURITY_PATTERN_INVALID when it is not an expression
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
  // With a single unbounded repetition, and none over a group, backtracking is linear too and several times faster than
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

/** Escapes that JavaScript knows. It takes every other letter behind a backslash for the letter itself. */
const KNOWN_ESCAPE = /\\(?:[dDwWsSbBtnrfv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|c[A-Za-z]|k<|[1-9]|0(?!\d)|[^A-Za-z0-9])/y;

/**
 * The first piece that JavaScript would silently read as something else: `\p{Alpha}`, `\Q…\E`, `\A`, `[a-z&&[^b]]`. Whoever
 * brings such a rule along would have one that never selects anything, and a `denyAll` that never refuses.
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

/** Groups that repeat are where backtracking multiplies: `(a|a)*`, `(a+)+`, `(a?){30}`. */
function isPlain(source: string): boolean {
  const { unbounded, repeatsGroups } = countRepetitions(source);
  return unbounded <= 1 && !repeatsGroups;
}

/** At most the cube of MAX_BACKTRACKING_LENGTH steps: some ten milliseconds. */
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
