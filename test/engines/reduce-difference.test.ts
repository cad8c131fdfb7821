// What the differ's reducer leaves of a request, its mapping and its documents.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lines, type Step, step } from './ask.ts';
import { reduceDifference } from './reduce-difference.ts';

test('of the requests before a difference, and of what they say, only what it needs is left', async () => {
  const steps: readonly Step[] = [
    step('PUT /differ', { settings: { x: 1 }, mappings: { properties: { a: { type: 'text' }, b: { type: 'long' } } } }),
    lines('POST /_bulk', [{ index: { _id: '1' } }, { a: 'x' }, { index: { _id: '2' } }, { b: 7 }]),
    step('POST /differ/_search', { query: { match_all: {} } }),
    step('PUT /other'),
    step('POST /differ/_search', {
      size: 3,
      query: { bool: { must: [{ term: { b: 7 } }, { match: { a: 'x' } }], boost: 2 } },
    }),
  ];
  const needs = (text: string | undefined, ...words: readonly string[]): boolean =>
    words.every((word) => text?.includes(word) === true);
  const reduced = await reduceDifference(steps, (tried) => {
    const [made, filled] = tried;
    const asked = tried.at(-1);
    return Promise.resolve(
      needs(made?.body, '"b"', 'long') && needs(filled?.body, '"_id":"2"') && needs(asked?.body, 'query', 'term'),
    );
  });
  assert.deepEqual(reduced, [
    step('PUT /differ', { b: { type: 'long' } }),
    lines('POST /_bulk', [{ index: { _id: '2' } }, { b: 7 }]),
    step('POST /differ/_search', { query: { term: {} } }),
  ]);
});
