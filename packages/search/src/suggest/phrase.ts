// `phrase`: the whole text as it was probably meant, words that are near in spelling chosen by how likely they stand beside each other in
// the field. Each index proposes by its own words; the proposals are then put together.
import { compareKeys } from '../aggs/bucket-order.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import { shortFloat } from '../api/fetch.ts';
import { checkTime } from '../request-budget.ts';
import { illegalArgument, shardArgument } from '../request-error.ts';
import { type Candidate, type CandidateSet, correct, joinWords } from './corrections.ts';
import { defaultGenerator, type Generator, type PhraseOptions } from './read-phrase.ts';
import { SpellDictionary } from './spell-dictionary.ts';
import type { SuggestTarget } from './suggest-target.ts';

/** A proposal. */
interface Option {
  readonly text: string;
  readonly highlighted: string | undefined;
  /** A float of 32 bits. */
  readonly score: number;
}

/** What one index proposes, and the score that proposals have to surpass. */
interface Proposals {
  readonly options: readonly Option[];
  readonly cutoff: number;
}

const NONE: Proposals = { options: [], cutoff: Number.MIN_VALUE };

/** Answers one phrase suggestion. */
export function suggestPhrases(text: string, options: PhraseOptions, targets: readonly SuggestTarget[]): unknown[] {
  const mapped = targets.filter(({ target }) => target.mapping.field(options.field) !== undefined);
  if (mapped.length === 0) throw shardArgument(`no mapping found for field [${options.field}]`);
  const found = mapped.map((target) => propose(text, options, target));
  const cutoff = Math.max(...found.map((each) => each.cutoff));
  const best = new Map<string, Option>();
  for (const option of found.flatMap((each) => each.options)) {
    const known = best.get(option.text);
    if (known === undefined || option.score > known.score) best.set(option.text, option);
  }
  const shown = [...best.values()]
    .filter(({ score }) => score > cutoff)
    .sort((a, b) => b.score - a.score || compareKeys(a.text, b.text))
    .slice(0, options.size);
  return [
    {
      text,
      offset: 0,
      length: text.length,
      options: shown.map(({ text: phrase, highlighted, score }) => ({
        text: phrase,
        ...(highlighted === undefined ? {} : { highlighted }),
        score: shortFloat(score),
      })),
    },
  ];
}

function propose(text: string, options: PhraseOptions, { target, searcher }: SuggestTarget): Proposals {
  const { mapping } = target;
  const field = mapping.field(options.field)!;
  if (field.family !== 'text' && field.family !== 'keyword')
    throw illegalArgument(`Field [${options.field}] of type [${field.type}] has no words for a [phrase] suggestion`);
  const analyzerOf = (name: string): Analyzer => {
    const found = mapping.analysis.analyzer(name);
    if (found === undefined) throw illegalArgument(`analyzer [${name}] doesn't exist`);
    return found;
  };
  const analyzer = options.analyzer === undefined ? field.searchAnalyzer : analyzerOf(options.analyzer);
  const { shingles } = analyzer;
  if (options.generators.length === 0 && shingles?.unigrams === false && options.needsUnigrams)
    throw illegalArgument(
      `The default candidate generator for phrase suggest can't operate on field: [${options.field}] since it doesn't emit unigrams. If this is intentional try to set the candidate generator field explicitly`,
    );
  const dictionaries = new Map<string, SpellDictionary>();
  const dictionaryOf = (path: string): SpellDictionary => {
    let dictionary = dictionaries.get(path);
    if (dictionary === undefined) dictionaries.set(path, (dictionary = new SpellDictionary(searcher, path)));
    return dictionary;
  };
  const generators = (options.generators.length === 0 ? [defaultGenerator(field.path)] : options.generators).flatMap(
    (generator) => {
      const path = mapping.field(generator.field)?.path ?? generator.field;
      const [before, after] = [generator.preFilter, generator.postFilter].map((name) =>
        name === undefined ? undefined : analyzerOf(name),
      );
      const dictionary = dictionaryOf(path);
      // Who asks for a field without a word gets no candidates of it.
      if (dictionary.occurrences === 0) return [];
      return [new CandidateSource(generator, dictionary, before, after, options.realWordLikelihood)];
    },
  );
  const dictionary = dictionaryOf(field.path);
  if (generators.length === 0 || dictionary.occurrences === 0) return NONE;
  const sets = candidateSets(text, analyzer, options, generators);
  if (sets.length === 0 || sets.length >= options.tokenLimit) return NONE;
  const { corrections, cutoff } = correct(
    sets.map((set) => withOthers(set, generators, options.shardSize)),
    {
      model: options.smoothing({
        occurrences: dictionary.occurrences,
        size: dictionary.size,
        countOf: (...words) => dictionary.statsOf(words.join(options.separator)).total,
      }),
      gramSize: options.gramSize ?? shingles?.max ?? 1,
      realWordLikelihood: options.realWordLikelihood,
      maxErrors: options.maxErrors,
      confidence: options.confidence,
      size: options.shardSize,
    },
  );
  return {
    cutoff,
    options: corrections
      .map(({ words, score }) => ({
        text: joinWords(words),
        highlighted: options.tags === undefined ? undefined : joinWords(words, options.tags),
        score: Math.fround(score),
      }))
      .filter(({ score }) => score > cutoff),
  };
}

