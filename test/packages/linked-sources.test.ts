// A program in a clone imports the packages by name before anything was compiled: what the guide says runs as it is written.
import { equal, match } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { blocksOf, ROOT } from '../docs/code-blocks.ts';

/** Without `--conditions=source`, which test runs set. */
const env = { ...process.env, NODE_OPTIONS: '' };

test('4 startSearch() of the guide runs from a clone that was not compiled', (context) => {
  const clone = mkdtempSync(join(tmpdir(), 'lockstitch-clone-'));
  context.after(() => rmSync(clone, { recursive: true }));
  mkdirSync(join(clone, 'node_modules/@lockstitch'), { recursive: true });
  for (const name of ['kernel', 'search', 'server']) {
    const folder = join(clone, 'packages', name);
    // A clone has no generated sources.
    const skipped = /\/(?:dist|test|node_modules|unpack\.ts)(?:\/|$)/;
    cpSync(join(ROOT, 'packages', name), folder, {
      recursive: true,
      filter: (path) => !skipped.test(path.slice(ROOT.length)),
    });
    if (name !== 'server') symlinkSync(folder, join(clone, 'node_modules/@lockstitch', name));
  }
  for (const name of ['snowball-stemmers', 'stemmer'])
    symlinkSync(join(ROOT, 'node_modules', name), join(clone, 'node_modules', name));
  const node = (...args: readonly string[]): string =>
    String(execFileSync(process.execPath, args, { cwd: clone, env }));
  node(join(ROOT, 'scripts/link-sources.mjs'), clone);
  const block = blocksOf('js').find(
    ({ page, code }) => page === 'docs/guide/search-server.md' && code.includes('startSearch'),
  )!;
  writeFileSync(join(clone, 'search.mjs'), block.code);
  equal(node('search.mjs'), '');
  match(node('packages/server/dist/cli/main.js', '--version'), /^\d+\.\d+\.\d+\n$/);
});
