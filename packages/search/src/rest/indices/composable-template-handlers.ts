// Writing and showing composable index templates and component templates.
import { requiredObject } from '../request/object-body.ts';
import { checkMayChange } from '../request/check-admin.ts';
import { changes, reads, type Endpoint } from '../request/endpoint.ts';
import { LOCAL } from '../request/route-params.ts';
import { readAlias, readAliases } from './create-index.ts';
import {
  checkComponent,
  checkTemplate,
  invalidTemplate,
  type PartBody,
  readComponentBody,
  readComposableBody,
} from './template-bodies.ts';
import {
  type ComponentTemplate,
  type ComposableTemplate,
  composed,
  readKind,
  type TemplateKinds,
  type TemplatePart,
} from './composable-templates.ts';
import { readIndexSettings } from './index-settings.ts';
import type { Warn } from '../../mapping/mapping-warnings.ts';
import { tryMapper } from '../../mapping/create-mapper.ts';
import { runTask } from '../../tasks/scheduler.ts';
import { flatten, readNested } from '../../settings/client-settings.ts';
import { checkListed, checkPatterns } from './templates.ts';
import { checkTemplateConflicts, warnOfOlder } from './template-overlaps.ts';
import { ACKNOWLEDGED, type Answer, type Call, flagParam } from '../request/request.ts';
import { globMatches } from '../../text/glob.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { isObject, type Json, textOf } from '../../json/json.ts';
import { causeOf } from '../../json/error-shape.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import {
  contentError,
  illegalArgument,
  RequestError,
  unsupported,
  validationError,
} from '../../errors/request-error.ts';

/** What the two kinds are called in messages and answers. */
const WORDS = {
  indexTemplates: { one: 'index template', list: 'index_templates', member: 'index_template' },
  componentTemplates: { one: 'component template', list: 'component_templates', member: 'component_template' },
} as const;

function componentBody(call: Call): ReturnType<typeof readComponentBody> {
  try {
    return readComponentBody(requiredObject(call, 'component_template'), call.request.body);
  } catch (error) {
    if (!(error instanceof RequestError) || !error.type.startsWith('json_')) throw error;
    // A parser with a constructor wraps what it cannot read.
    const { type, message: reason } = error;
    throw contentError('[1:1] [component_template] failed to parse object', { type, reason });
  }
}

/** `PUT|POST /_component_template/{name}`. */
async function putComponentTemplate(call: Call): Promise<Answer> {
  const { engine } = call;
  const name = call.path['name']!;
  const { template, version, _meta } = componentBody(call);
  checkMayChange(call);
  const known = readKind(engine, 'componentTemplates');
  if (flagParam(call, 'create') && Object.hasOwn(known, name))
    throw illegalArgument(`component template [${name}] already exists`);
  checkComponent(name, template.settings);
  const component: ComponentTemplate = { template: readPart(template), ...given({ version, _meta }) };
  const components = { ...known, [name]: component };
  // Tried in every template it is part of, so that the author of a mistake sees it.
  await tried(component.template, call.warn);
  for (const [user, template] of Object.entries(readKind(engine, 'indexTemplates'))) {
    if (template.composed_of?.includes(name) === true)
      await checkComposed(engine, user, template, components, call.warn);
  }
  // Others may have been made while this one was tried.
  await store(engine, 'componentTemplates', { ...readKind(engine, 'componentTemplates'), [name]: component });
  return ACKNOWLEDGED;
}

/** `PUT|POST /_index_template/{name}`. */
async function putIndexTemplate(call: Call): Promise<Answer> {
  const { engine } = call;
  const name = call.path['name']!;
  const components = readKind(engine, 'componentTemplates');
  const template = readComposable(requiredObject(call, 'index_template'), call, name, (composedOf) => {
    checkIsNew(engine, name, call);
    checkComponents(name, composedOf, components);
  });
  for (const pattern of template.index_patterns) checkMayChange(call, pattern);
  await checkTemplateConflicts(engine, name, template);
  await checkComposed(engine, name, template, components, call.warn);
  await warnOfOlder(engine, name, template, call);
  await store(engine, 'indexTemplates', { ...readKind(engine, 'indexTemplates'), [name]: template });
  return ACKNOWLEDGED;
}

