// Which options each part of a search body takes, each with what shows that it means something, with why it has nothing to
// say here, or with the refusal it gets. options.test.ts holds the code to this table, option by option, so that none is
// accepted without being listed; docs/compatibility.md prints those without effect and those refused.
import { AGGREGATION_GROUPS } from './aggregations.ts';
import type { OptionGroup } from './option-case.ts';
import { QUERY_GROUPS } from './query-options.ts';
import { RESULT_GROUPS } from './result-options.ts';

/** Every part of a search body that takes options. */
export const OPTION_GROUPS: readonly OptionGroup[] = [...QUERY_GROUPS, ...AGGREGATION_GROUPS, ...RESULT_GROUPS];
