// Each block of code in the security guide runs as it stands.
import { ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';

const page = readFileSync(new URL('../../docs/guide/security.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);

for (const [index, code] of blocks.entries()) {
  test(`block ${index + 1} of ${blocks.length} runs`, async () => {
    // A module without a file finds no packages: their addresses are put in.
    const resolved = code.replaceAll(/ from '([^']+)'/g, (_, name: string) => ` from '${import.meta.resolve(name)}'`);
    const script = stripTypeScriptTypes(resolved);
    const exported = (await import(`data:text/javascript,${encodeURIComponent(script)}`)) as object;
    ok(Object.keys(exported).length > 0);
  });
}
