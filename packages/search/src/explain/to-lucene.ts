// Reads a query of the query tree as the Lucene query that Elasticsearch makes of the same request, by the types of the fields.
import { kindOf } from '../query/kinds.ts';
import { type LuceneQuery, ROOTS } from '../query/lucene/lucene-query.ts';
import { type FieldTypes, mightMatchNested, narrowed } from '../query/lucene/nested-scope.ts';
import type { Query } from '../query/query.ts';

/** The whole query of a search: narrowed to root documents where it might find others. */
export function toLuceneSearch(query: Query, types: FieldTypes): LuceneQuery {
  const lucene = toLucene(query, types);
  const hasNested = [...types.objects().values()].includes('nested');
  return hasNested && mightMatchNested(lucene, types) ? narrowed(lucene, ROOTS, query) : lucene;
}

/** Reads a query; its boost becomes a query around it. */
export function toLucene(query: Query, types: FieldTypes): LuceneQuery {
  const { boost, name: _, ...bare } = query;
  const source = bare as Query;
  const inner = kindOf(source).lucene(source, { types, read: (each) => toLucene(each, types) });
  return boost === undefined || boost === 1 || inner.kind === 'none'
    ? inner
    : { kind: 'boost', query: inner, boost, source: inner.source };
}
