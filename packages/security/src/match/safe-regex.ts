// A configured regular expression as matchers use it: tested against whole texts, never able to hold the process.
import { securityErrors } from '../chain/chain-errors.ts';
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
  // Without a quantifier over a quantifier, and with at most one unbounded repetition, backtracking is linear too and
  // several times faster than the simulation.
  if (unboundedRepetitions(source) <= 1) return backtracking;
  const linear = compileLinear(source, caseSensitive);
  if (linear !== undefined) return linear;
  return {
    test(text) {
      if (text.length <= MAX_BACKTRACKING_LENGTH) return backtracking.test(text);
      throw securityErrors.create('SECURITY_TARGET_REFUSED', {
        reason: 'it is too long for the pattern it must be compared with',
      });
    },
  };
}

function unboundedRepetitions(source: string): number {
  const withoutClasses = source.replace(/\\./gs, '').replace(/\[[^\]]*\]/g, 'c');
  const unbounded = withoutClasses.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  // A bounded repetition of something that itself repeats multiplies.
  return /\)\??\{/.test(withoutClasses) ? unbounded + 1 : unbounded;
}
