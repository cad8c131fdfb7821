// All token filters. One more is defined in the file of its kind, with its options, its cost and what it does.
import { illegalArgument } from '../errors/request-error.ts';
import { ADDING_FILTERS } from './adding-filters.ts';
import { flattenGraph } from './flatten-graph.ts';
import { GRAM_FILTERS } from './gram-filters.ts';
import { LETTER_FILTERS } from './letter-filters.ts';
import { MIN_HASH } from './min-hash.ts';
import { PartTable } from './part-definition.ts';
import { REMOVING_FILTERS } from './removing-filters.ts';
import { SCRIPTED_FILTERS } from './scripted-filters.ts';
import { STEMMING_FILTERS } from './stemming-filters.ts';
import { SYNONYM_FILTERS } from './synonym-filters.ts';
import { defineFilter, plain, type TokenFilterDefinition } from './token-filter.ts';
import { DELIMITER_FILTERS } from './word-delimiter.ts';

/** The token filters by type. */
export const TOKEN_FILTERS = new PartTable<TokenFilterDefinition>('filter', {
  ...LETTER_FILTERS,
  ...REMOVING_FILTERS,
  ...STEMMING_FILTERS,
  ...GRAM_FILTERS,
  ...ADDING_FILTERS,
  ...SYNONYM_FILTERS,
  ...DELIMITER_FILTERS,
  ...SCRIPTED_FILTERS,
  min_hash: MIN_HASH,
  flatten_graph: plain(flattenGraph),
  standard: defineFilter({
    options: {},
    isRemoved: true,
    build(_, { limits }) {
      if (limits.strict) throw illegalArgument('The [standard] token filter has been removed.');
      return (tokens) => tokens;
    },
  }),
});
