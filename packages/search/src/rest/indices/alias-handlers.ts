// Aliases: read, set one, delete, and many changes in one request.
import { readAlias } from './create-index.ts';
import { checkAdmin } from '../request/check-admin.ts';
import { aliasesOf, indicesOf, noSuchIndex, resolveIndices, targetOf } from '../request/index-names.ts';
import { type Answer, type Call, jsonBody, listParam } from '../request/request.ts';
import { globMatches } from '../../glob.ts';
import { targetQuery } from '../../api/target.ts';
import { Stretches } from '../../drive.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import { asObject, asString, checkKeys, type Json, toList } from '../../json.ts';
import { illegalArgument, RequestError, validationError } from '../../request-error.ts';

const ACKNOWLEDGED: Answer = { json: { acknowledged: true } };

/** `GET [/{index}]/_alias[/{name}]`. */
export function getAlias(engine: Engine, call: Call): Answer {
  const patterns = call.path['name']?.split(',') ?? listParam(call, 'name');
  const found: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const { index } of indicesOf(engine, call)) {
    const aliases = Object.entries(aliasesOf(index)).filter(
      ([name]) => patterns === undefined || aliasMatches(patterns, name),
    );
    for (const [name] of aliases) seen.add(name);
    if (aliases.length > 0 || patterns === undefined) found[index.name] = { aliases: Object.fromEntries(aliases) };
  }
  const missing = (patterns ?? [])
    .filter((pattern) => !pattern.includes('*') && pattern !== '_all' && !pattern.startsWith('-') && !seen.has(pattern))
    .sort();
  if (missing.length > 0) {
    return {
      status: 404,
      json: {
        error: `${missing.length === 1 ? 'alias' : 'aliases'} [${missing.join(',')}] missing`,
        status: 404,
        ...found,
      },
    };
  }
  return { json: found };
}

function aliasMatches(patterns: readonly string[], name: string): boolean {
  let matches = false;
  for (const pattern of patterns) {
    if (pattern.startsWith('-')) matches &&= !globMatches(pattern.slice(1), name);
    else if (pattern === '_all' || globMatches(pattern, name)) matches = true;
  }
  return matches;
}

/** `HEAD [/{index}]/_alias/{name}`. */
export function aliasExists(engine: Engine, call: Call): Answer {
  const patterns = call.path['name']!.split(',');
  const any = indicesOf(engine, call).some(({ index }) =>
    Object.keys(aliasesOf(index)).some((name) => aliasMatches(patterns, name)),
  );
  return any ? {} : { status: 404 };
}

/** The alias as it will be stored. @throws RequestError when the name is taken or the filter is malformed */
function checkAlias(engine: Engine, index: Index, name: string, body: Json, call: Call): Json {
  if (engine.has(name)) {
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'invalid_alias_name_exception',
      `Invalid alias name [${name}]: an index exists with the same name as the alias`,
      { fields: { index_uuid: engine.index(name).uuid, index: name } },
    );
  }
  return readFilteredAlias(index, name, body, call);
}

function readFilteredAlias(index: Index, name: string, body: Json, call: Call): Json {
  const alias = readAlias(name, body);
  const filter = alias['filter'];
  if (filter !== undefined) targetQuery(targetOf({ index, aliases: [] }, call), filter);
  return alias;
}

async function setAlias(engine: Engine, index: Index, name: string, body: Json | undefined, call: Call): Promise<void> {
  await setAliases(engine, index, [[name, body]], call);
}

/** Changes aliases of one index together: each change by itself would write all others again. @param changes undefined: removed */
async function setAliases(
  engine: Engine,
  index: Index,
  changes: readonly (readonly [name: string, body: Json | undefined])[],
  call: Call,
): Promise<void> {
  checkAdmin(index, call);
  const aliases: Record<string, Json> = { ...aliasesOf(index) };
  for (const [name, body] of changes) {
    if (body === undefined) delete aliases[name];
    else aliases[name] = checkAlias(engine, index, name, body, call);
  }
  await index.updateDefinition({ aliases });
}

/** The names of aliases that a pattern means. */
function namesLike(aliases: Readonly<Record<string, Json>>, pattern: string): readonly string[] {
  if (!pattern.includes('*')) return Object.hasOwn(aliases, pattern) ? [pattern] : [];
  return Object.keys(aliases).filter((name) => globMatches(pattern, name));
}

/** Changes of one request at most: aliases by indices. */
const MOST_CHANGES = 10_000;

