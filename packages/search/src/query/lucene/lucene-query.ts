// A query as Lucene has it, for explanations and for `_validate`: which queries it is made of, and how they print. What it finds is
// decided by the query tree (query/query.ts), of which this is a reading.
import { javaFloat } from '../../json/java-values.ts';
import type { Query } from '../query.ts';

/** How a clause of a BooleanQuery counts: required, prohibited, optional, or required without a score; as it prints. */
export type Occur = '+' | '-' | '' | '#';

export interface Clause {
  readonly occur: Occur;
  readonly query: LuceneQuery;
}

export type LuceneQuery =
  | { readonly kind: 'all'; readonly source: Query }
  | { readonly kind: 'none'; readonly reason: string; readonly source: Query }
  | { readonly kind: 'boost'; readonly query: LuceneQuery; readonly boost: number; readonly source: Query }
  | { readonly kind: 'constant'; readonly query: LuceneQuery; readonly source: Query }
  | { readonly kind: 'bool'; readonly clauses: readonly Clause[]; readonly minimum: number; readonly source: Query }
  | {
      readonly kind: 'dis_max';
      readonly queries: readonly LuceneQuery[];
      readonly tieBreaker: number;
      readonly source: Query;
    }
  /** Scored by terms and frequencies; its weight explains itself. */
  | {
      readonly kind: 'scored';
      readonly text: string;
      /** What is said where it does not match. */
      readonly absent: string;
      /** The field that decides whether elements of nested objects may match; undefined: they may. */
      readonly field?: string | undefined;
      readonly source: Query;
    }
  /** Terms of one field, any of them (TermInSetQuery). */
  | {
      readonly kind: 'set';
      readonly field: string;
      readonly terms: readonly { readonly text: string; readonly source: Query }[];
      readonly source: Query;
    }
  /** All documents it finds have the same score. */
  | {
      readonly kind: 'fixed';
      readonly text: string;
      /** How one document is checked, where that is another query (IndexOrDocValuesQuery). */
      readonly checkedBy?: string | undefined;
      readonly field?: string | undefined;
      readonly source: Query;
    }
  | {
      readonly kind: 'function';
      readonly query: LuceneQuery;
      readonly filters: readonly (LuceneQuery | undefined)[];
      /** The names of their classes. */
      readonly functions: readonly string[];
      readonly source: Query & { readonly kind: 'function_score' };
    }
  | {
      readonly kind: 'boosting';
      readonly positive: LuceneQuery;
      readonly negative: LuceneQuery;
      readonly factor: number;
      readonly source: Query;
    }
  | {
      readonly kind: 'join';
      readonly query: LuceneQuery;
      readonly path: string;
      readonly source: Query & { readonly kind: 'nested' };
    }
  | {
      readonly kind: 'covering';
      readonly queries: readonly LuceneQuery[];
      readonly field: string;
      readonly source: Query;
    };

/** All root documents: what a query that may match nested ones is narrowed to. */
export const ROOTS = 'DocValuesFieldExistsQuery [field=_primary_term]';

/** A query that scores all its matches alike. */
export function fixed(
  source: Query,
  text: string,
  more: { readonly checkedBy?: string | undefined; readonly field?: string } = {},
): LuceneQuery {
  return { kind: 'fixed', text, ...more, source };
}

/** A query whose weight explains itself. @param absent what is said where it does not match */
export function scored(source: Query, text: string, absent: string, field?: string): LuceneQuery {
  return { kind: 'scored', text, absent, field, source };
}

/** A query as `Query.toString` prints it. */
export function printLucene(query: LuceneQuery): string {
  switch (query.kind) {
    case 'all':
      return '*:*';
    case 'none':
      return `MatchNoDocsQuery("${query.reason}")`;
    case 'boost':
      return `(${printLucene(query.query)})^${javaFloat(query.boost)}`;
    case 'constant':
      return `ConstantScore(${printLucene(query.query)})`;
    case 'bool': {
      const clauses = query.clauses.map(({ occur, query: inner }) => {
        const text = printLucene(inner);
        return occur + (inner.kind === 'bool' ? `(${text})` : text);
      });
      const text = clauses.join(' ');
      return query.minimum > 0 ? `(${text})~${query.minimum}` : text;
    }
    case 'dis_max': {
      const queries = query.queries.map((inner) =>
        inner.kind === 'bool' ? `(${printLucene(inner)})` : printLucene(inner),
      );
      const tie = query.tieBreaker === 0 ? '' : `~${javaFloat(query.tieBreaker)}`;
      return `(${queries.join(' | ')})${tie}`;
    }
    case 'set':
      return `${query.field}:(${query.terms.map(({ text }) => text).join(' ')})`;
    case 'scored':
    case 'fixed':
      return query.text;
    case 'function':
      return `function score (${printLucene(query.query)}, functions: [${query.functions.join('')}])`;
    case 'boosting':
      return `FunctionScoreQuery(${printLucene(query.positive)}, scored by boost(queryboost(score(${printLucene(query.negative)}))^${javaFloat(query.factor)}))`;
    case 'join':
      return `ToParentBlockJoinQuery (${printLucene(query.query)})`;
    case 'covering':
      return `CoveringQuery(queries=[${query.queries.map(printLucene).join(', ')}], minimumNumberMatch=long(${query.field}))`;
  }
}
