// The light stemmers that Elasticsearch's analyzers of French, German, Italian, Portuguese and Spanish use, and those of Hungarian and
// Russian: Jacques Savoy, "Light Stemming Approaches for the French, Portuguese, German and Hungarian Languages", "Report on CLEF-2001
// Experiments", and with Ljiljana Dolamic "Indexing and Searching Strategies for the Russian Language". They take off plurals and the usual
// endings, not whole derivations as Snowball's do; the minimal ones take off plurals alone. They give the stems that Lucene 8's give.
import { applyRules, letters, longestFirst, rules } from './suffix-rules.ts';

const plainVowels = letters(['àáâä', 'a'], ['òóôö', 'o'], ['èéêë', 'e'], ['ùúûü', 'u'], ['ìíîï', 'i']);

/** Rules in the order of their precedence; those that go on change what the later ones see. */
const FRENCH = rules(`
  9 issement ir, 8 issant ir, 6 ivement if, 6 ement e, 11 ficatrice fier, 10 ficateur fier, 9 catrice quer,
  8 cateur quer, 8 atrice er, 7 ateur er, 6 trice teur on, 5 ième, 7 teuse ter, 6 teur ter, 5 euse eu, 8 ère er,
  7 ive if, 4 folle fou, 4 molle mou, 9 nnelle|nnel n, 4 ète et on, 8 ique - on, 8 esse e, 7 inage in,
  12 ualisation uel, 9 isation|isateur, 8 ation|ition`);

const withoutFrenchAccents = letters(['àáâ', 'a'], ['ô', 'o'], ['èéê', 'e'], ['ùû', 'u'], ['î', 'i'], ['ç', 'c']);

/** `light_french`. */
export function lightFrench(word: string): string {
  let left = word;
  if (left.length > 5 && left.endsWith('x'))
    left = left.replace(/(?<!e)aux$|x$/, (ending) => (ending === 'x' ? '' : 'al'));
  if (left.length > 3 && left.endsWith('x')) left = left.slice(0, -1);
  if (left.length > 3 && left.endsWith('s')) left = left.slice(0, -1);
  return frenchNorm(applyRules(FRENCH, left));
}

/** Spelling made alike: no accents, no letter twice, no last e. */
function frenchNorm(word: string): string {
  let left = word;
  if (left.length > 4) left = withoutFrenchAccents(left).replace(/(\p{L})\1+/gu, '$1');
  if (left.length > 4 && left.endsWith('ie')) left = left.slice(0, -2);
  return left.length > 4 ? left.replace(/e{0,2}r?$/, '').replace(/(\p{L})\1$/u, '$1') : left;
}

const withoutGermanAccents = letters(['äàáâ', 'a'], ['öòóô', 'o'], ['ïìíî', 'i'], ['üùúû', 'u']);
const GERMAN_FIRST = rules(`
  5 ern, 4 em|en|er|es, 3 e, 3 bs b, 3 ds d, 3 fs f, 3 gs g, 3 hs h, 3 ks k, 3 ls l, 3 ms m, 3 ns n, 3 ts t`);
const GERMAN_SECOND = rules(`
  5 est, 4 er|en, 4 bst b, 4 dst d, 4 fst f, 4 gst g, 4 hst h, 4 kst k, 4 lst l, 4 mst m, 4 nst n, 4 tst t`);

/** `light_german`. */
export function lightGerman(word: string): string {
  return applyRules(GERMAN_SECOND, applyRules(GERMAN_FIRST, withoutGermanAccents(word)));
}

const SPANISH = rules('4 o|a|e, 4 eses es, 4 ces z, 4 os|as|es');

/** `light_spanish`. */
export function lightSpanish(word: string): string {
  return word.length < 5 ? word : applyRules(SPANISH, plainVowels(word));
}

const ITALIAN = rules('5 ie|he|e|hi|ii|i|ia|a|io|o');

/** `light_italian`. */
export function lightItalian(word: string): string {
  return word.length < 6 ? word : applyRules(ITALIAN, plainVowels(word));
}

const PORTUGUESE_PLURALS = rules(`
  4 res r, 4 ses s, 4 les l, 4 zes z, 3 ns m, 4 eis|éis el, 4 ais al, 4 óis ol, 4 is il, 3 ões|ães ão, 6 mente, 3 s`);
