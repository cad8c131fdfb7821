// `_termvectors` and `_mtermvectors`: which documents are meant and what of their words is to be shown. The words themselves are told by
// search/term-vectors.ts, in a search thread where that takes longer than a turn.
import { wordsOf } from '@lockstitch/kernel';
import { warnsOfTypes } from '../request/warnings.ts';
import { errorBody } from '../../json/error-shape.ts';
import { reads, type Endpoint } from '../request/endpoint.ts';
import { shownType } from '../request/index-state.ts';
import { checkRouting, checkVersion, oneIndex, readDocument, wantedVersion } from './read-document.ts';
import {
  type Answer,
  bodyIndex,
  type Call,
  checkPreference,
  flagParam,
  jsonBody,
  listParam,
  param,
} from '../request/request.ts';
import { limitsOf, openTargets, releaseTargets } from '../request/search-state.ts';
import type { AskedVectors, TermFilter, WantedVectors } from '../../search/term-vectors.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';
import type { Index } from '../../engine/engine-api.ts';
import { asBoolean, asObject, asString, isObject, type Json, knownHere, textOf } from '../../json/json.ts';
import { coercedInteger } from '../../json/object-parser.ts';
import {
  type ErrorDetails,
  illegalArgument,
  parseException,
  RequestError,
  validationError,
} from '../../errors/request-error.ts';
import { answer } from '../../thread/answer.ts';

/** What one may ask of a document, in a body or in the URL. */
const ASKED = {
  fields: 'text',
  offsets: 'flag',
  positions: 'flag',
  payloads: 'flag',
  term_statistics: 'flag',
  field_statistics: 'flag',
  routing: 'text',
  version: 'text',
  version_type: 'text',
} as const;
const OPTIONS = [...Object.keys(ASKED), 'doc', 'per_field_analyzer', 'filter'];

/** A part of the request that cannot be read, as Elasticsearch words it. */
const unreadable = (what: string, details?: ErrorDetails): Error =>
  parseException(`failed to parse term vectors request. ${what}`, details);

function checkOptions(given: Json): void {
  if (given['dfs'] !== undefined)
    throw illegalArgument('distributed frequencies is not supported anymore for term vectors');
  const unknown = Object.keys(given).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw unreadable(`unknown field [${unknown}]`, knownHere(unknown, OPTIONS));
}

function readWanted(body: Json, call: Call): WantedVectors {
  const flag = (name: string, fallback: boolean): boolean =>
    body[name] === undefined ? flagParam(call, name, fallback) : asBoolean(body[name], name);
  // There are none to show; the option is read all the same.
  flag('payloads', true);
  const { fields, filter, per_field_analyzer: analyzers } = body;
  if (fields !== undefined && !Array.isArray(fields)) throw unreadable('field [fields] must be an array');
  return {
    fields: fields === undefined ? listParam(call, 'fields') : fields.map((name) => asString(name, 'fields')),
    offsets: flag('offsets', true),
    positions: flag('positions', true),
    termStatistics: flag('term_statistics', false),
    fieldStatistics: flag('field_statistics', true),
    analyzers: analyzers === undefined ? {} : readAnalyzers(asObject(analyzers, 'per_field_analyzer')),
    filter: filter === undefined ? undefined : readFilter(asObject(filter, 'filter')),
  };
}

function readAnalyzers(given: Json): Json {
  for (const [field, name] of Object.entries(given))
    if (typeof name !== 'string')
      throw parseException(`expecting the analyzer at [${field}] to be a String, but found [${textOf(name)}] instead`);
  return given;
}

const FILTER = wordsOf(`
  max_num_terms min_term_freq max_term_freq min_doc_freq max_doc_freq min_word_length max_word_length`);

function readFilter(given: Json): TermFilter {
  const unknown = Object.keys(given).find((name) => !FILTER.includes(name));
  if (unknown !== undefined)
    throw unreadable(`the field [${unknown}] is not valid for filter parameter for term vector request`);
  const number = (name: string, fallback: number): number =>
    given[name] === undefined ? fallback : coercedInteger(given[name], name);
  // A longest word of 0 characters is none, as in Elasticsearch.
  const longest = number('max_word_length', 0);
  return {
    maxTerms: number('max_num_terms', 25),
    minTermFreq: number('min_term_freq', 1),
    maxTermFreq: number('max_term_freq', Infinity),
    minDocFreq: number('min_doc_freq', 1),
    maxDocFreq: number('max_doc_freq', Infinity),
    minWordLength: number('min_word_length', 0),
    maxWordLength: longest === 0 ? Infinity : longest,
  };
}

