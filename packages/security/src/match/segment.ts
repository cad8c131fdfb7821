// Matches one segment of an Ant pattern (`*.html`, `{id:\d+}`, `{x}-{y}`) against one path segment, as Spring's
// AntPathMatcher: `?` one character, `*` any, `{name}` any and captured, `{name:regex}` by the regex.
import { securityErrors } from '../errors/chain-errors.ts';
import { foldCase } from './path-view.ts';
import { compileRegex } from './safe-regex.ts';

export interface SegmentPattern {
  readonly text: string;
  /** The exact text if the segment has no wildcard and no variable. */
  readonly literal: string | undefined;
  readonly variables: readonly string[];
  matches(segment: string): boolean;
  /** Values of the variables in order; undefined if they cannot be separated. */
  capture(segment: string): readonly string[] | undefined;
}

/** As in AntPathMatcher: `?`, `*`, or `{…}` with at most one level of braces inside. */
const PIECES = /\?|\*|\{((?:\{[^/]+?\}|[^/{}]|\\[{}])+?)\}/g;

/** @throws ProductError SECURITY_PATTERN_INVALID */
export function compileSegment(text: string, caseSensitive: boolean, matcher: string, pattern: string): SegmentPattern {
  const variables: string[] = [];
  let source = '';
  let end = 0;
  let pieces = 0;
  let custom = false;
  for (const piece of text.matchAll(PIECES)) {
    source += literalSource(text.slice(end, piece.index), matcher, pattern);
    end = piece.index + piece[0].length;
    pieces += 1;
    if (piece[0] === '?') source += '.';
    else if (piece[0] === '*') source += '.*';
    else {
      const colon = piece[1]!.indexOf(':');
      variables.push(colon < 0 ? piece[1]! : piece[1]!.slice(0, colon));
      custom ||= colon >= 0;
      source += colon < 0 ? '(.*)' : `(${piece[1]!.slice(colon + 1)})`;
    }
  }
  source += literalSource(text.slice(end), matcher, pattern);
  if (pieces === 0) return literalSegment(text, caseSensitive);
  // `*` alone and `{name}` alone: every segment.
  if (source === '.*' || source === '(.*)')
    return { text, literal: undefined, variables, matches: () => true, capture: (segment) => [segment] };
  const regex = compileRegex(source, caseSensitive, matcher, pattern);
  const whole = custom && source === `(${text.slice(text.indexOf(':') + 1, -1)})`;
  return {
    text,
    literal: undefined,
    variables,
    matches: (segment) => regex.test(segment),
    capture:
      whole && variables.length === 1 ? (segment) => [segment] : capturing(source, caseSensitive, variables.length),
  };
}

function literalSegment(text: string, caseSensitive: boolean): SegmentPattern {
  const capture = (): readonly string[] => [];
  if (caseSensitive) return { text, literal: text, variables: [], matches: (segment) => segment === text, capture };
  const folded = foldCase(text);
  return { text, literal: text, variables: [], matches: (segment) => foldCase(segment) === folded, capture };
}

function literalSource(text: string, matcher: string, pattern: string): string {
  // In Spring 5 an unclosed brace is silently a literal, and the rule never matches; in 6 it is an error. Here it is an
  // error.
  const stray = /[{}]/.exec(text)?.[0];
  if (stray !== undefined) {
    const reason = stray === '{' ? 'a "{" has no closing "}"' : 'a "}" has no opening "{"';
    throw securityErrors.create('SECURITY_PATTERN_INVALID', { matcher, pattern, reason });
  }
  return text.replace(/[\\^$.*+?()[\]|/-]/g, String.raw`\$&`);
}

/** Captures variables with a backtracking engine; segments long enough to block it capture none. */
function capturing(
  source: string,
  caseSensitive: boolean,
  count: number,
): (segment: string) => readonly string[] | undefined {
  const regex = new RegExp(`^(?:${source})$`, caseSensitive ? 's' : 'is');
  // A capturing group inside a variable's regex shifts the numbers; Spring throws then.
  const groups = (new RegExp(`${source}|`).exec('')?.length ?? 1) - 1;
  // A repeated group may take exponential time: its variables stay undefined.
  if (groups !== count || /\)[*+{]/.test(source)) return () => undefined;
  return (segment) => (segment.length > 256 ? undefined : regex.exec(segment)?.slice(1));
}
