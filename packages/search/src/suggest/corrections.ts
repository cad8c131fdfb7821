// Which of all ways to replace some words of a text by near ones is most likely: a noisy channel, through which the text came, and a model
// of the language it was written in (Elasticsearch's CandidateScorer and NoisyChannelSpellChecker).
import { compareKeys } from '../text/compare-keys.ts';
import { FirstOf } from '../collect/first-of.ts';
import { tick } from '../tasks/request-budget.ts';
import type { LanguageModel, ModelWord } from './smoothing.ts';

/** What may stand for a word of the text. */
export interface Candidate extends ModelWord {
  /** How near it is to the word; 1: it is the word itself. */
  readonly similarity: number;
  /** How good a candidate it is among those of the word. */
  readonly score: number;
  /** Whether the caller wrote it. */
  readonly isGiven: boolean;
}

/** A word of the text, and what else could be meant. */
export interface CandidateSet {
  readonly given: Candidate;
  readonly others: readonly Candidate[];
}

/** A whole text. */
export interface Correction {
  readonly words: readonly Candidate[];
  readonly score: number;
}

/** How corrections are chosen. */
export interface CorrectionOptions {
  readonly model: LanguageModel;
  /** Words in a row that the model looks at: 1, 2, or 3 and more. */
  readonly gramSize: number;
  /** How likely it is that a word that was written was meant. */
  readonly realWordLikelihood: number;
  /** Words that may be replaced: a number from 1 on, or a part of them. */
  readonly maxErrors: number;
  /** Corrections must be that many times as likely as the text itself. */
  readonly confidence: number;
  /** Corrections at most. */
  readonly size: number;
}

/** What comes of a text: the best corrections, best first, and the score that they have to surpass. */
export interface Corrected {
  readonly corrections: readonly Correction[];
  readonly cutoff: number;
}

/** Finds the best corrections. */
export function correct(sets: readonly CandidateSet[], options: CorrectionOptions): Corrected {
  const { confidence, maxErrors } = options;
  let cutoff = Number.MIN_VALUE;
  if (confidence > 0) {
    const given = sets.map((set) => set.given);
    const whole = given.reduce((sum, _, at) => sum + scoreAt(given, at, options), 0);
    cutoff = Math.exp(whole) * confidence;
  }
  const errors = maxErrors >= 1 ? Math.trunc(maxErrors) : Math.floor(Math.fround(maxErrors * sets.length) + 0.5);
  const best = new FirstOf<Correction>(options.size, compareCorrections);
  const words: Candidate[] = [];
  const follow = (at: number, left: number, score: number): void => {
    tick(512);
    if (at === sets.length) {
      const likelihood = Math.exp(score);
      if (likelihood > cutoff) best.offer({ words: [...words], score: likelihood });
      return;
    }
    const { given, others } = sets[at]!;
    words[at] = given;
    follow(at + 1, left, score + scoreAt(words, at, options));
    if (left === 0) return;
    for (const other of others) {
      words[at] = other;
      follow(at + 1, left - 1, score + scoreAt(words, at, options));
    }
  };
  follow(0, Math.max(1, errors), 0);
  return { corrections: best.sorted(), cutoff };
}

/** The likelihood of a word at its place, as a logarithm. */
function scoreAt(words: readonly Candidate[], at: number, options: CorrectionOptions): number {
  const { model, gramSize, realWordLikelihood } = options;
  const word = words[at]!;
  const channel = word.similarity === 1 ? realWordLikelihood : word.similarity;
  if (at === 0 || gramSize === 1) return Math.log10(channel * model.one(word));
  if (at === 1 || gramSize === 2) return Math.log10(channel * model.two(word, words[at - 1]!));
  return Math.log10(channel * model.three(word, words[at - 1]!, words[at - 2]!));
}

function compareCorrections(a: Correction, b: Correction): number {
  if (a.score !== b.score) return b.score - a.score;
  for (let at = 0; at < a.words.length; at++) {
    const compared = compareKeys(a.words[at]!.text, b.words[at]!.text);
    if (compared !== 0) return compared;
  }
  return 0;
}

/** The text of a correction; with tags, around words in a row that were replaced. */
export function joinWords(words: readonly Candidate[], tags?: readonly [string, string]): string {
  return words
    .map(({ text, isGiven }, at) => {
      if (tags === undefined || isGiven) return text;
      const opens = at === 0 || words[at - 1]!.isGiven;
      const closes = at + 1 === words.length || words[at + 1]!.isGiven;
      return `${opens ? tags[0] : ''}${text}${closes ? tags[1] : ''}`;
    })
    .join(' ');
}
