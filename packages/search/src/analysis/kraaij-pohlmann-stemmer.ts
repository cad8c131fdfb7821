// The `kp` stemmer of Dutch: Wessel Kraaij and Renée Pohlmann, "Porter's stemming algorithm for Dutch" (1994), as Snowball words it. Endings
// go in four steps, vowels are doubled again where that leaves one alone, and `ge` goes at the beginning and within. It gives what Lucene
// 8's gives.
import { longestOf } from './suffix-rules.ts';

const VOWELS = 'aeiouy';
const isVowel = (letter: string | undefined): boolean => letter !== undefined && VOWELS.includes(letter);
const endsInVowel = (stem: string): boolean => /(?:[aeiouy]|ij)$/.test(stem);
const endsInConsonant = (stem: string): boolean => stem !== '' && !endsInVowel(stem);

/** Doubles the vowel of a last syllable that has become closed: `man` of `manen` is `maan`. */
function lengthen(stem: string): string {
  const long = (before: string): boolean =>
    before === '' || (!isVowel(before.at(-1)) && !/(?:[aiou]|[^aeiouy][aiou].)$/su.test(before.slice(0, -1)));
  const last = stem.at(-1);
  const vowel = stem.at(-2);
  if (last === undefined || vowel === undefined || `${VOWELS}wx`.includes(last)) return stem;
  const before = stem.slice(0, -2);
  if ('aou'.includes(vowel) ? isVowel(before.at(-1)) : vowel !== 'e' || !long(before)) return stem;
  return `${before}${vowel}${vowel}${last}`;
}

/** A word on its way: its letters, and where R1 and R2 begin in it. */
interface State {
  readonly word: string;
  readonly p1: number;
  readonly p2: number;
}

/** What a stem and the ending after it become, or undefined when the ending stays. */
type Step = (stem: string, ending: string, state: State) => string | undefined;

const when = (condition: boolean, result: string): string | undefined => (condition ? result : undefined);

const first: Step = (stem, ending, { p1 }) => {
  const inR1 = stem.length >= p1;
  /** The stem without more letters, if it ends in them. */
  const cut = (letters: string): string | undefined =>
    stem.endsWith(letters) ? stem.slice(0, -letters.length) : undefined;
  const inR1Consonant = (left: string | undefined): left is string =>
    left !== undefined && left.length >= p1 && endsInConsonant(left);
  switch (ending) {
    case "'s":
      return stem;
    case 's':
      return when(inR1 && !(stem.endsWith('t') && stem.length - 1 >= p1) && endsInConsonant(stem), stem);
    case 'ies':
      return when(inR1, `${stem}ie`);
    case 'es': {
      const ar = cut('ar');
      if (inR1Consonant(ar)) return lengthen(ar);
      const er = cut('er');
      if (inR1Consonant(er)) return er;
      return when(inR1Consonant(stem), `${stem}e`);
    }
    case 'aus':
      return when(inR1 && endsInVowel(stem), `${stem}au`);
    case 'nde':
      return `${stem}nd`;
    default: {
      const hed = cut('hed');
      if (hed !== undefined && hed.length >= p1) return `${hed}heid`;
      if (stem.endsWith('nd')) return stem;
      const d = cut('d');
      if (inR1Consonant(d)) return d;
      if (/[ij]$/.test(stem) && endsInVowel(stem.slice(0, -1))) return stem;
      return when(inR1Consonant(stem), lengthen(stem));
    }
  }
};

/** Diminutives. */
function diminutive(stem: string, p1: number): string | undefined {
  if (stem.endsWith("'t")) return stem.slice(0, -2);
  const et = stem.slice(0, -2);
  if (stem.endsWith('et') && et.length >= p1 && endsInConsonant(et)) return et;
  if (stem.endsWith('rnt')) return stem.slice(0, -1);
  const shorter = stem.slice(0, -1);
  if (stem.endsWith('t') && shorter.length >= p1 && shorter !== '' && endsInVowel(shorter.slice(0, -1))) return shorter;
  if (stem.endsWith('ink')) return `${shorter}g`;
  if (stem.endsWith('mp')) return shorter;
  if (stem.endsWith("'") && shorter.length >= p1) return shorter;
  return when(stem.length >= p1 && endsInConsonant(stem), stem);
}

const second: Step = (stem, ending, { p1 }) => {
  if (ending === 'je') return diminutive(stem, p1);
  if (stem.length < p1) return undefined;
  switch (ending) {
    case 'de':
      return when(endsInConsonant(stem), stem);
    case 'le':
      return lengthen(`${stem}l`);
    case 'ene':
      return when(endsInConsonant(stem), lengthen(`${stem}en`));
    case 'ieve':
      return when(endsInConsonant(stem), `${stem}ief`);
    default:
      return stem + ending.slice(0, -1);
  }
};

