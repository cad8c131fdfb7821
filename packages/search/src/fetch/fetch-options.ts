// What hits show of their documents, as a search, `top_hits` and `inner_hits` ask for it.
import { wordsOf } from '@lockstitch/kernel';
import { contentError, illegalArgument, parsingError, shardArgument } from '../errors/request-error.ts';
import { asBoolean, asString, isObject, type Json, toList, tokenOf } from '../json/json.ts';
import { unknownMember } from '../json/object-parser.ts';
import type { IndexLimits } from '../settings/index-limits.ts';
import { readSourceFilter, type SourceFilter } from './source-filter.ts';

/** What each hit shows. */
export interface FetchOptions {
  readonly source: SourceFilter;
  /** `stored_fields`: `_none_` hides metadata and source. */
  readonly storedFields: readonly string[] | undefined;
  readonly docvalueFields: readonly { readonly field: string; readonly format: string | undefined }[];
  readonly fields: readonly { readonly field: string; readonly format: string | undefined }[];
  readonly version: boolean;
  readonly seqNo: boolean;
  readonly explain: boolean;
}

/** Entries of `fields` and `stored_fields`, for which Elasticsearch has no limit of their own. */
const MAX_FIELDS = 100;

function checkFieldCount(count: number, where: string): void {
  if (count <= MAX_FIELDS) return;
  throw shardArgument(
    `Trying to retrieve too many ${where}. Must be less than or equal to: [${MAX_FIELDS}] but was [${count}].`,
  );
}

/** @throws RequestError for more columns than the index shows of a hit */
export function checkFetchLimits({ docvalueFields }: FetchOptions, { docvalueFields: limit }: IndexLimits): void {
  if (docvalueFields.length > limit)
    throw shardArgument(
      `Trying to retrieve too many docvalue_fields. Must be less than or equal to: [${limit}] but was [${docvalueFields.length}]. This limit can be set by changing the [index.max_docvalue_fields_search] index level setting.`,
    );
}

function fieldList(value: unknown, where: string): { field: string; format: string | undefined }[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw parsingError(`Unknown key for a ${tokenOf(value)} in [${where}].`);
  if (where !== 'docvalue_fields') checkFieldCount(toList(value).length, where);
  return toList(value).map((each) => {
    if (typeof each === 'string' || typeof each === 'number') return { field: String(each), format: undefined };
    if (!isObject(each)) throw contentError(`[docvalues_field] Expected START_OBJECT but was: ${tokenOf(each)}`);
    for (const key of Object.keys(each))
      if (key !== 'field' && key !== 'format') throw unknownMember('docvalues_field', key, ['field', 'format']);
    if (each['field'] === undefined) throw illegalArgument('Required [field]');
    const text = (name: string): string => {
      const value = each[name];
      if (typeof value === 'string') return value;
      throw contentError(`[docvalues_field] ${name} doesn't support values of type: ${tokenOf(value)}`);
    };
    return {
      field: text('field'),
      format: each['format'] === undefined || each['format'] === null ? undefined : text('format'),
    };
  });
}

/** What a list of hits inside an answer may say of itself: `top_hits` all of it, `inner_hits` a name besides. */
export const SUB_HITS_KEYS: readonly string[] = wordsOf(`
  from size sort _source version seq_no_primary_term explain docvalue_fields stored_fields highlight track_scores
  fields`);

/** Reads what hits show, for a search and for `top_hits`. */
export function readFetchOptions(body: Json): FetchOptions {
  const stored = body['stored_fields'];
  if (stored !== undefined && typeof stored !== 'string' && !Array.isArray(stored))
    throw parsingError(`Expected [VALUE_STRING] or [START_ARRAY] in [stored_fields] but found [${tokenOf(stored)}]`);
  const storedFields = stored === undefined ? undefined : toList(stored).map((each) => asString(each, 'stored_fields'));
  checkFieldCount(storedFields?.length ?? 0, 'stored_fields');
  if (storedFields !== undefined && storedFields.includes('_none_') && storedFields.length > 1)
    throw illegalArgument('cannot combine _none_ with other fields');
  const source = readSourceFilter(body['_source']);
  const isStored = storedFields?.includes('_source') === true;
  // An empty text is no flag.
  const flag = (key: string): boolean => (body[key] ?? '') !== '' && asBoolean(body[key], key);
  return {
    source:
      storedFields !== undefined && body['_source'] === undefined && !isStored
        ? { enabled: false, includes: [], excludes: [] }
        : { ...source, enabled: source.enabled || isStored },
    storedFields,
    docvalueFields: fieldList(body['docvalue_fields'], 'docvalue_fields'),
    fields: fieldList(body['fields'], 'fields'),
    version: flag('version'),
    seqNo: flag('seq_no_primary_term'),
    explain: flag('explain'),
  };
}
