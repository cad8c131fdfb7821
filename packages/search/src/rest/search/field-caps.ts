// `_field_caps`: which fields the indices have, and whether each can be searched and aggregated.
import { reads, type Endpoint } from '../request/endpoint.ts';
import { EXPAND } from '../request/route-params.ts';
import { readableIndicesOf } from '../request/index-names.ts';
import type { Found } from '../request/resolve-indices.ts';
import { canMatch } from './can-match.ts';
import { parseQueryOf } from './search-handlers.ts';
import { limitsOf, openTargets, releaseTargets } from '../request/search-state.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';

import { answer } from '../../thread/answer.ts';
import { type Answer, type Call, flagParam, jsonBody, listParam, param } from '../request/request.ts';
import { mappingOf } from '../../fetch/target.ts';
import { asString, checkKeys, isObject, tokenOf, toList } from '../../json/json.ts';
import { globMatches } from '../../text/glob.ts';
import { illegalArgument, parsingError } from '../../errors/request-error.ts';
import { hasColumn, hasFielddata, type MappedField } from '../../mapping/field-type.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import { METADATA_FIELDS } from '../../mapping/metadata-fields.ts';
import { besideSearchAsYouType } from '../../mapping/print-field.ts';

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

/** `GET|POST [/{index}]/_field_caps`. */
async function fieldCaps(call: Call): Promise<Answer> {
  const body = bodyOf(call);
  if (body !== undefined && !isObject(body) && param(call, 'fields') === undefined) throw noFields();
  if (body !== undefined && !isObject(body)) throw parsingError(`Expected [START_OBJECT] but found [${tokenOf(body)}]`);
  // Clients of Elasticsearch 8.5 and later name the fields in the body.
  const inBody =
    body?.['fields'] !== undefined ? toList(body['fields']).map((name) => asString(name, 'fields')) : undefined;
  const patterns = listParam(call, 'fields') ?? inBody;
  if (patterns === undefined || patterns.length === 0) throw noFields();
  const filter = body?.['index_filter'];
  if (body !== undefined) checkKeys(body, 'field_caps', ['index_filter', 'fields']);
  if (filter !== undefined) await parseQueryOf(call, { query: filter });
  const unmapped = flagParam(call, 'include_unmapped');
  const found = await withMatches(call, readableIndicesOf(call), filter);
  const fields = new Map<
    string,
    Map<string, { searchable: boolean[]; aggregatable: boolean[]; indices: string[]; meta: Map<string, Set<string>> }>
  >();
  const matches = (name: string): boolean => patterns.some((pattern) => globMatches(pattern, name));
  const add = (
    name: string,
    type: string,
    searchable: boolean,
    aggregatable: boolean,
    index: string,
    meta?: unknown,
  ): void => {
    const types = fields.get(name) ?? new Map();
    const entry = types.get(type) ?? { searchable: [], aggregatable: [], indices: [], meta: new Map() };
    entry.searchable.push(searchable);
    entry.aggregatable.push(aggregatable);
    entry.indices.push(index);
    for (const [key, value] of Object.entries(isObject(meta) ? meta : {}))
      entry.meta.set(key, (entry.meta.get(key) ?? new Set()).add(String(value)));
    types.set(type, entry);
    fields.set(name, types);
  };
  const slices = new TimeSlices();
  for (const { index } of found) {
    const mapping = mappingOf(index);
    for (const { path, type, index: searchable, docValues } of METADATA_FIELDS.values())
      if (matches(path)) add(path, type, searchable, docValues, index.name);
    const objects = mapping.objects();
    const parents = new Set<string>();
    for (const path of mapping.fields.keys()) {
      if (slices.isOver) await slices.yield();
      if (!matches(path)) continue;
      // An alias is what it stands for.
      const field = mapping.field(path);
      if (field === undefined) continue;
      for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1))
        if (objects.has(path.slice(0, dot))) parents.add(path.slice(0, dot));
      const searchable = field.index && field.type !== 'binary';
      add(path, typeOf(field, mapping), searchable, isAggregatable(field), index.name, field.definition['meta']);
    }
    // An object is listed in the indices that have one of its fields.
    for (const path of parents) add(path, objects.get(path)!, false, false, index.name);
  }
  const printed: Record<string, unknown> = {};
  await slices.yield();
  for (const [name, types] of [...fields].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (slices.isOver) await slices.yield();
    const having = [...types.values()].flatMap((entry) => entry.indices);
    if (unmapped) {
      const lacking = found.map(({ index }) => index.name).filter((index) => !having.includes(index));
      if (lacking.length > 0)
        types.set('unmapped', { searchable: [false], aggregatable: [false], indices: lacking, meta: new Map() });
    }
    printed[name] = Object.fromEntries(
      [...types].map(([type, entry]) => {
        const searchable = entry.searchable.every(Boolean);
        const aggregatable = entry.aggregatable.every(Boolean);
        const not = (list: readonly boolean[]): string[] => entry.indices.filter((_, at) => list[at] === false);
        return [
          type,
          {
            type,
            searchable,
            aggregatable,
            ...(entry.meta.size === 0
              ? {}
              : {
                  meta: Object.fromEntries(
                    [...entry.meta]
                      .sort(([a], [b]) => (a < b ? -1 : 1))
                      .map(([key, values]) => [key, [...values].sort()]),
                  ),
                }),
            ...(types.size > 1 ? { indices: entry.indices } : {}),
            ...(searchable || entry.searchable.every((each) => !each)
              ? {}
              : { non_searchable_indices: not(entry.searchable) }),
            ...(aggregatable || entry.aggregatable.every((each) => !each)
              ? {}
              : { non_aggregatable_indices: not(entry.aggregatable) }),
          },
        ];
      }),
    );
  }
  await slices.yield();
  return { json: { indices: found.map(({ index }) => index.name), fields: printed } };
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
      (await answer('count', { query }, targets, options, call.request.signal)) > 0;
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
    ['/_field_caps', '/{index}/_field_caps'],
    { fields: 'text', include_unmapped: 'flag', ...EXPAND },
    fieldCaps,
  ),
];
