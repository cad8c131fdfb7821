// Mappings of indices: read (with the name of the mapping type when asked), changed, and looked up by field.
import { warnsOfTypeNames } from '../request/warnings.ts';
import { changes, reads, type Endpoint } from '../request/endpoint.ts';
import { EXPAND, LOCAL, TIMEOUTS } from '../request/route-params.ts';
import { blockFailure, checkBlocks, checkChangeable } from '../request/index-blocks.ts';
import { indicesOf, writeIndex } from '../request/index-names.ts';
import { noSuchIndex } from '../request/resolve-indices.ts';
import { changedCustom, isClosed, typeNameOf } from '../request/index-state.ts';
import { readMapping } from './mapping-body.ts';
import { ACKNOWLEDGED, type Answer, type Call, flagParam, mapBody, param } from '../request/request.ts';
import { globMatches } from '../../text/glob.ts';
import { viewOfIndex } from '../../view/filtered-index.ts';
import { createMapper } from '../../mapping/create-mapper.ts';
import { mappingOf } from '../../fetch/target.ts';
import { METADATA_FIELDS } from '../../mapping/metadata-fields.ts';
import { fieldsBeside, printMetadata } from '../../mapping/print-field.ts';
import { runTask, TimeSlices } from '../../tasks/scheduler.ts';
import { isTurnTaken, yieldTurn } from '../../tasks/event-loop-queue.ts';
import type { Index } from '../../engine/engine-api.ts';
import type { Json } from '../../json/json.ts';
import { RawJson } from '../../json/print-json.ts';
import { illegalArgument, RequestError } from '../../errors/request-error.ts';

/** A mapping as it is shown: below its type with `include_type_name`, which an index without any mapping has none of. */
export function shownMapping(index: Index, call: Call, mapping: Json = mappingOf(index).toJSON()): Json {
  if (!flagParam(call, 'include_type_name')) return mapping;
  const name = typeNameOf(index);
  return name === undefined && Object.keys(mapping).length === 0 ? {} : { [name ?? '_doc']: mapping };
}

/** The types that the path names; undefined: all. */
function typesOf(call: Call): readonly string[] | undefined {
  const { type } = call.path;
  return type === undefined || (!flagParam(call, 'include_type_name') && ['_all', '*'].includes(type))
    ? undefined
    : type.split(',');
}

/** Fields of a mapping that is printed by itself: 1 ms. */
const MANY_FIELDS = 1000;

/** `GET [/{index}]/_mapping[/{type}]`. */
async function getMapping(call: Call): Promise<Answer> {
  const patterns = typesOf(call);
  if (patterns !== undefined && !flagParam(call, 'include_type_name'))
    throw illegalArgument('Types cannot be provided in get mapping requests, unless include_type_name is set to true.');
  const found: Record<string, unknown> = {};
  const missing = new Set(patterns);
  const slices = new TimeSlices();
  for (const { index } of checkBlocks(indicesOf(call), 'metadata_read')) {
    if (slices.isOver) await slices.yield();
    const own = mappingOf(index);
    const mappings = shownMapping(index, call, own.toJSON());
    const [name] = Object.keys(mappings);
    const fitting = patterns?.filter(
      (pattern) => pattern === '_all' || (name !== undefined && globMatches(pattern, name)),
    );
    for (const pattern of fitting ?? []) missing.delete(pattern);
    if (fitting !== undefined && fitting.length === 0) continue;
    // Of thousands of fields, each is printed in a turn of its own, and not all of them in the end.
    if (slices.isOver) await slices.yield();
    const isMany = own.fields.size > MANY_FIELDS;
    found[index.name] = { mappings: isMany ? new RawJson(JSON.stringify(mappings)) : mappings };
  }
  missing.delete('_all');
  missing.delete('*');
  if (missing.size === 0) return { json: found };
  if (Object.keys(found).length === 0) {
    const reason = `type[[${patterns!.join(', ')}]] missing`;
    throw new RequestError('SEARCH_NOT_FOUND', 'type_missing_exception', reason, {
      fields: { index_uuid: '_na_', index: '_all' },
    });
  }
  return {
    status: 404,
    json: {
      error: `${missing.size === 1 ? 'type' : 'types'} [${[...missing].sort().join(',')}] missing`,
      status: 404,
      ...found,
    },
  };
}

/** `PUT /{index}/_mapping[/{type}]`. */
async function putMapping(call: Call): Promise<Answer> {
  const body = mapBody(call, true);
  const { mapping, typeName } = readMapping(body, call, 'put');
  if (isTurnTaken()) await yieldTurn();
  const found = flagParam(call, 'write_index_only')
    ? writeIndices(call)
    : indicesOf(call, undefined, 'open,closed', undefined, false);
  if (found.length === 0) throw noSuchIndex(call.path['index'] ?? '_all');
  checkChangeable(found, call);
  for (const { index } of found) checkTypeName(index, typeName);
  // Of several indices none is changed where one refuses.
  for (const { index } of found.length > 1 ? found : []) {
    const trial = createMapper({ ...index.definition, mappings: mappingOf(index).toJSON() });
    await runTask(trial.mergeInSteps(mapping));
  }
  for (const { index } of found) {
    // A view is shared by its callers: what is refused in the end must leave nothing in it.
    const own = viewOfIndex(index) === undefined ? mappingOf(index) : createMapper(index.definition);
    await runTask(own.mergeInSteps(mapping, undefined, call.warn));
    if (isTurnTaken()) await yieldTurn();
    const custom = typeName === undefined ? undefined : changedCustom(index, { typeName });
    await index.updateDefinition({ mappings: own.toJSON(), ...(custom === undefined ? {} : { custom }) });
  }
  return ACKNOWLEDGED;
}

