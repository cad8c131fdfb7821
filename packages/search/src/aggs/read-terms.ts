// Reads the aggregations that make a bucket of each value: terms, rare_terms, significant_terms, significant_text.
import { asObject, asString, checkKeys, type Json, textOf, toList } from '../json/json.ts';
import { contentError, illegalArgument, unsupported } from '../errors/request-error.ts';
import type { Aggregator } from './aggregator.ts';
import { type OrderPart, readOrder } from './bucket-order.ts';
import { fieldOf, flag, integer, printer, type Reader } from './read-definition.ts';
import {
  chiSquare,
  jlh,
  mutualInformation,
  normalizedDistance,
  percentage,
  type Significance,
} from './significance.ts';
import { type SignificantOptions, significantTerms } from './significant-terms.ts';
import { readTermFilter } from './term-filter.ts';
import { termsAggregator } from './terms.ts';

const COUNT_DESCENDING = [
  { by: '_count', descending: true },
  { by: '_key', descending: false },
];

/** What `execution_hint` may be. */
const HINTS: readonly unknown[] = [undefined, 'map', 'global_ordinals'];

export const terms: Reader = (definition) => {
  const { body, name, meta, children, setup } = definition;
  const field = fieldOf(definition, 'terms', [
    'size',
    'shard_size',
    'min_doc_count',
    'shard_min_doc_count',
    'order',
    'include',
    'exclude',
    'show_term_doc_count_error',
    'collect_mode',
    'execution_hint',
  ]);
  const size = integer(body, 'size', 10);
  if (size <= 0) throw illegalArgument(`[size] must be greater than 0. Found [${size}] in [${name}]`);
  const minDocCount = integer(body, 'min_doc_count', 1);
  if (minDocCount < 0)
    throw illegalArgument(`[minDocCount] must be greater than or equal to 0. Found [${minDocCount}] in [${name}]`);
  const mode = body['collect_mode'];
  if (mode !== undefined && !['breadth_first', 'depth_first'].includes(textOf(mode)))
    throw contentError('[terms] failed to parse field [collect_mode]', {
      type: 'parse_exception',
      reason: `no [collect_mode] found for value [${textOf(mode)}]`,
    });
  const order = readOrder(body['order'], COUNT_DESCENDING);
  const shardSize = Math.max(size, integer(body, 'shard_size', Math.floor(size * 1.5 + 10)));
  return termsAggregator(
    {
      name,
      meta,
      field,
      size,
      minDocCount,
      order,
      hint: HINTS.includes(body['execution_hint']) ? undefined : textOf(body['execution_hint']),
      unsureFrom: isBounded(order) ? undefined : shardSize,
      filter: readTermFilter(body['include'], body['exclude']),
      missing: body['missing'] ?? undefined,
      print: body['format'] === undefined ? undefined : printer(asString(body['format'], 'format')),
      showErrors: flag(body, 'show_term_doc_count_error', false),
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

/** Whether by the order of buckets it is known how many documents of one could be left out. */
function isBounded(order: readonly OrderPart[]): boolean {
  const [first, second] = order;
  const isSorted = first?.by === '_key' || (first?.by === '_count' && first.descending);
  return isSorted && (second === undefined || (order.length === 2 && second.by === '_key'));
}

export const rareTerms: Reader = (definition) => {
  const { body, name, meta, children, setup } = definition;
  const field = fieldOf(definition, 'rare_terms', ['max_doc_count', 'precision', 'include', 'exclude']);
  const maxDocCount = integer(body, 'max_doc_count', 1);
  if (maxDocCount < 1 || maxDocCount > 100) {
    throw illegalArgument(
      `[max_doc_count] must be greater than 0 and at most 100. Found [${maxDocCount}] in [${name}]`,
    );
  }
  return termsAggregator(
    {
      name,
      meta,
      field,
      size: Infinity,
      minDocCount: 1,
      maxDocCount,
      order: [
        { by: '_count', descending: false },
        { by: '_key', descending: false },
      ],
      filter: readTermFilter(body['include'], body['exclude']),
      missing: body['missing'] ?? undefined,
      print: body['format'] === undefined ? undefined : printer(asString(body['format'], 'format')),
      showErrors: false,
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

const MEASURES = ['jlh', 'percentage', 'mutual_information', 'chi_square', 'gnd'] as const;

export const significant: Reader = (definition) => {
  for (const key of ['missing', 'format']) {
    if (definition.body[key] !== undefined) throw unsupported(`[${key}] in significant_terms`);
  }
  const field = fieldOf(definition, 'significant_terms', ['execution_hint', ...SIGNIFICANT]);
  return readSignificant(definition, 'significant_terms', field);
};

export const significantText: Reader = (definition) => {
  const { body } = definition;
  checkKeys(body, 'significant_text', ['field', 'filter_duplicate_text', 'source_fields', ...SIGNIFICANT]);
  if (body['field'] === undefined) throw illegalArgument('Required [field]');
  const field = asString(body['field'], 'field');
  const paths = body['source_fields'];
  return readSignificant(definition, 'significant_text', field, {
    paths: paths === undefined ? [field] : toList(paths).map((each) => asString(each, 'source_fields')),
    withoutDuplicates: flag(body, 'filter_duplicate_text', false),
  });
};

/** What `significant_terms` and `significant_text` share. */
const SIGNIFICANT = [
  'size',
  'shard_size',
  'min_doc_count',
  'shard_min_doc_count',
  'include',
  'exclude',
  'background_filter',
  'script_heuristic',
  ...MEASURES,
];

function readSignificant(
  { body, name, meta, children, setup }: Parameters<Reader>[0],
  type: string,
  field: string,
  texts?: SignificantOptions['texts'],
): Aggregator {
  if (body['script_heuristic'] !== undefined) throw unsupported(`[script_heuristic] in ${type}`);
  const size = integer(body, 'size', 10);
  if (size <= 0) throw illegalArgument(`[size] must be greater than 0. Found [${size}] in [${name}]`);
  if (body['background_filter'] !== undefined) setup.parseQuery?.(body['background_filter']);
  return significantTerms(
    {
      name,
      meta,
      field,
      size,
      minDocCount: integer(body, 'min_doc_count', 3),
      filter: readTermFilter(body['include'], body['exclude']),
      background: body['background_filter'],
      significance: readMeasure(body, name, type),
      typedKeys: setup.typedKeys,
      ...(texts === undefined ? {} : { texts }),
    },
    children,
    setup.budget,
  );
}

function readMeasure(body: Json, name: string, type: string): Significance {
  const given = MEASURES.filter((measure) => body[measure] !== undefined);
  if (given.length > 1) throw illegalArgument(`[${type}] aggregation [${name}] takes one of [${given.join(', ')}]`);
  const [measure = 'jlh'] = given;
  const options = asObject(body[measure] ?? {}, measure);
  const known = { jlh: [], percentage: [], gnd: ['background_is_superset'] } as Readonly<
    Record<string, readonly string[]>
  >;
  checkKeys(options, measure, known[measure] ?? ['background_is_superset', 'include_negatives']);
  const table = {
    backgroundIsSuperset: flag(options, 'background_is_superset', true),
    includeNegatives: flag(options, 'include_negatives', false),
  };
  switch (measure) {
    case 'jlh':
      return jlh;
    case 'percentage':
      return percentage;
    case 'mutual_information':
      return mutualInformation(table);
    case 'chi_square':
      return chiSquare(table);
    case 'gnd':
      return normalizedDistance(table.backgroundIsSuperset);
  }
}
