import { deepEqual, equal, match } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { aggregationTypes } from '../../src/aggs/definitions.ts';
import { REFUSED_SEARCH_KEYS, SEARCH_KEYS } from '../../src/search/search-body.ts';
import { REFUSED_QUERIES } from '../../src/dsl/query-types.ts';
import { type Ask, load } from '../rest/harness.ts';
import { AGGREGATION_ROWS } from './aggregations.ts';
import { startOptionIndex } from './option-index.ts';
import { printCompatibilityPage } from './print-page.ts';
import { QUERIES, type Row, SAMPLE_DOCUMENT, SAMPLE_MAPPING, SEARCH_MEMBERS } from './table.ts';

async function sample(): Promise<Ask> {
  const ask = await startOptionIndex();
  await ask('PUT /sample', { mappings: SAMPLE_MAPPING });
  await load(ask, 'sample', [SAMPLE_DOCUMENT]);
  return ask;
}

async function check(ask: Ask, row: Row, body: unknown): Promise<void> {
  const reply = await ask('POST /sample/_search', body);
  equal(reply.status, row.support === '400' ? 400 : 200, `${row.name}: ${reply.text}`);
  if (row.support === '400') match(reply.text, new RegExp(`\\[${row.name}\\].*not supported`));
}

test('every row of the compatibility table behaves as it says', async () => {
  const ask = await sample();
  for (const row of QUERIES) await check(ask, row, { query: row.sample });
  for (const { name, searches } of AGGREGATION_ROWS)
    for (const [index, body] of Object.entries(searches)) {
      const { status, text } = await ask(`POST /${index}/_search`, body);
      equal(status, 200, `${name}: ${text}`);
    }
  for (const row of SEARCH_MEMBERS) await check(ask, row, row.sample);
});

test('the sample of every type of query finds the sample document, except where nothing is to be found', async () => {
  const ask = await sample();
  const missed: string[] = [];
  for (const { name, sample: query } of QUERIES) {
    const { text } = await ask('POST /sample/_search', { query, size: 0 });
    const { hits } = JSON.parse(text) as { readonly hits: { readonly total: { readonly value: number } } };
    if (hits.total.value !== 1) missed.push(name);
  }
  // The words of the document are too few to be like others, and stand apart.
  deepEqual(missed, ['match_none', 'more_like_this', 'span_containing', 'span_within', 'field_masking_span']);
});

test('every refused query and aggregation is named in a 400', async () => {
  const ask = await sample();
  for (const name of REFUSED_QUERIES) await check(ask, { name, support: '400', sample: {} }, { query: { [name]: {} } });
  for (const name of aggregationTypes().refused)
    await check(ask, { name, support: '400', sample: {} }, { aggs: { x: { [name]: {} } } });
});

test('the table lists every aggregation and member that the code knows', () => {
  const names = (rows: readonly { readonly name: string }[]): string[] => rows.map((row) => row.name).sort();
  deepEqual(names(AGGREGATION_ROWS), aggregationTypes().supported);
  deepEqual(names(SEARCH_MEMBERS), [...SEARCH_KEYS, ...REFUSED_SEARCH_KEYS].sort());
});

test('docs/compatibility.md is what the table prints', async () => {
  const page = await readFile(new URL('../../../../docs/compatibility.md', import.meta.url), 'utf8');
  equal(page, await printCompatibilityPage(), 'run npm run docs');
});
