// Each block of code in the security guide runs as it stands, and each configuration in it can be started.
import { deepEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { silentLog } from '@lockstitch/kernel';
import { buildSecurity } from '../../packages/server/src/build-security.ts';
import { checkConfig } from '../../packages/server/src/config/check-config.ts';

const page = readFileSync(new URL('../../docs/guide/security.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);

for (const [index, code] of blocks.entries()) {
  test(`block ${index + 1} of ${blocks.length} runs`, async () => {
    // A module without a file finds no packages: their addresses are put in.
    const resolved = code.replaceAll(/ from '([^']+)'/g, (_, name: string) => ` from '${import.meta.resolve(name)}'`);
    const script = stripTypeScriptTypes(resolved);
    // What the reader keeps in the environment; long enough for a key, and Base32.
    for (const [, name] of code.matchAll(/process\.env\.(\w+)/g)) process.env[name!] = 'A'.repeat(40);
    const exported = (await import(`data:text/javascript,${encodeURIComponent(script)}`)) as object;
    ok(Object.keys(exported).length > 0);
    if (!('default' in exported)) return;
    const { config, problems } = checkConfig(exported.default);
    deepEqual(problems, []);
    buildSecurity(config, { name: 'user', password: undefined }, silentLog);
  });
}
