// Reads `more_like_this`: the words of the texts and documents that it is given, cut by the analyzers of their fields. Which of them
// are looked for depends on how frequent they are, which the search knows (`query/more-like-this.ts`).
import { isProductError } from '@lockstitch/kernel';
import type { Analyzer } from '../analysis/analyzer.ts';
import {
  asBoolean,
  asInteger,
  asNumber,
  asObject,
  asString,
  checkKeys,
  isObject,
  type Json,
  textOf,
  toList,
} from '../json/json.ts';
import { type MappedField, toTerm } from '../mapping/field-type.ts';
import type { MoreLikeThisQuery } from '../query/kinds/more-like-this.ts';
import type { Query } from '../query/query.ts';
import { checkTime } from '../tasks/request-budget.ts';
import { failedQuery, illegalArgument, parsingError, unsupported } from '../errors/request-error.ts';
import { valuesOfField } from '../mapping/values-of-field.ts';
import { asYouType } from './as-you-type.ts';
import type { QueryContext } from './context.ts';
import { minimumShouldMatch } from '../query/minimum-should-match.ts';
import type { QueryMembers } from './query-members.ts';
import { common, queryBody, type Reader } from './read-body.ts';
import { expandFields } from './multi-match.ts';

const MEMBERS: QueryMembers = {
  members: {
    fields: 'list',
    like: 'anything',
    unlike: 'anything',
    max_query_terms: 'integer',
    min_term_freq: 'integer',
    min_doc_freq: 'integer',
    max_doc_freq: 'integer',
    min_word_length: 'integer',
    max_word_length: 'integer',
    stop_words: 'list',
    analyzer: 'text',
    minimum_should_match: 'text',
    boost_terms: 'number',
    include: 'flag',
    fail_on_unsupported_field: 'flag',
  },
  refusal: '[mlt] query does not support',
  nulls: 'ignored',
};

/** How often each word comes. */
type Counts = Map<string, number>;

/** What counts as a word. */
type Accepts = (term: string) => boolean;

/** Words of one text that are looked at (`MoreLikeThis.DEFAULT_MAX_NUM_TOKENS_PARSED`). */
const MOST_WORDS = 5000;

