// Whether a query might match elements of nested objects, and how Elasticsearch narrows one that might (its NestedHelper).
import type { MappedField } from '../../mapping/field-type.ts';
import type { Query } from '../query.ts';
import { fixed, type LuceneQuery } from './lucene-query.ts';

/** What a mapping says of fields. */
export interface FieldTypes {
  field(path: string): MappedField | undefined;
  object(path: string): { readonly nested: boolean } | undefined;
  objects(): ReadonlyMap<string, 'object' | 'nested'>;
}

/** Types by which a query is not narrowed to whole documents, which second queries and those of aggregations are not. */
export function withoutNarrowing(types: FieldTypes): FieldTypes {
  return { field: (path) => types.field(path), object: (path) => types.object(path), objects: () => new Map() };
}

/** A query whose matches another one narrows. @param filter that one, as it prints */
export function narrowed(query: LuceneQuery, filter: string, source: Query): LuceneQuery {
  return {
    kind: 'bool',
    minimum: 0,
    clauses: [
      { occur: '+', query },
      { occur: '#', query: fixed({ kind: 'match_all' }, filter) },
    ],
    source,
  };
}

/** Whether it might find elements of nested objects (Elasticsearch's NestedHelper). */
export function mightMatchNested(query: LuceneQuery, types: FieldTypes): boolean {
  return might(query, types, (field) => {
    if (field.startsWith('_')) return true;
    return types.field(field) !== undefined && nestedPathOf(field, types) !== undefined;
  });
}

/** Whether it might find documents besides the elements of a path. */
export function mightMatchOthers(query: LuceneQuery, path: string, types: FieldTypes): boolean {
  return might(query, types, (field) => {
    if (field.startsWith('_')) return true;
    return types.field(field) !== undefined && nestedPathOf(field, types) !== path;
  });
}

function nestedPathOf(field: string, types: FieldTypes): string | undefined {
  for (let dot = field.lastIndexOf('.'); dot > 0; dot = field.lastIndexOf('.', dot - 1)) {
    const path = field.slice(0, dot);
    if (types.object(path)?.nested === true) return path;
  }
  return undefined;
}

function might(query: LuceneQuery, types: FieldTypes, fieldMight: (field: string) => boolean): boolean {
  const inner = (each: LuceneQuery): boolean => might(each, types, fieldMight);
  switch (query.kind) {
    case 'none':
      return false;
    case 'boost':
    case 'constant':
      return inner(query.query);
    case 'bool': {
      const required = query.clauses.filter(({ occur }) => occur === '+' || occur === '#');
      if (required.length > 0) return required.every((clause) => inner(clause.query));
      return query.clauses.some(({ occur, query: each }) => occur === '' && inner(each));
    }
    case 'set':
      return query.terms.length > 0 && fieldMight(query.field);
    case 'scored':
    case 'fixed':
      return query.field === undefined || fieldMight(query.field);
    case 'join':
      return query.source.path === '';
    default:
      return true;
  }
}
