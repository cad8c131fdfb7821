// Every place whose errors depend on what rows and documents hold, of all packages: those that random requests to both doors must
// provoke, and the others, with the reason. Each has a test of its own where it is listed.
import type { ThrowSite } from '@lockstitch/search/requests';

import { VALUE_ERRORS as OF_GRAPH } from '../../../graph/test/value-errors.ts';
import { THROW_SITES as OF_SEARCH } from '../../../search/test/view/throw-sites.ts';

/** Those of server and kernel. */
const OF_SERVER: readonly ThrowSite[] = [
  { site: 'server sync/full-text.ts: search refuses what a field asks', pattern: /"code":"SERVER_SEARCH_REFUSED"/ },
  { site: 'kernel expression/evaluate.ts: a rule fails on a row', pattern: /EXPRESSION_EVALUATION/ },
  { site: 'server cli/import.ts: rows that are refused', pattern: /SERVER_IMPORT_REFUSED/ },
  { site: 'server data/seed.ts: rows that are refused', pattern: /SERVER_SEED_FAILED/ },
];

const WRITES = 'only mutations get there, and value-errors.cases.ts provokes each';
const OPERATOR = 'only the operator who brings the rows is told';

/** By the site. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'query/compile.ts: too many looked-up terms':
    'needs 65,536 values in a document: the limit of a schema’s index stands',
  'highlight/highlight.ts: a text too long to be marked': 'needs a text of a million characters',
  'kernel expression/evaluate.ts: a rule fails on a row':
    'a rule that fails denies, and nobody is told why: failing-rules.test.ts',
  'server cli/import.ts: rows that are refused': OPERATOR,
  'server data/seed.ts: rows that are refused': OPERATOR,
  'write/prepare-mutation.ts checkVersion': WRITES,
  'write/prepare-mutation.ts findVisible': WRITES,
  'write/constraint-error.ts constraintError': WRITES,
  'write/row-guard.ts check': WRITES,
  'write/delete-rows.ts checkRestricted': WRITES,
  'write/match-rows.ts limit': WRITES,
  'execute/response-size.ts refuse': 'needs an answer of 16 MiB',
};

const ALL: readonly ThrowSite[] = [...OF_SEARCH, ...OF_GRAPH, ...OF_SERVER];

/** Those that a run must provoke. */
export const THROW_SITES: readonly ThrowSite[] = ALL.filter(({ site }) => !Object.hasOwn(LEFT_OUT, site));

for (const site of Object.keys(LEFT_OUT))
  if (!ALL.some((each) => each.site === site)) throw new Error(`No errors are thrown at ${site}.`);
