// The mapping of an index from its stored definition: its fields, with the analysis and the limits that its settings name.
import { type Analysis, createAnalysis } from '../analysis/analysis-registry.ts';
import type { SizeLimits } from '../analysis/part-definition.ts';
import { flatten, settingsOf } from '../settings/client-settings.ts';
import type { IndexDefinition } from '../settings/index-definition.ts';
import { runToEnd } from '../tasks/scheduler.ts';
import { asBoolean, asInteger, isObject, type Json } from '../json/json.ts';
import { Mapping } from './mapping.ts';
import type { MappingLimits } from './mapping-limits.ts';

/** Makes the mapping of an index from its stored definition; give it to the engine as `mapperFactory`. */
export function createMapper(definition: IndexDefinition): Mapping {
  return mappingOf(
    definition,
    (analysis, limits) => tried.get(settingsOf(definition)) ?? createAnalysis(analysis, limits),
  );
}

/**
 * Makes the mapping of an index that is to be, in steps, and refuses what an index that exists may have. The mapping that `createMapper`
 * makes of the same settings object shares its analysis.
 *
 * @throws RequestError for parts of the analysis that take too much or would fail once they were used
 */
export function* tryMapper(definition: IndexDefinition): Generator<void, Mapping> {
  const later: Generator<void, void>[] = [];
  let building = true;
  const mapping = mappingOf(definition, (analysis, limits) =>
    createAnalysis(analysis, limits, true, (work) => {
      if (building) later.push(work);
      else runToEnd(work);
    }),
  );
  for (const work of later) yield* work;
  building = false;
  tried.set(settingsOf(definition), mapping.analysis);
  return mapping;
}

/** Analysis by the settings that it was tried with: long lists of synonyms take a second to build. */
const tried = new WeakMap<Json, Analysis>();

function mappingOf(
  definition: IndexDefinition,
  analysisOf: (settings: Json, limits: Partial<SizeLimits>) => Analysis,
): Mapping {
  const settings = settingsOf(definition);
  const flat = new Map(flatten(settings));
  const whole = (key: string): number | undefined => {
    const value = flat.get(key);
    return value === undefined || value === null ? undefined : asInteger(value, key);
  };
  const [ngramDiff, shingleDiff] = [whole('max_ngram_diff'), whole('max_shingle_diff')];
  const analysis = analysisOf(isObject(settings['analysis']) ? settings['analysis'] : {}, {
    ...(ngramDiff === undefined ? {} : { ngramDiff }),
    ...(shingleDiff === undefined ? {} : { shingleDiff }),
  });
  const limits: { -readonly [Key in keyof MappingLimits]?: MappingLimits[Key] } = { isSorted: flat.has('sort.field') };
  const limit = (key: string, name: Exclude<keyof MappingLimits, 'isSorted'>): void => {
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
