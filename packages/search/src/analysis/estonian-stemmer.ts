// The stemmer of Elasticsearch's `estonian` analyzer: Snowball's by Linda Freienthal, as Lucene 8 has it, whose stems it gives. Some verbs
// are known by each of their forms; other words lose a particle and then an ending of a verb, or those of a noun one after the other.
import { wordsOf } from '@lockstitch/kernel';
import VERBS from './data/estonian-verbs.json' with { type: 'json' };
import { longestOf } from './suffix-rules.ts';

/** The stem of each form of the irregular verbs. */
const verbs = new Map(
  Object.entries(VERBS).flatMap(([stem, forms]) => wordsOf(forms).map((form) => [form, stem] as const)),
);

const particle = longestOf('gi ki');
const verbEnding = longestOf(
  'nuksin nuksime nuksid nuksite ksin ksid ksime ksite mata takse dakse taks daks akse sime site sin me da n b',
);
const nounForm = longestOf('lasse last lane lasi misse mist mine misi lisse list line lisi');
const caseEnding = longestOf('sse st le lt ga ks ta t s l');
const pluralEnding = longestOf('ikkude ikke ike sid te de d');
const degree = longestOf('mai ma m');
const participle = longestOf('nu tu du va');

const endsInVowel = /[aeiouõäöü]$/;
const endsInPlainVowel = /[aeiou]$/;
const endsInLongVowel = /(?:aa|ee|ii|oo|uu|ää|öö|üü|õõ)$/;
const isOpen = (stem: string): boolean => endsInPlainVowel.test(stem) || endsInLongVowel.test(stem);

/** What becomes of a stem and its ending, or undefined when the ending stays. */
type Change = (stem: string, ending: string) => string | undefined;

const cutParticle: Change = (stem, ending) => {
  if (stem.length < 4) return undefined;
  // Lucene 8 does not have š and ž among these.
  if (ending === 'ki') return /[kptgbdshfz]$/.test(stem) ? stem : undefined;
  return /[cjlmnqrvwxaeiouõäöü]$/.test(stem) && !endsInLongVowel.test(stem) ? stem : undefined;
};
const cutVerb: Change = (stem, ending) => {
  if (ending === 'akse') return `${stem}a`;
  return /^(?:me|da|n|b)$/.test(ending) && !endsInVowel.test(stem) ? undefined : stem;
};
const cutCase: Change = (stem) => (isOpen(stem) ? stem : undefined);
const cutPlural: Change = (stem, ending) => {
  switch (ending) {
    case 'sid':
      return endsInLongVowel.test(stem) ? undefined : stem;
    case 'te':
      if (stem.length >= 4 && /(?:mis|las|lis)$/.test(stem)) return `${stem}e`;
      if (stem.endsWith('t')) return undefined;
      return stem.length >= 4 ? stem : `${stem}t`;
    case 'd':
    case 'de':
      return isOpen(stem) ? stem : undefined;
    default:
      return `${stem}iku`;
  }
};
const cutDegree: Change = (stem, ending) => (ending === 'ma' || endsInPlainVowel.test(stem) ? stem : undefined);

const NOUN_STEPS: readonly (readonly [find: typeof participle, change: Change])[] = [
  [nounForm, (stem, ending) => `${stem}${ending.slice(0, 2)}se`],
  [caseEnding, cutCase],
  [pluralEnding, cutPlural],
  [degree, cutDegree],
  [longestOf('i'), (stem) => (endsInPlainVowel.test(stem) ? stem : undefined)],
  [participle, (stem) => stem],
];

/** `estonian`. */
export function estonian(word: string): string {
  const verb = verbs.get(word);
  if (verb !== undefined) return verb;
  // Endings lie after the first consonant that follows a vowel.
  const from = /^.*?[aeiouõäöü]+[^aeiouõäöü]/su.exec(word)?.[0].length ?? word.length;
  const changed = (left: string, find: typeof participle, change: Change): string | undefined => {
    const ending = find(left, left.length - from);
    return ending === '' ? undefined : change(left.slice(0, -ending.length), ending);
  };
  let left = changed(word, particle, cutParticle) ?? word;
  const bare = changed(left, verbEnding, cutVerb);
  if (bare === undefined) for (const [find, change] of NOUN_STEPS) left = changed(left, find, change) ?? left;
  else left = bare;
  return left.replace(/([kpt])\1([aeiouõäöü])$/, '$1$2');
}
