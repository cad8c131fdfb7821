// Definitions that an earlier release accepted are opened without the parameters that this one refuses.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createMapper } from '../../src/mapping/create-mapper.ts';
import { fileDirectory } from '../../src/directory/file.ts';
import type { IndexDefinition } from '../../src/settings/index-definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { upgradeDefinition } from '../../src/engine/upgrade-definition.ts';

const withAnalysis = (analysis: object): IndexDefinition => ({
  custom: { settings: { analysis } },
  mappings: { properties: { t: { type: 'text', analyzer: 'x' }, n: { type: 'long' } } },
});
const withField = (field: object): IndexDefinition => ({ mappings: { properties: { t: field, n: { type: 'long' } } } });

const CASES: readonly (readonly [IndexDefinition, readonly string[]])[] = [
  [withField({ type: 'text', index: false, fielddata: true }), ['mappings.properties.t.fielddata']],
  [withField({ type: 'text', index: false, index_prefixes: {} }), ['mappings.properties.t.index_prefixes']],
  [
    withField({ type: 'integer', null_value: 3.5, boost: 'x' }),
    ['mappings.properties.t.null_value', 'mappings.properties.t.boost'],
  ],
  [
    withField({ type: 'text', index_options: 'freqs', position_increment_gap: 5 }),
    ['mappings.properties.t.position_increment_gap'],
  ],
  [
    withAnalysis({
      analyzer: { x: { tokenizer: 'standard', filter: ['l'] } },
      filter: { l: { type: 'edge_ngram', min_gram: 1, max_gram: 2, side: 'up' } },
    }),
    ['custom.settings.analysis.filter.l.side'],
  ],
];

test('what a release refuses is dropped from stored definitions, and nothing else', () => {
  for (const [definition, dropped] of CASES) {
    const upgraded = upgradeDefinition(definition, createMapper);
    assert.deepEqual(new Set(upgraded?.dropped), new Set(dropped));
    createMapper(upgraded!.definition);
  }
  const sound = withField({ type: 'keyword' });
  assert.deepEqual(upgradeDefinition(sound, createMapper), { definition: sound, dropped: [] });
});

test('a definition in which no parameter is at fault stays refused', () => {
  assert.equal(upgradeDefinition(withField({ type: 'no_such_type' }), createMapper), undefined);
});

test('an index with a refused parameter is opened and searched, with a warning', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  const directory = fileDirectory(folder);
  const before = await openEngine({ directory, mapperFactory: ({ mappings }) => createMapper({ mappings }) });
  const custom = { settings: { mapping: { total_fields: { limit: 'many' } } } };
  const index = await before.createIndex('notes', { mappings: { properties: { n: { type: 'long' } } }, custom });
  await index.apply([{ kind: 'index', id: '1', source: Buffer.from('{"n":1}') }]);
  await before.close();
  const warnings: unknown[] = [];
  const log = { write: (...entry: unknown[]): unknown => warnings.push(entry) } as never;
  const after = await openEngine({ directory: fileDirectory(folder), mapperFactory: createMapper, log });
  assert.equal(after.index('notes').stats().docs, 1);
  assert.match(JSON.stringify(warnings), /custom\.settings\.mapping\.total_fields\.limit/);
  await after.close();
  rmSync(folder, { recursive: true });
});
