// The stemmer `light_english` (`kstem`): Robert Krovetz, "Viewing Morphology as an Inference Process" (1993). An ending goes when what is
// left, or left with another ending, is a word of its dictionary; a few endings go anyway. It gives what Lucene 8's gives.
import { wordsOf } from '@lockstitch/kernel';
import KSTEM from './data/kstem.json' with { type: 'json' };

/** Longer words are left alone. */
const MOST_LETTERS = 49;

interface Dictionary {
  readonly words: ReadonlySet<string>;
  readonly exceptions: ReadonlySet<string>;
  readonly roots: ReadonlyMap<string, string>;
}

let dictionary: Dictionary | undefined;

/**
 * Reads `data/kstem.json`: in `words`, a capital letter says how many letters a word shares with the one before it (A: none), `roots` are
 * `stem:forms` that no rule leads to the stem, and `exceptions` are stems of themselves alone (`planed` is no form of `plane`).
 */
function readDictionary(): Dictionary {
  const words = new Set<string>();
  let word = '';
  for (const [, shared = '', rest = ''] of KSTEM.words.join('\n').matchAll(/([A-Z])([^A-Z\n]*)/g)) {
    word = word.slice(0, shared.charCodeAt(0) - 65) + rest;
    words.add(word);
  }
  const roots = new Map<string, string>();
  for (const entry of KSTEM.roots.flatMap(wordsOf)) {
    const [root = '', forms = ''] = entry.split(':');
    for (const form of forms.split(',')) roots.set(form, root);
  }
  const exceptions = new Set(KSTEM.exceptions.flatMap(wordsOf));
  for (const each of [...exceptions, ...roots.keys()]) words.add(each);
  return { words, exceptions, roots };
}

/** `light_english`. */
export function kstem(term: string): string {
  if (term.length < 3 || term.length > MOST_LETTERS) return term;
  dictionary ??= readDictionary();
  const { words, roots } = dictionary;
  if (words.has(term)) return roots.get(term) ?? term;
  if (!/^[a-z]+$/.test(term)) return term;
  const state = new Stemming(term, dictionary);
  state.run();
  return state.found ? (roots.get(state.word) ?? state.word) : state.word;
}

/** One word on its way to its stem. */
class Stemming {
  word: string;
  /** Whether the word as it is now is one of the dictionary. */
  found = false;
  readonly #dictionary: Dictionary;

  constructor(word: string, dictionary: Dictionary) {
    this.word = word;
    this.#dictionary = dictionary;
  }

  run(): void {
    for (const step of STEPS) {
      step(this);
      if (this.found) return;
    }
  }

  /** Makes it the word. @returns whether it is one of the dictionary */
  is(candidate: string): boolean {
    this.word = candidate;
    this.found = this.#dictionary.words.has(candidate);
    return this.found;
  }

  /** Makes the first that is in the dictionary the word, and when none is, the last argument. */
  first(candidates: readonly string[], otherwise: string): void {
    for (const candidate of candidates) if (this.is(candidate)) return;
    this.word = otherwise;
  }

