// Aliases: read, set one, delete, and many changes in one request.
import { requiredObject } from '../request/object-body.ts';
import { changes, reads, type Endpoint } from '../request/endpoint.ts';
import { EXPAND, TIMEOUTS } from '../request/route-params.ts';
import { readAlias } from './create-index.ts';
import { redIndices } from '../request/red-indices.ts';
import { checkAdmin } from '../request/check-admin.ts';
import { checkBlocks, checkChangeable } from '../request/index-blocks.ts';
import { indicesOf, targetOf } from '../request/index-names.ts';
import { aliasesOf, noSuchIndex, resolveIndices } from '../request/resolve-indices.ts';
import { ACKNOWLEDGED, type Answer, bodyIndex, type Call, jsonBody, listParam } from '../request/request.ts';
import { checkFields, unknownField } from '../request/unknown-field.ts';
import { checkSharedAliases } from './write-index.ts';
import { causeOf } from '../../json/error-shape.ts';
import { globMatches } from '../../text/glob.ts';
import { inHashOrder } from '../../text/java-order.ts';
import { buildAction, type ReadAction, readAction } from './alias-actions.ts';
import { isClosed } from '../request/index-state.ts';
import { targetQuery } from '../../fetch/target.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import { asString, endOfValue, isObject, type Json, toList } from '../../json/json.ts';
import { illegalArgument, RequestError } from '../../errors/request-error.ts';

/** `GET [/{index}]/_alias[/{name}]`. */
function getAlias(call: Call): Answer {
  const patterns = call.path['name']?.split(',') ?? listParam(call, 'name');
  const found: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const { index } of checkBlocks(indicesOf(call, undefined, 'all'), 'metadata_read')) {
    const aliases = Object.entries(aliasesOf(index)).filter(
      ([name]) => patterns === undefined || aliasMatches(patterns, name),
    );
    for (const [name] of aliases) seen.add(name);
    if (aliases.length > 0 || patterns === undefined) found[index.name] = { aliases: Object.fromEntries(aliases) };
  }
  const missing = missingNames(patterns ?? [], seen);
  if (missing.length > 0)
    return {
      status: 404,
      json: {
        error: `${missing.length === 1 ? 'alias' : 'aliases'} [${missing.join(',')}] missing`,
        status: 404,
        ...found,
      },
    };
  return { json: found };
}

/**
 * The names that a request asks for and did not find, in their order. A `-` before a name leaves it out behind a pattern; else it is part of
 * the name (RestGetAliasesAction).
 */
function missingNames(asked: readonly string[], seen: ReadonlySet<string>): readonly string[] {
  const first = asked.findIndex((name) => name.includes('*'));
  const pattern = first < 0 ? asked.length : first;
  const leavesOut = (name: string, left: string): boolean =>
    name.startsWith('-') && (name === '-_all' || globMatches(name.slice(1), left));
  return asked
    .filter(
      (name, at) =>
        !(name === '_all' || name.includes('*') || (at > pattern && name.startsWith('-')) || seen.has(name)) &&
        !asked.slice(Math.max(at + 1, pattern)).some((later) => leavesOut(later, name)),
    )
    .sort();
}

/** Whether patterns mean an alias; one with `-` before it leaves some out of those before. */
export function aliasMatches(patterns: readonly string[], name: string): boolean {
  let matches = false;
  for (const pattern of patterns) {
    if (pattern.startsWith('-')) matches &&= !globMatches(pattern.slice(1), name);
    else if (pattern === '_all' || globMatches(pattern, name)) matches = true;
  }
  return matches;
}

/** `HEAD [/{index}]/_alias/{name}`. */
function aliasExists(call: Call): Answer {
  return { status: getAlias(call).status ?? 200 };
}

/** @throws RequestError when an index has the name */
function checkName(engine: Engine, name: string): void {
  if (!engine.has(name)) return;
  throw new RequestError(
    'SEARCH_ILLEGAL_ARGUMENT',
    'invalid_alias_name_exception',
    `Invalid alias name [${name}], an index exists with the same name as the alias`,
    { fields: { index_uuid: engine.index(name).uuid, index: name } },
  );
}

/** The alias as it will be stored. @throws RequestError when it is malformed */
function readFilteredAlias(index: Index, name: string, body: Json, call: Call): Json {
  const alias = readAlias(name, body);
  const { filter } = alias;
  if (filter === undefined) return alias;
  try {
    targetQuery(targetOf({ index, aliases: [] }, call), filter);
  } catch (error) {
    const { type, reason } = causeOf(error).error;
    throw illegalArgument(`failed to parse filter for alias [${name}]`, { causedBy: { type, reason } });
  }
  return alias;
}

