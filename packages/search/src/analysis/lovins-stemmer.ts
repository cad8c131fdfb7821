// The `lovins` stemmer of English: Julie Beth Lovins, "Development of a Stemming Algorithm" (1968), in Snowball's version. Removes the
// longest ending whose condition the stem meets, then unifies spellings. Same results as Lucene 8.
import { wordsOf } from '@lockstitch/kernel';
import ENDINGS from './data/lovins.json' with { type: 'json' };
import { longestOf } from './suffix-rules.ts';

/** Conditions on a stem, Appendix B: its least length, and its end. */
const CONDITIONS: Readonly<Record<string, readonly [least: number, end?: RegExp]>> = {
  A: [2],
  B: [3],
  C: [4],
  D: [5],
  E: [2, /[^e]$/],
  F: [3, /[^e]$/],
  G: [3, /f$/],
  H: [2, /(?:t|ll)$/],
  I: [2, /[^oe]$/],
  J: [2, /[^ae]$/],
  K: [3, /(?:l|i|u.e)$/],
  L: [2, /(?:[^uxs]|os)$/],
  M: [2, /[^acem]$/],
  N: [3, /(?:[^s]|.s)..$/],
  O: [2, /[li]$/],
  P: [2, /[^c]$/],
  Q: [3, /[^ln]$/],
  R: [2, /[nr]$/],
  S: [2, /(?:dr|[^t]t)$/],
  T: [2, /(?:s|[^o]t)$/],
  U: [2, /[lmnr]$/],
  V: [2, /c$/],
  W: [2, /[^su]$/],
  X: [2, /(?:l|i|u.e)$/],
  Y: [2, /in$/],
  Z: [2, /[^f]$/],
  AA: [2, /(?:d|f|ph|th|l|er|or|es|t)$/],
  BB: [3, /(?<!met|ryst)$/],
  CC: [2, /l$/],
};

/** The condition of each ending, Appendix A. */
const conditions = new Map(
  Object.entries(ENDINGS).flatMap(([name, list]) =>
    wordsOf(list).map((ending) => [ending, CONDITIONS[name]!] as const),
  ),
);
const longest = Math.max(...Array.from(conditions.keys(), (ending) => ending.length));

/** Spellings of stems, Appendix C: `end replacement`, and the letters that it must not follow. */
const SPELLINGS = new Map(
  `iev ief; uct uc; umpt um; rpt rb; urs ur; istr ister; metr meter; olv olut; ul l aio; bex bic; dex dic; pex pic; tex tic; ax ac; ex ec;
  ix ic; lux luc; uad uas; vad vas; cid cis; lid lis; erid eris; pand pans; end ens s; ond ons; lud lus; rud rus; her hes pt; mit mis;
  ent ens m; ert ers; et es n; yt ys; yz ys`
    .split(';')
    .map((line) => {
      const [end = '', put = '', not = ''] = wordsOf(line);
      return [end, { put, not }] as const;
    }),
);
const spelling = longestOf(Array.from(SPELLINGS.keys()).join(' '));

/** `lovins`. */
export function lovins(word: string): string {
  let left = word;
  for (let size = Math.min(longest, word.length); size > 0; size--) {
    const condition = conditions.get(word.slice(-size));
    const stem = word.slice(0, -size);
    if (condition !== undefined && stem.length >= condition[0] && condition[1]?.test(stem) !== false) {
      left = stem;
      break;
    }
  }
  left = left.replace(/([bdglmnprst])\1$/, '$1');
  const end = spelling(left, left.length);
  const spelled = SPELLINGS.get(end);
  if (spelled === undefined) return left;
  const before = left.slice(0, -end.length);
  return before !== '' && spelled.not.includes(before.slice(-1)) ? left : before + spelled.put;
}
