// What one hit looks like in a response: metadata, source, fields, explanation, matched names. Nothing here decides which
// documents are hits.
import { hasBit } from '../index/bits.ts';
import type { Searcher } from '../collect/search-request.ts';
import type { Explanation } from '../query/explanation.ts';
import type { SegmentReader } from '../index/segment.ts';
import { noColumn, numbers, terms, type ValueScope } from '../columns/values.ts';
import { javaDouble } from '../json/java-values.ts';
import { globMatches } from '../text/glob.ts';
import { isObject, type Json } from '../json/json.ts';
import { decimalFormat } from '../text/number-format.ts';
import {
  fielddataPath,
  hasColumn,
  hasFielddata,
  hasNanos,
  isNumeric,
  isStored,
  type MappedField,
  printTerm,
} from '../mapping/field-type.ts';
import { constantOf, isConstant, METADATA_FIELDS } from '../mapping/metadata-fields.ts';
import { fromPlace, nanosPath, toFine } from '../mapping/nanos.ts';
import { UTC } from '../mapping/time-zone.ts';
import type { Query } from '../query/query.ts';
import { checkTime, countBytes } from '../tasks/request-budget.ts';
import { shardArgument } from '../errors/request-error.ts';
import { valuesOfPaths } from '../json/values-at.ts';
import type { FetchOptions } from './fetch-options.ts';
import { fetchedValues, givenFormat, storedField } from './field-values.ts';
import { shortFloat } from './short-float.ts';
import { filterSource, keptSource } from './source-filter.ts';
import type { Target } from './target.ts';
import { RawJson } from '../json/print-json.ts';

/** Parses the source of a document; an empty object if it is not stored. */
export function sourceOf(segment: SegmentReader, doc: number): Json {
  const text = segment.sourceText(doc);
  countBytes(text.length);
  const parsed: unknown = text === '' ? {} : JSON.parse(text);
  return isObject(parsed) ? parsed : {};
}

/** Shard and node of an explained hit. */
export function explainedIn({ index }: Target): Json {
  return { _shard: `[${index.name}][0]`, _node: 'lockstitch' };
}

/** One hit, without sort values and highlights. */
export function fetchHit(
  target: Target,
  searcher: Searcher,
  segment: SegmentReader,
  doc: number,
  score: number,
  options: FetchOptions,
  query: Query | undefined,
): Record<string, unknown> {
  checkTime();
  const none = options.storedFields?.includes('_none_') === true;
  const hit: Record<string, unknown> = {
    // Whose explanation it is.
    ...(options.explain && query !== undefined ? explainedIn(target) : {}),
    _index: target.index.name,
    _type: target.typeName,
  };
  if (!none) hit['_id'] = segment.id(doc);
  if (options.version) hit['_version'] = segment.version(doc);
  if (options.seqNo) {
    hit['_seq_no'] = segment.seqNo(doc);
    hit['_primary_term'] = segment.primaryTerm(doc);
  }
  hit['_score'] = shortFloat(score);
  const routing = segment.routing(doc);
  if (routing !== undefined && !none) hit['_routing'] = routing;
  const ignored = ignoredFields(target, segment, doc);
  if (ignored.length > 0) hit['_ignored'] = ignored;
  const source = target.mapping.sourceSetting;
  if (options.source.enabled && !none && source.enabled) {
    const own = source.includes.length + source.excludes.length > 0;
    if (!own && options.source.includes.length + options.source.excludes.length === 0) {
      const text = segment.sourceText(doc);
      countBytes(text.length);
      hit['_source'] = new RawJson(text);
    } else {
      hit['_source'] = filterSource(keptSource(target.mapping, sourceOf(segment, doc)), options.source);
    }
  }
  const fields = fieldValues(target, segment, doc, options);
  if (Object.keys(fields).length > 0) hit['fields'] = fields;
  if (options.explain && query !== undefined)
    hit['_explanation'] = printExplanation(searcher.explainAs(target.mapping, query, segment, doc));
  return hit;
}

function ignoredFields(target: Target, segment: SegmentReader, doc: number): readonly string[] {
  const column = segment.keyword('_ignored');
  if (column === undefined) return [];
  const source = terms(scopeOf(target, segment), IGNORED, undefined);
  const found: string[] = [];
  source?.each(doc, (ordinal) => found.push(source.term(ordinal)));
  return found;
}

const IGNORED = { path: '_ignored', family: 'keyword' } as MappedField;

function scopeOf({ context }: Target, segment: SegmentReader): ValueScope {
  return { segment, context };
}

/** JSON has no number for what Elasticsearch prints as a text. */
function explainedValue({ isDouble, value }: Explanation): number | string | null {
  if (!Number.isFinite(value)) return String(value);
  return isDouble === true ? value : shortFloat(value);
}

/** Prints an explanation. */
export function printExplanation(explanation: Explanation | undefined): Json {
  if (explanation === undefined) return { value: 0, description: 'no matching clause', details: [] };
  return {
    value: explainedValue(explanation),
    description: explanation.description,
    details: explanation.details.map(printExplanation),
  };
}

/** @throws RequestError if a pattern matches a metadata field without a column, as `*` does */
function refuseMetadata(pattern: string, { mapping }: Target): void {
  const refused = [...METADATA_FIELDS.values()].find(({ path, docValues }) => !docValues && globMatches(pattern, path));
  if (refused !== undefined) throw noColumn(refused, mapping);
}