/** The words of the text, each with the synonyms that stand at its place. */
function candidateSets(
  text: string,
  analyzer: Analyzer,
  { needsUnigrams, realWordLikelihood }: PhraseOptions,
  [source]: readonly CandidateSource[],
): CandidateSet[] {
  const tokens = analyzer.analyze(text);
  const sets: { given: Candidate; others: Candidate[] }[] = [];
  let anyWord = false;
  let last = -1;
  tokens.terms.forEach((term, at) => {
    const step = tokens.positions[at]! - last;
    last = tokens.positions[at]!;
    if (needsUnigrams && tokens.types[at] === 'shingle') return;
    anyWord = true;
    const current = sets.at(-1);
    if (step === 0 && tokens.types[at] === 'SYNONYM' && current !== undefined) {
      const candidate = source!.candidate(term, realWordLikelihood, false);
      if (candidate.total > 0) current.others.push(candidate);
    } else sets.push({ given: source!.candidate(term, 1, true), others: [] });
  });
  if (needsUnigrams && !anyWord && tokens.terms.length > 0)
    throw illegalArgument('At least one unigram is required but all tokens were ngrams');
  return sets;
}

/** Adds what the generators propose, and keeps the best. */
function withOthers(set: CandidateSet, sources: readonly CandidateSource[], size: number): CandidateSet {
  let others = set.others;
  for (const source of sources) {
    checkTime();
    const drawn = source.draw(set.given);
    if (drawn === undefined) continue;
    const byText = new Map(others.map((each) => [each.text, each]));
    for (const each of drawn) byText.set(each.text, each);
    others = [...byText.values()].sort((a, b) => b.score - a.score || compareKeys(a.text, b.text));
  }
  return { given: set.given, others: others.slice(0, size) };
}

/** A generator at work in one index (Elasticsearch's DirectCandidateGenerator). */
class CandidateSource {
  readonly #generator: Generator;
  readonly #dictionary: SpellDictionary;
  readonly #before: Analyzer | undefined;
  readonly #after: Analyzer | undefined;
  readonly #realWordLikelihood: number;

  constructor(
    generator: Generator,
    dictionary: SpellDictionary,
    before: Analyzer | undefined,
    after: Analyzer | undefined,
    realWordLikelihood: number,
  ) {
    this.#generator = generator;
    this.#dictionary = dictionary;
    this.#before = before;
    this.#after = after;
    this.#realWordLikelihood = realWordLikelihood;
  }

  /** A word as a candidate for itself. */
  candidate(text: string, similarity: number, isGiven: boolean): Candidate {
    const { total } = this.#dictionary.statsOf(this.#looked(text));
    return { text, total, similarity, score: this.#score(total, similarity), isGiven };
  }

  /** The candidates of a word, best first; undefined where it is as frequent as can be. */
  draw({ text }: Candidate): Candidate[] | undefined {
    const word = this.#looked(text);
    const { spelling } = this.#generator;
    let { minDocFreq } = spelling;
    if (spelling.mode !== 'always') {
      const threshold = this.#threshold(this.#dictionary.statsOf(word).docFreq);
      if (threshold === MOST) return undefined;
      minDocFreq = Math.max(minDocFreq, threshold);
    }
    return this.#dictionary.near(word, { ...spelling, minDocFreq }).flatMap(({ text: near, score: similarity }) => {
      const { total } = this.#dictionary.statsOf(near);
      const score = this.#score(total, similarity);
      if (this.#after === undefined) return [{ text: near, total, similarity, score, isGiven: false }];
      const tokens = this.#after.analyze(near);
      return tokens.terms.map((term, at) => {
        const step = tokens.positions[at]! - (at === 0 ? -1 : tokens.positions[at - 1]!);
        const isSame = step > 0 && term === near;
        return { text: term, total, similarity: isSame ? similarity : this.#realWordLikelihood, score, isGiven: false };
      });
    });
  }

  /** The word as it is looked up: the last one that the analyzer before makes of it. */
  #looked(text: string): string {
    return this.#before === undefined ? text : (this.#before.analyze(text).terms.at(-1) ?? text);
  }

  #score(total: number, similarity: number): number {
    return similarity * ((total + 1) / (this.#dictionary.occurrences + 1));
  }

  /** In how many documents more than a word that is in so many its candidates have to be. */
  #threshold(docFreq: number): number {
    if (docFreq === 0) return 0;
    const { minDocFreq } = this.#generator.spelling;
    const plateau = Math.trunc(
      minDocFreq >= 1 ? minDocFreq : Math.fround(this.#dictionary.documents * Math.fround(minDocFreq)),
    );
    const wanted = Math.floor(docFreq * (Math.log10(docFreq - plateau) * (1 / Math.log10(5))) + 1 + 0.5);
    return Number.isNaN(wanted) ? 0 : Math.min(Math.max(0, wanted), MOST);
  }
}

/** Java's greatest integer. */
const MOST = 2 ** 31 - 1;