/** @throws RequestError for `create` where the template of the name is there already */
export function checkIsNew(engine: Engine, name: string | undefined, call: Call): void {
  if (flagParam(call, 'create') && name !== undefined && Object.hasOwn(readKind(engine, 'indexTemplates'), name))
    throw illegalArgument(`index template [${name}] already exists`);
}

/** @throws RequestError for an unknown component */
export function checkComponents(
  name: string,
  composedOf: readonly string[],
  components: Readonly<Record<string, ComponentTemplate>>,
): void {
  const missing = composedOf.filter((component) => !Object.hasOwn(components, component));
  if (missing.length > 0)
    throw invalidTemplate(
      name,
      `index template [${name}] specifies component templates [${missing.join(', ')}] that do not exist`,
    );
}

/** A template must make sense with its components. */
async function checkComposed(
  engine: Engine,
  name: string,
  template: ComposableTemplate,
  components: Readonly<Record<string, ComponentTemplate>>,
  warn: Warn,
): Promise<void> {
  const { settings, mapping, aliases } = composed(template, components, name);
  const because = (reason: string, error: unknown): never => {
    if (!(error instanceof RequestError)) throw error;
    throw illegalArgument(reason, { causedBy: causeOf(error).error });
  };
  await tried({ settings, mappings: mapping }, warn)
    .catch((error: unknown) => because(`invalid composite mappings for [${name}]`, error))
    .then((trial) => readAliases(engine, aliases, '', trial))
    .catch((error: unknown) => because(`composable template [${name}] template after composition is invalid`, error));
}

async function tried({ settings = {}, mappings = {} }: TemplatePart, warn?: Warn): Promise<Mapping> {
  const trial = await runTask(tryMapper({ custom: { settings } }));
  await runTask(trial.mergeInSteps(mappings, '_doc', warn));
  return trial;
}

/** @param check sees the components before the template's own part is read */
export function readComposable(
  body: Json,
  call: Call,
  name: string,
  check: (composedOf: readonly string[]) => void,
): ComposableTemplate {
  const read = readComposableBody(body, call.request.body);
  const { index_patterns: patterns, composed_of: composedOf = [], template, priority, version, _meta } = read;
  if (patterns.includes('*') && flatten(template?.settings ?? {}).some(([key]) => key === 'index.hidden'))
    throw validationError('global composable templates may not specify the setting index.hidden');
  if (read.data_stream !== undefined) throw unsupported('[data_stream]');
  checkPatterns(patterns);
  checkListed('composed_of', composedOf.length);
  if (priority !== undefined && priority < 0) throw validationError('index template priority must be >= 0');
  check(composedOf);
  checkTemplate(name, patterns, template?.settings);
  return {
    index_patterns: patterns,
    // As Elasticsearch, which rebuilds the template where it has a part of its own.
    ...(read.composed_of === undefined && template === undefined ? {} : { composed_of: composedOf }),
    ...(template === undefined ? {} : { template: readPart(template) }),
    ...given({ priority, version, _meta }),
  };
}

/** Without members that are undefined. */
function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

function readPart({ settings, mappings, aliases }: PartBody): TemplatePart {
  return {
    ...(settings === undefined ? {} : { settings: readIndexSettings(settings) }),
    ...(mappings === undefined ? {} : { mappings }),
    ...(aliases === undefined
      ? {}
      : {
          aliases: Object.fromEntries(
            Object.entries(aliases).map(([alias, body]) => [alias, readAlias(alias, isObject(body) ? body : {})]),
          ),
        }),
  };
}

async function store<Kind extends keyof TemplateKinds>(
  engine: Engine,
  kind: Kind,
  value: Readonly<Record<string, TemplateKinds[Kind]>>,
): Promise<void> {
  const { metadata } = engine;
  await engine.updateMetadata({ ...(isObject(metadata) ? metadata : {}), [kind]: value });
}

