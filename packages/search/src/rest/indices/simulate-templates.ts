// What composable templates come to for an index, without making one.
import { randomBytes } from 'node:crypto';
import type { Engine } from '../../engine/engine-api.ts';
import { illegalArgument, validationError } from '../../errors/request-error.ts';
import type { Json } from '../../json/json.ts';
import { globMatches } from '../../text/glob.ts';
import { type Endpoint, reads } from '../request/endpoint.ts';
import { objectBody } from '../request/object-body.ts';
import type { Answer, Call } from '../request/request.ts';
import { checkComponents, checkIsNew, readComposable, shownSettings } from './composable-template-handlers.ts';
import {
  type ComponentTemplate,
  type ComposableTemplate,
  composableTemplateOf,
  composed,
  readKind,
} from './composable-templates.ts';
import {
  checkTemplateConflicts,
  olderOverlapping,
  type Overlap,
  overlapping,
  warnOfOlder,
} from './template-overlaps.ts';

/** `POST /_index_template/_simulate_index/{name}`: what an index of that name would get. */
async function simulateIndex(call: Call): Promise<Answer> {
  const { engine } = call;
  const index = call.path['name']!;
  const body = objectBody(call, 'index_template');
  const components = readKind(engine, 'componentTemplates');
  const trial = temporaryIndexName('simulate_index_template');
  if (body !== undefined) checkIsNew(engine, trial, call);
  const given = body === undefined ? undefined : await readTrial(body, trial, components, call);
  const known = composableTemplateOf(engine, index);
  const fits = given?.index_patterns.some((pattern) => globMatches(pattern, index)) === true;
  const isGiven = fits && (known === undefined || (given.priority ?? 0) >= (known[1].priority ?? 0));
  const chosen = isGiven ? ([trial, given] as const) : known;
  if (chosen === undefined) return { json: {} };
  const others = fits && !isGiven ? [{ name: trial, patterns: given.index_patterns }] : [];
  return { json: await simulated(engine, chosen, components, index, others) };
}

/** A template that is tried. @throws RequestError for what it must not be */
async function readTrial(
  body: Json,
  name: string,
  components: Readonly<Record<string, ComponentTemplate>>,
  call: Call,
): Promise<ComposableTemplate> {
  const template = readComposable(body, call, name, (composedOf) => checkComponents(name, composedOf, components));
  await checkTemplateConflicts(call.engine, name, template);
  await warnOfOlder(call.engine, name, template, call);
  return template;
}

/** The name of a template that is only tried. */
const temporaryIndexName = (kind: string): string => `${kind}_${randomBytes(16).toString('base64url').toLowerCase()}`;

/** `POST /_index_template/_simulate[/{name}]`: what a template says with its components. */
async function simulateTemplate(call: Call): Promise<Answer> {
  const { engine } = call;
  const name = call.path['name'];
  const body = objectBody(call, 'index_template');
  if (body !== undefined) checkIsNew(engine, name, call);
  const components = readKind(engine, 'componentTemplates');
  const shownName = name ?? temporaryIndexName('simulate_template');
  const template =
    body === undefined
      ? readKind(engine, 'indexTemplates')[name ?? '']
      : await readTrial(body, shownName, components, call);
  if (template === undefined) {
    if (name === undefined)
      throw validationError('either index name or index template body must be specified for simulation');
    throw illegalArgument(`unable to simulate template [${name}] that does not exist`);
  }
  if (body === undefined) checkComponents(shownName, template.composed_of ?? [], components);
  return { json: await simulated(engine, [name ?? '', template], components, name ?? 'simulated') };
}

async function simulated(
  engine: Engine,
  [name, template]: readonly [string, ComposableTemplate],
  components: Readonly<Record<string, ComponentTemplate>>,
  index: string,
  others: readonly Overlap[] = [],
): Promise<Json> {
  const { settings, mapping, aliases } = composed(template, components, index);
  const parts = [template.template, ...(template.composed_of ?? []).map((each) => components[each]?.template)];
  const hasMappings = parts.some((part) => part?.mappings !== undefined);
  const patterns = template.index_patterns;
  const overlaps = [
    ...(await olderOverlapping(engine, patterns)),
    ...(await overlapping(engine, name, patterns)),
    ...others,
  ];
  return {
    template: {
      settings: shownSettings(settings),
      ...(hasMappings ? { mappings: mapping } : {}),
      aliases,
    },
    overlapping: overlaps.map((other) => ({ name: other.name, index_patterns: other.patterns })),
  };
}

/** Trials of composable templates. */
export const SIMULATE_ENDPOINTS: readonly Endpoint[] = [
  reads('POST', '/_index_template/_simulate_index/{name}', { master_timeout: 'time' }, simulateIndex),
  reads(
    'POST',
    '/_index_template/_simulate /_index_template/_simulate/{name}',
    { create: 'flag', cause: 'text', master_timeout: 'time' },
    simulateTemplate,
  ),
];
