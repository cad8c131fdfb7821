import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { INDEX_SETTINGS } from '../../src/rest/indices/index-settings.ts';
import { load, startRest } from '../rest/harness.ts';
import { SETTING_CASES } from './setting-cases.ts';

const MAPPINGS = {
  properties: {
    t: { type: 'text' },
    k: { type: 'keyword' },
    n: { type: 'integer' },
    items: { type: 'nested', properties: { n: { type: 'integer' } } },
  },
};
const DOCUMENTS = ['fox', 'a fox and another fox', 'dog', 'cat', 'fox cat'].map((t, at) => ({
  t,
  k: `k${at}`,
  n: at,
  ...(at === 4 ? {} : { several: [at, 10 - at] }),
  items: [{ n: at }],
}));

/** What is answered to each request, without what differs from one index to the next. */
async function answers(
  settings: Readonly<Record<string, unknown>>,
  asks: readonly (readonly [string, unknown?])[],
  mappings: unknown = MAPPINGS,
): Promise<string> {
  const ask = await startRest();
  const made = await ask('PUT /s', { settings, mappings });
  const found = [made.text];
  if (made.status === 200) {
    await ask('PUT /s/_settings', {
      'index.blocks.read_only': null,
      'index.blocks.write': null,
      'index.blocks.read_only_allow_delete': null,
      'index.default_pipeline': null,
      'index.final_pipeline': null,
    });
    await load(ask, 's', DOCUMENTS);
    await ask(
      'PUT /s/_settings',
      Object.fromEntries(Object.entries(settings).filter(([key]) => /^blocks|_pipeline$/.test(key))),
    );
    for (const [target, body] of asks) found.push((await ask(target, body)).text);
  }
  return found
    .join('\n')
    .replace(/"(?:took|_scroll_id|creation_date|uuid|index_uuid)":"?[^",}]*"?/g, '')
    .replace(/(open\s+s )\S+/g, '$1');
}

test('every setting of an index is in the table, and nothing else is', () => {
  deepEqual(Object.keys(SETTING_CASES).sort(), [...INDEX_SETTINGS].sort());
});

test('every setting of an index changes an answer, is kept for a reason, or is refused by name', async () => {
  const wrong: string[] = [];
  for (const [name, one] of Object.entries(SETTING_CASES)) {
    if (one.kind === 'told') continue;
    const besides = one.kind === 'effect' ? (one.settings ?? {}) : {};
    const asks = one.kind === 'effect' ? one.ask : [];
    const mappings = one.kind === 'effect' ? one.mappings : undefined;
    const given = await answers({ ...besides, [name]: one.value }, asks, mappings);
    const without = await answers(besides, asks, mappings);
    const fits =
      one.kind === 'effect'
        ? given !== without && !given.includes('not supported')
        : one.kind === 'none'
          ? given === without
          : given.includes(`[index.${name}]`) && given.includes('not supported');
    if (!fits) wrong.push(`${one.kind} ${name}: ${given.slice(0, 300)}`);
  }
  deepEqual(wrong, []);
});
