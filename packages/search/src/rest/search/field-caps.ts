// `_field_caps`: which fields the indices have, and whether each can be searched and aggregated.
import { reads, type Endpoint } from '../request/endpoint.ts';
import { EXPAND } from '../request/route-params.ts';
import { blockFailure } from '../request/index-blocks.ts';
import { undamagedIndicesOf } from '../request/index-names.ts';
import type { Found } from '../request/resolve-indices.ts';
import type { Index } from '../../engine/engine-api.ts';
import { canMatch } from './can-match.ts';
import { parseQueryOf } from './search-handlers.ts';
import { limitsOf, openTargets, releaseTargets } from '../request/search-state.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';

import { answer } from '../../thread/answer.ts';
import { type Answer, type Call, flagParam, jsonBody, listParam, param } from '../request/request.ts';
import { mappingOf } from '../../fetch/target.ts';
import { asString, isObject, type Json, tokenOf, toList, textOf } from '../../json/json.ts';
import { globMatches } from '../../text/glob.ts';
import { illegalArgument, parsingError } from '../../errors/request-error.ts';
import { hasColumn, hasFielddata, type MappedField } from '../../mapping/field-type.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import { METADATA_FIELDS } from '../../mapping/metadata-fields.ts';
import { besideSearchAsYouType, fieldsBeside } from '../../mapping/print-field.ts';

/** The body. What is wrong with it is reported after fields that are missing. */
function bodyOf(call: Call): unknown {
  try {
    return jsonBody(call);
  } catch (error) {
    if (param(call, 'fields') === undefined) throw noFields();
    throw error;
  }
}

const noFields = (): Error => illegalArgument("specified fields can't be null or empty");

/** The names of fields that are asked for, which are looked at first. */
function patternsOf(call: Call): { readonly body: Json | undefined; readonly patterns: readonly string[] } {
  const body = bodyOf(call);
  if (body !== undefined && !isObject(body) && param(call, 'fields') === undefined) throw noFields();
  if (body !== undefined && !isObject(body)) throw parsingError(`Expected [START_OBJECT] but found [${tokenOf(body)}]`);
  // Clients of Elasticsearch 8.5 and later name the fields in the body.
  const inBody =
    body?.['fields'] !== undefined ? toList(body['fields']).map((name) => asString(name, 'fields')) : undefined;
  const patterns = listParam(call, 'fields') ?? inBody;
  if (patterns === undefined || patterns.length === 0) throw noFields();
  return { body, patterns };
}

/** `GET|POST [/{index}]/_field_caps`. */
async function fieldCaps(call: Call): Promise<Answer> {
  const { body, patterns } = patternsOf(call);
  const filter = body?.['index_filter'];
  const unknown = Object.keys(body ?? {}).find((key) => key !== 'index_filter' && key !== 'fields');
  if (unknown !== undefined) throw parsingError(`request does not support [${unknown}]`);
  if (filter !== undefined) await parseQueryOf(call, { query: filter });
  // Each index is asked by itself; one that cannot be read is left out.
  const readable = undamagedIndicesOf(call).filter((each) => blockFailure([each], 'read') === undefined);
  const found = await withMatches(call, readable, filter);
  const fields: Fields = new Map();
  const slices = new TimeSlices();
  for (const { index } of found) await addFields(fields, index, patterns, slices);
  await slices.yield();
  const indices = found.map(({ index }) => index.name);
  const unmappedIn = flagParam(call, 'include_unmapped') ? indices : [];
  const printed: Record<string, unknown> = {};
  for (const [name, types] of [...fields].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (slices.isOver) await slices.yield();
    addUnmapped(types, unmappedIn);
    printed[name] = Object.fromEntries(
      [...types].map(([type, entry]) => [type, printType(type, entry, types.size > 1)]),
    );
  }
  await slices.yield();
  return { json: { indices, fields: printed } };
}

/** What indices say of a field of one type, each list index by index. */
interface TypeEntry {
  readonly searchable: boolean[];
  readonly aggregatable: boolean[];
  readonly indices: string[];
  /** Values of `meta` by key. */
  readonly meta: Map<string, Set<string>>;
}

/** Types of each field. */
type Fields = Map<string, Map<string, TypeEntry>>;

