// The token filter `flatten_graph`: makes a row of positions of a graph, so that an index can hold it (Lucene's FlattenGraphFilter).
import type { Token } from './token.ts';
import type { TokenFilter } from './token-filter.ts';

/** Positions of the graph that become one. */
interface Merged {
  /** In the order in which they came to be here. */
  readonly nodes: number[];
  /** As tight as the tokens that leave and arrive say. */
  start: number;
  end: number;
}

export const flattenGraph: TokenFilter = (tokens) => {
  const merged: Merged[] = [{ nodes: [0], start: 0, end: -1 }];
  /** Of each position of the graph: where it goes, and the tokens that leave it. */
  const places = new Map<number, number>([[0, 0]]);
  const leaving = new Map<number, Token[]>();
  const at = (place: number): Merged => (merged[place] ??= { nodes: [], start: -1, end: -1 });
  for (const token of tokens) {
    const from = token.position;
    const to = from + (token.positionLength ?? 1);
    let place = places.get(from);
    if (place === undefined) {
      // Behind a hole no token tells where a position is.
      place = merged.length;
      places.set(from, place);
      at(place).nodes.push(from);
      at(place).start = token.start;
    } else {
      at(place).start = Math.max(at(place).start, token.start);
    }
    leaving.set(from, [...(leaving.get(from) ?? []), token]);
    let end = places.get(to);
    if (end === undefined || place + 1 > end) {
      if (end !== undefined) at(end).nodes.splice(at(end).nodes.indexOf(to), 1);
      end = place + 1;
      at(end).nodes.push(to);
      places.set(to, end);
    }
    const target = at(end);
    if (target.end < 0 || token.end < target.end) target.end = token.end;
  }
  const found: Token[] = [];
  let lastStart = 0;
  merged.forEach(({ nodes, start: own }, place) => {
    for (const token of nodes.flatMap((node) => leaving.get(node) ?? [])) {
      const to = places.get(token.position + (token.positionLength ?? 1)) ?? place + 1;
      const start = Math.max(lastStart, own);
      lastStart = start;
      const { positionLength: _length, ...rest } = token;
      const length = to - place === 1 ? {} : { positionLength: to - place };
      found.push({ ...rest, ...length, position: place, start, end: Math.max(start, merged[to]!.end) });
    }
  });
  return found;
};
