// The mapping of an index from its stored definition: its fields, with the analysis and the limits that its settings name.
import { createAnalysis } from './analysis/analysis-registry.ts';
import { flatten, settingsOf } from './client-settings.ts';
import type { IndexDefinition } from './engine/engine-api.ts';
import { asInteger, isObject } from './json.ts';
import { Mapping } from './mapping/mapping.ts';
import type { MappingLimits } from './mapping/merge-definition.ts';

/** Makes the mapping of an index from its stored definition; give it to the engine as `mapperFactory`. */
export function createMapper(definition: IndexDefinition): Mapping {
  const settings = settingsOf(definition);
  const analysis = isObject(settings['analysis']) ? createAnalysis(settings['analysis']) : createAnalysis({});
  const flat = new Map(flatten(settings));
  const limits: { -readonly [Key in keyof MappingLimits]?: number } = {};
  const limit = (key: string, name: keyof MappingLimits): void => {
    const value = flat.get(key);
    if (value !== undefined && value !== null) limits[name] = asInteger(value, key);
  };
  limit('mapping.total_fields.limit', 'totalFields');
  limit('mapping.depth.limit', 'depth');
  limit('mapping.nested_fields.limit', 'nestedFields');
  limit('mapping.nested_objects.limit', 'nestedObjects');
  const mapping = new Mapping(definition.mappings, analysis, limits);
  mapping.takesAll = definition.settings?.takesAll === true;
  return mapping;
}