/** Of each name of the path the one index that is written by it. */
function writeIndices(call: Call): { readonly index: Index }[] {
  return (call.path['index'] ?? '').split(',').map((name) => {
    const index = writeIndex(call.engine, name);
    if (index === undefined) throw noSuchIndex(name);
    return { index };
  });
}

/** An index has one mapping type, the first it was given (or `_doc` when a mapping came without). */
function checkTypeName(index: Index, typeName: string | undefined): void {
  if (typeName === undefined) return;
  const own = typeNameOf(index) ?? (Object.keys(mappingOf(index).toJSON()).length > 0 ? '_doc' : typeName);
  if (own === typeName) return;
  throw illegalArgument(
    `Rejecting mapping update to [${index.name}] as the final mapping would have more than 1 type: [${[own, typeName].sort().join(', ')}]`,
  );
}

/** `HEAD /{index}/_mapping/{type}`: whether all indices have the type. */
function typeExists(call: Call): Answer {
  const found = checkBlocks(indicesOf(call), 'metadata_read');
  const types = call.path['type']!.split(',');
  const has = found.every(({ index }) => {
    const own = typeNameOf(index) ?? (Object.keys(mappingOf(index).toJSON()).length > 0 ? '_doc' : undefined);
    return own !== undefined && types.includes(own);
  });
  return { status: has && found.length > 0 ? 200 : 404 };
}

/** `GET [/{index}]/_mapping/field/{fields}`. */
async function getFieldMapping(call: Call): Promise<Answer> {
  const patterns = call.path['fields']!.split(',');
  const found: Record<string, unknown> = {};
  const type = typesOf(call);
  if (type !== undefined && !flagParam(call, 'include_type_name'))
    throw illegalArgument('Types cannot be specified unless include_type_name is set to true.');
  if (param(call, 'local') !== undefined)
    call.warn(
      'Use [local] in get field mapping requests is deprecated. The parameter will be removed in the next major version',
    );
  const slices = new TimeSlices();
  const indices = indicesOf(call).filter(
    (each) => !isClosed(each.index) && blockFailure([each], 'metadata_read') === undefined,
  );
  if (indices.length === 0) return { status: 404, json: {} };
  const types = type ?? ['*'];
  for (const { index } of indices) {
    const named = typeNameOf(index) ?? '_doc';
    if (!types.some((each) => each === '_all' || globMatches(each, named))) continue;
    const own = mappingOf(index);
    const mappings: Record<string, unknown> = {};
    const isAsked = (path: string): boolean => patterns.some((pattern) => globMatches(pattern, path));
    const includeDefaults = flagParam(call, 'include_defaults');
    const whole = own.toJSON();
    for (const path of METADATA_FIELDS.keys())
      if (isAsked(path)) mappings[path] = { full_name: path, mapping: printMetadata(path, whole, includeDefaults) };
    for (const field of own.fields.values()) {
      const { path } = field;
      if (slices.isOver) await slices.yield();
      if (isAsked(path)) mappings[path] = { full_name: path, mapping: own.fieldJson(path, includeDefaults) };
      for (const [name, mapping] of fieldsBeside(field, includeDefaults))
        if (isAsked(name)) mappings[name] = { full_name: name, mapping: { [name]: mapping } };
    }
    const isFound = Object.keys(mappings).length > 0;
    found[index.name] = { mappings: isFound ? shownMapping(index, call, mappings) : {} };
    // A request for one field of one type leaves out indices without it.
    if (!isFound && type !== undefined && indices.length === 1 && patterns.length === 1) return { json: {} };
  }
  return { status: Object.keys(found).length === 0 ? 404 : 200, json: found };
}

/** Mappings. */
export const MAPPING_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET',
    '/_mapping /{index}/_mapping /_mappings /{index}/_mappings /_mapping/{type} /{index}/_mapping/{type} ' +
      '/{index}/_mappings/{type} /{index}/{type}/_mapping',
    { include_type_name: 'flag', ...EXPAND, ...LOCAL },
    getMapping,
    warnsOfTypeNames('get mapping'),
  ),
  reads('HEAD', '/{index}/_mapping/{type}', { include_type_name: 'flag', ...EXPAND, ...LOCAL }, typeExists, {
    warns: {
      ...warnsOfTypeNames('get mapping').warns,
      always: 'Type exists requests are deprecated, as types have been deprecated.',
    },
  }),
  changes(
    'PUT POST',
    '/{index}/_mapping /{index}/_mappings /{index}/_mapping/{type} /{index}/_mappings/{type} ' +
      '/{index}/{type}/_mapping /{index}/{type}/_mappings /_mapping/{type} /_mappings/{type}',
    { include_type_name: 'flag', write_index_only: 'flag', ...EXPAND, ...TIMEOUTS },
    putMapping,
    warnsOfTypeNames('put mapping'),
  ),
  reads(
    'GET',
    '/_mapping/field/{fields} /{index}/_mapping/field/{fields} /_mapping/{type}/field/{fields} ' +
      '/{index}/_mapping/{type}/field/{fields}',
    { include_type_name: 'flag', include_defaults: 'flag', local: 'flag', ...EXPAND },
    getFieldMapping,
    warnsOfTypeNames('get field mapping'),
  ),
];