/** Reads `more_like_this`. */
export const moreLikeThis: Reader = (json, context) => {
  const body = queryBody(json, 'more_like_this', MEMBERS);
  if (toList(body['like'] ?? []).length === 0) throw parsingError("more_like_this requires 'like' to be specified");
  if (Array.isArray(body['fields']) && body['fields'].length === 0)
    throw parsingError("more_like_this requires 'fields' to be non-empty");
  const integer = (key: string, fallback: number): number =>
    body[key] === undefined ? fallback : asInteger(body[key], key);
  const maxQueryTerms = integer('max_query_terms', 25);
  if (maxQueryTerms <= 0) throw illegalArgument('requires maxQueryTerms to be greater than 0');
  const specification = body['minimum_should_match'] === undefined ? '30%' : textOf(body['minimum_should_match']);
  minimumShouldMatch(specification, 1);
  const fields = fieldsOf(body, context);
  const accepts = acceptedWords(body);
  const analyzer = analyzerOf(body, fields, context);
  const like = readItems(body['like'], 'like', context);
  const unlike = readItems(body['unlike'] ?? [], 'unlike', context);
  const isAnyField = body['fields'] === undefined && context.defaultField.every((field) => field === '*');
  if (isAnyField && like.texts.length + unlike.texts.length > 0)
    throw failedQuery(
      '[more_like_this] query cannot infer the field to analyze the free text, you should update the [index.query.default_field] index setting to a field that exists in the mapping or set the [fields] option in the query.',
      context.index,
    );
  const unwanted = countDocuments(unlike.documents, fields, context, accepts);
  const [first] = fields;
  if (first !== undefined) countTexts(unlike.texts, analyzer, accepts, countsOf(unwanted, first.path));
  const wanted = countDocuments(like.documents, fields, context, accepts);
  const texts: Counts = new Map();
  countTexts(like.texts, analyzer, accepts, texts);
  for (const [path, counts] of unwanted) {
    for (const term of counts.keys()) {
      wanted.get(path)?.delete(term);
      if (path === first?.path) texts.delete(term);
    }
  }
  const query: MoreLikeThisQuery = {
    kind: 'more_like_this',
    fields: fields.map(({ path }) => path),
    like: like.texts,
    texts: [...texts],
    // Documents without words are a group without clauses.
    documents: (like.documents.length > 0 && wanted.size === 0 && first !== undefined
      ? [[first.path, []] as const]
      : [...wanted]
    ).map(([field, terms]) => ({ field, terms: [...terms] })),
    maxQueryTerms,
    minTermFreq: integer('min_term_freq', 2),
    minDocFreq: integer('min_doc_freq', 5),
    maxDocFreq: integer('max_doc_freq', Infinity),
    minimumShouldMatch: specification,
    boostTerms: body['boost_terms'] === undefined ? 0 : asNumber(body['boost_terms'], 'boost_terms'),
  };
  if (query.boostTerms < 0) throw illegalArgument('negative [boost_terms] are not allowed in [more_like_this]');
  if (fields.length === 0 && hasNoField(body, context)) return common(body, NOTHING_LEFT);
  if (like.documents.length === 0) return common(body, query);
  const isIncluded = body['include'] !== undefined && asBoolean(body['include'], 'include');
  const ids = isIncluded ? [] : like.documents.flatMap(({ id }) => (id === undefined ? [] : [id]));
  return common(body, {
    kind: 'boolean',
    should: [query],
    ...(ids.length === 0 ? {} : { mustNot: [{ kind: 'ids', ids }] }),
  });
};

/** Whether the words of a field that is named can be compared: those of `search_as_you_type` and its parts cannot. */
function isCompared(field: MappedField, context: QueryContext): boolean {
  return ['text', 'keyword'].includes(field.type) && field.index && asYouType(field, context) === undefined;
}

const NOTHING_LEFT: Query = { kind: 'match_none', reason: 'No query left after rewrite.' };

function isText({ family }: MappedField): boolean {
  return family === 'text' || family === 'keyword';
}

/** Whether all fields that are named were left out. */
function hasNoField(body: Json, { mapping }: QueryContext): boolean {
  return (
    body['fields'] !== undefined && toList(body['fields']).every((name) => mapping.field(textOf(name)) !== undefined)
  );
}

function fieldsOf(body: Json, context: QueryContext): MappedField[] {
  const given =
    body['fields'] === undefined ? undefined : toList(body['fields']).map((name) => asString(name, 'fields'));
  const strict =
    given !== undefined &&
    (body['fail_on_unsupported_field'] === undefined ||
      asBoolean(body['fail_on_unsupported_field'], 'fail_on_unsupported_field'));
  const found: MappedField[] = [];
  for (const name of given ?? expandFields(context.defaultField, context).map((field) => field.name)) {
    const field = context.mapping.field(name);
    if (field === undefined) continue;
    if (given === undefined ? isText(field) && field.index : isCompared(field, context)) found.push(field);
    else if (strict) throw illegalArgument(`more_like_this only supports text/keyword fields: [${name}]`);
  }
  return found;
}

function acceptedWords(body: Json): Accepts {
  const least = body['min_word_length'] === undefined ? 0 : asInteger(body['min_word_length'], 'min_word_length');
  const most = body['max_word_length'] === undefined ? 0 : asInteger(body['max_word_length'], 'max_word_length');
  const stop = new Set(toList(body['stop_words'] ?? []).map((word) => asString(word, 'stop_words')));
  return (term) => term.length >= least && (most <= 0 || term.length <= most) && !stop.has(term);
}

