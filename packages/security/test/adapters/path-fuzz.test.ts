import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzPaths } from '../support/path-fuzz.ts';
import { MOUNTS } from '../support/mounts.ts';

for (const adapter of Object.keys(MOUNTS)) {
  test(`${adapter}: of 2,000 random targets none reaches a protected handler without credentials`, async () => {
    const { leaks, faults } = await fuzzPaths({ adapter, count: 2000, seed: 1 });
    deepEqual({ leaks, faults }, { leaks: [], faults: [] });
    // The same targets do reach the handlers where nothing is protected: they are not all nonsense.
    const open = await fuzzPaths({ adapter, count: 200, seed: 1, rules: [{ any: true, access: 'permitAll' }] });
    ok(open.leaks.length >= 5, `${open.leaks.length} targets reach a handler`);
  });
}
