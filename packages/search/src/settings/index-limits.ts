// The limits that an index's settings set to its searches, and its defaults for fields. They follow the definition, which says the same
// in the search threads; what a mapping takes from the settings besides is in mapping/create-mapper.ts.
import { flatten, settingsOf } from './client-settings.ts';
import type { IndexDefinition } from './index-definition.ts';
import { asBoolean, asInteger } from '../json/json.ts';

/** Elasticsearch's settings by their short names, with its defaults. */
export interface IndexLimits {
  /** `index.max_docvalue_fields_search`; 100. */
  readonly docvalueFields: number;
  /** `index.max_inner_result_window`: `from + size` of `top_hits` and `inner_hits`; 100. */
  readonly innerResultWindow: number;
  /** `index.max_rescore_window`; that of `index.max_result_window`. */
  readonly rescoreWindow: number | undefined;
  /** `index.max_regex_length`, in UTF-16 units; 1,000. */
  readonly regexLength: number;
  /** `index.highlight.max_analyzed_offset`, in UTF-16 units; 1,000,000. */
  readonly highlightOffset: number;
  /** `index.max_slices_per_scroll`; 1,024. */
  readonly slices: number;
  /** `index.query_string.lenient`; false. */
  readonly queryStringLenient: boolean;
}

const known = new WeakMap<IndexDefinition, IndexLimits>();

/** The limits of an index, read once for every definition it has. */
export function indexLimits(definition: IndexDefinition): IndexLimits {
  let limits = known.get(definition);
  if (limits === undefined) known.set(definition, (limits = readLimits(definition)));
  return limits;
}

function readLimits(definition: IndexDefinition): IndexLimits {
  const flat = new Map(flatten(settingsOf(definition)));
  const limit = <Fallback>(key: string, fallback: Fallback): number | Fallback => {
    const value = flat.get(key);
    return value === undefined || value === null ? fallback : asInteger(value, `index.${key}`);
  };
  return {
    docvalueFields: limit('max_docvalue_fields_search', 100),
    innerResultWindow: limit('max_inner_result_window', 100),
    rescoreWindow: limit('max_rescore_window', undefined),
    regexLength: limit('max_regex_length', 1000),
    highlightOffset: limit('highlight.max_analyzed_offset', 1_000_000),
    slices: limit('max_slices_per_scroll', 1024),
    queryStringLenient: asBoolean(flat.get('query_string.lenient') ?? false, 'index.query_string.lenient'),
  };
}
