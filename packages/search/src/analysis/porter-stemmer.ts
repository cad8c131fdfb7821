// Porter's stemmer of English: Lucene's PorterStemmer, which adds `bli` and `logi` to the endings of 1980, and Snowball's. Letters other
// than a to z count as consonants. Each step is linear in the length of the word.

/** Whether each letter is a vowel: `y` is one after a consonant. */
function vowelsOf(word: string): Uint8Array {
  const found = new Uint8Array(word.length);
  for (let at = 0; at < word.length; at++) {
    const letter = word[at]!;
    found[at] = Number(letter === 'y' ? at > 0 && found[at - 1] === 0 : 'aeiou'.includes(letter));
  }
  return found;
}

/** Porter's measure m: the number of vowel-consonant sequences. */
function measure(stem: string): number {
  const vowels = vowelsOf(stem);
  let count = 0;
  for (let at = 1; at < vowels.length; at++) if (vowels[at - 1] === 1 && vowels[at] === 0) count++;
  return count;
}

const hasVowel = (stem: string): boolean => vowelsOf(stem).includes(1);

function endsWithDouble(stem: string): boolean {
  return stem.length > 1 && stem.at(-1) === stem.at(-2) && vowelsOf(stem).at(-1) === 0;
}

/** Whether the end is consonant, vowel, consonant, the last not w, x or y: `hop`, `fil`. */
function endsShort(stem: string): boolean {
  if (stem.length < 3 || 'wxy'.includes(stem.at(-1)!)) return false;
  const vowels = vowelsOf(stem);
  return vowels.at(-3) === 0 && vowels.at(-2) === 1 && vowels.at(-1) === 0;
}

/** Endings with their replacements; only the first that fits is considered. */
type Endings = readonly (readonly [ending: string, instead: string])[];

const pairs = (text: string): Endings =>
  text.split(' ').map((each) => {
    const [ending = '', instead = ''] = each.split('>');
    return [ending, instead];
  });

const SECOND = pairs(
  'ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble logi>log',
);
const SECOND_OF_1980 = SECOND.flatMap(([ending, instead]): Endings =>
  ending === 'logi' ? [] : ending === 'bli' ? [['abli', 'able']] : [[ending, instead]],
);
const THIRD = pairs('icate>ic ative> alize>al iciti>ic ical>ic ful> ness>');
const FOURTH = pairs(
  'al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ion> ou> ism> ate> iti> ous> ive> ize>',
);

function replaceEnding(
  word: string,
  endings: Endings,
  isLongEnough: (stem: string, ending: string) => boolean,
): string {
  for (const [ending, instead] of endings) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    return isLongEnough(stem, ending) ? stem + instead : word;
  }
  return word;
}

/** Plurals. */
function withoutPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('s') && word.at(-2) !== 's' ? word.slice(0, -1) : word;
}

/** `ed` and `ing`. */
function withoutTense(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = ['ed', 'ing'].find((each) => word.endsWith(each));
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  if (!hasVowel(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsWithDouble(stem)) return 'lsz'.includes(stem.at(-1)!) ? stem : stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

/** A final `e`, and one of a final `ll`. */
function withoutLast(word: string): string {
  let stem = word;
  if (word.endsWith('e')) {
    const rest = word.slice(0, -1);
    const size = measure(rest);
    if (size > 1 || (size === 1 && !endsShort(rest))) stem = rest;
  }
  return stem.endsWith('ll') && measure(stem.slice(0, -1)) > 1 ? stem.slice(0, -1) : stem;
}

/** Returns Lucene's stem of a lower-case word. */
export const porter = (word: string): string => (word.length < 3 ? word : stemOf(word, SECOND));

/** Returns Snowball's stem: it has the endings of 1980 only, and cuts words of any length. */
export const snowballPorter = (word: string): string => stemOf(word, SECOND_OF_1980);

function stemOf(word: string, second: Endings): string {
  let stem = withoutTense(withoutPlural(word));
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
  stem = replaceEnding(stem, second, (rest) => measure(rest) > 0);
  stem = replaceEnding(stem, THIRD, (rest) => measure(rest) > 0);
  stem = replaceEnding(
    stem,
    FOURTH,
    (rest, ending) => measure(rest) > 1 && (ending !== 'ion' || rest.endsWith('s') || rest.endsWith('t')),
  );
  return withoutLast(stem);
}