/** Adds the fields of an index that fit one of the patterns. */
async function addFields(fields: Fields, index: Index, patterns: readonly string[], slices: TimeSlices): Promise<void> {
  const mapping = mappingOf(index);
  const matches = (name: string): boolean => patterns.some((pattern) => globMatches(pattern, name));
  const add = (name: string, type: string, searchable: boolean, aggregatable: boolean, meta?: unknown): void => {
    const types = fields.get(name) ?? new Map<string, TypeEntry>();
    const entry: TypeEntry = types.get(type) ?? { searchable: [], aggregatable: [], indices: [], meta: new Map() };
    entry.searchable.push(searchable);
    entry.aggregatable.push(aggregatable);
    entry.indices.push(index.name);
    for (const [key, value] of Object.entries(isObject(meta) ? meta : {}))
      entry.meta.set(key, (entry.meta.get(key) ?? new Set()).add(textOf(value)));
    types.set(type, entry);
    fields.set(name, types);
  };
  // An index without a mapping knows of no field, not even of these.
  if (mapping.fields.size === 0 && Object.keys(mapping.toJSON()).length === 0) return;
  for (const { path, type, index: searchable, docValues } of METADATA_FIELDS.values())
    if (matches(path)) add(path, type, searchable, docValues);
  const objects = mapping.objects();
  const parents = new Set<string>();
  for (const path of mapping.fields.keys()) {
    if (slices.isOver) await slices.yield();
    const own = mapping.fields.get(path)!;
    for (const [beside, { type }] of fieldsBeside(own, false))
      if (matches(beside)) add(beside, textOf(type), own.index, false);
    if (!matches(path)) continue;
    // An alias has the capabilities of its target.
    const field = mapping.field(path);
    if (field === undefined) continue;
    for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1))
      if (objects.has(path.slice(0, dot))) parents.add(path.slice(0, dot));
    // Elasticsearch says of points that they can be searched also where they are not indexed.
    const searchable =
      field.type === 'geo_point' || (field.index && field.type !== 'binary' && field.type !== 'rank_features');
    add(path, typeOf(field, mapping), searchable, isAggregatable(field), field.definition['meta']);
  }
  // An object is listed in the indices that have one of its fields.
  for (const path of parents) add(path, objects.get(path)!, false, false);
}

/** @param all all indices, if those that lack the field are listed, too */
function addUnmapped(types: Map<string, TypeEntry>, all: readonly string[]): void {
  const having = new Set([...types.values()].flatMap((entry) => entry.indices));
  const indices = all.filter((index) => !having.has(index));
  if (indices.length > 0)
    types.set('unmapped', { searchable: [false], aggregatable: [false], indices, meta: new Map() });
}

/** @param isOneOfSeveral whether the field has other types in other indices */
function printType(type: string, entry: TypeEntry, isOneOfSeveral: boolean): Json {
  const lacking = (list: readonly boolean[]): readonly string[] =>
    list.includes(true) ? entry.indices.filter((_, at) => list[at] === false) : [];
  const [unsearchable, unaggregatable] = [lacking(entry.searchable), lacking(entry.aggregatable)];
  const meta = [...entry.meta].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, values]) => [key, [...values].sort()]);
  return {
    type,
    searchable: entry.searchable.every(Boolean),
    aggregatable: entry.aggregatable.every(Boolean),
    ...(meta.length === 0 ? {} : { meta: Object.fromEntries(meta) as Json }),
    ...(isOneOfSeveral ? { indices: entry.indices } : {}),
    ...(unsearchable.length === 0 ? {} : { non_searchable_indices: unsearchable }),
    ...(unaggregatable.length === 0 ? {} : { non_aggregatable_indices: unaggregatable }),
  };
}

/** The type as it is told: keywords of all sorts are one family. */
function typeOf(field: MappedField, mapping: Mapping): string {
  if (field.type === 'constant_keyword' || field.type === 'wildcard') return 'keyword';
  if (field.type === 'token_count') return 'integer';
  const beside = besideSearchAsYouType(
    field.path,
    mapping.fields.get(field.path.slice(0, field.path.lastIndexOf('.'))),
  );
  return beside === 'shingle' ? 'search_as_you_type' : (beside ?? field.type);
}

function isAggregatable(field: MappedField): boolean {
  if (hasColumn(field) || hasFielddata(field) || field.family === 'constant') return true;
  return (field.family === 'geo' || field.family === 'range') && field.docValues;
}

/** The indices that might have a document which the filter finds; all without one. */
async function withMatches(call: Call, found: readonly Found[], filter: unknown): Promise<readonly Found[]> {
  if (filter === undefined) return found;
  const kept: Found[] = [];
  const options = { ...limitsOf(call), now: call.now };
  for (const each of found) {
    const targets = openTargets([each], call);
    const finds = async (query: unknown): Promise<boolean> =>
      (await answer('count', { query }, targets, options, call.request.signal)).count > 0;
    try {
      if (await canMatch(filter, targets[0]!.target, finds)) kept.push(each);
    } finally {
      releaseTargets(targets);
    }
  }
  return kept;
}

/** What fields can be asked. */
export const FIELD_CAPS_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET POST',
    '/_field_caps /{index}/_field_caps',
    { fields: 'text', include_unmapped: 'flag', ...EXPAND },
    fieldCaps,
    { parse: (call) => void patternsOf(call) },
  ),
];
