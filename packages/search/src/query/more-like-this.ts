// Which words of some texts tell most about them, and the query that looks for others with these words: Lucene's MoreLikeThis as
// Elasticsearch has it, by the frequencies of what the caller sees.
import { minimumShouldMatch } from './minimum-should-match.ts';
import { inHashOrder } from '../text/java-order.ts';
import { documentCount } from './blended.ts';
import { EMPTY } from './multi-term.ts';
import type { MoreLikeThisQuery } from './kinds/more-like-this.ts';
import type { Query } from './query.ts';
import type { Statistics } from './statistics.ts';

const { fround } = Math;

/** A word with the field that it is looked for in. */
interface Chosen {
  readonly field: string;
  readonly term: string;
  readonly score: number;
}

/** The query for the words that tell most: optional clauses, so many of which must match. */
export function expandMoreLikeThis(query: MoreLikeThisQuery, statistics: Statistics): Query {
  const documents = documentCount(statistics);
  const choose = (words: Counted, fields: readonly string[]): readonly Query[] =>
    clauses(query, chooseWords(query, statistics, documents, words, fields));
  // The words of documents are chosen field by field; those of texts stand for all fields at once.
  const ofField = new Map(query.documents.map(({ field, terms }) => [field, terms]));
  const ofDocuments = inHashOrder([...ofField.keys()]).flatMap((field) => choose(ofField.get(field)!, [field]));
  const ofTexts = choose(query.texts, query.fields);
  const groups = [
    ...(ofField.size > 0 ? [enough(query, ofDocuments)] : []),
    ...(query.like.length > 0 ? [enough(query, ofTexts)] : []),
  ];
  return groups.length === 0 ? { kind: 'match_none', reason: EMPTY } : { kind: 'boolean', should: groups };
}

/** Words, and how often each is in the texts. */
type Counted = readonly (readonly [string, number])[];

/** The words in the order in which Lucene takes them from its queue: the one that tells least first. */
function chooseWords(
  query: MoreLikeThisQuery,
  statistics: Statistics,
  documents: number,
  words: Counted,
  fields: readonly string[],
): readonly Chosen[] {
  const limit = Math.min(query.maxQueryTerms, words.length);
  const queue = new WordQueue();
  const counts = new Map(words);
  for (const term of inHashOrder([...counts.keys()])) {
    const count = counts.get(term)!;
    if (count < query.minTermFreq) continue;
    let [field] = fields;
    let docFreq = 0;
    for (const each of fields) {
      const frequency = statistics.docFreq(each, term);
      if (frequency <= docFreq) continue;
      field = each;
      docFreq = frequency;
    }
    if (field === undefined || docFreq === 0 || docFreq < query.minDocFreq || docFreq > query.maxDocFreq) continue;
    // ClassicSimilarity.idf
    const score = fround(count * fround(Math.log((documents + 1) / (docFreq + 1)) + 1));
    if (queue.size < limit) queue.add({ field, term, score });
    else queue.replaceLeast({ field, term, score });
  }
  return queue.drain();
}

/** Lucene's PriorityQueue: of words that tell the same, its order is that of this heap. */
class WordQueue {
  /** From the second place on. */
  private readonly heap: Chosen[] = [];

  get size(): number {
    return Math.max(0, this.heap.length - 1);
  }

  add(word: Chosen): void {
    const { heap } = this;
    if (heap.length === 0) heap.push(word);
    heap.push(word);
    let at = heap.length - 1;
    for (let parent = at >>> 1; parent > 0 && word.score < heap[parent]!.score; parent = at >>> 1) {
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = word;
  }

  /** Puts a word that tells more in the place of the one that tells least. */
  replaceLeast(word: Chosen): void {
    if (this.size > 0 && this.heap[1]!.score < word.score) this.sink(word);
  }

  /** Takes all, the one that tells least first. */
  drain(): readonly Chosen[] {
    const taken: Chosen[] = [];
    while (this.size > 0) {
      taken.push(this.heap[1]!);
      const last = this.heap.pop()!;
      if (this.size > 0) this.sink(last);
    }
    return taken;
  }

  private sink(word: Chosen): void {
    const { heap, size } = this;
    let at = 1;
    for (;;) {
      let child = at * 2;
      if (child > size) break;
      if (child < size && heap[child + 1]!.score < heap[child]!.score) child++;
      if (heap[child]!.score >= word.score) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = word;
  }
}

function clauses({ boostTerms }: MoreLikeThisQuery, chosen: readonly Chosen[]): readonly Query[] {
  const least = chosen[0]?.score ?? 1;
  return chosen.map(({ field, term, score }) => ({
    kind: 'term',
    field,
    term,
    ...(boostTerms === 0 ? {} : { boost: fround(fround(fround(boostTerms) * score) / least) }),
  }));
}

function enough({ minimumShouldMatch: specification }: MoreLikeThisQuery, should: readonly Query[]): Query {
  if (should.length === 0) return { kind: 'match_none', reason: EMPTY };
  const needed = minimumShouldMatch(specification, should.length);
  return { kind: 'boolean', should, ...(needed > 0 ? { minimumShouldMatch: needed } : {}) };
}
