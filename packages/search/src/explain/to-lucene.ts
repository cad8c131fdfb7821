// Reads a query of the query tree as the Lucene query that Elasticsearch makes of the same request, by the types of the fields.
import { javaDouble, javaFloat } from '../mapping/java-values.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { printTerm } from '../mapping/field-type.ts';
import { compareTerms } from '../query/multi-term.ts';
import type { Query } from '../query/query.ts';
import type { Clause, LuceneQuery } from './lucene-query.ts';
import { printBooleanRange, printBounds, printNumbers, printRanges } from './print-numbers.ts';
import { printBox, printDistance, printPolygon } from './print-places.ts';
import { printIntervals, printSpans } from '../query/print-spans.ts';
import { printPattern, printPhrase } from '../query/print-words.ts';

/** What a mapping says of fields. */
export interface FieldTypes {
  field(path: string): MappedField | undefined;
  object(path: string): { readonly nested: boolean } | undefined;
  objects(): ReadonlyMap<string, 'object' | 'nested'>;
}

/** All root documents: what a query that may match nested ones is narrowed to. */
const ROOTS = 'DocValuesFieldExistsQuery [field=_primary_term]';

/** The whole query of a search: narrowed to root documents where it might find others. */
export function toLuceneSearch(query: Query, types: FieldTypes): LuceneQuery {
  const lucene = toLucene(query, types);
  const hasNested = [...types.objects().values()].includes('nested');
  if (!hasNested || !mightMatchNested(lucene, types)) return lucene;
  return narrowed(lucene, ROOTS, query);
}

function narrowed(query: LuceneQuery, filter: string, source: Query): LuceneQuery {
  const all: LuceneQuery = { kind: 'fixed', text: filter, source: { kind: 'match_all' } };
  return {
    kind: 'bool',
    minimum: 0,
    clauses: [
      { occur: '+', query },
      { occur: '#', query: all },
    ],
    source,
  };
}

/** Reads a query; its boost becomes a query around it. */
export function toLucene(query: Query, types: FieldTypes): LuceneQuery {
  const { boost, name: _, ...bare } = query;
  const source = bare as Query;
  const inner = read(source, types);
  return boost === undefined || boost === 1 || inner.kind === 'none'
    ? inner
    : { kind: 'boost', query: inner, boost, source: inner.source };
}

