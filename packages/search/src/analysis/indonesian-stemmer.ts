// The stemmer of Elasticsearch's `indonesian` analyzer: Fadillah Z. Tala, "A Study of Stemming Effects on Information Retrieval in
// Bahasa Indonesia" (2003). Particles and possessives, then prefixes and suffixes as far as they go together, while more than two
// syllables are left. It gives what Lucene 8's gives.
import { wordsOf } from '@lockstitch/kernel';

/** `[prefix, what takes its place, its name]`; a name forbids some of the suffixes. */
type Prefix = readonly [start: RegExp, put: string, name: string];

const FIRST: readonly Prefix[] = [
  [/^meng/, '', 'meng'],
  [/^meny(?=[aeiou])/, 's', 'meng'],
  [/^me[mn]/, '', 'meng'],
  [/^me/, '', 'meng'],
  [/^peng/, '', 'peng'],
  [/^peny(?=[aeiou])/, 's', 'peng'],
  [/^peny/, '', 'peng'],
  [/^pen(?=[aeiou])/, 't', 'peng'],
  [/^pe[mn]/, '', 'peng'],
  [/^di/, '', 'di'],
  [/^ter/, '', 'ter'],
  [/^ke/, '', 'ke'],
];
const SECOND: readonly Prefix[] = [
  [/^ber/, '', 'ber'],
  [/^bel(?=ajar$)/, '', 'ber'],
  [/^be(?=[^aeiou]er)/, '', 'ber'],
  [/^per/, '', 'per'],
  [/^pel(?=ajar$)/, '', 'per'],
  [/^pe/, '', 'pe'],
];
/** `[ending, prefixes it does not go with]`. */
const SUFFIXES: readonly (readonly [ending: RegExp, not: readonly string[]])[] = [
  [/kan$/, wordsOf('ke peng pe')],
  [/an$/, wordsOf('di meng ter')],
  [/(?<!s)i$/, wordsOf('ber ke peng')],
];

/** `indonesian`. */
export function indonesian(term: string): string {
  let word = term;
  let syllables = word.match(/[aeiou]/g)?.length ?? 0;
  const removed = new Set<string>();
  /** Each piece that goes is counted as one syllable. */
  const change = (pattern: RegExp, put = ''): boolean => {
    if (syllables <= 2 || !pattern.test(word)) return false;
    word = word.replace(pattern, put);
    syllables--;
    return true;
  };
  const prefix = (table: readonly Prefix[]): boolean =>
    table.some(([start, put, name]) => change(start, put) && removed.add(name).size > 0);
  const suffix = (): boolean =>
    SUFFIXES.some(([ending, not]) => !not.some((name) => removed.has(name)) && change(ending));
  change(/(?:kah|lah|pun)$/);
  change(/(?:ku|mu|nya)$/);
  if (prefix(FIRST)) {
    if (suffix()) prefix(SECOND);
  } else {
    prefix(SECOND);
    suffix();
  }
  return word;
}