const third: Step = (stem, ending, { p1, p2 }) => {
  if (ending === 'rder') return `${stem}r`;
  if (stem.length < p1) return undefined;
  switch (ending) {
    case 'atie':
      return `${stem}eer`;
    case 'heid':
    case 'sel':
    case 'ster':
      return stem;
    case 'arij':
      return when(endsInConsonant(stem), `${stem}aar`);
    case 'fie':
    case 'gie':
      return when(stem.length >= p2, lengthen(stem + ending[0]!));
    case 'tst':
    case 'dst':
      return when(endsInConsonant(stem), stem + ending[0]!);
    default:
      return lengthen(stem);
  }
};

const ADJECTIVES: Readonly<Record<string, string>> = {
  ioneel: 'ie',
  atief: 'eer',
  tant: 'teer',
  lijker: 'lijk',
  lijkst: 'lijk',
  baar: '',
  achtig: '',
  achtiger: '',
  achtigst: '',
};

const fourth: Step = (stem, ending, { p1 }) => {
  if (stem.length < p1) return undefined;
  const put = ADJECTIVES[ending];
  if (put !== undefined) return stem + put;
  if (ending.endsWith('aar')) return when(endsInVowel(stem), stem + ending[0]!);
  return when(endsInConsonant(stem), lengthen(stem));
};

const STEPS: readonly (readonly [find: ReturnType<typeof longestOf>, step: Step])[][] = [
  [[longestOf("nde en s 's es ies aus"), first]],
  [[longestOf('de ge ische je lijke le ene re se te ieve'), second]],
  [[longestOf('heid fie gie atie isme ing arij erij sel rder ster iteit dst tst'), third]],
  [
    [
      longestOf('end atief erig achtig ioneel baar laar naar raar eriger achtiger lijker tant erigst achtigst lijkst'),
      fourth,
    ],
    [longestOf('ig iger igst'), (stem, _, { p1 }) => when(stem.length >= p1 && endsInConsonant(stem), lengthen(stem))],
  ],
];

/** `kp`. */
export function kraaijPohlmann(word: string): string {
  let left = markY(word);
  let [p1, p2] = measure(left);
  let stemmed = false;
  for (const alternatives of STEPS) {
    for (const [find, step] of alternatives) {
      const ending = find(left, left.length);
      if (ending === '') continue;
      const changed = step(left.slice(0, -ending.length), ending, { word: left, p1, p2 });
      if (changed === undefined) continue;
      left = changed;
      stemmed = true;
      break;
    }
  }
  /** Takes `ge` out at a place, if three letters follow and a consonant after a vowel. */
  const losePrefix = (at: number): boolean => {
    const rest = left.slice(at + 2);
    if (at < 0 || rest.length < 3 || !/[aeiouy][aeiouy]*[^aeiouy]/.test(rest)) return false;
    left = left.slice(0, at) + rest;
    [p1, p2] = measure(left);
    const end = /[dt]$/.exec(left)?.[0];
    const stem = left.slice(0, -1);
    if (end !== undefined && stem.length >= p1 && endsInConsonant(stem)) {
      const kept = stem.endsWith(end === 'd' ? 'n' : 'h') && stem.length - 1 >= p1;
      if (!kept) left = stem;
    }
    return true;
  };
  if (left.startsWith('ge')) losePrefix(0);
  const infixed = losePrefix(left.indexOf('ge', 1));
  if (/[kfp]t$/.test(left)) {
    left = left.slice(0, -1);
    stemmed = true;
  }
  if (stemmed || infixed)
    left = left.replace(/([b-df-hj-np-tv-xz])\1$|[vz]$/, (end, letter: string | undefined) =>
      letter === undefined ? (end === 'v' ? 'f' : 's') : letter,
    );
  return left.replaceAll('Y', 'y');
}

/** Marks y at the beginning and after vowels as a consonant. */
function markY(word: string): string {
  let marked = '';
  for (const letter of word) marked += letter === 'y' && (marked === '' || isVowel(marked.at(-1))) ? 'Y' : letter;
  return marked;
}

/** Where R1 and R2 begin: behind the first consonant after a vowel, and behind the next one. */
function measure(word: string): [p1: number, p2: number] {
  const next = (from: number): number => {
    let at = from;
    while (at < word.length && !isVowel(word[at])) at++;
    const vowels = at;
    for (;;) {
      if (word.startsWith('ij', at)) at += 2;
      else if (isVowel(word[at])) at++;
      else break;
    }
    return at > vowels && at < word.length ? at + 1 : -1;
  };
  const p1 = next(0);
  if (p1 < 0) return [word.length, word.length];
  const p2 = next(p1);
  return [p1, p2 < 0 ? word.length : p2];
}
