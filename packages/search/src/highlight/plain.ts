// Lucene's plain highlighter as Elasticsearch uses it: fragments of about one size, without regard to sentences.
import type { Span } from '../query/span-lists.ts';
import type { Match } from './passages.ts';

/** A word of a text. */
export interface Token {
  readonly start: number;
  readonly end: number;
  readonly position: number;
}

/** Options of cutting a text. */
export interface Cut {
  /** Approximate characters of a fragment. */
  readonly size: number;
  /** Whether a fragment may end between the words of one match (`simple`), or not (`span`); `whole`: there is one fragment. */
  readonly how: 'simple' | 'span' | 'whole';
}

/** A fragment: its range, its marks, and the number of query words in it. */
export interface Fragment {
  readonly start: number;
  readonly end: number;
  readonly marks: readonly Match[];
  readonly score: number;
}

/**
 * Cuts a text into fragments and keeps the best, best first.
 *
 * @param tokens in the order of the text
 * @param matchOf the match at the place of a token
 * @param spansOf the spans in which a token's term matches, if its position matters
 */
export function chooseFragments(
  length: number,
  tokens: readonly Token[],
  matchOf: (at: number) => Match | undefined,
  spansOf: (at: number) => readonly Span[],
  { how, size }: Cut,
  most: number,
): readonly Fragment[] {
  const fragments: Fragment[] = [];
  let start = 0;
  let marks: Match[] = [];
  let terms = new Set<string>();
  let written = 0;
  let group: { start: number; end: number; match: Match | undefined } | undefined;
  const flush = (): void => {
    if (group === undefined) return;
    if (group.match !== undefined) marks.push({ ...group.match, start: group.start, end: group.end });
    written = Math.max(written, group.end);
    group = undefined;
  };
  const isNew = newFragments(length, tokens, spansOf, how, size);
  tokens.forEach((token, at) => {
    if (group !== undefined && token.start >= group.end) {
      flush();
      if (isNew(at)) {
        fragments.push({ start, end: written, marks, score: terms.size });
        start = written;
        marks = [];
        terms = new Set();
      }
    }
    const match = matchOf(at);
    if (match !== undefined) terms.add(match.term);
    // Overlapping tokens form one group; only its scored part is marked.
    if (group === undefined) group = { start: token.start, end: token.end, match };
    else if (match !== undefined && group.match === undefined) group = { start: token.start, end: token.end, match };
    else if (match !== undefined || group.match === undefined)
      group = { ...group, start: Math.min(group.start, token.start), end: Math.max(group.end, token.end) };
  });
  flush();
  fragments.push({ start, end: length, marks, score: terms.size });
  return fragments
    .map((fragment, at) => ({ fragment, at }))
    .sort((a, b) => b.fragment.score - a.fragment.score || a.at - b.at)
    .slice(0, most)
    .map(({ fragment }) => fragment)
    .filter(({ score }) => score > 0);
}

/** Whether a fragment starts at a token; called for tokens in order. */
function newFragments(
  length: number,
  tokens: readonly Token[],
  spansOf: (at: number) => readonly Span[],
  how: Cut['how'],
  size: number,
): (at: number) => boolean {
  if (how === 'whole') return () => false;
  let count = 1;
  let waitsFor = -1;
  // Lucene adds the position increments of the tokens after the first.
  let counted = -1;
  return (at) => {
    const { end, position } = tokens[at]!;
    counted += position - (tokens[at - 1]?.position ?? -1);
    if (how === 'simple') {
      if (end < size * count) return false;
      count++;
      return true;
    }
    if (waitsFor <= counted) waitsFor = -1;
    else if (waitsFor !== -1) return false;
    const begun = spansOf(at).find((span) => span.start === counted);
    if (begun !== undefined) waitsFor = begun.end;
    if (end < size * count || length - end < size >>> 1) return false;
    count++;
    return true;
  };
}