/** What is asked of one document. */
interface Wish {
  /** Of a stored document; undefined: the words of `given` are asked. */
  readonly id: string | undefined;
  readonly given: Json;
  readonly routing: unknown;
  /** The version that it must have; undefined: any. */
  readonly version: number | undefined;
  readonly wanted: WantedVectors;
  /** As the request names it. */
  readonly type: string | undefined;
}

/** @throws RequestError */
function readWish(id: string | undefined, body: Json, call: Call, type = call.path['type']): Wish {
  checkOptions(body);
  const wanted = readWanted(body, call);
  const given = body['doc'] === undefined ? undefined : asObject(body['doc'], 'doc');
  if (id === undefined && given === undefined) throw validationError('id or doc is missing');
  if (id !== undefined && given !== undefined) throw unreadable('either [id] or [doc] can be specified, but not both!');
  const asked = (name: string): unknown => body[name] ?? param(call, name);
  const version = wantedVersion(asked('version'), asked('version_type'));
  return { id, given: given ?? {}, routing: asked('routing'), version, wanted, type };
}

/** `GET|POST /{index}/_termvectors[/{id}]`. */
async function termVectors(call: Call): Promise<Answer> {
  checkPreference(call);
  const body = asObject(jsonBody(call) ?? {}, 'termvectors');
  const besides = listParam(call, 'fields');
  const { fields } = body;
  const both = Array.isArray(fields) && besides !== undefined ? { ...body, fields: [...fields, ...besides] } : body;
  const wish = readWish(call.path['id'], both, call);
  const index = oneIndex(call.engine, pathIndex(call));
  return answerVectors(await askedFor(index, wish, call, 0), [index], call);
}

async function answerVectors(
  asked: AskedVectors | readonly AskedVectors[],
  indexes: readonly Index[],
  call: Call,
): Promise<Answer> {
  const targets = openTargets(
    indexes.map((index) => ({ index, aliases: [] })),
    call,
  );
  try {
    return {
      json: await answer('vectors', { asked }, targets, { ...limitsOf(call), now: call.now }, call.request.signal),
    };
  } finally {
    releaseTargets(targets);
  }
}

function pathIndex(call: Call): string {
  return call.path['index'] ?? '';
}

/** The documents that a request lists. */
function readEntries(body: Json, call: Call): readonly Json[] {
  const unknown = Object.keys(body).find((name) => !['docs', 'ids', 'parameters'].includes(name));
  if (unknown !== undefined) throw parseException(`_mtermvectors: Parameter [${unknown}] not supported`);
  const { docs = [], ids = listParam(call, 'ids') ?? [] } = body;
  if (!Array.isArray(docs)) throw parseException('no parameter named [docs] and type OBJECT');
  if (!Array.isArray(ids)) throw parseException('_mtermvectors: Parameter [ids] not supported');
  if (!docs.every(isObject)) throw illegalArgument('docs array element should include an object');
  if (ids.some((id) => id === null || typeof id === 'object'))
    throw illegalArgument('ids array element should only contain ids');
  const shared = body['parameters'] === undefined ? {} : asObject(body['parameters'], 'parameters');
  checkOptions(shared);
  // Parameters hold for documents that are listed behind them, and for ids wherever they stand.
  const names = Object.keys(body);
  const ofDocs = names.indexOf('parameters') < names.indexOf('docs') ? shared : {};
  const entries = [
    ...docs.map((entry): Json => ({ ...ofDocs, ...entry })),
    ...ids.map((id: unknown): Json => ({ ...shared, _id: id })),
  ];
  if (entries.length === 0) throw validationError('multi term vectors: no documents requested');
  return entries;
}

/**
 * `GET|POST [/{index}]/_mtermvectors`. What cannot be read fails the request; what a document lacks is told in its place. There documents that
 * are given get their place for an id, as Elasticsearch numbers them.
 */
