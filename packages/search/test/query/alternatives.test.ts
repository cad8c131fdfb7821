// Places where any of many words may stand: the same as those of a few words each, put together.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Ask, load, startRest } from '../rest/harness.ts';

const WORDS = ['wa', 'wb', 'wc', 'wd', 'we', 'wf', 'wg', 'wh', 'wi', 'wj', 'x', 'y'];

async function filled(texts: readonly (readonly string[])[]): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /i', { mappings: { properties: { text: { type: 'text' } } } });
  await load(
    ask,
    'i',
    texts.map((words) => ({ text: words.join(' ') })),
  );
  return ask;
}

const texts = fc.array(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 14 }), {
  minLength: 1,
  maxLength: 40,
});

async function hitsOf(ask: Ask, query: object): Promise<readonly unknown[]> {
  const { status, json, text } = await ask('POST /i/_search', { size: 100, query });
  equal(status, 200, text);
  return (json.hits.hits as { _id: string; _score: number }[]).map(({ _id, _score }) => [_id, _score]);
}

test('any of many words has the intervals of each of them, scores to the bit', async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.subarray(WORDS, { minLength: 6 }), async (all, words) => {
      const ask = await filled(all);
      const before = (filter: object): object => ({
        intervals: {
          text: {
            all_of: {
              ordered: true,
              intervals: [
                { any_of: { intervals: words.map((query) => ({ match: { query, ...filter } })) } },
                { match: { query: 'x' } },
              ],
            },
          },
        },
      });
      // A filter that holds always, with which each word has a list of its own.
      const apart = before({ filter: { not_containing: { match: { query: 'absent' } } } });
      deepEqual(await hitsOf(ask, before({})), await hitsOf(ask, apart));
    }),
    { numRuns: 40 },
  );
});

test('a phrase that ends in a prefix of many words is found where it ends in one of them', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (all) => {
      const ask = await filled(all);
      const found = await hitsOf(ask, { match_phrase_prefix: { text: 'x w' } });
      const phrases = WORDS.slice(0, 10).map((word) => ({ match_phrase: { text: `x ${word}` } }));
      const expected = await hitsOf(ask, { bool: { should: phrases } });
      const ids = (hits: readonly unknown[]): unknown[] => hits.map((hit) => (hit as [string])[0]).sort();
      deepEqual(ids(found), ids(expected));
    }),
    { numRuns: 40 },
  );
});
