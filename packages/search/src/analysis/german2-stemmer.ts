// The `german2` stemmer: Snowball's of German that also reads ae, oe and ue as umlauts, as Lucene 8 has it, whose stems it gives.
import { longestOf } from './suffix-rules.ts';

const VOWELS = 'aeiouyäöü';
const isVowel = (letter: string | undefined): boolean => letter !== undefined && VOWELS.includes(letter);

const inflection = longestOf('em ern er e en es s');
const comparison = longestOf('en er st est');
const derivation = longestOf('end ung ig ik isch lich heit keit');

/** `german2`. */
export function german2(word: string): string {
  let left = prelude(word);
  const [p1, p2] = regions(left);
  let ending = inflection(left, left.length);
  let stem = left.slice(0, left.length - ending.length);
  if (ending !== '' && stem.length >= p1 && (ending !== 's' || /[bdfghklmnrt]$/.test(stem))) left = stem;
  ending = comparison(left, left.length);
  stem = left.slice(0, left.length - ending.length);
  if (ending !== '' && stem.length >= p1 && (ending !== 'st' || /...[bdfghklmnt]$/su.test(stem))) left = stem;
  left = derived(left, p1, p2);
  return left.replace(/[YUäöü]/g, (letter) => ({ Y: 'y', U: 'u', ä: 'a', ö: 'o', ü: 'u' })[letter]!);
}

/** Marks u and y between vowels as consonants, and writes umlauts as one letter, but not after q. */
function prelude(word: string): string {
  const marked = word.split('');
  for (let at = 1; at < marked.length - 1; at++) {
    if ((marked[at] === 'u' || marked[at] === 'y') && isVowel(marked[at - 1]) && isVowel(marked[at + 1]))
      marked[at] = marked[at]!.toUpperCase();
  }
  const source = marked.join('');
  let changed = '';
  for (let at = 0; at < source.length;) {
    const pair = source.slice(at, at + 2);
    if (pair === 'qu') {
      // Lucene 8 goes four letters on, and no further where there are not as many.
      if (at + 4 > source.length) return changed + source.slice(at);
      changed += source.slice(at, at + 4);
      at += 4;
    } else if (pair === 'ae' || pair === 'oe' || pair === 'ue') {
      changed += { ae: 'ä', oe: 'ö', ue: 'ü' }[pair];
      at += 2;
    } else {
      changed += source[at] === 'ß' ? 'ss' : source[at]!;
      at++;
    }
  }
  return changed;
}

/** Where R1 and R2 begin: behind the first consonant after a vowel, and behind the next one; R1 behind three letters at least. */
function regions(word: string): readonly [number, number] {
  const next = (from: number): number => {
    let at = from;
    while (at < word.length && !isVowel(word[at])) at++;
    while (at < word.length && isVowel(word[at])) at++;
    return at < word.length ? at + 1 : Infinity;
  };
  if (word.length < 3) return [word.length, word.length];
  const first = next(0);
  if (first === Infinity) return [word.length, word.length];
  const second = next(first);
  return [Math.max(3, first), Math.min(second, word.length)];
}

function derived(word: string, p1: number, p2: number): string {
  const ending = derivation(word, word.length);
  const stem = word.slice(0, word.length - ending.length);
  if (ending === '' || stem.length < p2) return word;
  const without = (end: string, from: number): string => {
    const shorter = stem.slice(0, -end.length);
    return stem.endsWith(end) && shorter.length >= from ? shorter : stem;
  };
  switch (ending) {
    case 'end':
    case 'ung':
      return /(?:^|[^e])ig$/.test(stem) ? without('ig', p2) : stem;
    case 'lich':
    case 'heit':
      return stem.endsWith('er') ? without('er', p1) : without('en', p1);
    case 'keit':
      return stem.endsWith('lich') ? without('lich', p2) : without('ig', p2);
    default:
      return stem.endsWith('e') ? word : stem;
  }
}