function read(source: Query, types: FieldTypes): LuceneQuery {
  const inner = (each: Query): LuceneQuery => toLucene(each, types);
  const fixed = (
    text: string,
    more: { readonly checkedBy?: string | undefined; readonly field?: string } = {},
  ): LuceneQuery => ({
    kind: 'fixed',
    text,
    ...more,
    source,
  });
  const scored = (text: string, absent: string, field?: string): LuceneQuery => ({
    kind: 'scored',
    text,
    absent,
    field,
    source,
  });
  switch (source.kind) {
    case 'match_all':
      return source.ofRoots === true ? fixed(ROOTS) : { kind: 'all', source };
    case 'match_none':
      return { kind: 'none', reason: source.reason ?? 'User requested "match_none" query.', source };
    case 'term': {
      const field = types.field(source.field);
      if (field?.family === 'ip') {
        const ip = printTerm(field, source.term);
        return fixed(`${source.field}:[${ip} TO ${ip}]`, { field: source.field });
      }
      return scored(`${source.field}:${source.term}`, 'no matching term', source.field);
    }
    case 'synonym':
      return scored(`Synonym(${source.terms.map((term) => `${source.field}:${term}`).join(' ')})`, 'no matching term');
    case 'blended': {
      const terms = source.words.map(
        ({ field, term, boost = 1 }) => `${field}:${term}${boost === 1 ? '' : `^${javaFloat(boost)}`}`,
      );
      return scored(`blended(terms:[${terms.join(', ')}])`, '');
    }
    case 'terms': {
      const field = types.field(source.field);
      if (field?.family === 'ip') {
        const ips = [...source.terms].sort().map((term) => printTerm(field, term));
        return fixed(`${source.field}:{${ips.join(' ')}}`);
      }
      const terms = [...new Set(source.terms)].sort(compareTerms).map((term) => ({
        text: term,
        source: { kind: 'term' as const, field: source.field, term },
      }));
      return { kind: 'set', field: source.field, terms, source };
    }
    case 'numbers': {
      const field = types.field(source.field);
      if (field?.family === 'boolean') {
        const letters = [...new Set(source.values)]
          .toSorted((a, b) => a - b)
          .map((value) => ({
            text: value === 0 ? 'F' : 'T',
            source: { kind: 'numbers' as const, field: source.field, values: [value] },
          }));
        const [only] = letters;
        if (source.isSet === true || only === undefined)
          return { kind: 'set', field: source.field, terms: letters, source };
        return scored(`${source.field}:${only.text}`, 'no matching term', source.field);
      }
      const isSet = source.isSet === true;
      return fixed(printNumbers(source.field, field, source.values, isSet), isSet ? {} : { field: source.field });
    }
    case 'number_range': {
      if (types.field(source.field)?.family === 'boolean') return fixed(printBooleanRange(source));
      const { text, checkedBy } = printBounds(source, types.field(source.field));
      return fixed(text, { checkedBy, field: source.field });
    }
    case 'term_range': {
      const field = types.field(source.field);
      const { from, to } = source;
      if (field?.family === 'ip') {
        const low = from === undefined ? '::' : printTerm(field, from);
        const high = to === undefined ? 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff' : printTerm(field, to);
        return fixed(`${source.field}:[${low} TO ${high}]`, { field: source.field });
      }
      const opens = source.includeFrom === false ? '{' : '[';
      const closes = source.includeTo === false ? '}' : ']';
      return fixed(`${source.field}:${opens}${from ?? '*'} TO ${to ?? '*'}${closes}`);
    }
    case 'prefix':
    case 'wildcard':
    case 'regexp':
    case 'fuzzy':
      return readPattern(source);
    case 'phrase': {
      const text = printPhrase(source);
      const [first] = source.terms;
      if (source.terms.length === 1 && first?.terms.length === 1 && source.prefix === undefined)
        return scored(`${source.field}:${first.terms[0]}`, 'no matching term', source.field);
      return scored(text, 'no matching terms');
    }
    case 'exists':
      return { kind: 'constant', query: fixed(printExists(source.field, types.field(source.field))), source };
    case 'ids': {
      const ids = [...new Set(source.ids)].map((id) => ({
        text: printId(id),
        source: { kind: 'ids' as const, ids: [id] },
      }));
      return { kind: 'set', field: '_id', terms: ids.sort((a, b) => compareBytes(a.text, b.text)), source };
    }
    case 'boolean': {
      const of = (occur: Clause['occur'], queries: readonly Query[] = []): readonly Clause[] =>
        queries.map((each) => ({ occur, query: inner(each) }));
      const excluded = of('-', source.mustNot);
      const optional = of('', source.should);
      // The documents that others are to be like are excluded last.
      const isLike = source.should?.[0]?.kind === 'more_like_this';
      const clauses = [
        ...of('+', source.must),
        ...(isLike ? [...optional, ...excluded] : [...excluded, ...optional]),
        ...of('#', source.filter),
      ];
      return { kind: 'bool', clauses, minimum: source.minimumShouldMatch ?? 0, source };
    }
    case 'constant_score':
      return { kind: 'constant', query: inner(source.query), source };
    case 'dis_max':
      return { kind: 'dis_max', queries: source.queries.map(inner), tieBreaker: source.tieBreaker ?? 0, source };
    case 'boosting':
      return {
        kind: 'boosting',
        positive: inner(source.positive),
        negative: inner(source.negative),
        factor: source.negativeBoost,
        source,
      };
    case 'function_score': {
      const query = inner(source.query);
      const filters = source.functions.map(({ filter }) => (filter === undefined ? undefined : inner(filter)));
      const functions = source.functions.map((each) => `{${className(each, types)}}`);
      return { kind: 'function', query, filters, functions, source };
    }
    case 'nested': {
      const query = inner(source.query);
      const type = `_type:__${source.path}`;
      return {
        kind: 'join',
        query: mightMatchOthers(query, source.path, types) ? narrowed(query, type, source.query) : query,
        path: source.path,
        source,
      };
    }
    case 'geo_distance':
      return fixed(printDistance(source));
    case 'geo_box': {
      const { text, checkedBy } = printBox(source);
      return fixed(text, { checkedBy, field: source.field });
    }
    case 'geo_polygon': {
      const { text, checkedBy } = printPolygon(source);
      return fixed(text, { checkedBy });
    }
    case 'ranges': {
      const { text, checkedBy } = printRanges(source, types.field(source.field));
      return fixed(text, { checkedBy });
    }
    case 'covering':
      return { kind: 'covering', queries: source.queries.map(inner), field: source.field, source };
    case 'distance_feature': {
      const { origin, pivot } = source;
      const fine = types.field(source.field)?.type === 'date_nanos' ? '000000' : '';
      return scored(
        typeof origin === 'number'
          ? `LongDistanceFeatureQuery(field=,origin=${origin}${fine},pivotDistance=${pivot}${fine})`
          : `LatLonPointDistanceFeatureQuery(field=,originLat=${javaDouble(origin.lat)},originLon=${javaDouble(origin.lon)},pivotDistance=${javaDouble(pivot)})`,
        'no matching value',
      );
    }
    case 'rank_feature': {
      const { shape } = source;
      const text =
        shape.kind === 'saturation'
          ? `SaturationFunction(pivot=${shape.pivot === undefined ? 'null' : javaFloat(shape.pivot)})`
          : shape.kind === 'log'
            ? `LogFunction(scalingFactor=${javaFloat(shape.scalingFactor)})`
            : `SigmoidFunction(pivot=${javaFloat(shape.pivot)}, a=${javaFloat(shape.exponent)})`;
      return scored(
        `FeatureQuery(field=_feature, feature=${source.field}, function=${text})`,
        `Feature ${source.field} isn't set`,
      );
    }
    case 'span':
      return scored(printSpans(source.source, source.shownAs ?? source.field), 'no matching term');
    case 'intervals':
      return scored(`${source.field}:${printIntervals(source.source)}`, 'no matching intervals');
    case 'more_like_this':
      return scored(`like:${source.like.length === 0 ? 'null' : `[${source.like.join(', ')}]`}`, '');
    case 'part':
      return fixed('part of the index');
  }
}

