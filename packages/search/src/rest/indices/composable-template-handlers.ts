// Writing, showing and trying composable index templates and component templates.
import { randomBytes } from 'node:crypto';
import { objectBody, requiredObject } from '../request/object-body.ts';
import { changes, reads, type Endpoint } from '../request/endpoint.ts';
import { LOCAL, TIMEOUTS } from '../request/route-params.ts';
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
  composableTemplateOf,
  composed,
  readKind,
  type TemplateKinds,
  type TemplatePart,
} from './composable-templates.ts';
import { readIndexSettings } from './index-settings.ts';
import { tryMapper } from '../../mapping/create-mapper.ts';
import { runTask, TimeSlices } from '../../tasks/scheduler.ts';
import { flatten, readNested } from '../../settings/client-settings.ts';
import { checkListed, checkPatterns, readTemplates } from './templates.ts';
import { ACKNOWLEDGED, type Answer, type Call, flagParam } from '../request/request.ts';
import { globMatches, patternsMeet } from '../../text/glob.ts';
import { searchError } from '../../errors/search-errors.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { isObject, type Json, textOf } from '../../json/json.ts';
import { causeOf } from '../../json/error-shape.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import { illegalArgument, RequestError, unsupported, validationError } from '../../errors/request-error.ts';

/** What the two kinds are called in messages and answers. */
const WORDS = {
  indexTemplates: { one: 'index template', list: 'index_templates', member: 'index_template' },
  componentTemplates: { one: 'component template', list: 'component_templates', member: 'component_template' },
} as const;

