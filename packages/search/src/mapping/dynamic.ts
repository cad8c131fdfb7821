// Which field a value that no mapping mentions becomes: by its JSON type, by looking like a date, or by the first dynamic
// template that fits.
import { wordsOf } from '@lockstitch/kernel';
import type { BoundedRegex } from '../analysis/bounded-regex.ts';
import { readPattern } from '../analysis/java-pattern.ts';
import { globMatches } from '../text/glob.ts';
import { isObject, type Json, toList, textOf } from '../json/json.ts';
import { illegalArgument, mapperParsing, RequestError } from '../errors/request-error.ts';
import { type DateFormat, dateFormat } from './date-format.ts';
import { show } from '../json/java-values.ts';
import { noFlag } from './parameter-values.ts';

/** What happens to unknown members of an object. */
export type Dynamic = true | false | 'strict';

/** How values are looked at. */
export interface DynamicOptions {
  readonly templates: readonly unknown[];
  readonly dates: boolean;
  readonly dateFormats: readonly DateFormat[];
  readonly numbers: boolean;
}

/** What texts are tried as where `dynamic_date_formats` is not given. */
export const DEFAULT_DATES: readonly DateFormat[] = [
  'strict_date_optional_time',
  'yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis',
].map((pattern) => dateFormat(pattern));

const PARAMETERS_OF_OBJECTS: readonly string[] = wordsOf(
  'type dynamic enabled include_in_parent include_in_root properties',
);

/** Reads the `dynamic` parameter. */
export function readDynamic(value: unknown): Dynamic {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  if (value === 'strict') return 'strict';
  throw noFlag(value, 'dynamic.dynamic');
}

/** The definition a new field gets, or undefined when a value says nothing about its type. @param literal a number as it is written */
export function dynamicDefinition(
  name: string,
  path: string,
  value: unknown,
  options: DynamicOptions,
  literal?: string,
): Json | undefined {
  const kind = kindOf(value, options, literal);
  const template = templateFor(name, path, kind.type, options.templates);
  if (template !== undefined) return isOfObject(template) ? ofObject(template) : template;
  switch (kind.type) {
    case 'string':
      return { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } };
    case 'double':
      return { type: 'float' };
    case 'date':
      return kind.format === undefined || kind.format === 'strict_date_optional_time'
        ? { type: 'date' }
        : { type: 'date', format: kind.format };
    default:
      return { type: kind.type };
  }
}

const isOfObject = ({ type }: Json): boolean => type === 'object' || type === 'nested';

/** What a template says of an object; parameters of fields, which a template of all types has, are none of it. */
function ofObject(template: Json): Json {
  return Object.fromEntries(Object.entries(template).filter(([key]) => PARAMETERS_OF_OBJECTS.includes(key)));
}

type Kind = 'string' | 'long' | 'double' | 'boolean' | 'date' | 'object';

function kindOf(
  value: unknown,
  options: DynamicOptions,
  literal: string | undefined,
): { readonly type: Kind; readonly format?: string } {
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'number')
    return { type: Number.isInteger(value) && !/[.eE]/.test(literal ?? '') ? 'long' : 'double' };
  if (isObject(value)) return { type: 'object' };
  const text = textOf(value);
  if (options.dates && /[-/:]/.test(text)) {
    // The usual formats take numbers, too.
    const mayFit = options.dateFormats !== DEFAULT_DATES || /^-?\d{4}[-/]/.test(text);
    const format = mayFit ? options.dateFormats.find((each) => each.parse(text) !== undefined) : undefined;
    if (format !== undefined) return { type: 'date', format: format.pattern };
  }
  if (options.numbers && /^[+-]?\d+$/.test(text)) return { type: 'long' };
  if (options.numbers && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return { type: 'double' };
  return { type: 'string' };
}

/**
 * Reads `dynamic_templates`; a `match_pattern: regex` is checked here, before a field name meets it.
 *
 * @throws RequestError when a template is no object, or a pattern is no regular expression or cannot be bounded
 */
