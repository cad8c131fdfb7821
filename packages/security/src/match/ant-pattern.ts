// Matches a path against an Ant pattern exactly as Spring's AntPathMatcher 5.3 does (no trimming, separator "/"): empty
// segments are ignored, `**` spans segments, a trailing slash must be on both sides or on neither, except after `*` and
// `**`. What Spring Security's two matchers add is in matcher.ts.
import type { PathComparison, PathView } from './path-view.ts';
import { splitPath } from './path-view.ts';
import { compileSegment, type SegmentPattern } from './segment.ts';

/** A segment pattern, or `**`. */
type Part = SegmentPattern | '**';

export interface AntPattern {
  readonly text: string;
  readonly parts: readonly Part[];
  readonly variableNames: readonly string[];
  matches(view: PathView): boolean;
  /** Path variables of a matching path. */
  variables(view: PathView): Readonly<Record<string, string>>;
}

/** @throws ProductError SECURITY_PATTERN_INVALID */
export function compileAntPattern(text: string, comparison: PathComparison, matcher = 'Ant'): AntPattern {
  const parts = splitPath(text).map((part): Part =>
    part === '**' ? '**' : compileSegment(part, comparison.caseSensitive, matcher, text),
  );
  const shape: Shape = { parts, startsWithSlash: text.startsWith('/'), endsWithSlash: text.endsWith('/') };
  return {
    text,
    parts,
    variableNames: parts.flatMap((part) => (part === '**' ? [] : part.variables)),
    matches: (view) => matchParts(shape, view, undefined),
    variables(view) {
      const found: Record<string, string> = {};
      matchParts(shape, view, (part, segment) => {
        const values = part.capture(segment);
        for (const [index, name] of part.variables.entries()) {
          const value = values?.[index];
          if (value !== undefined) found[name] = value;
        }
      });
      return found;
    },
  };
}

interface Shape {
  readonly parts: readonly Part[];
  readonly startsWithSlash: boolean;
  readonly endsWithSlash: boolean;
}

type Collect = (part: SegmentPattern, segment: string) => void;

function matchParts(shape: Shape, view: PathView, collect: Collect | undefined): boolean {
  const { parts } = shape;
  const { segments } = view;
  if (view.path.startsWith('/') !== shape.startsWithSlash) return false;
  let part = 0;
  let segment = 0;
  let lastPart = parts.length - 1;
  let lastSegment = segments.length - 1;

  // Up to the first `**`.
  while (part <= lastPart && segment <= lastSegment) {
    const pattern = parts[part]!;
    if (pattern === '**') break;
    if (!matchOne(pattern, segments[segment]!, collect)) return false;
    part += 1;
    segment += 1;
  }
  if (segment > lastSegment) {
    if (part > lastPart) return shape.endsWithSlash === view.endsWithSlash;
    const rest = parts[part]!;
    if (part === lastPart && rest !== '**' && rest.text === '*' && view.endsWithSlash) return true;
    return onlyWide(parts, part, lastPart);
  }
  if (part > lastPart) return false;

  // From the end back to the last `**`.
  while (part <= lastPart && segment <= lastSegment) {
    const pattern = parts[lastPart]!;
    if (pattern === '**') break;
    if (!matchOne(pattern, segments[lastSegment]!, collect)) return false;
    if (lastPart === parts.length - 1 && shape.endsWithSlash !== view.endsWithSlash) return false;
    lastPart -= 1;
    lastSegment -= 1;
  }
  if (segment > lastSegment) return onlyWide(parts, part, lastPart);

  // Between `**` and `**`: each run of segments at its first match.
  while (part !== lastPart && segment <= lastSegment) {
    let nextWide = part + 1;
    while (nextWide <= lastPart && parts[nextWide] !== '**') nextWide += 1;
    if (nextWide === part + 1) {
      part += 1;
      continue;
    }
    const length = nextWide - part - 1;
    const found = findRun(parts, part + 1, length, segments, segment, lastSegment, collect);
    if (found < 0) return false;
    part = nextWide;
    segment = found + length;
  }
  return onlyWide(parts, part, lastPart);
}

function findRun(
  parts: readonly Part[],
  firstPart: number,
  length: number,
  segments: readonly string[],
  from: number,
  last: number,
  collect: Collect | undefined,
): number {
  for (let start = from; start + length - 1 <= last; start++) {
    let offset = 0;
    while (offset < length && matchOne(parts[firstPart + offset] as SegmentPattern, segments[start + offset]!, collect))
      offset += 1;
    if (offset === length) return start;
  }
  return -1;
}

function matchOne(pattern: SegmentPattern, segment: string, collect: Collect | undefined): boolean {
  if (!pattern.matches(segment)) return false;
  if (collect !== undefined && pattern.variables.length > 0) collect(pattern, segment);
  return true;
}

function onlyWide(parts: readonly Part[], from: number, to: number): boolean {
  for (let index = from; index <= to; index++) if (parts[index] !== '**') return false;
  return true;
}