/** `PUT|POST /_component_template/{name}`. */
async function putComponentTemplate(call: Call): Promise<Answer> {
  const { engine } = call;
  const name = call.path['name']!;
  const { template, version, _meta } = readComponentBody(requiredObject(call, 'component_template'), call.request.body);
  // Where callers may make no index of their own, there is nothing for it to be part of.
  if (call.request.readOnly?.('*') === true)
    throw searchError('SEARCH_READ_ONLY', { index: '*' }, { hint: call.request.readOnlyHint });
  const known = readKind(engine, 'componentTemplates');
  if (flagParam(call, 'create') && Object.hasOwn(known, name))
    throw illegalArgument(`component template [${name}] already exists`);
  checkComponent(name, template.settings);
  const component: ComponentTemplate = { template: readPart(template), ...given({ version, _meta }) };
  const components = { ...known, [name]: component };
  // Tried in every template it is part of, so that the author of a mistake sees it.
  await tried(component.template);
  for (const [user, template] of Object.entries(readKind(engine, 'indexTemplates'))) {
    if (template.composed_of?.includes(name) === true) await checkComposed(engine, user, template, components);
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
  for (const pattern of template.index_patterns) {
    if (call.request.readOnly?.(pattern) === true) {
      throw searchError('SEARCH_READ_ONLY', { index: pattern }, { hint: call.request.readOnlyHint });
    }
  }
  const rivals = (await overlapping(engine, name, template)).filter(
    ([, other]) => (other.priority ?? 0) === (template.priority ?? 0),
  );
  if (rivals.length > 0) {
    const shown = rivals.map(([rival, { index_patterns: patterns }]) => `${rival} => [${patterns.join(', ')}]`);
    throw illegalArgument(
      `index template [${name}] has index patterns [${template.index_patterns.join(', ')}] matching patterns from existing templates [${rivals.map(([rival]) => rival).join(', ')}] with patterns (${shown.join(', ')}) that have the same priority [${template.priority ?? 0}], multiple index templates may not match during index creation, please use a different priority`,
    );
  }
  await checkComposed(engine, name, template, components);
  await store(engine, 'indexTemplates', { ...readKind(engine, 'indexTemplates'), [name]: template });
  return ACKNOWLEDGED;
}

function checkComponents(
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
): Promise<void> {
  const { settings, mapping, aliases } = composed(template, components, name);
  const because = (reason: string, error: unknown): never => {
    if (!(error instanceof RequestError)) throw error;
    throw illegalArgument(reason, { causedBy: causeOf(error).error });
  };
  await tried({ settings, mappings: mapping })
    .catch((error: unknown) => because(`invalid composite mappings for [${name}]`, error))
    .then((trial) => readAliases(engine, aliases, '', trial))
    .catch((error: unknown) => because(`composable template [${name}] template after composition is invalid`, error));
}

async function tried({ settings = {}, mappings = {} }: TemplatePart): Promise<Mapping> {
  const trial = await runTask(tryMapper({ custom: { settings } }));
  await runTask(trial.mergeInSteps(mappings, '_doc'));
  return trial;
}

/** @param check sees the components before the template's own part is read */
function readComposable(
  body: Json,
  call: Call,
  name: string,
  check: (composedOf: readonly string[]) => void,
): ComposableTemplate {
  const read = readComposableBody(body, call.request.body);
  const { index_patterns: patterns, composed_of: composedOf = [], template, priority, version, _meta } = read;
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
  const patterns = call.path['name']?.split(',') ?? ['*'];
  return Object.entries(readKind(engine, kind))
    .filter(([name]) => patterns.some((pattern) => globMatches(pattern, name)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** `GET /_index_template[/{name}]` and `/_component_template[/{name}]`. */
function getTemplates(kind: keyof TemplateKinds): Endpoint['answer'] {
  const words = WORDS[kind];
  return (call) => {
    const found = matching(call.engine, kind, call);
    const name = call.path['name'];
    if (found.length === 0 && name !== undefined && !name.includes('*')) {
      throw new RequestError(
        'SEARCH_NOT_FOUND',
        'resource_not_found_exception',
        `${words.one} matching [${name}] not found`,
      );
    }
    return {
      status: found.length === 0 && name !== undefined ? 404 : 200,
      json: {
        [words.list]: found.map(([own, template]) => ({
          name: own,
          [words.member]: {
            ...template,
            ...(template.template === undefined ? {} : { template: shownPart(template.template, call) }),
          },
        })),
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
    if (found.length === 0 && name !== '*') {
      throw new RequestError(
        'SEARCH_NOT_FOUND',
        'index_template_missing_exception',
        `index_template [${name}] missing`,
      );
    }
    if (kind === 'componentTemplates') {
      const users = Object.entries(readKind(engine, 'indexTemplates')).filter(([, { composed_of: parts = [] }]) =>
        parts.some((part) => found.includes(part)),
      );
      if (users.length > 0) {
        throw illegalArgument(
          `component templates [${found.join(', ')}] cannot be removed as they are still in use by index templates [${users.map(([user]) => user).join(', ')}]`,
        );
      }
    }
    const left = Object.entries(readKind(engine, kind)).filter(([own]) => !found.includes(own));
    await store(engine, kind, Object.fromEntries(left) as never);
    return ACKNOWLEDGED;
  };
}

/** Settings as they are shown: below `index`, all texts. */
function shownSettings(settings: Json, flat: boolean): Json {
  const strings = flatten(settings, 'index.').map(
    ([key, value]) => [key, Array.isArray(value) ? value.map(textOf) : value === null ? null : textOf(value)] as const,
  );
  if (flat || strings.length === 0) return Object.fromEntries(strings);
  return readNested(strings);
}

function shownPart(part: TemplatePart, call: Call): Json {
  return {
    ...part,
    ...(part.settings === undefined
      ? {}
      : { settings: shownSettings(part.settings, flagParam(call, 'flat_settings')) }),
  };
}

/** Other templates for some of the same names, composable ones and those of `_template`. */
async function overlapping(
  engine: Engine,
  name: string,
  { index_patterns: patterns }: ComposableTemplate,
): Promise<(readonly [string, ComposableTemplate])[]> {
  const found: (readonly [string, ComposableTemplate])[] = [];
  for (const each of Object.entries(readKind(engine, 'indexTemplates')))
    if (each[0] !== name && (await anyMeet(each[1].index_patterns, patterns))) found.push(each);
  return found;
}

/** Whether a name fits a pattern of either list; with turns of the event loop, for there may be thousands of them. */
async function anyMeet(some: readonly string[], others: readonly string[]): Promise<boolean> {
  const slices = new TimeSlices(some.length * others.length > MANY_PAIRS);
  for (const one of some) {
    for (const other of others) {
      if (patternsMeet(one, other)) return true;
      if (slices.isOver) await slices.yield();
    }
  }
  return false;
}

/** Pairs of patterns that are compared without a pause. */
const MANY_PAIRS = 100;

/** `POST /_index_template/_simulate_index/{name}`: what an index of that name would get. */
async function simulateIndex(call: Call): Promise<Answer> {
  const { engine } = call;
  const index = call.path['name']!;
  const body = objectBody(call, 'index_template');
  const components = readKind(engine, 'componentTemplates');
  const trial = trialName();
  const given =
    body === undefined
      ? undefined
      : readComposable(body, call, trial, (composedOf) => checkComponents(trial, composedOf, components));
  const known = composableTemplateOf(engine, index);
  const fits = given?.index_patterns.some((pattern) => globMatches(pattern, index)) === true;
  const chosen =
    fits && (known === undefined || (given.priority ?? 0) >= (known[1].priority ?? 0)) ? (['', given] as const) : known;
  if (chosen === undefined) return { json: {} };
  return { json: await simulated(engine, chosen, components, index, call) };
}

/** The name of a template that is only tried. */
const trialName = (): string => `simulate_template_${randomBytes(16).toString('base64url').toLowerCase()}`;

/** @throws RequestError for `create` where the template of the name is there already */
function checkIsNew(engine: Engine, name: string | undefined, call: Call): void {
  if (flagParam(call, 'create') && name !== undefined && Object.hasOwn(readKind(engine, 'indexTemplates'), name))
    throw illegalArgument(`index template [${name}] already exists`);
}

/** `POST /_index_template/_simulate[/{name}]`: what a template says with its components. */
async function simulateTemplate(call: Call): Promise<Answer> {
  const { engine } = call;
  const name = call.path['name'];
  const body = objectBody(call, 'index_template');
  if (body !== undefined) checkIsNew(engine, name, call);
  const components = readKind(engine, 'componentTemplates');
  const shownName = name ?? trialName();
  const template =
    body === undefined
      ? readKind(engine, 'indexTemplates')[name ?? '']
      : readComposable(body, call, shownName, (composedOf) => checkComponents(shownName, composedOf, components));
  if (template === undefined) {
    if (name === undefined)
      throw validationError('either index name or index template body must be specified for simulation');
    throw illegalArgument(`unable to simulate template [${name}] that does not exist`);
  }
  if (body === undefined) checkComponents(shownName, template.composed_of ?? [], components);
  return { json: await simulated(engine, [name ?? '', template], components, name ?? 'simulated', call) };
}

async function simulated(
  engine: Engine,
  [name, template]: readonly [string, ComposableTemplate],
  components: Readonly<Record<string, ComponentTemplate>>,
  index: string,
  call: Call,
): Promise<Json> {
  const { settings, mapping, aliases } = composed(template, components, index);
  const parts = [template.template, ...(template.composed_of ?? []).map((each) => components[each]?.template)];
  const hasMappings = parts.some((part) => part?.mappings !== undefined);
  const legacy: (readonly [string, { readonly patterns: readonly string[] }])[] = [];
  for (const each of Object.entries(readTemplates(engine)))
    if (await anyMeet(each[1].patterns, template.index_patterns)) legacy.push(each);
  return {
    template: {
      settings: shownSettings(settings, flagParam(call, 'flat_settings')),
      ...(hasMappings ? { mappings: mapping } : {}),
      aliases,
    },
    overlapping: [
      ...legacy.map(([other, { patterns }]) => ({ name: other, index_patterns: patterns })),
      ...(await overlapping(engine, name, template)).map(([other, { index_patterns: patterns }]) => ({
        name: other,
        index_patterns: patterns,
      })),
    ],
  };
}

const SIMULATE = { cause: 'text', master_timeout: 'time' } as const;

/** Composable templates, their parts, and what would come of them. */
export const COMPOSABLE_TEMPLATE_ENDPOINTS: readonly Endpoint[] = [
  reads('POST', '/_index_template/_simulate_index/{name}', SIMULATE, simulateIndex),
  reads(
    'POST',
    ['/_index_template/_simulate', '/_index_template/_simulate/{name}'],
    { create: 'flag', ...SIMULATE },
    simulateTemplate,
  ),
  ...templateEndpoints('/_index_template', 'indexTemplates', putIndexTemplate),
  ...templateEndpoints('/_component_template', 'componentTemplates', putComponentTemplate),
];

function templateEndpoints(path: string, kind: keyof TemplateKinds, put: Endpoint['answer']): readonly Endpoint[] {
  return [
    changes('PUT POST', `${path}/{name}`, { create: 'flag', cause: 'text', ...TIMEOUTS }, put),
    reads('GET', [path, `${path}/{name}`], { flat_settings: 'text', ...LOCAL }, getTemplates(kind)),
    reads('HEAD', `${path}/{name}`, LOCAL, templatesExist(kind)),
    changes('DELETE', `${path}/{name}`, TIMEOUTS, deleteTemplates(kind)),
  ];
}