  /** As `is`, but words that are a stem only of themselves do not count. */
  isProper(candidate: string): boolean {
    this.word = candidate;
    if (this.#dictionary.words.has(candidate) && !this.#dictionary.exceptions.has(candidate)) this.found = true;
    return this.found;
  }

  /** What stands before an ending; undefined when the word has not that ending or nothing before it. */
  before(ending: string): string | undefined {
    const { word } = this;
    return word.length > ending.length && word.endsWith(ending) ? word.slice(0, -ending.length) : undefined;
  }
}

function isConsonant(word: string, at: number): boolean {
  const letter = word[at]!;
  if ('aeiou'.includes(letter)) return false;
  return letter !== 'y' || at === 0 || !isConsonant(word, at - 1);
}

const hasVowel = (stem: string): boolean => Array.from(stem).some((_, at) => !isConsonant(stem, at));

/** The stem with one letter of two alike, or undefined. */
function single(stem: string): string | undefined {
  const last = stem.length - 1;
  return last > 0 && stem[last] === stem[last - 1] && isConsonant(stem, last) ? stem.slice(0, -1) : undefined;
}

const some = (...candidates: readonly (string | undefined)[]): string[] =>
  candidates.filter((candidate) => candidate !== undefined);

type Step = (state: Stemming) => void;

const plural: Step = (state) => {
  const { word } = state;
  if (!word.endsWith('s')) return;
  const ies = state.before('ies');
  const es = state.before('es');
  if (ies !== undefined) {
    if (!state.is(`${ies}ie`)) state.is(`${ies}y`);
  } else if (es !== undefined) {
    const withE = es.length > 1 && !es.endsWith('ss');
    if ((withE && state.is(`${es}e`)) || state.is(es)) return;
    if (withE) state.word = `${es}e`;
    else state.is(`${es}e`);
  } else if (word.length > 3 && !word.endsWith('ss') && !word.endsWith('ous')) {
    state.is(word.slice(0, -1));
  }
};

/** What `ed` and `ing` have in common. @returns whether that settles it */
function inflected(state: Stemming, stem: string): boolean {
  if (state.isProper(`${stem}e`) || state.is(stem)) return true;
  const one = single(stem);
  if (one === undefined) return false;
  if (!state.is(one)) state.is(stem);
  return true;
}

const past: Step = (state) => {
  const { word } = state;
  if (word.length < 5) return;
  const ied = state.before('ied');
  if (ied !== undefined) {
    if (!state.is(`${ied}ie`)) state.is(`${ied}y`);
    return;
  }
  const stem = state.before('ed');
  if (stem === undefined || !hasVowel(stem) || inflected(state, stem)) return;
  state.word = stem.startsWith('un') ? word : `${stem}e`;
};

const aspect: Step = (state) => {
  const { word } = state;
  const stem = state.before('ing');
  if (word.length < 6 || stem === undefined || !hasVowel(stem) || inflected(state, stem)) return;
  const last = stem.length - 1;
  state.word = last > 0 && isConsonant(stem, last) && isConsonant(stem, last - 1) ? stem : `${stem}e`;
};

const ity: Step = (state) => {
  const { word } = state;
  const stem = state.before('ity');
  if (stem === undefined || state.is(stem) || state.is(`${stem}e`)) return;
  if (stem.endsWith('il')) state.is(`${stem.slice(0, -2)}le`);
  else if (stem.endsWith('iv')) state.is(`${stem}e`);
  else if (stem.endsWith('al')) state.is(stem);
  else state.first([word], stem);
};

const ness: Step = (state) => {
  const stem = state.before('ness');
  if (stem !== undefined) state.is(stem.replace(/i$/, 'y'));
};

const ion: Step = (state) => {
  const { word } = state;
  const stem = state.before('ion');
  if (stem === undefined) return;
  const ization = state.before('ization');
  if (ization !== undefined) {
    state.is(`${ization}ize`);
    return;
  }
  const [ition, ation, ication] = [state.before('ition'), state.before('ation'), state.before('ication')];
  state.first(
    [
      ...(ition === undefined ? [] : [`${ition}e`]),
      ...(ation === undefined ? [] : [`${ation}ate`, `${ation}e`, ation]),
      ...(ication === undefined ? [] : [`${ication}y`]),
      `${stem}e`,
      stem,
    ],
    word,
  );
};

const agent: Step = (state) => {
  const { word } = state;
  const izer = state.before('izer');
  if (izer !== undefined) {
    state.is(`${izer}ize`);
    return;
  }
  const stem = state.before('er') ?? state.before('or');
  if (stem === undefined) return;
  const shorter = stem.slice(0, -1);
  // After a stem in i Lucene takes an e for what may be an o.
  const vowel = stem.endsWith('i') ? 'e' : word.slice(-2, -1);
  state.first(
    some(
      single(stem),
      stem.endsWith('i') ? `${shorter}y` : undefined,
      stem.endsWith('e') ? shorter : undefined,
      stem + vowel,
      stem,
      `${stem}e`,
    ),
    word,
  );
};

const ly: Step = (state) => {
  const stem = state.before('ly');
  if (stem === undefined || state.is(`${stem}le`) || state.is(stem)) return;
  if (stem.length > 1 && stem.endsWith('ab')) state.word = `${stem}le`;
  else if (stem.endsWith('i')) state.first([`${stem.slice(0, -1)}y`], stem);
};

const al: Step = (state) => {
  const { word } = state;
  const stem = state.before('al');
  if (word.length < 4 || stem === undefined) return;
  state.first(some(stem, single(stem), `${stem}e`, `${stem}um`), word);
  if (state.found) return;
  const shorter = stem.slice(0, -2);
  if (stem.endsWith('ic')) state.first([shorter, `${shorter}y`, stem], stem);
  else if (stem.endsWith('i')) state.first([stem.slice(0, -1), word], word);
};

const ive: Step = (state) => {
  // What the steps before made may be a word; Lucene looks only now.
  state.isProper(state.word);
  const { word } = state;
  const stem = state.before('ive');
  if (stem === undefined) return;
  const shorter = stem.endsWith('at') ? stem.slice(0, -2) : undefined;
  state.first(some(stem, `${stem}e`, ...(shorter === undefined ? [] : [`${shorter}e`, shorter]), `${stem}ion`), word);
};

const ize: Step = (state) => {
  const { word } = state;
  const stem = state.before('ize');
  if (stem !== undefined) state.first(some(stem, single(stem), `${stem}e`), word);
};

const ment: Step = (state) => {
  const { word } = state;
  const stem = state.before('ment');
  if (stem !== undefined) state.first([stem], word);
};

const ble: Step = (state) => {
  const { word } = state;
  const stem = state.before('able') ?? state.before('ible') ?? (/^[ai]ble$/.test(word) ? '' : undefined);
  if (stem !== undefined) state.first(some(stem, single(stem), `${stem}e`, `${stem}ate`), word);
};

const ism: Step = (state) => {
  const stem = state.before('ism');
  if (stem !== undefined) state.is(stem);
};

const ic: Step = (state) => {
  const { word } = state;
  const stem = state.before('ic');
  if (stem !== undefined) state.first([`${word}al`, `${stem}y`, `${stem}e`, stem], word);
};

const ncy: Step = (state) => {
  const stem = state.before('ncy');
  if (stem !== undefined && /[ea]$/.test(stem) && !state.is(`${stem}nt`)) state.is(`${stem}nce`);
};

const nce: Step = (state) => {
  const { word } = state;
  const stem = state.before('nce');
  if (stem === undefined || !/[ea]$/.test(stem)) return;
  const shorter = stem.slice(0, -1);
  state.first([`${shorter}e`, shorter], word);
};

const STEPS: readonly Step[] = [
  plural,
  past,
  aspect,
  ity,
  ness,
  ion,
  agent,
  ly,
  al,
  ive,
  ize,
  ment,
  ble,
  ism,
  ic,
  ncy,
  nce,
];
