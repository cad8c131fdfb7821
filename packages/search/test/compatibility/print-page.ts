// Prints docs/compatibility.md from the table, the refused types and the endpoints of the REST API.
import { aggregationTypes } from '../../src/aggs/definitions.ts';
import { REFUSED_QUERIES } from '../../src/dsl/query-types.ts';
import { ANALYZERS } from '../../src/analysis/built-in-analyzers.ts';
import { CHAR_FILTERS } from '../../src/analysis/char-filters.ts';
import type { PartDefinition, PartTable } from '../../src/analysis/part-definition.ts';
import type { Option } from '../../src/analysis/part-options.ts';
import { STEMMER_LANGUAGES } from '../../src/analysis/stem.ts';
import { TOKEN_FILTERS } from '../../src/analysis/token-filters.ts';
import { TOKENIZERS } from '../../src/analysis/tokenizers.ts';
import { ENDPOINTS } from '../../src/rest/endpoints.ts';
import { FIELD_TYPES } from '../../src/mapping/field-parameters.ts';
import { OPTION_GROUPS } from './option-cases.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { MAPPING_PARAMS } from './mapping-cases.ts';
import { SETTING_CASES } from './setting-cases.ts';
import { SILENT_PARAMS } from './url-params.ts';
import { AGGREGATION_ROWS } from './aggregations.ts';
import { QUERIES, type Row, SEARCH_MEMBERS } from './table.ts';

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** Options without effect; parts that share an option and its reason share a row. */
function optionRows(): string[] {
  const rows = new Map<string, string[]>();
  for (const { where, options } of OPTION_GROUPS)
    for (const [name, option] of Object.entries(options)) {
      if (option.kind !== 'none') continue;
      const key = `\`${name}\` | ${option.because}`;
      rows.set(key, [...(rows.get(key) ?? []), where]);
    }
  return [...rows].map(([key, where]) => `| ${[...new Set(where)].join(', ')} | ${key} |`);
}

function refusedOptions(): string {
  const list = OPTION_GROUPS.flatMap(({ where, options }) => {
    const names = Object.keys(options).filter((name) => options[name]?.kind === 'refused');
    return names.length === 0 ? [] : [`${codes(names)} (${where})`];
  });
  return list.join('; ');
}

/** The types of one kind of part of analyzers, with their options. */
function partRows(kind: string, table: PartTable<PartDefinition & { readonly normalizes?: boolean }>): string[] {
  const option = ([name, { fallback }]: [string, Option<unknown>]): string =>
    fallback === undefined || fallback === '' || fallback === '_none_'
      ? `\`${name}\``
      : `\`${name}: ${JSON.stringify(fallback).replaceAll('|', '\\|')}\``;
  return table.names.map((name) => {
    const { normalizes = false, note = '', options = {} } = table.find(name) ?? {};
    const shown = Object.entries(options).map(option).join(', ');
    return `| ${kind} | \`${name}\` | ${shown} | ${normalizes ? 'yes' : ''} | ${note} |`;
  });
}

/** What is answered otherwise on purpose; nothing where there is no such answer. */
function differences(): string[] {
  if (KNOWN_DIFFERENCES.length === 0) return [];
  return [
    '',
    '## Other answers',
    '',
    'Random requests are asked of Elasticsearch 7.10.2 and of this engine (`npm run soak -- engines`). Answers differ here only:',
    '',
    '| What | Because |',
    '|---|---|',
    ...KNOWN_DIFFERENCES.map(({ what, reason }) => `| ${what} | ${reason} |`),
  ];
}

