// Flags of a Node process that a test starts on the sources, as scripts/run.mjs starts the tests.
const RESOLVER = new URL('../../../scripts/resolve-sources.mjs', import.meta.url).href;

export const SOURCE_FLAGS: readonly string[] = [
  '--conditions=source',
  '--disable-warning=ExperimentalWarning',
  `--import=${RESOLVER}`,
];
