// What a mapping uses that has no effect, or that a later version will not have, in Elasticsearch's words.
import { RequestError } from '../errors/request-error.ts';
import { isObject, type Json, toList } from '../json/json.ts';
import { show } from '../json/java-values.ts';
import { camelCaseName, dateFormat, DEFAULT_DATE_FORMAT } from './date-format.ts';
import { dynamicTypes, filledTemplate, printTemplates } from './dynamic.ts';
import { FAMILIES, withoutDropped } from './field-parameters.ts';

export type Warn = (text: string) => void;

/** Warns of what a mapping says of metadata fields. */
export function warnOfMetadata(definition: Json, warn: Warn): void {
  const names = definition['_field_names'];
  if (isObject(names) && names['enabled'] !== undefined)
    warn(
      'Disabling _field_names is not necessary because it no longer carries a large index overhead. Support for the `enabled` setting will be removed in a future major version. Please remove it from your mappings and templates.',
    );
}

/** Warns of the parameters of an object, or of the whole mapping. */
export function warnOfObject(definition: Json, warn: Warn): void {
  if (definition['include_in_all'] !== undefined)
    warn('[include_in_all] is deprecated, the _all field have been removed in this version');
}

/** Warns of the parameters of a field. @param isSub whether it is one of several of another field */
export function warnOfField(name: string, type: string, definition: Json, isSub: boolean, warn: Warn): void {
  const kept = type === 'search_as_you_type' ? definition : withoutDropped(definition);
  for (const key of Object.keys(definition))
    if (!Object.hasOwn(kept, key))
      warn(
        type === 'geo_point'
          ? `The [${key}] parameter has no effect on field [${name}] and will be removed in 8.0`
          : `Parameter [${key}] has no effect on type [${type}] and will be removed in future`,
      );
  if (typeof definition['format'] === 'string') warnOfFormat(definition['format'], warn);
  if (isSub && definition['fields'] !== undefined)
    warn(
      `At least one multi-field, [${name}], was encountered that itself contains a multi-field. Defining multi-fields within a multi-field is deprecated and will no longer be supported in 8.0. To resolve the issue, all instances of [fields] that occur within a [fields] block should be removed from the mappings, either by flattening the chained [fields] blocks into a single level, or switching to [copy_to] if appropriate.`,
    );
}

/** Warns of names in a format of dates that are in camel case. */
export function warnOfFormat(format: string, warn: Warn): void {
  for (const part of format.split('||')) {
    const instead = camelCaseName(part);
    if (instead !== undefined)
      warn(
        `Camel case format name ${part} is deprecated and will be removed in a future version. Use snake case name ${instead} instead.`,
      );
  }
}

/** Warns of what is found once the fields are made: a `null_value` of a date that is none. */
export function warnOfNullValues(properties: unknown, warn: Warn): void {
  if (!isObject(properties)) return;
  for (const [name, definition] of Object.entries(properties)) {
    if (!isObject(definition)) continue;
    const { type, format = DEFAULT_DATE_FORMAT, null_value: value } = definition;
    if (FAMILIES[show(type)] === 'date' && value !== undefined && value !== null) {
      if (dateFormat(show(format)).parse(show(value)) === undefined)
        warn(
          `Error parsing [${show(value)}] as date in [null_value] on field [${name}]); [null_value] will be ignored`,
        );
    }
    warnOfNullValues(definition['properties'], warn);
    warnOfNullValues(definition['fields'], warn);
  }
}

/**
 * Warns of dynamic templates whose fields could not be made, whichever value they meet.
 *
 * @param make makes a field, and throws where it cannot be made
 */
export function warnOfTemplates(templates: unknown, make: (name: string, field: Json) => void, warn: Warn): void {
  for (const entry of toList(templates)) {
    const [[name, template] = ['', {}]] = Object.entries(entry as Readonly<Record<string, Json>>);
    // Names of fields are known once there are documents.
    if (JSON.stringify(template['mapping']).includes('{name}')) continue;
    let complaint: string | undefined;
    for (const type of dynamicTypes(template['match_mapping_type'])) {
      const field = `__dynamic__${name}`;
      try {
        make(field, filledTemplate(template, field, type));
        complaint = undefined;
        break;
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        complaint = complaintOf(error.message, template['mapping']);
      }
    }
    if (complaint === undefined) continue;
    const [printed] = printTemplates([entry]) as readonly Json[];
    warn(
      `dynamic template [${name}] has invalid content [${sorted(printed![name] as Json)}], caused by [${complaint}]`,
    );
  }
}

/** The words of Elasticsearch, which has taken the type out of the parameters and gives no advice. */
function complaintOf(message: string, mapping: unknown): string {
  const plain = message
    .replace(/,? did you mean .*$|;? known here: .*$/i, '')
    .replace(/^No handler for type (\[[^\]]*\]).*$/, 'No mapper found for type $1')
    .replace(/^Mapping definition for .* has unsupported parameters: (.*)$/, (_, unused: string) => {
      const pairs = Array.from(unused.matchAll(/\[(\w+) : ([^\]]*)\]/g), ([, key, value]) => `${key}=${value}`);
      return `Unused mapping attributes [{${pairs.join(', ')}}]`;
    });
  return isObject(mapping) && mapping['type'] !== undefined
    ? plain
    : plain.replace(/(?<= of type )\[[^\]]*\]$/, '[null]');
}

function sorted({ mapping, ...conditions }: Json): string {
  const parameters = isObject(mapping) ? Object.entries(mapping).toSorted(([a], [b]) => (a < b ? -1 : 1)) : [];
  return JSON.stringify({ ...conditions, mapping: Object.fromEntries(parameters) });
}
