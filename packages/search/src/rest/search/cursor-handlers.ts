// Searches that go on over several requests: scrolls and points in time.
import { opens, type Endpoint } from '../request/endpoint.ts';
import { EXPAND } from '../request/route-params.ts';
import { readableIndicesOf } from '../request/index-names.ts';
import { type Answer, type Call, durationParam, flagParam, jsonBody, listParam, param } from '../request/request.ts';
import { withMembers } from '../../json/print-json.ts';
import { asObject, asString, checkKeys, type Json, tokenOf, toList, textOf } from '../../json/json.ts';
import { readTime } from '../../json/time-value.ts';
import { illegalArgument, validationError } from '../../errors/request-error.ts';
import { openTargets, ownerOf, limitsOf, releaseTargets } from '../request/search-state.ts';

/** `GET|POST /_search/scroll[/{scroll_id}]`. */
async function scrollOn(call: Call): Promise<Answer> {
  const body = asObject(jsonBody(call) ?? {}, 'scroll');
  checkMembers(body, ['scroll_id', 'scroll']);
  const id = body['scroll_id'] ?? param(call, 'scroll_id') ?? call.path['scroll_id'];
  if (id === undefined) throw validationError('scrollId is missing');
  const keepAlive = body['scroll'] === undefined ? durationParam(call, 'scroll') : readTime(body['scroll'], 'scroll');
  if (typeof id !== 'string') throw unknownParameter('scroll_id', id);
  checkScrollId(id);
  const cursor = call.state.cursors.use(id, call.now, keepAlive, (found) => ownerOf(found.targets, call));
  if (cursor.body === undefined) throw illegalArgument(`[${textOf(id)}] is a point in time, not a scroll`);
  const options = {
    now: call.now,
    ...limitsOf(call),
    typedKeys: (param(call, 'typed_keys') ?? 'false') !== 'false',
    totalHitsAsInt: flagParam(call, 'rest_total_hits_as_int'),
    scroll: cursor.positions,
  };
  const outcome = await call.state.backend.search(
    { body: cursor.body, ...options },
    cursor.targets,
    { ...options, keepAlive: cursor.keepAlive },
    call.request.signal,
  );
  cursor.positions = outcome.positions;
  return { json: await withMembers({ _scroll_id: textOf(id) }, outcome.response) };
}

function checkMembers(body: Json, known: readonly string[]): void {
  for (const [key, value] of Object.entries(body)) if (!known.includes(key)) throw unknownParameter(key, value);
}

function unknownParameter(key: string, value: unknown): Error {
  return illegalArgument(
    `Unknown parameter [${key}] in request body or parameter is of the wrong type[${tokenOf(value)}]`,
  );
}

/** @throws RequestError for a text that no scroll can have as its id, ours or another engine's */
function checkScrollId(id: string): void {
  if (!/^[\w-]{32}$|^[\w+/-]{40,}={0,2}$/.test(id)) throw illegalArgument('Cannot parse scroll id');
}

/** `DELETE /_search/scroll[/{scroll_id}]`. */
function clearScroll(call: Call): Answer {
  const body =
    call.request.body === undefined || call.request.body.length === 0
      ? undefined
      : asObject(jsonBody(call), 'clear_scroll');
  if (body !== undefined) checkMembers(body, ['scroll_id']);
  const given = body?.['scroll_id'] ?? call.path['scroll_id']?.split(',') ?? listParam(call, 'scroll_id');
  if (given === undefined) throw validationError('no scroll ids specified');
  const ids = toList(given).map((id) => asString(id, 'scroll_id'));
  if (ids.length === 1 && ids[0] === '_all') {
    const freed = call.state.cursors.closeAll((found) => ownerOf(found.targets, call));
    return { json: { succeeded: true, num_freed: freed } };
  }
  for (const id of ids) checkScrollId(id);
  const freed = ids.filter((id) => call.state.cursors.close(id, (found) => ownerOf(found.targets, call))).length;
  return { status: freed === 0 ? 404 : 200, json: { succeeded: true, num_freed: freed } };
}

/** `POST /{index}/_pit`. */
async function openPointInTime(call: Call): Promise<Answer> {
  return { json: { id: (await openPit(call)).id } };
}

/** `POST /{index}/_search/point_in_time`: the same as OpenSearch has it. */
async function createPit(call: Call): Promise<Answer> {
  const { id, shards } = await openPit(call);
  const _shards = { total: shards, successful: shards, skipped: 0, failed: 0 };
  return { json: { pit_id: id, _shards, creation_time: call.now } };
}

/** `DELETE /_search/point_in_time`. */
function deletePits(call: Call): Answer {
  const body = asObject(jsonBody(call) ?? {}, 'pit');
  checkKeys(body, 'pit', ['pit_id']);
  if (body['pit_id'] === undefined) throw validationError('no pit ids specified');
  const pits = toList(body['pit_id']).map((each) => {
    const id = asString(each, 'pit_id');
    return { pit_id: id, successful: call.state.cursors.close(id, (found) => ownerOf(found.targets, call)) };
  });
  return { status: pits.some((each) => each.successful) ? 200 : 404, json: { pits } };
}

async function openPit(call: Call): Promise<{ readonly id: string; readonly shards: number }> {
  const keepAlive = durationParam(call, 'keep_alive');
  if (keepAlive === undefined) throw validationError('[keep_alive] is not specified');
  const targets = openTargets(readableIndicesOf(call), call);
  try {
    await call.state.backend.openPointInTime(targets, { now: call.now, ...limitsOf(call), keepAlive });
    const id = call.state.cursors.add(
      { targets, body: undefined, positions: [], owner: ownerOf(targets, call), keepAlive, total: undefined },
      call.now,
      call.request.caller,
    );
    return { id, shards: targets.length };
  } catch (error) {
    call.state.backend.release(targets);
    releaseTargets(targets);
    throw error;
  }
}

/** `DELETE /_pit`. */
function closePointInTime(call: Call): Answer {
  const body = asObject(jsonBody(call) ?? {}, 'pit');
  checkKeys(body, 'pit', ['id']);
  const freed = call.state.cursors.close(asString(body['id'], 'id'), (found) => ownerOf(found.targets, call)) ? 1 : 0;
  return { status: freed === 0 ? 404 : 200, json: { succeeded: freed === 1, num_freed: freed } };
}

const OPEN_PIT = { keep_alive: 'time', routing: 'text', preference: 'text', ...EXPAND } as const;

/** Scrolls and points in time. */
export const CURSOR_ENDPOINTS: readonly Endpoint[] = [
  opens(
    'GET POST',
    '/_search/scroll /_search/scroll/{scroll_id}',
    { scroll: 'time', scroll_id: 'text', rest_total_hits_as_int: 'flag', typed_keys: 'text' },
    scrollOn,
  ),
  opens('DELETE', '/_search/scroll /_search/scroll/{scroll_id}', { scroll_id: 'text' }, clearScroll),
  opens('POST', '/{index}/_pit', OPEN_PIT, openPointInTime),
  opens('DELETE', '/_pit', {}, closePointInTime),
  // OpenSearch's client has them by other names.
  opens('POST', '/{index}/_search/point_in_time', OPEN_PIT, createPit),
  opens('DELETE', '/_search/point_in_time', {}, deletePits),
];
