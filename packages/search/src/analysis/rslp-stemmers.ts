// Stemmers that go through steps of suffix rules with exceptions: Portuguese (V. M. Orengo and C. Huyck, "A Stemming Algorithm for the
// Portuguese Language": RSLP, Removedor de Sufixos da Língua Portuguesa) and Galician (Biblioteca Virtual Galega, "Regras do lematizador
// para o galego"). The rules are those of Lucene's analyzers, and so are the stems.
import { wordsOf } from '@lockstitch/kernel';
import RSLP from './data/rslp.json' with { type: 'json' };
import { letters } from './suffix-rules.ts';

/** One step of a stemmer: the first of its rules that fits is applied. */
interface RslpStep {
  /** `words` if the exceptions of the rules are whole words; else they are ends of words. */
  readonly exceptions: string;
  /** Shorter words are left alone. */
  readonly least?: number;
  /** Words that end otherwise are left alone. */
  readonly only?: string;
  /** Each `suffix, least letters before it, what takes its place (- is nothing)`, with `! exceptions`. */
  readonly rules: readonly string[];
}

type Step = (word: string) => string;

function createStep({ exceptions, least = 0, only = '', rules }: RslpStep): Step {
  const ends = only.split(' ');
  const read = rules.map((rule) => {
    const [head = '', excepted = ''] = rule.split('!');
    const [suffix = '', before, put = '-'] = wordsOf(head);
    const kept = new Set(wordsOf(excepted));
    kept.delete('');
    const isKept =
      exceptions === 'words'
        ? (word: string): boolean => kept.has(word)
        : (word: string): boolean => Array.from(kept).some((end) => word.endsWith(end));
    return { suffix, least: Number(before) + suffix.length, put: put === '-' ? '' : put, isKept };
  });
  return (word) => {
    if (word.length < least || !ends.some((end) => word.endsWith(end))) return word;
    const rule = read.find((each) => word.length >= each.least && word.endsWith(each.suffix) && !each.isKept(word));
    return rule === undefined ? word : word.slice(0, word.length - rule.suffix.length) + rule.put;
  };
}

/** Reads the rules when they are first needed. */
function steps(table: Readonly<Record<string, RslpStep>>): (name: string, word: string) => string {
  const made = new Map<string, Step>();
  return (name, word) => {
    let step = made.get(name);
    if (step === undefined) made.set(name, (step = createStep(table[name]!)));
    return step(word);
  };
}

const portugueseStep = steps(RSLP.portuguese);
const galicianStep = steps(RSLP.galician);

const withoutPortugueseAccents = letters(
  ['àáâãäå', 'a'],
  ['ç', 'c'],
  ['èéêë', 'e'],
  ['ìíîï', 'i'],
  ['ñ', 'n'],
  ['òóôõö', 'o'],
  ['ùúûü', 'u'],
  ['ýÿ', 'y'],
);

/** `portuguese_rslp`. */
export function portugueseRslp(word: string): string {
  let left = word;
  for (const name of ['plural', 'adverb', 'feminine', 'augmentative']) left = portugueseStep(name, left);
  // A step has done something when it has made the word shorter or longer.
  const noun = portugueseStep('noun', left);
  if (noun.length === left.length) {
    const verb = portugueseStep('verb', noun);
    left = verb.length === noun.length ? portugueseStep('vowel', verb) : verb;
  } else left = noun;
  return withoutPortugueseAccents(left);
}

/** `minimal_portuguese`: plurals alone. */
export function minimalPortuguese(word: string): string {
  return portugueseStep('plural', word);
}

const withoutGalicianAccents = letters(['á', 'a'], ['éê', 'e'], ['í', 'i'], ['ó', 'o'], ['ú', 'u']);

/** `galician`. */
export function galician(word: string): string {
  let left = word;
  for (const name of ['plural', 'unification', 'adverb']) left = galicianStep(name, left);
  for (let before = ''; before.length !== left.length;) {
    before = left;
    left = galicianStep('augmentative', left);
  }
  const noun = galicianStep('noun', left);
  left = noun.length === left.length ? galicianStep('verb', noun) : noun;
  return withoutGalicianAccents(galicianStep('vowel', left));
}

/** `minimal_galician`: plurals alone. */
export function minimalGalician(word: string): string {
  return galicianStep('plural', word);
}
