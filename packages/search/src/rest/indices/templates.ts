// What templates add to an index that is being created. How they are written and shown is in `template-handlers.ts`.
import { searchError } from '../../errors/search-errors.ts';
import { readIndexSettings } from './index-settings.ts';
import { globMatches } from '../../text/glob.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { asString, isObject, type Json, toList } from '../../json/json.ts';
import { illegalArgument, validationError } from '../../errors/request-error.ts';

/** A template as it is kept. */
export interface IndexTemplate {
  readonly patterns: readonly string[];
  /** Higher ones win over lower ones. */
  readonly order: number;
  readonly version?: number;
  readonly settings: Json;
  readonly mapping: Json;
  readonly typeName?: string;
  readonly aliases: Readonly<Record<string, Json>>;
}

/** @throws ProductError `SEARCH_METADATA_DAMAGED`: an index made without its templates would be another one */
export function checkMetadata({ metadataDamage: reason }: Engine): void {
  if (reason !== undefined) throw searchError('SEARCH_METADATA_DAMAGED', { reason });
}

/** Patterns, and components, of one template at most; each pattern is compared with those of all others. */
const MOST_LISTED = 100;
/** Characters of one pattern: the longest name of an index. */
const LONGEST_PATTERN = 255;

/** @throws RequestError for more than a template may have */
export function checkListed(what: string, count: number): void {
  if (count > MOST_LISTED)
    throw illegalArgument(
      `a template has at most [${MOST_LISTED}] entries in [${what}], and there are [${count}]. Make several templates, or use [*].`,
    );
}

/** Reads the `index_patterns` of a template. */
export function readPatterns(body: Json): readonly string[] {
  const given = body['index_patterns'] ?? [];
  if (isObject(given)) throw illegalArgument('Malformed [template] value, should be a string or a list of strings');
  const patterns = toList(given).map((pattern) => asString(pattern, 'index_patterns'));
  if (patterns.length === 0) throw validationError('index patterns are missing');
  checkPatterns(patterns);
  return patterns;
}

/** @throws RequestError for more or longer patterns than a template may have */
export function checkPatterns(patterns: readonly string[]): void {
  checkListed('index_patterns', patterns.length);
  const long = patterns.find((pattern) => pattern.length > LONGEST_PATTERN);
  if (long !== undefined)
    throw illegalArgument(`an index pattern has at most [${LONGEST_PATTERN}] characters, and one has [${long.length}]`);
}

/** All templates by name. */
export function readTemplates(engine: Engine): Readonly<Record<string, IndexTemplate>> {
  checkMetadata(engine);
  const { metadata } = engine;
  return isObject(metadata) && isObject(metadata['templates'])
    ? (metadata['templates'] as Record<string, IndexTemplate>)
    : {};
}

/** What the templates of an index's name say together, the highest order winning. */
export function templateFor(
  engine: Engine,
  index: string,
): Pick<IndexTemplate, 'settings' | 'mapping' | 'aliases'> & {
  readonly typeName: string | undefined;
  readonly names: readonly string[];
} {
  const named = Object.entries(readTemplates(engine)).filter(([, { patterns }]) =>
    patterns.some((pattern) => globMatches(pattern, index)),
  );
  const fitting = named.map(([, template]) => template).sort((one, other) => other.order - one.order);
  let settings: Json = {};
  let mapping: Json = {};
  let aliases: Record<string, Json> = {};
  for (const template of fitting) {
    settings = withDefaults(settings, template.settings);
    mapping = withDefaults(mapping, template.mapping);
    const own = Object.entries(template.aliases).map(([name, alias]) => [name.replaceAll('{index}', index), alias]);
    aliases = { ...(Object.fromEntries(own) as Record<string, Json>), ...aliases };
  }
  const typeName = fitting.find((template) => template.typeName !== undefined)?.typeName;
  return { settings: readIndexSettings(settings), mapping, aliases, typeName, names: named.map(([name]) => name) };
}

/** Deeply: members of `own` win, lists are not joined. */
export function withDefaults(own: Json, defaults: Json): Json {
  const merged: Record<string, unknown> = { ...defaults };
  for (const [key, value] of Object.entries(own)) {
    const before = merged[key];
    merged[key] = isObject(value) && isObject(before) ? withDefaults(value, before) : value;
  }
  return merged;
}
