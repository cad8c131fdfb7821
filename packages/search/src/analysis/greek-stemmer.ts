// The stemmer of Elasticsearch's `greek` analyzer: Georgios Ntais, "Development of a Stemmer for the Greek Language" (2006), over words
// without accents in small letters. It gives what Lucene 8's gives.
import { wordsOf } from '@lockstitch/kernel';
import { lowerCase } from './letter-case.ts';
import RULE_LINES from './data/greek.json' with { type: 'json' };
import { applyRules, letters, longestFirst, rules } from './suffix-rules.ts';

const withoutAccents = letters(
  ['άΆ', 'α'],
  ['έΈ', 'ε'],
  ['ήΉ', 'η'],
  ['ίΊϊΪΐ', 'ι'],
  ['ύΎϋΫΰ', 'υ'],
  ['όΌ', 'ο'],
  ['ώΏ', 'ω'],
  ['ς', 'σ'],
);

/** `lowercase` for Greek: without accents, and with one sigma. */
export function greekLowercase(word: string): string {
  return withoutAccents(lowerCase(word));
}

/**
 * Endings that go, and what of them comes back, after which stems. A stem is written whole, or with a hyphen by its end: `-` alone is each.
 */
interface Rule {
  /** Endings in the notation of `rules`. */
  readonly cut: string;
  readonly back?: string;
  readonly after?: string;
  readonly notAfter?: string;
}

const RULES: readonly Rule[] = RULE_LINES;

/** What goes off a word that none of the rules has shortened. */
const REST = longestFirst(
  1,
  `
  ιοντουσαν ιομασταν ιοσασταν ιουμαστε οντουσαν ιεμαστε ιεσαστε ιομουνα ιοσαστε ιοσουνα ιουνται ιουνταν ηθηκατε ομασταν οσασταν ουμαστε
  ιομουν ιονταν ιοσουν ηθειτε ηθηκαν ομουνα οσαστε οσουνα ουνται ουνταν ουσατε αγατε ιεμαι ιεται ιεσαι ιοταν ιουμα ηθεισ ηθουν ηκατε
  ησατε ησουν ομουν ονται ονταν οσουν ουμαι ουσαν αγαν αμαι ασαι αται ειτε εσαι εται ηδεσ ηδων ηθει ηκαν ησαν ησει ησεσ ομαι οταν αει
  εισ ηθω ησω ουν ουσ αν ασ αω ει εσ ησ οι οσ ου υσ ων α ε η ι ο υ ω`,
);

/** Degrees of adjectives. */
const DEGREES = rules('0 εστερ|εστατ|οτερ|οτατ|υτερ|υτατ|ωτερ|ωτατ');

type Stems = (stem: string) => boolean;

function stems(list: string): Stems {
  const whole = new Set<string>();
  const ends: string[] = [];
  for (const word of wordsOf(list)) {
    if (word.startsWith('-')) ends.push(word.slice(1));
    else whole.add(word);
  }
  return (stem) => whole.has(stem) || ends.some((end) => stem.endsWith(end));
}

const no: Stems = () => false;
const steps = RULES.map(({ cut, back = '', after, notAfter }) => ({
  cut: rules(cut),
  back,
  after: after === undefined ? no : stems(after),
  notAfter: notAfter === undefined ? no : stems(notAfter),
}));

/** `greek`, of a word that went through `greekLowercase`; less than four letters stay. */
export function greek(word: string): string {
  if (word.length < 4) return word;
  let left = word;
  for (const { cut, back, after, notAfter } of steps) {
    const stem = applyRules(cut, left);
    if (stem !== left) left = after(stem) && !notAfter(stem) ? stem + back : stem;
  }
  if (left.length === word.length) left = applyRules(REST, left);
  return applyRules(DEGREES, left);
}