/** Changes several aliases of one index in one write. @param changes undefined removes an alias */
async function setAliases(
  index: Index,
  changes: readonly (readonly [name: string, alias: Json | undefined])[],
  call: Call,
): Promise<void> {
  checkAdmin(index, call);
  await index.updateDefinition({ aliases: withChanges(index, changes) });
}

function withChanges(
  index: Index,
  changes: readonly (readonly [name: string, alias: Json | undefined])[],
): Readonly<Record<string, Json>> {
  const aliases: Record<string, Json> = { ...aliasesOf(index) };
  for (const [name, alias] of changes) {
    if (alias === undefined) delete aliases[name];
    else aliases[name] = alias;
  }
  return aliases;
}

function aliasesAfter(
  changes: ReadonlyMap<Index, readonly (readonly [string, Json | undefined])[]>,
): ReadonlyMap<string, Readonly<Record<string, Json>>> {
  return new Map([...changes].map(([index, list]) => [index.name, withChanges(index, list)]));
}

/** The indices whose aliases a request changes: by their own names, open or closed; wildcards have to find some that are open. */
function concreteIndices(engine: Engine, parts: readonly string[]): Index[] {
  // One member of a body is one name, or one pattern.
  const joined = parts.find((part) => part.includes(','));
  if (joined !== undefined) throw noSuchIndex(joined);
  for (const part of parts) {
    if (part.includes('*') || /^[-_]/.test(part) || engine.has(part) || redIndices(engine, part).length > 0) continue;
    // What is not there is refused below.
    if (engine.indices().every((index) => !Object.hasOwn(aliasesOf(index), part))) break;
    throw illegalArgument(
      `The provided expression [${part}] matches an alias, specify the corresponding concrete indices instead.`,
    );
  }
  return resolveIndices(engine, parts.join(','), {
    allowNoIndices: false,
    expand: (index) => !isClosed(index),
    expandHidden: false,
  })
    .filter(({ aliases }) => aliases.length === 0)
    .map(({ index }) => index);
}

function noSuchAliases(names: readonly string[]): Error {
  // A set of Java's, made of a list.
  const list = inHashOrder([...new Set(names)], Math.max(16, Math.floor(names.length / 0.75) + 1));
  return new RequestError('SEARCH_NOT_FOUND', 'aliases_not_found_exception', `aliases [${list.join(', ')}] missing`, {
    fields: { 'resource.type': 'aliases', 'resource.id': list.length === 1 ? list[0] : list },
  });
}

/** The names of aliases that a pattern means. */
function namesLike(aliases: Readonly<Record<string, Json>>, pattern: string): readonly string[] {
  if (!pattern.includes('*')) return Object.hasOwn(aliases, pattern) ? [pattern] : [];
  return Object.keys(aliases).filter((name) => globMatches(pattern, name));
}