function matching<Kind extends keyof TemplateKinds>(
  engine: Engine,
  kind: Kind,
  call: Call,
): (readonly [string, TemplateKinds[Kind]])[] {
  // One name or pattern: a comma is part of it.
  const pattern = call.path['name'] ?? '*';
  return Object.entries(readKind(engine, kind))
    .filter(([name]) => globMatches(pattern, name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A composable or component template as it is shown. */
export function shownComposable(template: TemplateKinds[keyof TemplateKinds]): Json {
  return { ...template, ...(template.template === undefined ? {} : { template: shownPart(template.template) }) };
}

/** `GET /_index_template[/{name}]` and `/_component_template[/{name}]`. */
function getTemplates(kind: keyof TemplateKinds): Endpoint['answer'] {
  const words = WORDS[kind];
  return (call) => {
    const found = matching(call.engine, kind, call);
    const name = call.path['name'];
    if (found.length === 0 && name !== undefined && !name.includes('*'))
      throw new RequestError(
        'SEARCH_NOT_FOUND',
        'resource_not_found_exception',
        `${words.one} matching [${name}] not found`,
      );
    return {
      status: found.length === 0 && name !== undefined ? 404 : 200,
      json: {
        [words.list]: found.map(([own, template]) => ({ name: own, [words.member]: shownComposable(template) })),
      },
    };
  };
}

/** `HEAD`. */
function templatesExist(kind: keyof TemplateKinds): Endpoint['answer'] {
  return (call) => ({ status: matching(call.engine, kind, call).length > 0 ? 200 : 404 });
}

/** `DELETE`. */
function deleteTemplates(kind: keyof TemplateKinds): Endpoint['answer'] {
  return async (call) => {
    const { engine } = call;
    const name = call.path['name']!;
    const found = matching(engine, kind, call).map(([own]) => own);
    if (found.length === 0 && name !== '*')
      throw new RequestError(
        'SEARCH_NOT_FOUND',
        'index_template_missing_exception',
        `index_template [${name}] missing`,
      );
    checkMayDelete(call, kind, found);
    if (kind === 'componentTemplates') {
      const users = Object.entries(readKind(engine, 'indexTemplates')).filter(([, { composed_of: parts = [] }]) =>
        parts.some((part) => found.includes(part)),
      );
      if (users.length > 0)
        throw illegalArgument(
          `component templates [${found.join(', ')}] cannot be removed as they are still in use by index templates [${users.map(([user]) => user).join(', ')}]`,
        );
    }
    const left = Object.entries(readKind(engine, kind)).filter(([own]) => !found.includes(own));
    await store(engine, kind, Object.fromEntries(left) as never);
    return ACKNOWLEDGED;
  };
}

function checkMayDelete(call: Call, kind: keyof TemplateKinds, names: readonly string[]): void {
  const all = readKind(call.engine, 'indexTemplates');
  const patterns = kind === 'componentTemplates' ? ['*'] : names.flatMap((name) => all[name]?.index_patterns ?? []);
  for (const pattern of patterns) checkMayChange(call, pattern);
}

/** Settings as they are shown: below `index`, all texts. */
export function shownSettings(settings: Json): Json {
  const strings = flatten(settings, 'index.').map(
    ([key, value]) => [key, Array.isArray(value) ? value.map(textOf) : value === null ? null : textOf(value)] as const,
  );
  return strings.length === 0 ? {} : readNested(strings);
}

function shownPart(part: TemplatePart): Json {
  return { ...part, ...(part.settings === undefined ? {} : { settings: shownSettings(part.settings) }) };
}

const MASTER = { master_timeout: 'time' } as const;

/** Composable templates and their parts. */
export const COMPOSABLE_TEMPLATE_ENDPOINTS: readonly Endpoint[] = [
  ...templateEndpoints('/_index_template', 'indexTemplates', putIndexTemplate, (call) => {
    readComposableBody(requiredObject(call, 'index_template'), call.request.body);
  }),
  ...templateEndpoints('/_component_template', 'componentTemplates', putComponentTemplate, componentBody),
];

function templateEndpoints(
  path: string,
  kind: keyof TemplateKinds,
  put: Endpoint['answer'],
  parse: (call: Call) => unknown,
): readonly Endpoint[] {
  return [
    changes('PUT POST', `${path}/{name}`, { create: 'flag', cause: 'text', ...MASTER }, put, {
      parse: (call) => void parse(call),
    }),
    reads('GET', `${path} ${path}/{name}`, { flat_settings: 'text', ...LOCAL }, getTemplates(kind)),
    reads(
      'HEAD',
      `${path}/{name}`,
      kind === 'indexTemplates' ? { flat_settings: 'text', ...LOCAL } : LOCAL,
      templatesExist(kind),
    ),
    changes('DELETE', `${path}/{name}`, MASTER, deleteTemplates(kind)),
  ];
}
