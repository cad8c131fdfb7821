// The query file of the engine's bench (class → queries of words, a prefix or a misspelt term) as requests to the engine, and as the
// lines that the Lucene runner reads. Not the queries themselves: they belong to the corpus.
import { readFileSync } from 'node:fs';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { chooseOrdinals, countEntries } from '../../packages/search/src/aggs/count-ordinals.ts';
import { joinCounts, joinedTerms } from '../../packages/search/src/aggs/joined-terms.ts';
import type { Collector } from '../../packages/search/src/query/collector.ts';
import type { Searcher, SearchRequest } from '../../packages/search/src/collect/search-request.ts';
import type { SegmentReader } from '../../packages/search/src/index/segment.ts';
import type { Query } from '../../packages/search/src/query/query.ts';

/** What a bench is called with: `CORPUS QUERIES`, and options. */
export function readCommandLine<const Options extends ParseArgsOptionsConfig>(options: Options) {
  const { positionals, values: flags } = parseArgs({ allowPositionals: true, options });
  const [corpus, queryFile] = positionals;
  if (corpus === undefined || queryFile === undefined) throw new Error('Name the corpus and the queries.');
  return { corpus, queryFile, flags };
}

/** One query of the file. */
export interface BenchQuery {
  readonly terms?: readonly string[];
  readonly prefix?: string;
  readonly term?: string;
}

/** Reads the classes and their queries. */
export function readQueries(file: string): ReadonlyMap<string, readonly BenchQuery[]> {
  return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, BenchQuery[]>));
}

/** A query as text: words, prefix or term. */
export const textOf = ({ terms, prefix, term }: BenchQuery): string => terms?.join(' ') ?? prefix ?? term ?? '';

const term = (text: string): Query => ({ kind: 'term', field: 'body', term: text });

/** The engine's query for one of a class. */
export function toQuery(kind: string, { terms = [], prefix, term: near }: BenchQuery): Query {
  switch (kind) {
    case 'or':
    case 'or_stop':
      return { kind: 'boolean', should: terms.map(term) };
    case 'and':
      return { kind: 'boolean', must: terms.map(term) };
    case 'phrase':
      return { kind: 'phrase', field: 'body', terms: terms.map((text, position) => ({ position, terms: [text] })) };
    case 'prefix':
      return { kind: 'prefix', field: 'body', prefix: prefix! };
    case 'fuzzy':
      return { kind: 'fuzzy', field: 'body', term: near!, maxEdits: 1 };
    default:
      return term(terms[0]!);
  }
}

/** Counts the documents of each section and names the ten largest, as a `terms` aggregation does. */
function sections(searcher: Searcher): {
  readonly collector: Collector;
  largest: () => readonly (readonly [string, number])[];
} {
  const counted: { readonly segment: SegmentReader; readonly counts: Int32Array }[] = [];
  return {
    collector: {
      needsScores: false,
      segment(segment) {
        const column = segment.keyword('section');
        if (column === undefined) return undefined;
        const counts = new Int32Array(column.terms.size + 1);
        counted.push({ segment, counts });
        return { collect: (docs, count) => countEntries(column, docs, count, counts) };
      },
    },
    largest() {
      const joined = joinedTerms(searcher, 'section')!;
      const counts = joinCounts(joined, counted);
      const chosen = chooseOrdinals(counts, { order: MOST_FIRST, size: 10, minDocCount: 1, accepts: undefined })!;
      return chosen.ordinals.map((ordinal) => [joined.terms[ordinal]!, counts[ordinal + 1]!]);
    },
  };
}
const MOST_FIRST = [
  { by: '_count', descending: true },
  { by: '_key', descending: false },
];

/** What one query of a class does, with everything it costs from the request on. */
export function toSearch(searcher: Searcher, kind: string, query: BenchQuery, view: Query | undefined): () => unknown {
  // 1,000 is Lucene's own default, so both may stop counting at the same number.
  const base: SearchRequest = { query: toQuery(kind, query), trackTotalHits: 1000, view };
  if (kind === 'agg') {
    return () => {
      const { collector, largest } = sections(searcher);
      searcher.search({ ...base, collectors: [collector] });
      return largest();
    };
  }
  if (kind === 'sort') {
    const sort = [{ kind: 'field', field: 'installed_size', type: 'number', order: 'desc' }] as const;
    return () => searcher.search({ ...base, sort });
  }
  return () => searcher.search({ ...base });
}
