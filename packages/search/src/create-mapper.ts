// The mapping of an index from its stored definition: its fields, with the analysis and the limits that its settings name.
import { createAnalysis } from './analysis/analysis-registry.ts';
import { flatten, settingsOf } from './client-settings.ts';
import type { IndexDefinition } from './engine/engine-api.ts';
import { asBoolean, asInteger, isObject } from './json.ts';
import { Mapping } from './mapping/mapping.ts';
import type { MappingLimits } from './mapping/merge-definition.ts';

/** Makes the mapping of an index from its stored definition; give it to the engine as `mapperFactory`. */
export function createMapper(definition: IndexDefinition): Mapping {
  const settings = settingsOf(definition);
  const flat = new Map(flatten(settings));
  const whole = (key: string): number | undefined => {
    const value = flat.get(key);
    return value === undefined || value === null ? undefined : asInteger(value, key);
  };
  const [ngramDiff, shingleDiff] = [whole('max_ngram_diff'), whole('max_shingle_diff')];
  const analysis = createAnalysis(isObject(settings['analysis']) ? settings['analysis'] : {}, {
    ...(ngramDiff === undefined ? {} : { ngramDiff }),
    ...(shingleDiff === undefined ? {} : { shingleDiff }),
  });
  const limits: { -readonly [Key in keyof MappingLimits]?: number } = {};
  const limit = (key: string, name: keyof MappingLimits): void => {
    const value = whole(key);
    if (value !== undefined) limits[name] = value;
  };
  limit('mapping.total_fields.limit', 'totalFields');
  limit('mapping.depth.limit', 'depth');
  limit('mapping.nested_fields.limit', 'nestedFields');
  limit('mapping.nested_objects.limit', 'nestedObjects');
  limit('mapping.field_name_length.limit', 'nameLength');
  const flag = (key: string): boolean | undefined => {
    const value = flat.get(key);
    return value === undefined || value === null ? undefined : asBoolean(value, `index.${key}`);
  };
  const mapping = new Mapping(definition.mappings, analysis, limits, {
    ignoreMalformed: flag('mapping.ignore_malformed') ?? false,
    coerce: flag('mapping.coerce') ?? true,
  });
  mapping.takesAll = definition.settings?.takesAll === true;
  return mapping;
}
