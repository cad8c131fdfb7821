// Queries that stand for many terms of a field: ranges, prefixes, wildcards, regular expressions and neighbours of a term.
import { printTerm } from '../../mapping/field-type.ts';
import type { Compiler } from '../compile.ts';
import { expandFuzzy } from '../fuzzy.ts';
import { fixed, type LuceneQuery, scored } from '../lucene/lucene-query.ts';
import { printPattern } from '../lucene/print-words.ts';
import { compareTerms, expandTerms, matcherOf, multiTermWeight } from '../multi-term.ts';
import type { Query, QueryNode } from '../query.ts';
import { LEAF, type MarkVisitor, type QueryKind } from '../query-kind.ts';
import type { Weight } from '../scorer.ts';
import type { Statistics } from '../statistics.ts';
import { editDistance } from '../../text/text-distance.ts';
import type { Json } from '../../json/json.ts';
import { constantLeaf, rangeLeaf, valueOf } from '../cluster/leaves.ts';
import { both } from '../cluster/on-cluster.ts';
import { limited, SAFE } from '../cluster/verdict.ts';

/** A range of terms of a keyword or text field in byte order, constant score. */
export interface TermRangeQuery extends QueryNode {
  readonly kind: 'term_range';
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
  readonly includeFrom?: boolean;
  readonly includeTo?: boolean;
}

export const termRange: QueryKind<TermRangeQuery> = {
  ...LEAF,
  mark: (query, visitor) => visitor.pattern(query.field, () => rangeTest(query)),
  caching: () => 'costly',
  compile: (query, { boost, statistics }) => multiTermWeight(statistics, query, boost),
  lucene(source, { types }) {
    const field = types.field(source.field);
    const { from, to } = source;
    if (field?.family === 'ip') {
      // The index has no open bounds: an exclusive one moves to the next address.
      const low =
        from === undefined ? '::' : printTerm(field, source.includeFrom === false ? nextTerm(from, 1n) : from);
      const high =
        to === undefined
          ? 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'
          : printTerm(field, source.includeTo === false ? nextTerm(to, -1n) : to);
      return fixed(source, `${source.field}:[${low} TO ${high}]`, { field: source.field });
    }
    return fixed(source, printPattern(source));
  },
  cluster: {
    ...both(SAFE),
    compile: ({ field: path, from, includeFrom, includeTo, to }, at) =>
      constantLeaf(path, at, (field) => {
        const value = (bound: string | undefined): string | undefined => bound && valueOf(field, bound);
        return rangeLeaf(field, { from: value(from), to: value(to), includeFrom, includeTo });
      }),
    samples: { sent: [{ kind: 'term_range', field: 'tag', from: 'a' }] },
  },
};

/** The term of the next address. */
function nextTerm(term: string, step: bigint): string {
  return (BigInt(`0x${term}`) + step).toString(16).padStart(32, '0');
}

/** Terms in a range, in the order of their bytes. */
function rangeTest({ from, to, includeFrom, includeTo }: TermRangeQuery): (term: string) => boolean {
  return (term) => {
    const above = from === undefined ? 1 : compareTerms(term, from);
    const below = to === undefined ? -1 : compareTerms(term, to);
    return (above > 0 || (above === 0 && includeFrom !== false)) && (below < 0 || (below === 0 && includeTo !== false));
  };
}

/** How a query over many terms scores: all the same, or as a disjunction of the terms found. */
export type Rewrite =
  | 'constant_score'
  | 'constant_score_boolean'
  | 'scoring_boolean'
  /** With `blendsFrequencies` all terms have the highest document frequency among them, so that rare ones do not win. */
  | { readonly topTerms: number; readonly boostOnly?: boolean; readonly blendsFrequencies?: boolean };

/** Any term that starts with the text. Constant score unless `rewrite` says otherwise. */
export interface PrefixQuery extends QueryNode {
  readonly kind: 'prefix';
  readonly field: string;
  readonly prefix: string;
  readonly caseInsensitive?: boolean;
  readonly rewrite?: Rewrite;
}

/** Any term that matches a pattern of `*` (any text), `?` (one character) and `\` (escape). */
export interface WildcardQuery extends QueryNode {
  readonly kind: 'wildcard';
  readonly field: string;
  readonly pattern: string;
  readonly caseInsensitive?: boolean;
  readonly rewrite?: Rewrite;
}

/** Any term that matches a Lucene regular expression as a whole. */
export interface RegexpQuery extends QueryNode {
  readonly kind: 'regexp';
  readonly field: string;
  readonly pattern: string;
  readonly caseInsensitive?: boolean;
  /** Lucene's optional operators, as Elasticsearch's `flags`; `ALL` by default. */
  readonly flags?: string;
  /** 10,000 by default. */
  readonly maxDeterminizedStates?: number;
  readonly rewrite?: Rewrite;
}

/** Any term within an edit distance, nearer ones scored higher (Lucene's FuzzyQuery). */
export interface FuzzyQuery extends QueryNode {
  readonly kind: 'fuzzy';
  readonly field: string;
  readonly term: string;
  /** 0, 1 or 2. `AUTO` is resolved by the request parser. */
  readonly maxEdits: 0 | 1 | 2;
  /** Characters at the start that must agree; 0 by default. */
  readonly prefixLength?: number;
  /** 50 by default. */
  readonly maxExpansions?: number;
  /** Whether a swap of neighbours counts as one edit; true by default. */
  readonly transpositions?: boolean;
  /** The nearest `maxExpansions`, blended, by default. */
  readonly rewrite?: Rewrite;
}