function readPattern(source: Query & { readonly kind: 'prefix' | 'wildcard' | 'regexp' | 'fuzzy' }): LuceneQuery {
  const text =
    source.kind !== 'fuzzy' && source.caseInsensitive === true
      ? `${source.field}:AutomatonQuery {\norg.apache.lucene.util.automaton.Automaton}`
      : printPattern(source);
  const { rewrite = source.kind === 'fuzzy' ? undefined : 'constant_score' } = source;
  return rewrite !== 'constant_score' ? { kind: 'scored', text, absent: '', source } : { kind: 'fixed', text, source };
}

function printExists(path: string, field: MappedField | undefined): string {
  if (field?.family === 'text') return field.norms ? `NormsFieldExistsQuery [field=${path}]` : `_field_names:${path}`;
  if (field?.type === 'rank_feature') return `_feature:${path}`;
  if (field === undefined || !field.docValues || field.family === 'completion' || field.type === 'binary')
    return `_field_names:${path}`;
  return `DocValuesFieldExistsQuery [field=${path}]`;
}

const FUNCTIONS = 'org.elasticsearch.common.lucene.search.function.';

/** The Java class of a function, which prints without its fields. */
function className(
  { filter, function: definition, weight }: (Query & { readonly kind: 'function_score' })['functions'][number],
  types: FieldTypes,
): string {
  if (filter !== undefined) return `${FUNCTIONS}FunctionScoreQuery$FilterScoreFunction`;
  if (weight !== undefined || definition === undefined) return `${FUNCTIONS}WeightFactorFunction`;
  switch (definition.kind) {
    case 'field_value_factor':
      return `${FUNCTIONS}FieldValueFactorFunction`;
    case 'random':
      return `${FUNCTIONS}RandomScoreFunction`;
    case 'decay': {
      const kind = types.field(definition.field)?.type === 'geo_point' ? 'Geo' : 'Numeric';
      return `org.elasticsearch.index.query.functionscore.DecayFunctionBuilder$${kind}FieldDataScoreFunction`;
    }
  }
}

/** Printed bytes in their order. */
function compareBytes(left: string, right: string): number {
  const padded = (text: string): string => text.replaceAll(/\b[0-9a-f]\b/g, '0$&');
  return padded(left) < padded(right) ? -1 : 1;
}

/** An id as Elasticsearch indexes it (Uid.encodeId), in hexadecimal: digits by twos, base64 by its bytes, others by theirs. */
function printId(id: string): string {
  const bytes: number[] = [];
  if (/^\d+$/.test(id)) {
    bytes.push(0xfe);
    for (let at = 0; at < id.length; at += 2)
      bytes.push((Number(id[at]) << 4) | (id[at + 1] === undefined ? 0xf : Number(id[at + 1])));
  } else if (isBase64Id(id)) {
    const decoded = Buffer.from(id, 'base64url');
    // A byte that says how an id is kept is not mistaken for one of a decoded id.
    if (decoded[0]! >= 0xfd) bytes.push(0xfd);
    bytes.push(...decoded);
  } else bytes.push(0xff, ...Buffer.from(id));
  return `[${bytes.map((byte) => byte.toString(16)).join(' ')}]`;
}

function isBase64Id(id: string): boolean {
  return (
    /^[A-Za-z0-9_-]+$/.test(id) && id.length % 4 !== 1 && Buffer.from(id, 'base64url').toString('base64url') === id
  );
}

/** Whether it might find elements of nested objects (Elasticsearch's NestedHelper). */
function mightMatchNested(query: LuceneQuery, types: FieldTypes): boolean {
  return might(query, types, (field) => {
    if (field.startsWith('_')) return true;
    return types.field(field) !== undefined && nestedPathOf(field, types) !== undefined;
  });
}

/** Whether it might find documents besides the elements of a path. */
function mightMatchOthers(query: LuceneQuery, path: string, types: FieldTypes): boolean {
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
