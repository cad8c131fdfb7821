// Both doors decide alike: for any rule, data and caller, search shows exactly the rows that the graph shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isProductError } from '@lockstitch/kernel';
import fc from 'fast-check';

import { caller, rows, rule, schemaWith } from './rules.ts';
import { openWorld, readModel } from './world.ts';

const RUNS = Number(process.env['POLICY_RUNS'] ?? 120);

test('search shows exactly the rows that the graph shows, whatever the rule', async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(rule, rows, fc.array(caller, { minLength: 4, maxLength: 4 }), async (read, data, callers) => {
      let model: ReturnType<typeof readModel>;
      try {
        model = readModel(schemaWith(read));
      } catch (error) {
        assert.ok(isProductError(error), String(error));
        refused++;
        assert.fail(`${read}: ${error.message}`);
      }
      const world = await openWorld(
        model,
        [
          ['Team', data.teams],
          ['Person', data.people],
          ['Doc', data.docs],
        ],
        data.leads,
      );
      try {
        for (const principal of callers) {
          const answer = JSON.parse(await world.query('{ docs { id } }', principal)) as {
            readonly data: { readonly docs: readonly { readonly id: string }[] };
          };
          const shown = answer.data.docs.map(({ id }) => id).sort();
          const found = await world.ask('POST /docs/_search?filter_path=hits.hits._id', principal, { size: 100 });
          const hits =
            (JSON.parse(found.text) as { readonly hits?: { readonly hits: readonly { readonly _id: string }[] } }).hits
              ?.hits ?? [];
          assert.deepEqual(
            hits.map(({ _id }) => _id).sort(),
            shown,
            `${read} for ${JSON.stringify(principal.name)} ${JSON.stringify(principal.attributes)}`,
          );
        }
      } finally {
        await world.close();
      }
    }),
    { numRuns: RUNS },
  );
  assert.ok(refused < RUNS / 2);
});