/** The body of `_alias`. Elasticsearch reads no other than an object, complains of none, and reads on to the end of the text. */
function aliasBody(call: Call): Json {
  const body = jsonBody(call);
  if ((call.request.body?.length ?? 0) > 0 && body === undefined) throw illegalArgument('No index alias is specified');
  try {
    jsonBody(call, false);
  } catch (error) {
    const end = error instanceof Error ? endOfValue(error.message) : undefined;
    const rest = new TextDecoder().decode(call.request.body).slice(end);
    if (!/^(?:["{[]|-?\d|true|false|null)/.test(rest)) throw error;
  }
  return isObject(body) ? body : {};
}

/** `PUT|POST /{index}/_alias/{name}`. */
async function putAlias(call: Call): Promise<Answer> {
  const { engine } = call;
  const { alias: given, index: of, ...rest } = aliasBody(call);
  const name = call.path['name'] ?? (given === undefined ? undefined : asString(given, 'alias'));
  const expression = call.path['index'] ?? (of === undefined ? undefined : asString(of, 'index'));
  if (expression === undefined) throw illegalArgument("[indices] can't be empty");
  if (name === undefined) throw illegalArgument("[alias] can't be empty string");
  const found = concreteIndices(engine, bodyIndex(call, expression).split(','));
  checkChangeable(
    found.map((index) => ({ index })),
    call,
  );
  const changes = new Map(found.map((index) => [index, [[name, readFilteredAlias(index, name, rest, call)]] as const]));
  checkName(engine, name);
  // Elasticsearch drops it here without a word, and takes it in [_aliases].
  if (rest['is_hidden'] !== undefined) throw unknownField('alias', 'is_hidden', []);
  checkSharedAliases(engine, aliasesAfter(changes));
  for (const [index, change] of changes) await setAliases(index, change, call);
  return ACKNOWLEDGED;
}

/** `DELETE /{index}/_alias/{name}`. */
async function deleteAlias(call: Call): Promise<Answer> {
  const { engine } = call;
  const patterns = call.path['name']!.split(',');
  const found = concreteIndices(engine, call.path['index']!.split(',')).flatMap((index) => {
    const names = Object.keys(aliasesOf(index)).filter((name) => aliasMatches(patterns, name));
    return names.length === 0 ? [] : [{ index, names }];
  });
  checkChangeable(found, call);
  if (found.length === 0) throw noSuchAliases(patterns);
  for (const { index, names } of found)
    await setAliases(
      index,
      names.map((name) => [name, undefined]),
      call,
    );
  return ACKNOWLEDGED;
}

/** Changes of one request at most: aliases by indices. */
const MOST_CHANGES = 10_000;

/** `POST /_aliases`. */
async function updateAliases(call: Call): Promise<Answer> {
  const { engine } = call;
  const body = requiredObject(call, 'aliases');
  checkFields(body, 'aliases', ['actions'], call.request.body);
  const entries = toList(body['actions'] ?? []);
  if (entries.length === 0) throw illegalArgument('No action specified');
  const changes = new Map<Index, (readonly [string, Json | undefined])[]>();
  let count = 0;
  const change = (index: Index, name: string, alias: Json | undefined): void => {
    if (++count > MOST_CHANGES)
      throw illegalArgument(
        `Too many alias actions in one request: at most [${MOST_CHANGES}] changes are allowed. Send them in several requests.`,
      );
    const known = changes.get(index);
    if (known === undefined) changes.set(index, [[name, alias]]);
    else known.push([name, alias]);
  };
  // Indices go first: an alias may take the name of one that is removed by the same request.
  const added: { readonly index: Index; readonly name: string }[] = [];
  const removals = new Map<string, Index>();
  const missing: string[] = [];
  const slices = new TimeSlices();
  const read: ReadAction[] = [];
  for (const entry of entries) {
    if (slices.isOver) await slices.yield();
    read.push(readAction(entry, call));
  }
  const actions = read.map((each) => buildAction(each, call));
  for (const action of actions) {
    if (slices.isOver) await slices.yield();
    const found = concreteIndices(engine, action.targets);
    if (action.kind === 'remove_index') {
      for (const index of found) removals.set(index.name, index);
      continue;
    }
    missing.push(...action.names);
    for (const index of found) {
      for (const name of action.names) {
        if (action.kind === 'add') {
          added.push({ index, name });
          change(index, name, readFilteredAlias(index, name, action.alias, call));
        } else for (const own of namesLike(aliasesOf(index), name)) change(index, own, undefined);
      }
    }
  }
  if (changes.size === 0 && removals.size === 0) throw noSuchAliases(missing);
  // Everything is checked before an index goes: a refused request leaves all as it was.
  checkChangeable(
    [...removals.values(), ...changes.keys()].map((index) => ({ index })),
    call,
  );
  for (const { index, name } of added) {
    if (removals.has(index.name)) throw noSuchIndex(index.name);
    if (!removals.has(name)) checkName(engine, name);
  }
  checkSharedAliases(engine, aliasesAfter(changes), removals);
  for (const name of removals.keys()) await engine.deleteIndex(name);
  // In one step: nobody finds an alias that moves missing, or at two indices.
  await Promise.all([...changes].map(([index, list]) => setAliases(index, list, call)));
  return ACKNOWLEDGED;
}

/** Aliases. */
export const ALIAS_ENDPOINTS: readonly Endpoint[] = [
  changes('POST', '/_aliases', TIMEOUTS, updateAliases),
  reads(
    'GET',
    '/_alias /_alias/{name} /{index}/_alias /{index}/_alias/{name} /_aliases',
    { name: 'text', ...EXPAND, local: 'flag' },
    getAlias,
  ),
  reads(
    'HEAD',
    '/_alias/{name} /{index}/_alias /{index}/_alias/{name}',
    { name: 'text', ...EXPAND, local: 'flag' },
    aliasExists,
  ),
  changes(
    'PUT POST',
    '/{index}/_alias/{name} /_alias/{name} /{index}/_aliases/{name} /_aliases/{name}',
    TIMEOUTS,
    putAlias,
  ),
  changes('PUT', '/{index}/_alias /_alias /{index}/_aliases', TIMEOUTS, putAlias),
  changes('DELETE', '/{index}/_alias/{name} /{index}/_aliases/{name}', TIMEOUTS, deleteAlias),
];
