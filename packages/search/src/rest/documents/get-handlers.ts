// Reading single documents: get, exists, source, mget.
import { required } from '@lockstitch/kernel';
import { countGet } from '../indices/index-counters.ts';
import { warnsOfTypes } from '../request/warnings.ts';
import { causeOf } from '../../json/error-shape.ts';
import { PrintedJson, printJson, printParts } from '../../json/print-json.ts';
import { hasType, shownType } from '../request/index-state.ts';
import {
  checkPreference,
  type Answer,
  type Call,
  bodyIndex,
  flagParam,
  jsonBody,
  listParam,
  param,
} from '../request/request.ts';
import { mappingOf } from '../../fetch/target.ts';
import { readSourceFilter, type SourceFilter } from '../../fetch/source-filter.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';
import { concatenate } from '../../tasks/copy-bytes.ts';
import { type Json, asString, isObject, tokenOf, toList, textOf } from '../../json/json.ts';
import { illegalArgument, parsingError, RequestError, validationError } from '../../errors/request-error.ts';
import { reads, type Endpoint } from '../request/endpoint.ts';
import { SOURCE, ONLY_SOURCE, TYPE, READ, READ_ONE } from '../request/route-params.ts';
import {
  routingOf,
  checkVersion,
  found,
  isLarge,
  oneIndex,
  printed,
  readDocument,
  shown,
  asksForSource,
  sourceFilterOf,
  wantedVersion,
} from './read-document.ts';

/** Documents of one request whose names alone take a millisecond to read. */
const MANY = 500;
/** Characters of an answer that become bytes together. */
const TOGETHER = 1 << 15;
const encoder = new TextEncoder();
const ENTRY_KEYS = ['_index', '_type', '_id', '_source', 'stored_fields', 'routing', 'version', 'version_type'];

/** `GET|HEAD /{index}/_doc/{id}`. */
async function getDocument(call: Call): Promise<Answer> {
  const { engine } = call;
  const version = wantedVersion(param(call, 'version'), param(call, 'version_type'));
  if (param(call, 'fields') !== undefined)
    throw illegalArgument(
      'the parameter [fields] is no longer supported, please use [stored_fields] to retrieve stored fields or [_source] to load the field from _source',
    );
  checkPreference(call);
  const index = oneIndex(engine, call.path['index']!);
  const id = call.path['id']!;
  const routing = routingOf(index, call.path['index']!, id, param(call, 'routing'));
  if (flagParam(call, 'refresh')) await index.refresh();
  const type = call.path['type'];
  const read = hasType(index, type)
    ? countGet(index, readDocument(index, id, flagParam(call, 'realtime', true), routing))
    : undefined;
  // Nearly always known: each step that waits takes a tenth of what a get does.
  const document = read instanceof Promise ? await read : read;
  if (document === undefined)
    return { status: 404, json: { _index: index.name, _type: shownType(index, type), _id: id, found: false } };
  checkVersion(index, document, version);
  const filter = sourceFilterOf(call);
  const stored = listParam(call, 'stored_fields');
  const shownFilter = besideStored(filter, stored, asksForSource(call));
  const json = found(index, document, shownFilter, stored, shownType(index, type));
  if (!(json instanceof Promise)) return { json };
  return { json: isLarge(document) ? await printed(await json) : await json };
}

/** `GET|HEAD /{index}/_source/{id}`. */
async function getSource(call: Call): Promise<Answer> {
  const { engine } = call;
  if (param(call, '_source') === 'false') throw validationError('fetching source can not be disabled');
  checkPreference(call);
  const index = oneIndex(engine, call.path['index']!);
  const id = call.path['id']!;
  const routing = routingOf(index, call.path['index']!, id, param(call, 'routing'));
  if (flagParam(call, 'refresh')) await index.refresh();
  const { type } = call.path;
  const document = hasType(index, type)
    ? await countGet(index, readDocument(index, id, flagParam(call, 'realtime', true), routing))
    : undefined;
  const filter = sourceFilterOf(call);
  const source = document === undefined ? undefined : (await shown(index, document, filter, undefined)).source;
  if (document === undefined || source === undefined)
    throw new RequestError(
      'SEARCH_NOT_FOUND',
      'resource_not_found_exception',
      document === undefined
        ? `Document not found [${index.name}]/[${type ?? '_doc'}]/[${id}]`
        : `Source not found [${index.name}]/[_doc]/[${id}]`,
    );
  return { json: source, isWhole: true };
}

