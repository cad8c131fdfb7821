// Reads the aggregations that make a bucket of each value: terms, rare_terms, significant_terms, significant_text.
import { isOneOf } from '@lockstitch/kernel';
import { asNumber, asObject, asString, checkKeys, type Json, textOf, toList } from '../json/json.ts';
import { within } from '../json/object-parser.ts';
import { contentError, illegalArgument, unsupported } from '../errors/request-error.ts';
import type { Aggregator } from './aggregator.ts';
import { type OrderPart, readOrder } from './bucket-order.ts';
import {
  type BucketAggregation,
  type AggregationRequest,
  fieldOf,
  flag,
  givenPrinter,
  integer,
  ofField,
  type Reader,
  shared,
  sharedOfField,
  TERMS,
} from './definition.ts';
import { rareTermsDetails, significantTextDetails, termsDetails } from './profile-details.ts';
import {
  chiSquare,
  jlh,
  mutualInformation,
  normalizedDistance,
  percentage,
  type Significance,
} from './significance.ts';
import { significantAggregator, type SignificantOptions } from './significant-terms.ts';
import { readTermFilter } from './term-filter.ts';
import { termsAggregator } from './terms.ts';
import { BY_FREQUENCY, WITHHELD } from './on-cluster.ts';
import { limited, refused } from '../query/cluster/verdict.ts';

const COUNT_DESCENDING = [
  { by: '_count', descending: true },
  { by: '_key', descending: false },
];

/** What `execution_hint` may be. */
const HINTS: readonly unknown[] = [undefined, 'map', 'global_ordinals'];

const terms: Reader = (request) => {
  const { body, name, children, setup } = request;
  const options = sharedOfField(request);
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
  const order = readOrder(request, COUNT_DESCENDING);
  const shardSize = Math.max(size, integer(body, 'shard_size', Math.floor(size * 1.5 + 10)));
  return termsAggregator(
    {
      ...options,
      size,
      minDocCount,
      order,
      hint: HINTS.includes(body['execution_hint']) ? undefined : textOf(body['execution_hint']),
      unsureFrom: isBounded(order) ? undefined : shardSize,
      filter: readTermFilter(request.type, body),
      print: givenPrinter(body),
      showErrors: flag(body, 'show_term_doc_count_error', false),
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

const rareTerms: Reader = (request) => {
  const { body, name, children, setup } = request;
  const options = sharedOfField(request);
  const maxDocCount = integer(body, 'max_doc_count', 1);
  within('rare_terms', 'max_doc_count', () => {
    if (maxDocCount < 1)
      throw illegalArgument(`[max_doc_count] must be greater than 0. Found [${maxDocCount}] in [${name}]`);
    if (maxDocCount > 100) throw illegalArgument(`[max_doc_count] must be smaller than 100`);
  });
  within('rare_terms', 'precision', () => {
    if (body['precision'] !== undefined && asNumber(body['precision'], 'precision') < 0.00001)
      throw illegalArgument('[precision] must be greater than 0.00001');
  });
  return termsAggregator(
    {
      ...options,
      size: Infinity,
      minDocCount: 1,
      maxDocCount,
      order: [
        { by: '_count', descending: false },
        { by: '_key', descending: false },
      ],
      filter: readTermFilter(request.type, body),
      print: givenPrinter(body),
      showErrors: false,
    },
    children,
    setup.budget,
  );
};

const MEASURES = ['jlh', 'percentage', 'mutual_information', 'chi_square', 'gnd'] as const;

const significantTerms: Reader = (request) => {
  return readSignificant(request, fieldOf(request));
};

const significantText: Reader = (request) => {
  const { body } = request;
  if (body['field'] === undefined) throw illegalArgument('Required [field]');
  const field = asString(body['field'], 'field');
  const paths = body['source_fields'];
  return readSignificant(request, field, {
    paths: paths === undefined ? [field] : toList(paths).map((each) => asString(each, 'source_fields')),
    withoutDuplicates: flag(body, 'filter_duplicate_text', false),
  });
};

/** What `significant_terms` and `significant_text` share. */
const SIGNIFICANT_OPTIONS = [
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

function readSignificant(request: AggregationRequest, field: string, texts?: SignificantOptions['texts']): Aggregator {
  const { body, name, children, setup, type } = request;
  if (body['script_heuristic'] !== undefined) throw unsupported(`[script_heuristic] in ${type}`);
  const size = integer(body, 'size', 10);
  if (size <= 0) throw illegalArgument(`[size] must be greater than 0. Found [${size}] in [${name}]`);
  if (body['background_filter'] !== undefined) setup.parseQuery?.(body['background_filter']);
  return significantAggregator(
    {
      ...shared(request),
      field,
      size: Math.min(size, integer(body, 'shard_size', Infinity)),
      minDocCount: integer(body, 'min_doc_count', 3),
      missing: texts === undefined ? body['missing'] : undefined,
      filter: readTermFilter(request.type, body),
      background: body['background_filter'],
      significance: readMeasure(body),
      print: givenPrinter(body),
      ...(texts === undefined ? {} : { texts }),
    },
    children,
    setup.budget,
  );
}

function readMeasure(body: Json): Significance {
  // Of several the last one counts.
  const measure = Object.keys(body).findLast((key) => isOneOf(MEASURES, key)) ?? 'jlh';
  const known: Readonly<Record<string, readonly string[]>> = {
    jlh: [],
    percentage: [],
    gnd: ['background_is_superset'],
  };
  for (const [key, given] of Object.entries(body))
    if (isOneOf(MEASURES, key))
      checkKeys(asObject(given, key), key, known[key] ?? ['background_is_superset', 'include_negatives']);
  const options = asObject(body[measure] ?? {}, measure);
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

const ofTerms = { kind: 'bucket', makes: 'many', values: TERMS } as const;

export const TERMS_AGGREGATIONS = {
  terms: {
    ...ofTerms,
    cluster: limited(
      `orders by key and count, and min_doc_count of at least 1 at every depth; ${WITHHELD}`,
      'buckets without documents are terms that hidden documents hold; an order may name what the rewriting moves',
    ),
    unmapped: 'keyword',
    ...ofField(
      'format',
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
    ),
    profile: termsDetails(),
    read: terms,
  },
  rare_terms: {
    ...ofTerms,
    cluster: refused('its filter of common terms depends on the order in which documents are read'),
    unmapped: 'keyword',
    ...ofField('format', 'max_doc_count', 'precision', 'include', 'exclude'),
    profile: rareTermsDetails,
    read: rareTerms,
  },
  significant_terms: {
    ...ofTerms,
    cluster: BY_FREQUENCY,
    ...ofField('format', 'execution_hint', ...SIGNIFICANT_OPTIONS),
    profile: termsDetails('significant_terms'),
    read: significantTerms,
  },
  significant_text: {
    kind: 'bucket',
    cluster: BY_FREQUENCY,
    makes: 'many',
    isLeaf: true,
    values: ['text'],
    options: ['field', 'filter_duplicate_text', 'source_fields', ...SIGNIFICANT_OPTIONS],
    profile: significantTextDetails,
    read: significantText,
  },
} as const satisfies Readonly<Record<string, BucketAggregation>>;