const PORTUGUESE_FEMININE = rules(`
  7 inha inho, 7 iaca iaco, 7 eira eiro, 6 osa oso, 6 ica ico, 6 ida ido, 6 ada ado, 6 iva ivo, 6 ama amo, 6 ona ão,
  6 ora or, 6 esa ês, 6 na no`);
const withoutPortugueseAccents = letters(
  ['àáâäã', 'a'],
  ['òóôöõ', 'o'],
  ['èéêë', 'e'],
  ['ùúûü', 'u'],
  ['ìíîï', 'i'],
  ['ç', 'c'],
);

/** `light_portuguese`. */
export function lightPortuguese(word: string): string {
  if (word.length < 4) return word;
  const masculine = applyRules(PORTUGUESE_FEMININE, applyRules(PORTUGUESE_PLURALS, word));
  return withoutPortugueseAccents(masculine.length > 4 ? masculine.replace(/[eao]$/, '') : masculine);
}

const plainHungarian = letters(['á', 'a'], ['ëé', 'e'], ['í', 'i'], ['óőõö', 'o'], ['úűũûü', 'u']);

/** `[more letters than, ending]`: the first that fits goes, but for its first group. */
type EndRule = readonly [more: number, ending: RegExp];

const HUNGARIAN: readonly (readonly EndRule[])[] = [
  [
    [6, /()kent$/],
    [5, /()(?:nak|nek|val|vel|ert|rol|ban|ben|bol|nal|nel|hoz|hez|tol)$/],
    [5, /([^aeiouy])\1[ae]l$/],
    [4, /()(?:at|et|ot|va|ve|ra|re|ba|be|ul|ig)$/],
    [4, /([^aeiouy])[oe]n$/],
    [4, /()[tn]$/],
    [4, /([^aeiouy])\1[ae]$/],
  ],
  [
    [6, /([^aeiouy])(?:atok|otok|etek)$/],
    [6, /()(?:itek|itok)$/],
    [5, /([^aeiouy])(?:unk|tok|tek)$/],
    [5, /([aeiouy])juk$/],
    [5, /()ink$/],
    [4, /([^aeiouy])(?:am|em|om|ad|ed|od|uk)$/],
    [4, /([aeiouy])(?:nk|ja|je)$/],
    [4, /()(?:im|id|ik)$/],
    [3, /([^aeiouy])[ae]$/],
    [3, /([aeiouy])[md]$/],
    [3, /()i$/],
  ],
  [
    [4, /()[aoe]k$/],
    [3, /()k$/],
  ],
  [[3, /()[aeio]$/]],
];

/** `light_hungarian`: case, possessive, plural, last vowel. */
export function lightHungarian(word: string): string {
  let left = plainHungarian(word);
  for (const rules of HUNGARIAN) {
    const rule = rules.find(([more, ending]) => left.length > more && ending.test(left));
    if (rule !== undefined) left = left.replace(rule[1], '$1');
  }
  return left;
}

const RUSSIAN = longestFirst(
  3,
  `
  иями оями иям иях оях ями оям оьв ами его ему ери ими ого ому ыми оев ая яя ях юю ах ею их ия ию ьв ою ую ям ых ея ам ем ей ём ев ий им
  ое ой ом ов ые ый ым ми а е и о у й ы я ь`,
);
const RUSSIAN_ENDS = rules('3 ь|и, 3 нн н');

/** `light_russian`. */
export function lightRussian(word: string): string {
  return applyRules(RUSSIAN_ENDS, applyRules(RUSSIAN, word));
}

const plainUmlauts = letters(['ä', 'a'], ['ö', 'o'], ['ü', 'u']);
const GERMAN_PLURALS = rules('6 nen, 5 en|se|es|er, 4 n|e|s|r');

/** `minimal_german`. */
export function minimalGerman(word: string): string {
  return word.length < 5 ? word : applyRules(GERMAN_PLURALS, plainUmlauts(word));
}

/** `minimal_french`. */
export function minimalFrench(word: string): string {
  if (word.length < 6) return word;
  if (word.endsWith('x')) return word.replace(/aux$/, 'alx').slice(0, -1);
  return word.replace(/é?e?r?s?$/, '').replace(/(\p{L})\1$/u, '$1');
}

/** `minimal_english`: Donna Harman's S-stemmer, "How Effective Is Suffixing?" (1991). */
export function minimalEnglish(word: string): string {
  if (word.length < 3 || !/[^us]s$/.test(word)) return word;
  if (/[^ae]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return /[iaoe]es$/.test(word) ? word : word.slice(0, -1);
}