/** The index that an entry names; undefined: neither the entry nor the path names one. */
export function indexOf(call: Call, { _index: own }: Json): string | undefined {
  return own === undefined ? call.path['index'] : bodyIndex(call, asString(own, '_index'));
}

/** The id of an entry: of a list, Elasticsearch reads one value after the other, and keeps the last. */
export function idOf({ _id: id }: Json): string | undefined {
  const last: unknown = Array.isArray(id) ? id.flat(Infinity).at(-1) : id;
  return last === undefined ? undefined : asString(last, '_id');
}

function multiGetBody(call: Call): unknown {
  const body = jsonBody(call);
  if (body !== undefined) return body;
  if ((call.request.body?.length ?? 0) > 0)
    throw parsingError('unexpected token [null], expected [START_OBJECT]', { fields: { line: 1, col: 0 } });
  throw new RequestError('SEARCH_PARSING', 'parse_exception', 'request body or source parameter is required');
}

/** The entries of a multi get, in the order in which the body names them. */
function multiGetEntries(call: Call): readonly Json[] {
  const body = multiGetBody(call);
  if (!isObject(body)) throw parsingError(`unexpected token [${tokenOf(body)}], expected [START_OBJECT]`);
  for (const [key, value] of Object.entries(body)) {
    if (!Array.isArray(value))
      throw parsingError(`unexpected token [${tokenOf(value)}], expected [FIELD_NAME] or [START_ARRAY]`);
    if (key !== 'docs' && key !== 'ids')
      throw parsingError(`unknown key [${key}] for a START_ARRAY, expected [docs] or [ids]`);
    if (key === 'ids' && value.some((id) => typeof id === 'object'))
      throw illegalArgument('ids array element should only contain ids');
    if (key === 'docs' && !value.every(isObject)) throw illegalArgument('docs array element should include an object');
  }
  const entries = Object.entries(body).flatMap(([key, value]): readonly Json[] =>
    key === 'docs' ? toList(value).filter(isObject) : toList(value).map((id) => ({ _id: id })),
  );
  if (entries.length === 0) throw validationError('no documents to get');
  return entries;
}

/** @throws RequestError for the first malformed entry, else for all that name no index or no id */
async function checkEntries(call: Call, entries: readonly Json[], slices: TimeSlices): Promise<void> {
  const base = call.path['index'];
  const problems: string[] = [];
  for (const [at, entry] of entries.entries()) {
    if (slices.isOver) await slices.yield();
    if (entry['fields'] !== undefined)
      throw parsingError('Unsupported field [fields] used, expected [stored_fields] instead');
    for (const key of Object.keys(entry))
      if (!ENTRY_KEYS.includes(key))
        throw new RequestError(
          'SEARCH_PARSING',
          'parse_exception',
          `failed to parse multi get request. unknown field [${key}]`,
        );
    if (entry['_type'] !== undefined) call.warn(MULTI_TYPES.warns.type);
    wantedVersion(entry['version'], entry['version_type']);
    if (entry['_index'] === undefined && base === undefined) problems.push(`index is missing for doc ${at}`);
    if (idOf(entry) === undefined) problems.push(`id is missing for doc ${at}`);
  }
  if (problems.length > 0) throw validationError(...problems);
}

