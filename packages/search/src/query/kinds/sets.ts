// Sets of documents, all with one score: by terms, by ids, and by whether a field has a value.
import { searchError } from '../../errors/search-errors.ts';
import { emptyBits, hasBit, setBit } from '../../index/bits.ts';
import { encodeId } from '../../index/ids.ts';
import { type MappedField, printTerm } from '../../mapping/field-type.ts';
import { SetWeight } from '../constant.ts';
import { fixed } from '../lucene/lucene-query.ts';
import { printId } from '../lucene/print-words.ts';
import { compareTerms, termsWeight } from '../multi-term.ts';
import type { QueryNode } from '../query.ts';
import { LEAF, type QueryKind } from '../query-kind.ts';
import type { Statistics } from '../statistics.ts';
import { KEY_FIELD, constant, constantLeaf, valueOf } from '../cluster/leaves.ts';
import { both } from '../cluster/on-cluster.ts';
import { SAFE } from '../cluster/verdict.ts';

/** Any of the terms, constant score. At most 65,536 terms (`index.max_terms_count`). */
export interface TermsQuery extends QueryNode {
  readonly kind: 'terms';
  readonly field: string;
  readonly terms: readonly string[];
}

/** Documents by `_id`. Constant score. */
export interface IdsQuery extends QueryNode {
  readonly kind: 'ids';
  readonly ids: readonly string[];
}

/** Documents with a value in the field (text, keyword, number or geo). Constant score. */
export interface ExistsQuery extends QueryNode {
  readonly kind: 'exists';
  readonly field: string;
  /** Whether it is asked as a part of an object, whose parts share one constant score. */
  readonly isPart?: true;
}

/** @throws ProductError for more values than `index.max_terms_count` */
export function checkTerms(count: number, { limits }: Statistics): void {
  if (count > limits.maxTerms) throw searchError('SEARCH_TOO_MANY_TERMS', { count, limit: limits.maxTerms });
}

export const terms: QueryKind<TermsQuery> = {
  ...LEAF,
  mark: (query, visitor) => visitor.terms(query.field, query.terms.toSorted()),
  caching: () => 'costly',
  compile(query, { boost, statistics }) {
    checkTerms(query.terms.length, statistics);
    return termsWeight(statistics, query.field, query.terms, boost);
  },
  lucene(source, { types }) {
    const field = types.field(source.field);
    if (field?.family === 'ip') {
      const ips = [...source.terms].sort().map((each) => printTerm(field, each));
      return fixed(source, `${source.field}:{${ips.join(' ')}}`);
    }
    const found = [...new Set(source.terms)].sort(compareTerms).map((each) => ({
      text: each,
      source: { kind: 'term', field: source.field, term: each } as const,
    }));
    return { kind: 'set', field: source.field, terms: found, source };
  },
  cluster: {
    ...both(SAFE),
    compile: (query, at) =>
      constantLeaf(query.field, at, (field) => ({
        terms: { [query.field]: query.terms.map((each) => valueOf(field, each)) },
      })),
    samples: { sent: [{ kind: 'terms', field: 'tag', terms: ['a', 'b'] }] },
  },
};

export const ids: QueryKind<IdsQuery> = {
  ...LEAF,
  mark: () => undefined,
  caching: () => 'cheap',
  compile(query, { boost, path }) {
    const encoded = query.ids.map(encodeId);
    return new SetWeight('ConstantScore(_id)', boost, (segment) => {
      const bits = emptyBits(segment.docCount);
      const elements = path === undefined ? undefined : segment.core.documentsOfPath(path);
      for (const id of encoded) {
        const root = segment.core.find(id);
        if (root < 0) continue;
        if (path === undefined) setBit(bits, root);
        // Elements have the id of their document, and stand before it.
        if (elements === undefined) continue;
        for (let doc = root - 1; doc >= 0 && segment.nestedPath(doc) !== undefined; doc--)
          if (hasBit(elements, doc)) setBit(bits, doc);
      }
      return bits;
    });
  },
  lucene(source) {
    const found = [...new Set(source.ids)].map((id) => ({
      text: printId(id),
      source: { kind: 'ids', ids: [id] } as const,
    }));
    return { kind: 'set', field: '_id', terms: found.sort((a, b) => compareBytes(a.text, b.text)), source };
  },
  cluster: {
    ...both(SAFE),
    compile: (query, at) => constant({ terms: { [KEY_FIELD]: query.ids } }, at),
    samples: { sent: [{ kind: 'ids', ids: ['1'] }] },
  },
};

/** Printed bytes in their order. */
function compareBytes(left: string, right: string): number {
  const padded = (text: string): string => text.replaceAll(/\b[0-9a-f]\b/g, '0$&');
  return padded(left) < padded(right) ? -1 : 1;
}

export const exists: QueryKind<ExistsQuery> = {
  ...LEAF,
  mark: () => undefined,
  caching: () => 'cheap',
  compile: (query, { boost }) =>
    new SetWeight(`ConstantScore(FieldExists [field=${query.field}])`, boost, (segment) =>
      segment.core.documentsWith(query.field),
    ),
  lucene(source, { types }) {
    const query = fixed(source, printExists(source.field, types.field(source.field)));
    return source.isPart === true ? query : { kind: 'constant', query, source };
  },
  cluster: {
    ...both(SAFE),
    // An object exists where one of its fields does; the query asks for each of them.
    compile: ({ field }, at) => constantLeaf(field, at, () => ({ exists: { field } })),
    samples: { sent: [{ kind: 'exists', field: 'text' }] },
  },
};

function printExists(path: string, field: MappedField | undefined): string {
  if (field?.family === 'text') return field.norms ? `NormsFieldExistsQuery [field=${path}]` : `_field_names:${path}`;
  if (field?.type === 'rank_feature') return `_feature:${path}`;
  if (field === undefined || !field.docValues || field.family === 'completion' || field.type === 'binary')
    return `_field_names:${path}`;
  return `DocValuesFieldExistsQuery [field=${path}]`;
}
