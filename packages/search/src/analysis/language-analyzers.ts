// The analyzers that Elasticsearch has by the name of a language: which articles are cut off, which words are dropped, which
// spellings are made alike, and which stemmer follows, in the order of Lucene 8's analyzers.
import { asString, type Json } from '../json.ts';
import {
  arabicNormalization,
  germanNormalization,
  persianNormalization,
  soraniNormalization,
} from './affix-stemmers.ts';
import { type Analyzer, createAnalyzer, createWordAnalyzer } from './analyzer.ts';
import { ARTICLES } from './articles.ts';
import { mappingFilter } from './char-filters.ts';
import { greekLowercase } from './greek-stemmer.ts';
import { bengaliNormalization, hindiNormalization, indicNormalization } from './indic-normalization.ts';
import { irishLowercase } from './irish.ts';
import { list, words } from './part-definition.ts';
import { type Stemmer, stemmerOf } from './stem.ts';
import * as filters from './token-filters.ts';
import { toDecimalDigits } from './token-filters.ts';
import { standardTokenizer } from './tokenizers.ts';

/** Language → its stemmer. */
const STEMMERS = {
  arabic: 'arabic',
  armenian: 'armenian',
  basque: 'basque',
  bengali: 'bengali',
  brazilian: 'brazilian',
  bulgarian: 'bulgarian',
  catalan: 'catalan',
  czech: 'czech',
  danish: 'danish',
  dutch: 'dutch',
  english: 'porter',
  estonian: 'estonian',
  finnish: 'finnish',
  french: 'light_french',
  galician: 'galician',
  german: 'light_german',
  greek: 'greek',
  hindi: 'hindi',
  hungarian: 'hungarian',
  indonesian: 'indonesian',
  irish: 'irish',
  italian: 'light_italian',
  latvian: 'latvian',
  lithuanian: 'lithuanian',
  norwegian: 'norwegian',
  persian: undefined,
  portuguese: 'light_portuguese',
  romanian: 'romanian',
  russian: 'russian',
  sorani: 'sorani',
  spanish: 'light_spanish',
  swedish: 'swedish',
  turkish: 'turkish',
} as const;

/** The languages that have an analyzer. */
export const LANGUAGES = Object.keys(STEMMERS) as readonly (keyof typeof STEMMERS)[];

/** Words that DutchAnalyzer does not leave to the stemmer. */
const DUTCH = new Map([
  ['fiets', 'fiets'],
  ['bromfiets', 'bromfiets'],
  ['ei', 'eier'],
  ['kind', 'kinder'],
]);

const digits = (word: string): string => (/\p{Nd}/u.test(word) ? toDecimalDigits(word) : word);

/** What is done to a lower-cased word before the stop words are looked up. */
const BEFORE: Readonly<Record<string, (word: string) => string>> = {
  arabic: digits,
  greek: greekLowercase,
  sorani: (word) => digits(soraniNormalization(word)),
  english: (word) => (/['’＇]s$/.test(word) ? word.slice(0, -2) : word),
  french: elide('french'),
  italian: elide('italian'),
  catalan: elide('catalan'),
};

/** What is done to a word that is kept before it is stemmed. */
const KEPT: Readonly<Record<string, (word: string) => string>> = {
  arabic: arabicNormalization,
  german: germanNormalization,
};

function elide(language: string): (word: string) => string {
  const pattern = new RegExp(`^(?:${ARTICLES[language]!.join('|')})['’]`);
  return (word) => word.replace(pattern, '');
}

/** The analyzer of a language with its options `stopwords`, `stem_exclusion`; undefined when the name is no language. */
export function languageAnalyzer(name: string, options: Json, maxLength: number): Analyzer | undefined {
  if (!Object.hasOwn(STEMMERS, name)) return undefined;
  const stemmer = STEMMERS[name as keyof typeof STEMMERS];
  // GreekAnalyzer has no exclusions.
  const stem =
    stemmer === undefined
      ? undefined
      : name === 'greek'
        ? stemmerOf(name)
        : stemming(name, stemmerOf(stemmer)!, options);
  const stop = new Set(words(options['stopwords'], `_${name}_`));
  switch (name) {
    case 'turkish':
      return createAnalyzer(name, {
        tokenizer: standardTokenizer(maxLength),
        filters: [filters.apostrophe, filters.turkishLowercase, filters.stop(stop, false), filters.mapTerms(stem!)],
      });
    case 'irish':
      return createAnalyzer(name, {
        tokenizer: standardTokenizer(maxLength),
        filters: [
          // What is left of h-, n- and t- before a vowel.
          filters.stop(['h', 'n', 't'], true),
          filters.elision(['d', 'm', 'b']),
          filters.mapTerms(irishLowercase),
          filters.stop(stop, false),
          filters.mapTerms(stem!),
        ],
      });
    case 'persian':
      return createAnalyzer(name, {
        // A zero-width non-joiner parts what belongs to a word.
        charFilters: [mappingFilter(new Map([['\u200c', ' ']]))],
        tokenizer: standardTokenizer(maxLength),
        filters: [
          filters.lowercase,
          filters.decimalDigit,
          filters.mapTerms(arabicNormalization),
          filters.mapTerms(persianNormalization),
          filters.stop(stop, false),
        ],
      });
    case 'bengali':
    case 'hindi':
      return createAnalyzer(name, {
        tokenizer: standardTokenizer(maxLength),
        filters: [
          filters.lowercase,
          filters.decimalDigit,
          filters.keywordMarker(exclusions(options), false),
          filters.mapTerms(indicNormalization),
          filters.stem(name === 'hindi' ? hindiNormalization : bengaliNormalization),
          filters.stop(stop, false),
          filters.stem(stemmerOf(name)!),
        ],
      });
    default: {
      const before = BEFORE[name];
      return createWordAnalyzer(name, {
        maxLength,
        after: stem!,
        ...(before === undefined ? {} : { before }),
        ...(stop.size === 0 ? {} : { stopWords: stop }),
      });
    }
  }
}

function exclusions(options: Json): ReadonlySet<string> {
  return new Set(list(options['stem_exclusion']).map((word) => asString(word, 'stem_exclusion')));
}

function stemming(name: string, stem: Stemmer, options: Json): Stemmer {
  const kept = KEPT[name];
  const excluded = exclusions(options);
  const whole: Stemmer =
    kept !== undefined ? (word) => stem(kept(word)) : name === 'dutch' ? (word) => DUTCH.get(word) ?? stem(word) : stem;
  if (excluded.size === 0) return whole;
  // Spellings are made alike of excluded words, too.
  return (word) => (excluded.has(word) ? (kept?.(word) ?? word) : whole(word));
}