/** The document of an entry, or why it cannot be read. @param defaults what of the source is shown where the entry does not say */
async function readEntry(call: Call, entry: Json, defaults: SourceFilter): Promise<Json> {
  const name = required(indexOf(call, entry), '_index');
  const id = required(idOf(entry), '_id');
  const type = entry['_type'] === undefined ? call.path['type'] : asString(entry['_type'], '_type');
  try {
    const index = oneIndex(call.engine, name);
    checkPreference(call);
    const given = entry['routing'] ?? param(call, 'routing');
    const routing = routingOf(index, name, id, given === undefined ? undefined : asString(given, 'routing'));
    if (flagParam(call, 'refresh')) await index.refresh();
    const document = hasType(index, type)
      ? await countGet(index, readDocument(index, id, flagParam(call, 'realtime', true), routing))
      : undefined;
    if (document === undefined) {
      // An index without a mapping has no type to show.
      const isBare = type === undefined && Object.keys(mappingOf(index).toJSON()).length === 0;
      return { _index: index.name, _type: isBare ? null : shownType(index, type ?? '_all'), _id: id, found: false };
    }
    checkVersion(index, document, wantedVersion(entry['version'], entry['version_type']));
    const stored =
      entry['stored_fields'] === undefined
        ? listParam(call, 'stored_fields')
        : toList(entry['stored_fields']).map(textOf);
    const asksSource = entry['_source'] !== undefined || asksForSource(call);
    const filter = entry['_source'] === undefined ? defaults : readSourceFilter(entry['_source']);
    // Without a type in the request it is the index's own.
    const shownAs = shownType(index, type ?? '_all');
    return await found(index, document, besideStored(filter, stored, asksSource), stored, shownAs);
  } catch (error) {
    const cause = causeOf(error).error;
    // A conflict is one of the index that was asked, whatever it was called.
    const asked = cause.type === 'version_conflict_engine_exception' ? (cause['index'] ?? name) : name;
    return { _index: asked, _type: type ?? null, _id: id, error: { root_cause: [cause], ...cause } };
  }
}

/** What of the source is shown: nothing beside stored fields that are asked for, unless it is asked for as well. */
function besideStored(filter: SourceFilter, stored: readonly string[] | undefined, asksSource: boolean): SourceFilter {
  return stored === undefined || stored.includes('_source') || asksSource ? filter : { ...filter, enabled: false };
}

/** `GET|POST /_mget`. */
async function multiGet(call: Call): Promise<Answer> {
  const entries = multiGetEntries(call);
  const defaults = sourceFilterOf(call);
  const slices = new TimeSlices(entries.length > MANY);
  await checkEntries(call, entries, slices);
  // One after the other, with turns for other requests in between; printed as they come, for one text of thousands would hold them up.
  const parts: Uint8Array[] = [];
  let text = '{"docs":[';
  for (const [at, entry] of entries.entries()) {
    if (slices.isOver) await slices.yield();
    const document = await readEntry(call, entry, defaults);
    if (at > 0) text += ',';
    if (document['_source'] instanceof PrintedJson) {
      parts.push(encoder.encode(text), ...printParts(document));
      text = '';
    } else text += printJson(document, false);
    if (text.length < TOGETHER) continue;
    parts.push(encoder.encode(text));
    text = '';
  }
  parts.push(encoder.encode(`${text}]}`));
  return { json: new PrintedJson(await concatenate(parts, slices)) };
}

const MULTI_TYPES = warnsOfTypes('multi get requests');

/** Documents by id. */
export const GET_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET HEAD',
    '/{index}/{type}/{id}',
    { ...READ, fields: 'text' },
    getDocument,
    warnsOfTypes('document get requests', ', use the /{index}/_doc/{id} endpoint instead'),
  ),
  reads(
    'GET HEAD',
    '/{index}/_source/{id} /{index}/{type}/{id}/_source',
    { ...READ_ONE, ...ONLY_SOURCE, ...TYPE },
    getSource,
    warnsOfTypes('get_source and exist_sourcerequests'),
  ),
  reads('GET POST', '/_mget /{index}/_mget /{index}/{type}/_mget', { ...READ_ONE, ...SOURCE }, multiGet, {
    ...MULTI_TYPES,
    parse: (call) => void multiGetBody(call),
  }),
];
