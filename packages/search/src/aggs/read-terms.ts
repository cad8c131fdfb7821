// Reads the aggregations that make a bucket of each value: terms, rare_terms.
import { asString } from '../json.ts';
import { illegalArgument } from '../request-error.ts';
import { readOrder } from './bucket-order.ts';
import { fieldOf, flag, integer, printer, type Reader } from './read-definition.ts';
import { readTermFilter } from './term-filter.ts';
import { termsAggregator } from './terms.ts';

const COUNT_DESCENDING = [
  { by: '_count', descending: true },
  { by: '_key', descending: false },
];

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
  return termsAggregator(
    {
      name,
      meta,
      field,
      size,
      minDocCount,
      order: readOrder(body['order'], COUNT_DESCENDING),
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
