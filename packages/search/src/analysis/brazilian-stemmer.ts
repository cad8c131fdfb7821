// The stemmer of Elasticsearch's `brazilian` analyzer: endings of nouns and verbs within the regions R1, R2 and RV that Snowball's
// stemmers have, off a word without accents. It gives what Lucene 8's gives, whose slips belong to it: they are named where they are.
import { wordsOf } from '@lockstitch/kernel';
import { letters } from './suffix-rules.ts';

type Region = 'R1' | 'R2' | 'RV';

/** `[region the ending must lie in, ending, what takes its place]`, longer endings first. */
type RegionRule = readonly [region: Region, ending: string, put: string];

const inR2 = (list: string, put = ''): RegionRule[] => wordsOf(list).map((ending) => ['R2', ending, put]);

const NOUNS: readonly RegionRule[] = [
  ...inR2('uciones', 'u'),
  ...inR2('imentos amentos adores adoras'),
  // Lucene finds this ending and leaves it.
  ...inR2('logias', 'logias'),
  ...inR2('encias', 'ente'),
  ['R1', 'amente', ''],
  ...inR2('idades acoes imento amento adora ismos istas'),
  ...inR2('logia', 'log'),
  ...inR2('ucion', 'u'),
  ...inR2('encia', 'ente'),
  ...inR2('mente idade acao ezas icos icas ismo avel ivel ista osos osas ador ivas ivos'),
  ['RV', 'iras', 'ir'],
  ...inR2('eza ico ica oso osa iva ivo'),
  ['RV', 'ira', 'ir'],
];

const VERBS = wordsOf(`
  issemos essemos assemos ariamos eriamos iriamos
  iremos eremos aremos avamos iramos eramos aramos asseis esseis isseis arieis erieis irieis
  irmos iamos armos ermos areis ereis ireis asses esses isses astes assem essem issem ardes erdes irdes ariam eriam iriam arias erias
  irias estes istes aveis
  aria eria iria asse esse isse aste este iste arei erei irei aram eram iram avam arem erem irem ando endo indo arao erao irao adas idas
  aras eras iras avas ares eres ires ados idos amos emos imos ieis
  ada ida ara era ira iam ado ido ias ais eis ear
  ia ei am em ar er ir as es is eu iu ou`);

const plain = letters(['áâã', 'a'], ['éê', 'e'], ['í', 'i'], ['óôõ', 'o'], ['úü', 'u'], ['ç', 'c'], ['ñ', 'n']);
const isVowel = (letter: string | undefined): boolean => letter !== undefined && 'aeiou'.includes(letter);

/** `brazilian`. Words of less than three or more than 29 letters stay as they are. */
export function brazilian(term: string): string {
  let word = plain(term.toLowerCase());
  if (word.length > 1) word = word.replace(/^["'\-,;.?!]/, '');
  if (word.length > 1) word = word.replace(/["'\-,;.?!]$/, '');
  if (word.length < 3 || word.length > 29) return term;
  if (!/^\p{L}+$/u.test(word) || /[\ud800-\udfff]/.test(word)) return word;
  const first = r1(word);
  const regions = { R1: first, R2: first === undefined ? undefined : r1(first), RV: rv(word) };
  const noun = NOUNS.find(
    ([region, ending]) =>
      regions[region]?.endsWith(ending) === true && (region !== 'RV' || word.endsWith(`e${ending}`)),
  );
  const verb = noun === undefined ? VERBS.find((ending) => regions.RV?.endsWith(ending)) : undefined;
  if (noun !== undefined) word = word.slice(0, -noun[1].length) + noun[2];
  // Lucene looks for `ava` where it has found `ira`.
  else if (verb !== undefined && verb !== 'ira') word = word.slice(0, -verb.length);
  return regions.RV === undefined ? word : residue(word, regions.RV, noun !== undefined || verb !== undefined);
}

/** The last vowel; the region is the one of the whole word, of which its endings may have gone. */
function residue(word: string, region: string, altered: boolean): string {
  const without = (from: string, ending: string): string =>
    from.endsWith(ending) ? from.slice(0, from.length - ending.length) : from;
  let left = word;
  if (altered) {
    if (region.endsWith('ci')) left = without(left, 'i');
  } else {
    const ending = ['os', 'a', 'i', 'o'].find((each) => region.endsWith(each));
    if (ending !== undefined) left = without(left, ending);
  }
  if (!region.endsWith('e')) return left;
  left = without(left, 'e');
  if (region.endsWith('gue')) return without(left, 'u');
  return region.endsWith('cie') ? without(left, 'i') : left;
}

/** What follows the first consonant after a vowel, of which something has to be left. */
function r1(word: string): string | undefined {
  const last = word.length - 1;
  let at = 0;
  while (at < last && !isVowel(word[at])) at++;
  while (at < last && isVowel(word[at])) at++;
  return at < last ? word.slice(at + 1) : undefined;
}

/** After a consonant in second place what follows the next vowel; after two vowels the next consonant; else all but three letters. */
function rv(word: string): string | undefined {
  const last = word.length - 1;
  let at = 2;
  if (!isVowel(word[1])) {
    while (at < last && !isVowel(word[at])) at++;
    if (at < last) return word.slice(at + 1);
  } else if (isVowel(word[0])) {
    while (at < last && isVowel(word[at])) at++;
    if (at < last) return word.slice(at + 1);
  }
  return last > 2 ? word.slice(3) : undefined;
}
