// Compares the engine's hit counts, first ten and float32 scores with another engine's: lines of class, query, hits, then name=score.
import type { Searcher, SearchResult } from '../../packages/search/src/collect/search-request.ts';
import { toQuery } from './queries.ts';

const printFloat = (value: number): string => String(Math.fround(value));

/** Prints how many answers are equal to the bit, and the first that are not. */
export function compareWithDump(searcher: Searcher, dump: string): void {
  let same = 0;
  let lines = 0;
  const shown: string[] = [];
  const print = ({ hits }: SearchResult): string => hits.map((hit) => `${hit.id}=${printFloat(hit.score)}`).join('\t');
  for (const line of dump.split('\n')) {
    if (line === '') continue;
    const [kind, text, hits, ...tops] = line.split('\t');
    const query = toQuery(kind!, { terms: text!.split(' '), prefix: text!, term: text! });
    const exact = searcher.search({ query, trackTotalHits: true });
    const pruned = searcher.search({ query, trackTotalHits: 1 });
    const wanted = tops
      .map((top) => {
        const at = top.lastIndexOf('=');
        return `${top.slice(0, at)}=${printFloat(Number(top.slice(at + 1)))}`;
      })
      .join('\t');
    lines++;
    if (exact.total!.value === Number(hits) && print(exact) === wanted && print(pruned) === wanted) same++;
    else if (shown.length < 6)
      shown.push(
        `${kind} "${text}": ${exact.total!.value} hits, expected ${hits}\n  ours     ${print(exact).slice(0, 300)}\n  pruned   ${print(pruned).slice(0, 300)}\n  expected ${wanted.slice(0, 300)}`,
      );
  }
  process.stdout.write(`${same} of ${lines} answers equal to the bit\n`);
  for (const text of shown) process.stdout.write(`${text}\n`);
}