export function readTemplates(value: unknown): readonly unknown[] {
  const templates = toList(value);
  for (const entry of templates) {
    const [rule] = isObject(entry) ? Object.values(entry) : [];
    if (!isObject(rule) || rule['match_pattern'] !== 'regex') continue;
    for (const key of ['match', 'unmatch', 'path_match', 'path_unmatch']) {
      if (rule[key] === undefined) continue;
      try {
        templateRegex(show(rule[key]));
      } catch (error) {
        // One that could take too long says so itself.
        if (!(error instanceof RequestError) || error.type !== 'pattern_syntax_exception') throw error;
        throw illegalArgument(
          `Pattern [${show(rule[key])}] of type [regex] is invalid. Cannot create dynamic template [${Object.keys(entry as Json)[0]}].`,
        );
      }
    }
  }
  return templates;
}

/** Templates as `GET _mapping` shows them. */
export function printTemplates(value: unknown): unknown {
  return toList(value).map((entry) => {
    const [[name, template] = ['', {}]] = Object.entries(entry as Readonly<Record<string, Json>>);
    const { match_mapping_type: kind, match_pattern: pattern, mapping, ...conditions } = template;
    const printed: Record<string, unknown> = {};
    for (const key of ['match', 'path_match', 'unmatch', 'path_unmatch'])
      if (conditions[key] !== undefined) printed[key] = show(conditions[key]);
    const isAny = kind === undefined || kind === '*';
    if (!isAny || Object.keys(printed).every((key) => key.includes('unmatch')))
      printed['match_mapping_type'] = kind ?? '*';
    if (pattern !== undefined && pattern !== 'simple') printed['match_pattern'] = pattern;
    return { [name]: { ...printed, mapping } };
  });
}

function templateFor(name: string, path: string, kind: Kind, templates: readonly unknown[]): Json | undefined {
  for (const entry of templates) {
    if (!isObject(entry)) throw mapperParsing('A dynamic template must be defined with a name');
    const [, rule] = Object.entries(entry)[0] ?? [];
    if (!isObject(rule)) throw mapperParsing('A dynamic template must be an object');
    const regex = rule['match_pattern'] === 'regex';
    const fits = (key: string, subject: string): boolean => matches(show(rule[key]), subject, regex);
    const wanted = rule['match_mapping_type'];
    if (wanted !== undefined && wanted !== '*' && wanted !== kind) continue;
    if (rule['match'] !== undefined && !fits('match', name)) continue;
    if (rule['unmatch'] !== undefined && fits('unmatch', name)) continue;
    if (rule['path_match'] !== undefined && !fits('path_match', path)) continue;
    if (rule['path_unmatch'] !== undefined && fits('path_unmatch', path)) continue;
    return filledTemplate(rule, name, TYPES[kind]);
  }
  return undefined;
}

/** The types of fields by what JSON holds, in the order in which Elasticsearch tries a template. */
const TYPES: Readonly<Record<Kind | 'binary', string>> = {
  object: 'object',
  string: 'text',
  long: 'long',
  double: 'float',
  boolean: 'boolean',
  date: 'date',
  binary: 'binary',
};

/** The types of fields that a template may be asked for. @param kind its `match_mapping_type` */
export function dynamicTypes(kind: unknown): readonly string[] {
  return kind === undefined || kind === '*' ? Object.values(TYPES) : [TYPES[kind as Kind]];
}

/** The field that a template makes. @param usual the type where the template names none */
export function filledTemplate(template: Json, name: string, usual: string): Json {
  const mapping = isObject(template['mapping']) ? template['mapping'] : {};
  const filled = fill(mapping, name, usual) as Json;
  return filled['type'] === undefined ? { type: usual, ...filled } : filled;
}

function templateRegex(pattern: string): BoundedRegex {
  return readPattern(`^(?:${pattern})$`);
}

function matches(pattern: string, subject: string, regex: boolean): boolean {
  if (regex) return subject.search(templateRegex(pattern).over([subject])) >= 0;
  return globMatches(pattern, subject);
}

function fill(value: unknown, name: string, type: string): unknown {
  if (typeof value === 'string')
    return value.replaceAll('{name}', name).replaceAll('{dynamic_type}', type).replaceAll('{dynamicType}', type);
  if (Array.isArray(value)) return value.map((element) => fill(element, name, type));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, name, type)]));
  return value;
}