/** `docvalue_fields` of a document, or of an element of a nested field. */
export function docvalues(
  target: Target,
  segment: SegmentReader,
  doc: number,
  wanted: FetchOptions['docvalueFields'],
): Json {
  const found: Record<string, unknown[]> = {};
  for (const { field: pattern, format } of wanted) {
    if (pattern.includes('*')) refuseMetadata(pattern, target);
    for (const { name, field } of target.mapping.named(pattern)) {
      const values = columnValues(target, segment, doc, field, format);
      // A field requested in two formats has its values in both.
      if (values.length > 0) found[name] = [...(found[name] ?? []), ...values];
    }
  }
  return found;
}

function fieldValues(target: Target, segment: SegmentReader, doc: number, options: FetchOptions): Json {
  const columns = docvalues(target, segment, doc, options.docvalueFields);
  if (options.storedFields === undefined && options.fields.length === 0) return columns;
  return { ...columns, ...sourceFields(target, sourceOf(segment, doc), options, undefined) };
}

/**
 * `stored_fields` and `fields` of a document, or of an element of a nested field.
 *
 * @param source of the document; of an element: with that element alone
 * @param path of the nested field; undefined: the document itself
 * @throws RequestError for an object among the stored fields
 */
export function sourceFields(
  target: Target,
  source: Json,
  { fields, storedFields = [] }: FetchOptions,
  path: string | undefined,
): Json {
  const { mapping } = target;
  const found: Record<string, unknown> = {};
  for (const pattern of storedFields) {
    if (mapping.field(pattern) === undefined && mapping.object(pattern) !== undefined)
      throw shardArgument(`field [${pattern}] isn't a leaf field`);
    for (const { name, field } of mapping.named(pattern)) {
      // Elements of nested fields are documents of their own, with stored fields of their own.
      if (!isStored(field) || mapping.nestedPathOf(field.path) !== path) continue;
      const { paths, print } = storedField(name, field, mapping);
      const values = print(valuesOfPaths(source, paths));
      if (values.length > 0) found[name] = values;
    }
  }
  const kept = fields.length === 0 ? source : keptSource(mapping, source);
  for (const { field: pattern, format } of fields) {
    for (const { name, field } of mapping.named(pattern)) {
      if (path !== undefined && !field.path.startsWith(`${path}.`)) continue;
      const values = fetchedValues(target, field, kept, format);
      if (values.length > 0) found[name] = values;
    }
    for (const { name, field } of mapping.besideNamed(pattern)) {
      const values = fetchedValues(target, field, kept, format);
      if (values.length > 0) found[name] = values;
    }
  }
  return found;
}

function columnValues(
  target: Target,
  segment: SegmentReader,
  doc: number,
  field: MappedField,
  format: string | undefined,
): unknown[] {
  if (format !== undefined && format !== 'use_field_mapping' && !takesFormat(field))
    throw shardArgument(`Field [${field.path}] of type [${field.type}] does not support custom formats`);
  const scope = scopeOf(target, segment);
  if (field.family === 'geo') {
    const column = segment.geo(field.path);
    if (column === undefined) return [];
    const { starts, exists, lat, lon } = column;
    if (starts === undefined && exists !== undefined && !hasBit(exists, doc)) return [];
    const [from, to] = starts === undefined ? [doc, doc + 1] : [starts[doc]!, starts[doc + 1]!];
    return Array.from(
      { length: to - from },
      (_, at) => `${javaDouble(lat[from + at]!)}, ${javaDouble(lon[from + at]!)}`,
    );
  }
  if (isConstant(field)) {
    const constant = constantOf(field, target.index.name);
    return constant === undefined ? [] : [constant];
  }
  if (field.family === 'id') return [segment.id(segment.rootOf(doc))];
  if (hasFielddata(field)) {
    const values: string[] = [];
    const source = terms(scope, { ...field, path: fielddataPath(field.path), family: 'keyword' }, undefined);
    source?.each(doc, (ordinal) => values.push(source.term(ordinal)));
    return values;
  }
  if (!hasColumn(field)) throw noColumn(field, target.mapping);
  const values: unknown[] = [];
  if (hasNanos(field)) {
    const pattern = format === undefined || format === 'use_field_mapping' ? field.format : givenFormat(format, field);
    numbers(
      scope,
      { ...field, path: nanosPath(field.path) },
      undefined,
    )?.(doc, (place) => {
      const { millis, nanos } = toFine(fromPlace(place));
      values.push(pattern.print(millis, UTC, nanos));
    });
  } else if (isNumeric(field)) {
    numbers(scope, field, undefined)?.(doc, (value) => values.push(printValue(field, value, format)));
  } else {
    const source = terms(scope, field, undefined);
    source?.each(doc, (ordinal) => values.push(printTerm(field, source.term(ordinal))));
  }
  return values;
}

/** Whether values of the column can be printed in other formats. */
function takesFormat({ family, type }: MappedField): boolean {
  return type !== '_seq_no' && (family === 'number' || family === 'date' || type === 'binary');
}

function printValue(field: MappedField, value: number, given: string | undefined): unknown {
  const format = given === 'use_field_mapping' ? undefined : given;
  if (field.family === 'date') return (format === undefined ? field.format : givenFormat(format, field)).print(value);
  if (field.family === 'boolean') return value === 1;
  return format === undefined ? value : decimalFormat(format)(value);
}
