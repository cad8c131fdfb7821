// The list of documents that are printed from code: path → printer.
import { printCompatibilityPage } from '../../packages/search/test/compatibility/print-page.ts';
import { printClusterPage } from './cluster-page.ts';
import { printErrorsPage } from './errors-page.ts';
import { printConfigurationReference } from '../../packages/server/src/config/print-reference.ts';
import { printSchemaReferencePage } from './schema-reference-page.ts';
import { printSpecCoveragePage } from './spec-coverage-page.ts';

/** Repository path → what prints its content. */
export const GENERATED_PAGES: ReadonlyMap<string, () => string | Promise<string>> = new Map<
  string,
  () => string | Promise<string>
>([
  ['docs/compatibility.md', printCompatibilityPage],
  ['docs/errors.md', printErrorsPage],
  ['docs/reference/cluster.md', printClusterPage],
  ['docs/reference/configuration.md', printConfigurationReference],
  ['docs/reference/schema.md', printSchemaReferencePage],
  ['docs/spec-coverage.md', printSpecCoveragePage],
]);
