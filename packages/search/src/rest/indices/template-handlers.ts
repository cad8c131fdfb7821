// Index templates of Elasticsearch 7 (`_template`): settings, mappings and aliases that an index gets at its creation when its
// name fits. Kept in the engine's metadata. Composable ones are in `composable-template-handlers.ts`.
import { warnsOfTypeNames } from '../request/warnings.ts';
import { checkMayChange } from '../request/check-admin.ts';
import { changes, reads, type Endpoint } from '../request/endpoint.ts';
import { LOCAL } from '../request/route-params.ts';
import { readAlias } from './create-index.ts';
import { readIndexSettings } from './index-settings.ts';
import { tryMapper } from '../../mapping/create-mapper.ts';
import { flatten } from '../../settings/client-settings.ts';
import { checkTemplate } from './template-bodies.ts';
import { readMapping } from './mapping-body.ts';
import { warnOfComposable } from './template-overlaps.ts';
import { type IndexTemplate, readPatterns, readTemplates } from './templates.ts';
import { ACKNOWLEDGED, type Answer, type Call, flagParam, integerParam, mapBody } from '../request/request.ts';
import { runTask } from '../../tasks/scheduler.ts';
import { isTurnTaken, yieldTurn } from '../../tasks/event-loop-queue.ts';
import { globMatches } from '../../text/glob.ts';

import type { Engine } from '../../engine/engine-api.ts';
import { asInteger, asObject, isObject, type Json, textOf } from '../../json/json.ts';
import { illegalArgument, RequestError } from '../../errors/request-error.ts';

const TEMPLATE_KEYS = ['index_patterns', 'order', 'version', 'settings', 'mappings', 'aliases'];
/** `PUT|POST /_template/{name}`. */
async function putTemplate(call: Call): Promise<Answer> {
  const { engine } = call;
  const name = call.path['name']!;
  // As in the requests of version 5, one pattern may stand in [template].
  const { template: pattern, ...rest } = asObject(mapBody(call, true), 'template');
  const isPattern = typeof pattern === 'string';
  if (isPattern) call.warn('Deprecated field [template] used, replaced by [index_patterns]');
  const body = isPattern ? { index_patterns: pattern, ...rest } : rest;
  for (const key of Object.keys(body))
    if (!TEMPLATE_KEYS.includes(key))
      throw new RequestError('SEARCH_PARSING', 'parse_exception', `unknown key [${key}] in the template `);
  const patterns = readPatterns(body);
  for (const pattern of patterns) checkMayChange(call, pattern);
  const settings = readIndexSettings(body['settings']);
  checkTemplate(name, patterns, settings);
  const { mapping = {}, typeName } = readMapping(body['mappings'], call, 'create');
  // Tried now, so that the author of a mistake sees it, and not the creator of an index.
  const trial = await runTask(tryMapper({ custom: { settings } }));
  await runTask(trial.mergeInSteps(mapping, typeName ?? '_doc', call.warn));
  if (isTurnTaken()) await yieldTurn();
  const aliases = Object.entries(asObject(body['aliases'] ?? {}, 'aliases')).map(([alias, value]) => {
    if (!isObject(value)) throw illegalArgument('No alias is specified');
    return [alias, withoutFlags(readAlias(alias, value))] as const;
  });
  const template: IndexTemplate = {
    patterns,
    // The body wins over the URL.
    order: body['order'] === undefined ? (integerParam(call, 'order') ?? 0) : asInteger(body['order'], 'order'),
    ...(body['version'] === undefined ? {} : { version: versionOf(body['version']) }),
    settings,
    mapping: asObject(mapping, 'mappings'),
    ...(typeName === undefined ? {} : { typeName }),
    aliases: Object.fromEntries(aliases),
  };
  // From here on nothing waits: another may be made at the same time.
  const templates = readTemplates(engine);
  if (flagParam(call, 'create') && Object.hasOwn(templates, name))
    throw illegalArgument(`index_template [${name}] already exists`);
  await storeTemplates(engine, { ...templates, [name]: template });
  await warnOfComposable(engine, name, patterns, call);
  return ACKNOWLEDGED;
}

