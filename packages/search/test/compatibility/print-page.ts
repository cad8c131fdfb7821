// Prints docs/compatibility.md from the table, the refused types and the endpoints of the REST API.
import { createEngine, createRestApi } from '@lockstitch/search';
import { aggregationTypes } from '../../src/aggs/parse-aggs.ts';
import { queryTypes } from '../../src/dsl/parse-query.ts';
import { FIELD_TYPES } from '../../src/mapping/field-type.ts';
import { AGGREGATIONS, PIPELINE_AGGREGATIONS, QUERIES, type Row, SEARCH_MEMBERS } from './table.ts';

/** The page. */
export async function printCompatibilityPage(): Promise<string> {
  const engine = await createEngine();
  const { endpoints } = createRestApi(engine);
  await engine.close();
  const refused = (names: readonly string[]): Row[] =>
    names.map((name) => ({ name, support: '400', sample: undefined }));
  const rows = (list: readonly Row[]): string[] =>
    list.map(({ name, support, note }) => `| \`${name}\` | ${support} | ${(note ?? '').replaceAll('|', '\\|')} |`);
  const table = (title: string, head: string, list: readonly Row[]): string[] => [
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
    'Generated from `packages/search/test/compatibility/table.ts`; a test runs a request for every row. **yes**: works as in Elasticsearch.',
    '**partly**: works, with the difference named. **400**: refused with an error that names it; nothing is ignored silently.',
    '',
    'Everywhere: one shard; numbers are IEEE doubles, so `long` values beyond 2^53 lose digits; `date_nanos` keeps milliseconds;',
    'scripts, ingest pipelines, composable index templates and index sorting are not there.',
    ...table('Queries', 'Query', [...QUERIES, ...refused(queryTypes().refused)]),
    ...table('Aggregations', 'Aggregation', [
      ...AGGREGATIONS,
      ...PIPELINE_AGGREGATIONS,
      ...refused(aggregationTypes().refused),
    ]),
    ...table('Search body', 'Member', SEARCH_MEMBERS),
    '',
    '## Field types',
    '',
    `${FIELD_TYPES.map((type) => `\`${type}\``).join(', ')}. Any other type is refused when the mapping is made.`,
    '',
    '## Endpoints',
    '',
    'Unknown parameters are refused. Besides those listed every endpoint takes `pretty`, `human`, `error_trace`, `source`, `source_content_type`, `filter_path` and `format=json`.',
    'Every other path of Elasticsearch answers 400 `no handler found`.',
    '',
    '| Methods | Path | Parameters |',
    '|---|---|---|',
    ...endpoints.map(
      ({ methods, path, params }) =>
        `| ${methods.join(', ')} | \`${path}\` | ${[...new Set(params)]
          .sort()
          .map((name) => `\`${name}\``)
          .join(' ')} |`,
    ),
  ].join('\n')}\n`;
}
