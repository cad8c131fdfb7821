// `phrase`: the whole text as it was probably meant, words that are near in spelling chosen by how likely they stand beside each other in
// the field. Each index proposes by its own words; the proposals are then put together.
import { reasonOf } from '@lockstitch/kernel';
import { compareKeys } from '../text/compare-keys.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import { shortFloat } from '../fetch/short-float.ts';
import { parseQuery } from '../dsl/parse-query.ts';
import { checkTime } from '../tasks/request-budget.ts';
import { RequestError, shardArgument } from '../errors/request-error.ts';
import { type Candidate, type CandidateSet, correct, joinWords } from './corrections.ts';
import { defaultGenerator, type PhraseOptions } from './read-phrase.ts';
import { SpellDictionary, type SpellOptions } from './spell-dictionary.ts';
import { fieldOf, type SuggestTarget } from './suggest-target.ts';

/** A proposal. */
interface Option {
  readonly text: string;
  readonly highlighted: string | undefined;
  /** A float of 32 bits. */
  readonly score: number;
  /** Whether a document fits it; undefined where nobody asked. */
  readonly isMatch: boolean | undefined;
}

/** What one index proposes, and the score that proposals have to surpass. */
interface Proposals {
  readonly options: readonly Option[];
  readonly cutoff: number;
}

const NONE: Proposals = { options: [], cutoff: Number.MIN_VALUE };

/** Answers one phrase suggestion. */
export function suggestPhrases(
  given: () => string,
  options: PhraseOptions,
  targets: readonly SuggestTarget[],
): unknown[] {
  const mapped = targets.filter(({ target }) => target.mapping.field(options.field) !== undefined);
  if (mapped.length === 0) throw shardArgument(`no mapping found for field [${options.field}]`);
  for (const target of mapped) fieldOf(options, [target]);
  const text = given();
  const found = mapped.map((target) => propose(text, options, target));
  const cutoff = Math.max(...found.map((each) => each.cutoff));
  const best = new Map<string, Option>();
  for (const option of found.flatMap((each) => each.options)) {
    const known = best.get(option.text);
    const isMatch = known?.isMatch === true || option.isMatch;
    best.set(option.text, { ...(known === undefined || option.score > known.score ? option : known), isMatch });
  }
  const all = [...best.values()].filter(({ score }) => score > cutoff);
  // Those of one index are in the order of their scores as doubles.
  if (found.length > 1) all.sort((a, b) => b.score - a.score || compareKeys(a.text, b.text));
  const shown = all.slice(0, options.size);
  return [
    {
      text,
      offset: 0,
      length: text.length,
      options: shown.map(({ text: phrase, highlighted, score, isMatch }) => ({
        text: phrase,
        ...(highlighted === undefined ? {} : { highlighted }),
        score: shortFloat(score),
        ...(isMatch === undefined ? {} : { collate_match: isMatch }),
      })),
    },
  ];
}

function propose(text: string, options: PhraseOptions, { target, searcher }: SuggestTarget): Proposals {
  const { mapping } = target;
  const { analyzer, field } = fieldOf(options, [{ target, searcher }]);
  const analyzerOf = (name: string): Analyzer => {
    const found = mapping.analysis.analyzer(name);
    if (found === undefined) throw shardArgument(`Analyzer [${name}] doesn't exists`);
    return found;
  };
  const { shingles } = analyzer;
  if (options.generators.length === 0 && shingles?.unigrams === false && options.needsUnigrams)
    throw shardArgument(
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
      const [before, after] = [generator.preFilter, generator.postFilter].map((name) =>
        name === undefined ? undefined : analyzerOf(name),
      );
      const spelling = generator.spelling();
      const dictionary = dictionaryOf(generator.field);
      // A field without the word has no candidates for it.
      if (dictionary.occurrences === 0) return [];
      return [new CandidateSource(spelling, dictionary, before, after, options.realWordLikelihood)];
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
    options: corrections.flatMap(({ words, score: whole }) => {
      const score = Math.fround(whole);
      const phrase = joinWords(words);
      const isMatch = options.collate && matches(options.collate.queryFor(phrase), target, searcher);
      if (score <= cutoff || (isMatch === false && options.collate?.prune !== true)) return [];
      const highlighted = options.tags === undefined ? undefined : joinWords(words, options.tags);
      return [{ text: phrase, highlighted, score, isMatch: options.collate?.prune ? isMatch : undefined }];
    }),
  };
}

/** Whether a query, written as JSON, finds a document. */
function matches(query: string, target: SuggestTarget['target'], searcher: SuggestTarget['searcher']): boolean {
  let json: unknown;
  try {
    json = JSON.parse(query);
  } catch (error) {
    throw new RequestError('SEARCH_SHARD_FAILURE', 'exception', 'I/O exception during suggest phase', {
      phase: true,
      causedBy: { type: 'json_parse_exception', reason: reasonOf(error) },
    });
  }
  try {
    return searcher.count(parseQuery(json, target.context)) > 0;
  } catch (error) {
    // It is read where it is searched.
    if (!(error instanceof RequestError) || error.details.phase !== undefined) throw error;
    throw new RequestError('SEARCH_SHARD_FAILURE', error.type, error.message, { ...error.details, phase: true });
  }
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
    const position = tokens.positions[at] ?? 0;
    const step = position - last;
    last = position;
    if (needsUnigrams && tokens.types[at] === 'shingle') return;
    anyWord = true;
    const current = sets.at(-1);
    if (step === 0 && tokens.types[at] === 'SYNONYM' && current !== undefined) {
      const candidate = source!.candidate(term, realWordLikelihood, false);
      if (candidate.total > 0) current.others.push(candidate);
    } else sets.push({ given: source!.candidate(term, 1, true), others: [] });
  });
  if (needsUnigrams && !anyWord && tokens.terms.length > 0)
    throw new RequestError(
      'SEARCH_SHARD_FAILURE',
      'illegal_state_exception',
      'At least one unigram is required but all tokens were ngrams',
      { phase: true },
    );
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
  readonly #spelling: SpellOptions;
  readonly #dictionary: SpellDictionary;
  readonly #before: Analyzer | undefined;
  readonly #after: Analyzer | undefined;
  readonly #realWordLikelihood: number;

  constructor(
    spelling: SpellOptions,
    dictionary: SpellDictionary,
    before: Analyzer | undefined,
    after: Analyzer | undefined,
    realWordLikelihood: number,
  ) {
    this.#spelling = spelling;
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
    const spelling = this.#spelling;
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
        const step = (tokens.positions[at] ?? 0) - (tokens.positions[at - 1] ?? -1);
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
    const { minDocFreq } = this.#spelling;
    const plateau = Math.trunc(
      minDocFreq >= 1 ? minDocFreq : Math.fround(this.#dictionary.documents * Math.fround(minDocFreq)),
    );
    const wanted = Math.floor(docFreq * (Math.log10(docFreq - plateau) * (1 / Math.log10(5))) + 1 + 0.5);
    return Number.isNaN(wanted) ? 0 : Math.min(Math.max(0, wanted), MOST);
  }
}

/** Java's greatest integer. */
const MOST = 2 ** 31 - 1;
