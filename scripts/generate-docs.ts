// `npm run docs`: rewrites the documents that are printed from code. test/docs/generated.test.ts checks that each is current.
import { writeFileSync } from 'node:fs';
import { GENERATED_PAGES } from './docs/generated-pages.ts';

for (const [path, print] of GENERATED_PAGES) {
  writeFileSync(new URL(`../${path}`, import.meta.url), await print());
  process.stdout.write(`${path}\n`);
}