function analyzerOf(body: Json, [first]: readonly MappedField[], context: QueryContext): Analyzer | undefined {
  const { analysis } = context.mapping;
  // A name that nobody has is none, as in Elasticsearch.
  const named = body['analyzer'] === undefined ? undefined : analysis.analyzer(asString(body['analyzer'], 'analyzer'));
  if (named !== undefined) return named;
  return first?.family === 'keyword' ? analysis.analyzer('keyword') : first?.searchAnalyzer;
}

interface Item {
  readonly source: Json;
  /** Of a document that is not given in the request. */
  readonly id: string | undefined;
  /** Only these fields of it. */
  readonly fields: readonly string[] | undefined;
}

/** Texts and documents that are compared at most: each document is fetched and cut into words. */
const MOST_ITEMS = 1000;

function readItems(
  value: unknown,
  name: string,
  context: QueryContext,
): { readonly texts: readonly string[]; readonly documents: readonly Item[] } {
  const texts: string[] = [];
  const documents: Item[] = [];
  const items = toList(value);
  if (items.length > MOST_ITEMS)
    throw illegalArgument(
      `[${name}] of [more_like_this] has [${items.length}] entries, which is more than the limit of [${MOST_ITEMS}]`,
    );
  for (const item of items) {
    if (!isObject(item)) {
      texts.push(asString(item, name));
      continue;
    }
    if (item['per_field_analyzer'] !== undefined) throw unsupported('[per_field_analyzer]');
    checkKeys(item, name, [
      '_index',
      '_type',
      '_id',
      '_routing',
      'routing',
      'doc',
      'fields',
      'version',
      '_version',
      'version_type',
    ]);
    const fields =
      item['fields'] === undefined ? undefined : toList(item['fields']).map((each) => asString(each, 'fields'));
    if (item['doc'] !== undefined) {
      documents.push({ source: asObject(item['doc'], 'doc'), id: undefined, fields });
      continue;
    }
    if (item['_id'] === undefined)
      throw parsingError('failed to parse More Like This item. either [_id] or [doc] can be specified');
    const index = item['_index'] === undefined ? context.index : asString(item['_index'], '_index');
    const id = asString(item['_id'], '_id');
    const source = sourceOf(index, id, context);
    // A document that is not there says nothing, and is not found either.
    documents.push({ source: isObject(source) ? source : {}, id, fields });
  }
  return { texts, documents };
}

/** Treats a document of a missing index as a missing document. */
function sourceOf(index: string, id: string, { lookup }: QueryContext): unknown {
  try {
    return lookup?.(index, id);
  } catch (error) {
    if (isProductError(error) && error.code === 'SEARCH_INDEX_NOT_FOUND') return undefined;
    throw error;
  }
}

function countsOf(all: Map<string, Counts>, path: string): Counts {
  let counts = all.get(path);
  if (counts === undefined) all.set(path, (counts = new Map()));
  return counts;
}

function countDocuments(
  items: readonly Item[],
  fields: readonly MappedField[],
  context: QueryContext,
  accepts: Accepts,
): Map<string, Counts> {
  const all = new Map<string, Counts>();
  for (const item of items) {
    for (const field of fields) {
      if (item.fields !== undefined && !item.fields.includes(field.path)) continue;
      const values = valuesOfField(field, item.source, context.mapping).filter((value) => !isObject(value));
      if (values.length === 0) continue;
      const counts = countsOf(all, field.path);
      checkTime();
      for (const value of values) {
        const terms =
          field.family === 'text'
            ? field.analyzer.analyze(textOf(value)).terms
            : textOf(value).length > field.ignoreAbove
              ? []
              : [toTerm(field, value)];
        for (const term of terms) if (accepts(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
      }
    }
  }
  return all;
}

function countTexts(texts: readonly string[], analyzer: Analyzer | undefined, accepts: Accepts, counts: Counts): void {
  if (analyzer === undefined) return;
  for (const text of texts) {
    checkTime();
    for (const term of analyzer.analyze(text).terms.slice(0, MOST_WORDS))
      if (accepts(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
}