/** The page. */
export async function printCompatibilityPage(): Promise<string> {
  const refused = (names: readonly string[]): Row[] =>
    names.map((name) => ({ name, support: '400', sample: undefined }));
  const rows = (list: readonly Omit<Row, 'sample'>[]): string[] =>
    list.map(({ name, support, note }) => `| \`${name}\` | ${support} | ${(note ?? '').replaceAll('|', '\\|')} |`);
  const table = (title: string, head: string, list: readonly Omit<Row, 'sample'>[]): string[] => [
    '',
    `## ${title}`,
    '',
    `| ${head} | Supported | Remarks |`,
    '|---|---|---|',
    ...rows(list),
  ];
  return `${[
    '# Compatibility with Elasticsearch 7.10',
    '',
    'Generated from `packages/search/src/dsl/query-types.ts` and `packages/search/test/compatibility`; a test runs a request for every row. **yes**: works as in Elasticsearch.',
    '**partly**: works, with the difference named. **400**: refused with an error that names it; nothing is ignored silently.',
    '',
    'Everywhere: all documents of an index lie in one shard, and are scored together; the other shards that its settings name are counted. Numbers are IEEE doubles, so `long` values beyond 2^53 lose digits (`date_nanos` loses none);',
    'scripts (but expressions of numbers in pipeline aggregations), and data streams are not there.',
    '',
    'Answers warn as Elasticsearch 7.10.2 does (header `Warning`) of what a path, a parameter, a template or a setting uses and a later version will not have.',
    'Of deprecated words inside of searches and analyzers they do not warn; of a mapping, who changes it is warned.',
    ...differences(),
    ...table('Queries', 'Query', [...QUERIES, ...refused(REFUSED_QUERIES.toSorted())]),
    ...table('Aggregations', 'Aggregation', [...AGGREGATION_ROWS, ...refused(aggregationTypes().refused)]),
    ...table('Search body', 'Member', SEARCH_MEMBERS),
    '',
    '## Options',
    '',
    'Every option of a query, an aggregation, a suggester, a highlighter, a sort and of what hits show is tried by a test: it changes the',
    'answer, or it stands here with the reason why it has nothing to say, or it is refused by name.',
    '',
    '| Part | Option | Accepted without effect, because |',
    '|---|---|---|',
    ...optionRows(),
    '',
    'Refused by name, among the options that Elasticsearch knows:',
    `${refusedOptions()}.`,
    '',
    '## Settings of an index',
    '',
    'A test changes each of them and sees an answer change. Kept, shown by `GET _settings` and without effect are:',
    '',
    '| Setting | Because |',
    '|---|---|',
    ...Object.entries(SETTING_CASES).flatMap(([name, one]) =>
      one.kind === 'none' ? [`| \`index.${name}\` | ${one.because} |`] : [],
    ),
    '',
    'Unknown ones are refused, and so are similarities other than `BM25`, and any member of',
    'the definition of an analyzer, a tokenizer or a filter that it would not read.',
    '',
    '## Field types',
    '',
    `${codes(FIELD_TYPES)}. Any other type is refused when the mapping is made.`,
    '',
    'A value of `rank_features` is an object of names with positive numbers, `{ "topics": { "sport": 2.5 } }`. The query `rank_feature` takes one by its path, `topics.sport`;',
    'one that no document has finds nothing. `positive_score_impact` is a parameter of `rank_feature` alone, as in Elasticsearch 7.10.',
    '',
    'Of their parameters a test sees each change an answer; these are kept without effect:',
    '',
    '| Types | Parameter | Because |',
    '|---|---|---|',
    ...Object.entries(MAPPING_PARAMS).flatMap(([name, cases]) =>
      cases.flatMap(({ kind, types, because }) =>
        kind === 'none' ? [`| ${codes(types)} | \`${name}\` | ${because} |`] : [],
      ),
    ),
    '',
    'Fields of ranges are counted by `histogram` and `date_histogram` and by no other aggregation.',
    '',
    '## Text analysis',
    '',
    `Analyzers: ${codes(ANALYZERS.names)}.`,
    '',
    'Those of languages give the words of Lucene 8.7. `hungarian` differs where Lucene 8 has an old fault. `chinese` and `japanese` cut words as ICU does.',
    '',
    `Stemmers: ${codes(['english', ...STEMMER_LANGUAGES, 'possessive_english'])}.`,
    '',
    'These are all parts of analyzers, with their options and defaults; any other is refused when it is named.',
    '',
    '| Part | Type | Options with defaults | In normalizers | Remarks |',
    '|---|---|---|---|---|',
    ...partRows('char filter', CHAR_FILTERS),
    ...partRows('tokenizer', TOKENIZERS),
    ...partRows('token filter', TOKEN_FILTERS),
    '',
    '## Endpoints',
    '',
    'Unknown parameters are refused. Besides those listed every endpoint takes `pretty`, `human`, `error_trace`, `source`, `source_content_type`, `filter_path` and `format=json`.',
    'Every other path of Elasticsearch answers 400 `no handler found`.',
    '',
    'Parameters that an endpoint takes and never looks at (a test finds them out), and why:',
    '',
    '| Parameter | Because |',
    '|---|---|',
    ...Object.entries(SILENT_PARAMS).map(([name, { because }]) => `| \`${name}\` | ${because} |`),
    '',
    '| Methods | Path | Parameters |',
    '|---|---|---|',
    ...ENDPOINTS.flatMap(({ methods, paths, params }) => {
      const names = Object.keys(params)
        .sort()
        .map((name) => `\`${name}\``);
      return paths.map((path) => `| ${methods.join(', ')} | \`${path}\` | ${names.join(' ')} |`);
    }),
  ].join('\n')}\n`;
}
