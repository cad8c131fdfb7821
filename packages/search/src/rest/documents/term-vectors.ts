// `_termvectors` and `_mtermvectors`: which documents are meant and what of their words is to be shown. The words themselves are told by
// api/term-vectors.ts, in a search thread where that takes longer than a turn.
import { causeOf } from '../../error-shape.ts';
import { shownType } from '../request/index-state.ts';
import { checkRouting, checkVersion, oneIndex, readDocument, wantedVersion } from './read-document.ts';
import { type Answer, bodyIndex, type Call, flagParam, jsonBody, listParam, param } from '../request/request.ts';
import { openTargets, releaseTargets, type SearchState } from '../request/search-state.ts';
import type { AskedVectors, WantedVectors } from '../../api/term-vectors.ts';
import type { SearchTarget } from '../../api/target.ts';
import { Stretches } from '../../drive.ts';
import type { Index } from '../../engine/engine-api.ts';
import { asBoolean, asObject, asString, checkKeys, type Json, toList } from '../../json.ts';
import { unsupported, validationError } from '../../request-error.ts';
import { answerManyVectors, answerVectors } from '../../thread/answer.ts';

const SHOWN = ['fields', 'offsets', 'positions', 'payloads', 'term_statistics', 'field_statistics'];
const MEANT = ['routing', 'version', 'version_type'];

/** URL parameters that say what is shown. */
export const TERM_VECTOR_PARAMS = [...SHOWN, ...MEANT, 'realtime', 'preference'];

const OPTIONS = [...SHOWN, ...MEANT, 'doc', 'per_field_analyzer', 'filter'];

function readWanted(body: Json, call: Call): WantedVectors {
  if (body['filter'] !== undefined) throw unsupported('[filter] in a term vectors request');
  const flag = (name: string, fallback: boolean): boolean =>
    body[name] === undefined ? flagParam(call, name, fallback) : asBoolean(body[name], name);
  // There are none to show; the option is read all the same.
  flag('payloads', true);
  const fields =
    body['fields'] === undefined
      ? listParam(call, 'fields')
      : toList(body['fields']).map((name) => asString(name, 'fields'));
  return {
    fields,
    offsets: flag('offsets', true),
    positions: flag('positions', true),
    termStatistics: flag('term_statistics', false),
    fieldStatistics: flag('field_statistics', true),
    analyzers:
      body['per_field_analyzer'] === undefined ? {} : asObject(body['per_field_analyzer'], 'per_field_analyzer'),
  };
}

/** `GET|POST /{index}/_termvectors[/{id}]`. */
export async function termVectors(state: SearchState, call: Call): Promise<Answer> {
  const body = asObject(jsonBody(call) ?? {}, 'termvectors');
  checkKeys(body, 'termvectors', OPTIONS);
  const index = oneIndex(call.engine, call.path['index']!);
  const asked = await askedFor(index, call.path['id'], body, call, 0);
  const targets = openTargets([{ index, aliases: [] }], call);
  try {
    return { json: await answerVectors(asked, targets, { ...state, now: call.now }, call.request.signal) };
  } finally {
    releaseTargets(targets);
  }
}

/** `GET|POST [/{index}]/_mtermvectors`. */
export async function multiTermVectors(state: SearchState, call: Call): Promise<Answer> {
  const body = asObject(jsonBody(call) ?? {}, 'mtermvectors');
  checkKeys(body, 'mtermvectors', ['docs', 'ids', 'parameters']);
  const shared = body['parameters'] === undefined ? {} : asObject(body['parameters'], 'parameters');
  checkKeys(shared, 'parameters', OPTIONS);
  const ids = body['ids'] === undefined ? listParam(call, 'ids') : toList(body['ids']);
  const entries: Json[] = [
    ...toList(body['docs'] ?? []).map((entry) => asObject(entry, 'docs')),
    ...(ids ?? []).map((id) => ({ _id: id })),
  ];
  if (entries.length === 0) throw validationError('multi term vectors: no documents requested');
  const indexes: Index[] = [];
  const asked: AskedVectors[] = [];
  const stretches = new Stretches();
  for (const entry of entries) {
    await stretches.pause();
    const { _index, _id, _type: _, _routing, ...own } = entry;
    const named = _index === undefined ? call.path['index'] : bodyIndex(call, asString(_index, '_index'));
    if (named === undefined) throw validationError('index is missing');
    checkKeys(own, 'docs', OPTIONS);
    const id = _id === undefined ? undefined : asString(_id, '_id');
    try {
      const options = { ...shared, ...own, ...(_routing === undefined ? {} : { routing: _routing }) };
      const index = oneIndex(call.engine, named);
      const known = indexes.findIndex(({ uuid }) => uuid === index.uuid);
      asked.push(await askedFor(index, id, options, call, known < 0 ? indexes.push(index) - 1 : known));
    } catch (error) {
      const cause = causeOf(error).error;
      const answer = { _index: named, _type: '_doc', _id: id ?? null, error: { root_cause: [cause], ...cause } };
      asked.push({ kind: 'answered', answer });
    }
  }
  const targets: SearchTarget[] = openTargets(
    indexes.map((index) => ({ index, aliases: [] })),
    call,
  );
  try {
    return { json: await answerManyVectors(asked, targets, { ...state, now: call.now }, call.request.signal) };
  } finally {
    releaseTargets(targets);
  }
}

async function askedFor(
  index: Index,
  id: string | undefined,
  body: Json,
  call: Call,
  target: number,
): Promise<AskedVectors> {
  const wanted = readWanted(body, call);
  const given = body['doc'] === undefined ? undefined : asObject(body['doc'], 'doc');
  if (id === undefined && given === undefined) throw validationError('id or doc is missing');
  if (id !== undefined && given !== undefined) throw validationError('an id and a doc cannot stand together');
  const started = performance.now();
  const took = (): number => Math.round(performance.now() - started);
  const head = { _index: index.name, _type: shownType(index, undefined), ...(id === undefined ? {} : { _id: id }) };
  if (id === undefined)
    return { kind: 'words', head: { ...head, _version: 0, found: true, took: took() }, target, source: given!, wanted };
  const routed = body['routing'] ?? param(call, 'routing');
  const routing = routed === undefined ? undefined : asString(routed, 'routing');
  checkRouting(index, id, routing);
  const document = await readDocument(index, id, flagParam(call, 'realtime', true), routing);
  if (document === undefined) return { kind: 'answered', answer: { ...head, _version: 0, found: false, took: took() } };
  checkVersion(index, document, wantedVersion(param(call, 'version'), param(call, 'version_type')));
  const { version } = document;
  // A copy of its own: sent to a thread, a part of a larger piece would take all of it along.
  const source = new Uint8Array(document.source);
  return { kind: 'words', head: { ...head, _version: version, found: true, took: took() }, target, source, wanted };
}
