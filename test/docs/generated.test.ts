import { equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { GENERATED_PAGES } from '../../scripts/docs/generated-pages.ts';

for (const [path, print] of GENERATED_PAGES) {
  test(`${path} is what the code says (npm run docs rewrites it)`, async () => {
    equal(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), await print());
  });
}