/** `PUT|POST /{index}/_alias/{name}`. */
export async function putAlias(engine: Engine, call: Call): Promise<Answer> {
  const body = asObject(jsonBody(call) ?? {}, 'alias');
  const name = call.path['name'] ?? (body['alias'] === undefined ? undefined : asString(body['alias'], 'alias'));
  if (name === undefined) throw validationError('alias is missing');
  const { alias: _a, index: _i, ...rest } = body;
  const found = indicesOf(
    engine,
    call,
    call.path['index'] ?? (body['index'] === undefined ? undefined : asString(body['index'], 'index')),
  );
  for (const { index } of found) checkAdmin(index, call);
  for (const { index } of found) checkAlias(engine, index, name, rest, call);
  for (const { index } of found) await setAlias(engine, index, name, rest, call);
  return ACKNOWLEDGED;
}

/** `DELETE /{index}/_alias/{name}`. */
export async function deleteAlias(engine: Engine, call: Call): Promise<Answer> {
  const patterns = call.path['name']!.split(',');
  const found = indicesOf(engine, call).flatMap(({ index }) =>
    Object.keys(aliasesOf(index))
      .filter((name) => aliasMatches(patterns, name))
      .map((name) => ({ index, name })),
  );
  for (const { index } of found) checkAdmin(index, call);
  for (const { index, name } of found) await setAlias(engine, index, name, undefined, call);
  if (found.length === 0) {
    throw new RequestError(
      'SEARCH_NOT_FOUND',
      'aliases_not_found_exception',
      `aliases [${patterns.join(',')}] missing`,
      { fields: { 'resource.type': 'aliases', 'resource.id': patterns.join(',') } },
    );
  }
  return ACKNOWLEDGED;
}

/** `POST /_aliases`. */
export async function updateAliases(engine: Engine, call: Call): Promise<Answer> {
  const body = asObject(jsonBody(call) ?? {}, 'aliases');
  checkKeys(body, 'aliases', ['actions']);
  if (!Array.isArray(body['actions']) || body['actions'].length === 0)
    throw validationError('Must specify at least one alias action');
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
  const stretches = new Stretches();
  for (const entry of body['actions'] as readonly unknown[]) {
    if (stretches.isOver) await stretches.pause();
    const action = asObject(entry, 'actions');
    const [kind, ...more] = Object.keys(action);
    if (kind === undefined || more.length > 0)
      throw illegalArgument('[alias_action] each action has exactly one member');
    if (kind !== 'add' && kind !== 'remove' && kind !== 'remove_index') {
      throw new RequestError(
        'SEARCH_PARSING',
        'x_content_parse_exception',
        `[aliases] unknown action [${kind}]; it is one of [add, remove, remove_index]`,
      );
    }
    const { index, indices, alias, aliases, must_exist: mustExist, ...rest } = asObject(action[kind], kind);
    const expression = toList(indices ?? index ?? [])
      .map((each) => asString(each, 'index'))
      .join(',');
    if (expression === '') throw validationError('One of [index] or [indices] is required');
    const names = toList(aliases ?? alias ?? []).map((each) => asString(each, 'alias'));
    const found = resolveIndices(engine, expression).filter((each) => each.aliases.length === 0);
    if (kind === 'remove_index') {
      if (names.length > 0 || found.length === 0) throw noSuchIndex(expression);
      for (const each of found) removals.set(each.index.name, each.index);
      continue;
    }
    if (names.length === 0) throw validationError('One of [alias] or [aliases] is required');
    if (
      kind === 'remove' &&
      mustExist === true &&
      !found.some((each) => names.some((name) => namesLike(aliasesOf(each.index), name).length > 0))
    ) {
      throw new RequestError('SEARCH_NOT_FOUND', 'aliases_not_found_exception', `aliases [${names.join(',')}] missing`);
    }
    let any = kind === 'add';
    for (const each of found) {
      for (const name of names) {
        if (kind === 'add') {
          readFilteredAlias(each.index, name, rest, call);
          added.push({ index: each.index, name });
          change(each.index, name, rest);
          continue;
        }
        for (const own of namesLike(aliasesOf(each.index), name)) {
          any = true;
          change(each.index, own, undefined);
        }
      }
    }
    if (!any)
      throw new RequestError('SEARCH_NOT_FOUND', 'aliases_not_found_exception', `aliases [${names.join(',')}] missing`);
  }
  // Everything is checked before an index goes: a refused request leaves all as it was.
  for (const index of removals.values()) checkAdmin(index, call);
  for (const { index, name } of added) {
    checkAdmin(index, call);
    if (removals.has(index.name)) throw noSuchIndex(index.name);
    if (!removals.has(name) && engine.has(name)) checkAlias(engine, index, name, {}, call);
  }
  for (const name of removals.keys()) await engine.deleteIndex(name);
  // In one step: nobody finds an alias that moves missing, or at two indices.
  await Promise.all([...changes].map(([index, list]) => setAliases(engine, index, list, call)));
  return ACKNOWLEDGED;
}