async function multiTermVectors(call: Call): Promise<Answer> {
  const body = asObject(jsonBody(call) ?? {}, 'mtermvectors');
  const wishes = readEntries(body, call).map((entry, at) => {
    const { _index, _id, _type, ...own } = entry;
    if (_type !== undefined) call.warn(TERM_TYPES.warns.type);
    const type = _type === undefined ? undefined : asString(_type, '_type');
    const named = _index === undefined ? call.path['index'] : bodyIndex(call, asString(_index, '_index'));
    checkOptions(own);
    const where = `at multi term vectors for doc ${at}`;
    if (named === undefined) throw validationError('index is missing', where);
    if (_id === undefined && own['doc'] === undefined) throw validationError('id or doc is missing', where);
    return { named, wish: readWish(_id === undefined ? undefined : asString(_id, '_id'), own, call, type) };
  });
  const indexes: Index[] = [];
  const asked: AskedVectors[] = [];
  const slices = new TimeSlices();
  for (const { named, wish } of wishes) {
    await slices.yield();
    try {
      const index = indexOf(call, named);
      const known = indexes.findIndex(({ uuid }) => uuid === index.uuid);
      asked.push(await askedFor(index, wish, call, known < 0 ? indexes.push(index) - 1 : known));
    } catch (error) {
      const head = { _index: named, _type: '_doc', _id: wish.id ?? String(asked.length) };
      asked.push({ kind: 'answered', answer: { ...head, error: errorBody(inPlace(error)).body['error'] } });
    }
  }
  return answerVectors(asked, indexes, call);
}

/** An error as the place of a document shows it. */
function inPlace(error: unknown): unknown {
  if (!(error instanceof RequestError) || error.type !== 'version_conflict_engine_exception') return error;
  return new RequestError('SEARCH_CONFLICT', 'exception', 'failed to execute term vector request', {
    causedBy: { type: error.type, reason: error.message, ...error.details.fields },
  });
}

/** The index of one of several documents: an expression that names none says so without the resource. */
function indexOf(call: Call, name: string): Index {
  try {
    return oneIndex(call.engine, name);
  } catch (error) {
    if (error instanceof RequestError && error.type === 'index_not_found_exception')
      throw new RequestError('SEARCH_NOT_FOUND', error.type, error.message, {
        fields: { index_uuid: '_na_', index: name },
      });
    throw error;
  }
}

async function askedFor(
  index: Index,
  { given, id, routing: routed, version: expected, wanted, type }: Wish,
  call: Call,
  target: number,
): Promise<AskedVectors> {
  const started = performance.now();
  const took = (): number => Math.round(performance.now() - started);
  const head = { _index: index.name, _type: shownType(index, type), ...(id === undefined ? {} : { _id: id }) };
  if (id === undefined)
    return { kind: 'words', head: { ...head, _version: 0, found: true, took: took() }, target, source: given, wanted };
  const routing = routed === undefined ? undefined : asString(routed, 'routing');
  checkRouting(index, id, routing);
  const document = await readDocument(index, id, flagParam(call, 'realtime', true), routing);
  if (document === undefined) return { kind: 'answered', answer: { ...head, _version: 0, found: false, took: took() } };
  checkVersion(index, document, expected);
  const { version } = document;
  // A copy of its own: sent to a thread, a part of a larger piece would take all of it along.
  const source = new Uint8Array(document.source);
  return { kind: 'words', head: { ...head, _version: version, found: true, took: took() }, target, source, wanted };
}

const PARAMS = { ...ASKED, realtime: 'flag', preference: 'text' } as const;

const TERM_TYPES = warnsOfTypes('term vector requests');

/** The words of documents. */
export const TERM_VECTOR_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET POST',
    '/{index}/_termvectors /{index}/_termvectors/{id} /{index}/{type}/_termvectors /{index}/{type}/{id}/_termvectors',
    PARAMS,
    termVectors,
    TERM_TYPES,
  ),
  reads(
    'GET POST',
    '/_mtermvectors /{index}/_mtermvectors /{index}/{type}/_mtermvectors',
    { ids: 'text', ...PARAMS },
    multiTermVectors,
    warnsOfTypes('multi term vector requests'),
  ),
];