type PatternQuery = PrefixQuery | WildcardQuery | RegexpQuery;

/** What patterns of one text have in common: they score all terms alike unless `rewrite` says otherwise. */
const PATTERN = {
  ...LEAF,
  caching: ({ rewrite = 'constant_score' }: PatternQuery) =>
    rewrite === 'constant_score' || rewrite === 'constant_score_boolean' ? 'costly' : 'none',
  expand: expandPattern,
  compile(query: PatternQuery, at: Compiler): Weight {
    const expanded = expandPattern(query, at.statistics);
    return expanded === undefined ? multiTermWeight(at.statistics, query, at.boost) : at.build(expanded);
  },
  lucene(source: PatternQuery): LuceneQuery {
    const text =
      source.caseInsensitive === true
        ? `${source.field}:AutomatonQuery {\norg.apache.lucene.util.automaton.Automaton}`
        : printPattern(source);
    const { rewrite = 'constant_score' } = source;
    return rewrite === 'constant_score' ? fixed(source, text) : scored(source, text, '');
  },
} as const;

function expandPattern(query: PatternQuery, statistics: Statistics): Query | undefined {
  const { rewrite = 'constant_score' } = query;
  return rewrite === 'constant_score' ? undefined : expandTerms(statistics, query, rewrite);
}

/** What a cluster is asked for a pattern. @param sample a query that it may be asked */
function onCluster<Kind extends PatternQuery>(sample: Kind, bodyOf: (query: Kind) => Json): QueryKind<Kind>['cluster'] {
  return {
    ...both(
      limited(
        'rewrite constant_score, the default',
        'other rewrites choose and score terms by the dictionary of all documents',
      ),
    ),
    compile: (query, at) =>
      constantLeaf(query.field, at, (field) => {
        const { caseInsensitive = false, rewrite = 'constant_score' } = query;
        if (rewrite !== 'constant_score' || field.family === 'ip') at.refuse(query);
        const common = { rewrite, ...(caseInsensitive ? { case_insensitive: true } : {}) };
        return { [query.kind]: { [field.path]: { ...bodyOf(query), ...common } } };
      }),
    samples: { sent: [sample], refused: [{ ...sample, rewrite: 'scoring_boolean' }] },
  };
}

export const prefix: QueryKind<PrefixQuery> = {
  ...PATTERN,
  mark(query, visitor) {
    const { caseInsensitive, prefix: text } = query;
    const lower = text.toLowerCase();
    visitor.pattern(query.field, () =>
      caseInsensitive === true ? (term) => term.toLowerCase().startsWith(lower) : (term) => term.startsWith(text),
    );
  },
  cluster: onCluster({ kind: 'prefix', field: 'tag', prefix: 'r' }, ({ prefix: value }) => ({ value })),
};

export const wildcard: QueryKind<WildcardQuery> = {
  ...PATTERN,
  mark: markMatching,
  cluster: onCluster({ kind: 'wildcard', field: 'tag', pattern: 'r*' }, ({ pattern: value }) => ({ value })),
};

export const regexp: QueryKind<RegexpQuery> = {
  ...PATTERN,
  mark: markMatching,
  cluster: onCluster<RegexpQuery>(
    { kind: 'regexp', field: 'tag', pattern: 'r.*' },
    ({ flags = 'ALL', maxDeterminizedStates = 10_000, pattern: value }) => ({
      value,
      flags,
      max_determinized_states: maxDeterminizedStates,
    }),
  ),
};

function markMatching(query: WildcardQuery | RegexpQuery, visitor: MarkVisitor): void {
  visitor.pattern(query.field, () => {
    const matcher = matcherOf(query);
    return (term) => matcher.matches(term);
  });
}

export const fuzzy: QueryKind<FuzzyQuery> = {
  ...LEAF,
  mark(query, visitor) {
    const { term: wanted, maxEdits, prefixLength = 0, transpositions = true } = query;
    const start = wanted.slice(0, prefixLength);
    visitor.pattern(
      query.field,
      () => (term) => term.startsWith(start) && editDistance(wanted, term, maxEdits, transpositions) <= maxEdits,
    );
  },
  caching: () => 'none',
  expand: expandFuzzy,
  compile: (query, at) => at.build(expandFuzzy(query, at.statistics)),
  lucene: (source) =>
    source.rewrite === 'constant_score'
      ? fixed(source, printPattern(source))
      : scored(source, printPattern(source), ''),
  cluster: {
    ...both(
      limited(
        'rewrite constant_score (fuzzy_rewrite in match)',
        'the default takes the 50 best terms of all documents and blends their frequencies',
      ),
    ),
    compile: (query, at) =>
      constantLeaf(query.field, at, () => {
        if (query.rewrite !== 'constant_score') at.refuse(query);
        const { maxEdits, prefixLength = 0, term, transpositions = true } = query;
        const body = { value: term, fuzziness: maxEdits, prefix_length: prefixLength, transpositions };
        // With this rewrite every term within the distance counts, whatever `max_expansions` says.
        return { fuzzy: { [query.field]: { ...body, rewrite: 'constant_score' } } };
      }),
    samples: {
      sent: [{ kind: 'fuzzy', field: 'text', term: 'red', maxEdits: 1, rewrite: 'constant_score' }],
      refused: [{ kind: 'fuzzy', field: 'text', term: 'red', maxEdits: 1 }],
    },
  },
};
