// Which parameters of a field a later mapping may not change, as the documents that the index has were indexed with them.
import { isObject, type Json, textOf } from '../json/json.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { DEFAULT_DATE_FORMAT } from './date-format.ts';
import type { Family } from './field-parameters.ts';
import { javaDouble, show } from '../json/java-values.ts';
import { typedParameter } from './parameter-values.ts';

/** In the order in which Elasticsearch names them, with what they are where a definition says nothing. */
const FIXED: Readonly<Record<string, string>> = {
  index: 'true',
  doc_values: 'true',
  store: 'false',
  format: DEFAULT_DATE_FORMAT,
  locale: '',
  null_value: 'null',
  index_options: 'positions',
  norms: 'true',
  term_vector: 'no',
  analyzer: 'default',
  similarity: 'null',
  normalizer: 'default',
  position_increment_gap: '-1',
  index_prefixes: 'null',
  index_phrases: 'false',
  scaling_factor: 'null',
  enable_position_increments: 'true',
  positive_score_impact: 'true',
  max_shingle_size: '3',
  preserve_separators: 'true',
  preserve_position_increments: 'true',
  contexts: 'null',
};

/** Types with other defaults. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  keyword: { norms: 'false', index_options: 'docs' },
  binary: { doc_values: 'false' },
};

/** Of some types these are all that may not change. */
const ONLY: Readonly<Record<string, readonly string[]>> = {
  completion: ['preserve_separators', 'preserve_position_increments', 'contexts'],
  rank_feature: ['positive_score_impact'],
  rank_features: [],
  geo_point: ['index', 'store', 'doc_values'],
  alias: [],
};

/** @throws RequestError for a change of what may not change */
export function checkUpdate(path: string, family: Family, before: Json, after: Json): void {
  const type = textOf(before['type']);
  const conflicts: [key: string, was: string, now: string][] = [];
  for (const key of ONLY[type] ?? Object.keys(FIXED)) {
    if (key === 'analyzer' && type === 'token_count') continue;
    if (key === 'similarity' && family !== 'text' && type !== 'keyword') continue;
    const usual = OWN[type]?.[key] ?? FIXED[key]!;
    const [was, now] = [shown(key, type, before[key], usual), shown(key, type, after[key], usual)];
    if (was === now || (key === 'norms' && was === 'true')) continue;
    conflicts.push([key, was, now]);
  }
  if (conflicts.length === 0) return;
  throw illegalArgument(
    type === 'geo_point'
      ? `Mapper for [${path}] conflicts with existing mapping:\n[${conflicts
          .flatMap(([key]) => (key === 'index' ? [key, 'index_options'] : [key]))
          .map((key) => `mapper [${path}] has different [${key}] values`)
          .join(', ')}]`
      : `Mapper for [${path}] conflicts with existing mapper:${conflicts
          .map(([key, was, now]) => `\n\tCannot update parameter [${key}] from [${was}] to [${now}]`)
          .join('')}`,
  );
}

/** A value as messages show it. */
function shown(key: string, type: string, value: unknown, usual: string): string {
  if (value === undefined || value === null) return usual;
  switch (key) {
    case 'index_prefixes': {
      const { min_chars: least, max_chars: most } = { min_chars: 2, max_chars: 5, ...(isObject(value) ? value : {}) };
      return `{ min_chars=${show(least)}, max_chars=${show(most)} }`;
    }
    case 'scaling_factor':
      return javaDouble(Number(value));
    case 'null_value':
      return /^(?:double|float|half_float|scaled_float)$/.test(type) ? javaDouble(Number(value)) : show(value);
    case 'locale':
      return /^root$/i.test(show(value)) ? '' : show(value);
    default:
      return show(typedParameter(key, value));
  }
}
