// What a document holds makes a request fail only where the caller sees it: hidden, withheld or deleted, it is answered as if it had never
// been there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IndexView } from '@lockstitch/search';
import { type Ask, type Reply, startRest } from '../rest/harness.ts';
import { VALUE_ERRORS, type ValueErrorSite } from './value-errors.ts';

type Source = Readonly<Record<string, unknown>>;

const OTHERS = { kind: 'boolean', mustNot: [{ kind: 'ids', ids: ['bad'] }] } as const;

/** An index with documents, each in a segment of its own where `apart` says so. */
async function open(
  row: ValueErrorSite,
  documents: readonly (readonly [string, Source])[],
  apart = false,
): Promise<Ask> {
  const ask = await startRest();
  if (row.cluster !== undefined) await ask('PUT /_cluster/settings', { transient: row.cluster });
  const made = await ask('PUT /t', { mappings: { properties: row.mapping }, settings: row.settings ?? {} });
  assert.equal(made.status, 200, made.text);
  for (const [id, source] of documents) {
    const put = await ask(`PUT /t/_doc/${id}?refresh=${apart}`, source);
    assert.equal(put.status, 201, put.text);
  }
  await ask('POST /t/_refresh');
  return ask;
}

const harmless = ({ harmless: all }: ValueErrorSite): (readonly [string, Source])[] =>
  all.map((source, at) => [`h${at}`, source] as const);

function answer({ status, text }: Reply): { readonly status: number; readonly text: string } {
  return { status, text: text.replace(/"took":\d+/, '') };
}

async function asked(ask: Ask, { request }: ValueErrorSite, view?: IndexView): Promise<ReturnType<typeof answer>> {
  return answer(await ask(request.target, request.body, view === undefined ? {} : { view: () => view }));
}

test('1.1 each error that depends on a value occurs where the document is seen', async () => {
  for (const row of VALUE_ERRORS) {
    const found = await asked(await open(row, [['bad', row.offending], ...harmless(row)]), row);
    assert.equal(found.status, 400, `${row.site}: ${found.text}`);
    assert.match(found.text, row.pattern, row.site);
  }
});

test('1.1 no hidden document makes a request fail or changes its answer', async () => {
  for (const row of VALUE_ERRORS) {
    const expected = await asked(await open(row, harmless(row)), row);
    for (const apart of [false, true]) {
      const ask = await open(row, [['bad', row.offending], ...harmless(row)], apart);
      assert.deepEqual(await asked(ask, row, { rows: OTHERS }), expected, row.site);
    }
  }
});

test('1.1 no withheld field makes a request fail or changes its answer', async () => {
  for (const row of VALUE_ERRORS) {
    const { field } = row;
    if (field === undefined) continue;
    const cut = { ...row.offending, [field]: null };
    const expected = await asked(await open(row, [['bad', cut], ...harmless(row)]), row);
    const ask = await open(row, [['bad', row.offending], ...harmless(row)]);
    assert.deepEqual(await asked(ask, row, { guarded: [{ path: field, when: OTHERS }] }), expected, row.site);
    const mapping = Object.fromEntries(Object.entries(row.mapping).filter(([name]) => name !== field));
    const without = [['bad', row.offending] as const, ...harmless(row)].map(
      ([id, source]) => [id, Object.fromEntries(Object.entries(source).filter(([name]) => name !== field))] as const,
    );
    const fieldless = await asked(await open({ ...row, mapping }, without), row);
    assert.deepEqual(await asked(ask, row, { hidden: [field] }), fieldless, row.site);
  }
});

test('1.1 no deleted document makes a request fail, whether or not its segment was merged', async () => {
  for (const row of VALUE_ERRORS) {
    // A segment of which much was deleted would be merged at once.
    const others = Array.from({ length: 6 }, (_, turn) =>
      harmless(row).map(([id, source]) => [`${id}-${turn}`, source] as const),
    ).flat();
    const expected = await asked(await open(row, others), row);
    for (const merged of [false, true]) {
      const ask = await open(row, [['bad', row.offending], ...others]);
      await ask('DELETE /t/_doc/bad?refresh=true');
      if (merged) await ask('POST /t/_forcemerge?max_num_segments=1');
      else if (row.countsTerms === true) continue;
      const { json } = await ask('GET /t/_stats');
      assert.equal(json._all.primaries.docs.deleted, merged || others.length === 0 ? 0 : 1, row.site);
      assert.deepEqual(await asked(ask, row), expected, row.site);
    }
  }
});
