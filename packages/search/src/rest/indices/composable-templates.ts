// Composable index templates and the component templates they are made of (`_index_template`, `_component_template`): how they are
// kept, which one an index gets, and what it says. How they are written and shown is in `composable-template-handlers.ts`.
import { checkMetadata, withDefaults } from './templates.ts';
import { readIndexSettings } from './index-settings.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { globMatches } from '../../text/glob.ts';
import { isObject, type Json } from '../../json/json.ts';

/** What a template gives an index. */
export interface TemplatePart {
  readonly settings?: Json;
  readonly mappings?: Json;
  readonly aliases?: Readonly<Record<string, Json>>;
}

/** A component template as it is kept. */
export interface ComponentTemplate {
  readonly template: TemplatePart;
  readonly version?: number;
  readonly _meta?: Json;
}

/** A composable template as it is kept. */
export interface ComposableTemplate {
  readonly index_patterns: readonly string[];
  /** Absent where the template was given without them. */
  readonly composed_of?: readonly string[];
  readonly template?: TemplatePart;
  readonly priority?: number;
  readonly version?: number;
  readonly _meta?: Json;
}

/** The kinds of templates by the member of the engine's metadata that holds them. */
export interface TemplateKinds {
  readonly indexTemplates: ComposableTemplate;
  readonly componentTemplates: ComponentTemplate;
}

/** All templates of a kind by name. */
export function readKind<Kind extends keyof TemplateKinds>(
  engine: Engine,
  kind: Kind,
): Readonly<Record<string, TemplateKinds[Kind]>> {
  checkMetadata(engine);
  const { metadata } = engine;
  return isObject(metadata) && isObject(metadata[kind]) ? (metadata[kind] as Record<string, TemplateKinds[Kind]>) : {};
}

/** The composable template of an index: of those whose patterns fit the one of the highest priority. */
export function composableTemplateOf(
  engine: Engine,
  index: string,
): readonly [name: string, template: ComposableTemplate] | undefined {
  return Object.entries(readKind(engine, 'indexTemplates'))
    .filter(([, { index_patterns: patterns }]) => patterns.some((pattern) => globMatches(pattern, index)))
    .sort(([, one], [, other]) => (other.priority ?? 0) - (one.priority ?? 0))[0];
}

/** What a template says with its components: later ones win over earlier ones, the template over all. */
export function composed(
  template: ComposableTemplate,
  components: Readonly<Record<string, ComponentTemplate>>,
  index: string,
): { readonly settings: Json; readonly mapping: Json; readonly aliases: Readonly<Record<string, Json>> } {
  const parts = [
    ...(template.composed_of ?? []).map((name) => components[name]?.template ?? {}),
    template.template ?? {},
  ];
  let settings: Json = {};
  let mapping: Json = {};
  let aliases: Record<string, Json> = {};
  for (const part of parts) {
    settings = withDefaults(part.settings ?? {}, settings);
    mapping = withDefaults(part.mappings ?? {}, mapping);
    const named = Object.entries(part.aliases ?? {}).map(([name, alias]) => [name.replaceAll('{index}', index), alias]);
    aliases = { ...aliases, ...(Object.fromEntries(named) as Record<string, Json>) };
  }
  return { settings: readIndexSettings(settings), mapping, aliases };
}