/** An alias of such a template is no write index and not hidden, whatever it says. */
function withoutFlags(alias: Json): Json {
  return Object.fromEntries(Object.entries(alias).filter(([key]) => !key.startsWith('is_')));
}

function versionOf(given: unknown): number {
  if (typeof given === 'number' && Number.isInteger(given)) return asInteger(given, 'version');
  throw illegalArgument('Malformed [version] value, should be an integer');
}

/** `GET /_template[/{name}]`. */
function getTemplate(call: Call): Answer {
  const { engine } = call;
  const found = matching(engine, call);
  const asked = call.path['name']?.split(',') ?? [];
  const isMissing = found.length === 0 && asked.length > 0;
  return {
    status: isMissing ? 404 : 200,
    json: Object.fromEntries(found.map(([name, template]) => [name, shownTemplate(template, call)])),
  };
}

/** `HEAD /_template/{name}`. */
function templateExists(call: Call): Answer {
  const { engine } = call;
  return { status: matching(engine, call).length > 0 ? 200 : 404 };
}

/** `DELETE /_template/{name}`. */
async function deleteTemplate(call: Call): Promise<Answer> {
  const { engine } = call;
  const name = call.path['name']!;
  // One name or pattern: a comma is part of it.
  const matched = Object.entries(readTemplates(engine)).filter(([own]) => globMatches(name, own));
  const found = matched.map(([own]) => own);
  if (found.length === 0 && name !== '*')
    throw new RequestError('SEARCH_NOT_FOUND', 'index_template_missing_exception', `index_template [${name}] missing`);
  for (const [, { patterns }] of matched) for (const pattern of patterns) checkMayChange(call, pattern);
  const left = Object.entries(readTemplates(engine)).filter(([own]) => !found.includes(own));
  await storeTemplates(engine, Object.fromEntries(left));
  return ACKNOWLEDGED;
}

async function storeTemplates(engine: Engine, templates: Readonly<Record<string, IndexTemplate>>): Promise<void> {
  const { metadata } = engine;
  await engine.updateMetadata({ ...(isObject(metadata) ? metadata : {}), templates });
}

function matching(engine: Engine, call: Call): (readonly [string, IndexTemplate])[] {
  const patterns = call.path['name']?.split(',') ?? ['*'];
  return Object.entries(readTemplates(engine)).filter(([name]) =>
    patterns.some((pattern) => globMatches(pattern, name)),
  );
}

/** A template as it is shown, with the type of its mapping where the request has `include_type_name`. */
export function shownTemplate(
  { patterns, order, version, settings, mapping, typeName, aliases }: IndexTemplate,
  call: Call,
): Json {
  const strings = flatten(settings, 'index.').map(
    ([key, value]) => [key, Array.isArray(value) ? value.map(textOf) : textOf(value)] as const,
  );
  const nested = readIndexSettings(Object.fromEntries(strings));
  const typed = Object.keys(mapping).length > 0 || typeName !== undefined ? { [typeName ?? '_doc']: mapping } : {};
  return {
    order,
    ...(version === undefined ? {} : { version }),
    index_patterns: patterns,
    settings: flagParam(call, 'flat_settings')
      ? Object.fromEntries(strings)
      : strings.length === 0
        ? {}
        : { index: nested },
    mappings: flagParam(call, 'include_type_name') ? typed : mapping,
    aliases,
  };
}

/** Legacy templates. */
export const TEMPLATE_ENDPOINTS: readonly Endpoint[] = [
  changes(
    'PUT POST',
    '/_template/{name}',
    { create: 'flag', order: 'integer', include_type_name: 'flag', cause: 'text', master_timeout: 'time' },
    putTemplate,
    warnsOfTypeNames('put index template', 'Specifying include_type_name'),
  ),
  reads(
    'GET',
    '/_template /_template/{name}',
    { flat_settings: 'flag', include_type_name: 'flag', ...LOCAL },
    getTemplate,
    {
      warns: {
        typeName: '[types removal] Specifying include_type_name in get index template requests is deprecated.',
      },
    },
  ),
  reads('HEAD', '/_template/{name}', { flat_settings: 'flag', ...LOCAL }, templateExists),
  changes('DELETE', '/_template/{name}', { master_timeout: 'time' }, deleteTemplate),
];
