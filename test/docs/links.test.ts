// A link in a document leads somewhere.
import { deepEqual } from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

for (const page of globSync(
  [
    'README.md',
    'CHANGELOG.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'docs/**/*.md',
    'examples/*/README.md',
    'packages/*/README.md',
  ],
  {
    cwd: root,
  },
)) {
  test(`${page} links to files that are there`, () => {
    const links = readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g);
    const targets = [...links].map(([, target]) => target!).filter((target) => !/^[a-z]+:/.test(target));
    deepEqual(
      targets.filter((target) => !existsSync(join(root, dirname(page), target))),
      [],
    );
  });
}
