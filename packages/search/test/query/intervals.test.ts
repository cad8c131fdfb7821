import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestIndex, indexing } from '../engine/test-index.ts';
import type { IntervalSource } from '../../src/query/kinds/intervals.ts';
import type { Query } from '../../src/query/query.ts';
import { ids, load, startRest } from '../rest/harness.ts';

const word = (term: string): IntervalSource => ({ kind: 'terms', field: 'text', terms: [term] });
const asked = (source: IntervalSource): Query => ({ kind: 'intervals', field: 'text', source });

async function indexOf(texts: readonly string[]) {
  const index = await createTestIndex();
  await index.apply(texts.map((text, at) => indexing(String(at), { text })));
  await index.refresh();
  return index;
}

/** All ways to take one position of each word, the words' positions rising when they are ordered. */
function ways(words: readonly string[], wanted: readonly string[], ordered: boolean): number[][] {
  let found: number[][] = [[]];
  for (const term of wanted) {
    found = found.flatMap((chosen) =>
      words.flatMap((each, at) =>
        each === term && !chosen.includes(at) && (!ordered || at > (chosen.at(-1) ?? -1)) ? [[...chosen, at]] : [],
      ),
    );
  }
  return found;
}

test('ordered, unordered and adjacent words with a limit on gaps are found as trying all of their positions finds them', async () => {
  const letter = fc.constantFrom('a', 'b', 'c', 'd');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(letter, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 }),
      fc.uniqueArray(letter, { minLength: 2, maxLength: 3 }),
      fc.boolean(),
      fc.integer({ min: 0, max: 4 }),
      async (texts, wanted, ordered, gaps) => {
        const index = await indexOf(texts.map((words) => words.join(' ')));
        const source: IntervalSource = { kind: ordered ? 'ordered' : 'unordered', sources: wanted.map(word) };
        const { hits } = index.searcher().search({ query: asked({ kind: 'max_gaps', source, gaps }), size: 100 });
        const expected = texts.flatMap((words, at) =>
          ways(words, wanted, ordered).some((way) => Math.max(...way) - Math.min(...way) + 1 - wanted.length <= gaps)
            ? [String(at)]
            : [],
        );
        deepEqual(hits.map((hit) => hit.id).sort(), expected.sort());
        const block = index.searcher().count(asked({ kind: 'block', sources: wanted.map(word) }));
        const phrase = index.searcher().count({
          kind: 'phrase',
          field: 'text',
          terms: wanted.map((term, position) => ({ position, terms: [term] })),
        });
        equal(block, phrase);
      },
    ),
    { numRuns: 60 },
  );
});

test('filters compare intervals as their names say, against trying every pair', async () => {
  const letter = fc.constantFrom('a', 'b', 'c');
  const relations = {
    containing: (a: number[], b: number[]) => a[0]! <= b[0]! && b[1]! <= a[1]!,
    contained_by: (a: number[], b: number[]) => b[0]! <= a[0]! && a[1]! <= b[1]!,
    overlapping: (a: number[], b: number[]) => b[0]! <= a[1]! && a[0]! <= b[1]!,
    before: (a: number[], b: number[]) => a[1]! < b[0]!,
    after: (a: number[], b: number[]) => a[0]! > b[1]!,
  };
  /** From each `a` to the nearest `b` after it, the shorter where two end together. */
  const spans = (words: readonly string[], first: string, last: string): number[][] => {
    const found: number[][] = [];
    for (const [at, each] of words.entries()) {
      const end = words.indexOf(last, at + 1);
      if (each !== first || end < 0) continue;
      if (found.at(-1)?.[1] === end) found.pop();
      found.push([at, end]);
    }
    return found;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(letter, { minLength: 1, maxLength: 14 }), async (words) => {
      const index = await indexOf([words.join(' ')]);
      const source: IntervalSource = { kind: 'ordered', sources: [word('a'), word('b')] };
      const reference: IntervalSource = { kind: 'ordered', sources: [word('c'), word('a')] };
      const others = spans(words, 'c', 'a');
      for (const [how, holds] of Object.entries(relations) as [keyof typeof relations, typeof relations.before][]) {
        const kept = spans(words, 'a', 'b').filter((a) => others.some((b) => holds(a, b)));
        equal(index.searcher().count(asked({ kind: 'filter', how, source, reference })), kept.length > 0 ? 1 : 0, how);
        if (how === 'before' || how === 'after') continue;
        const left = spans(words, 'a', 'b').length - kept.length;
        const none = asked({ kind: 'filter', how: `not_${how}`, source, reference });
        equal(index.searcher().count(none), left > 0 ? 1 : 0, `not_${how}`);
      }
    }),
    { numRuns: 60 },
  );
});

test('the score is Lucene’s saturation of the intervals, each weighed by how tight it is', async () => {
  const ask = await startRest();
  await load(ask, 't', [
    { text: 'cold outside' },
    { text: 'cold and wet outside' },
    { text: 'cold outside, cold outside' },
  ]);
  const reply = await ask('POST /t/_search', {
    query: { intervals: { text: { match: { query: 'cold outside' }, boost: 2 } } },
  });
  const scores = Object.fromEntries(
    reply.json.hits.hits.map((hit: { _id: string; _score: number }) => [hit._id, hit._score]),
  );
  // One of the least length: 1; two positions more: 1/3; three overlapping ones: 3.
  deepEqual(scores, { 1: 1, 2: 0.5, 3: 1.5 });
  const explained = await ask('GET /t/_explain/2', {
    query: { intervals: { text: { match: { query: 'cold outside' } } } },
  });
  equal(explained.json.explanation.value, 0.25);
});

test('a short alternative does not hide a longer one from a limit on gaps', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ text: 'big big dog runs' }]);
  const query = {
    intervals: {
      text: {
        all_of: {
          ordered: true,
          max_gaps: 0,
          intervals: [
            { match: { query: 'big' } },
            {
              any_of: {
                intervals: [{ match: { query: 'big' } }, { match: { query: 'big dog', ordered: true, max_gaps: 0 } }],
              },
            },
            { match: { query: 'runs' } },
          ],
        },
      },
    },
  };
  deepEqual(ids(await ask('POST /t/_search', { query })), ['1']);
});

test('patterns, highlights and words of another field work; what is not understood is named', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: { properties: { text: { type: 'text' }, other: { type: 'text' }, k: { type: 'keyword' } } },
  });
  await load(ask, 't', [{ text: 'Cold outside', other: 'snow' }]);
  const search = (rule: object, field = 'text') =>
    ask('POST /t/_search', { query: { intervals: { [field]: rule } }, highlight: { fields: { text: {} } } });
  deepEqual((await search({ prefix: { prefix: 'OUT' } })).json.hits.hits[0].highlight.text, ['Cold <em>outside</em>']);
  deepEqual(ids(await search({ wildcard: { pattern: 'c*d' } })), ['1']);
  deepEqual(ids(await search({ fuzzy: { term: 'cald' } })), ['1']);
  deepEqual(ids(await search({ match: { query: 'snow', use_field: 'other' } })), ['1']);
  deepEqual(ids(await search({ match: { query: 'cold' } }, 'absent')), []);
  match((await search({ match: { query: 'a' } }, 'k')).text, /only use interval queries on text fields/);
  match((await search({ mtch: { query: 'a' } })).text, /did you mean \[match\]/);
  match((await search({ match: { query: 'a', filter: { script: {} } } })).text, /\[script\].*not supported/);
});

test('a pattern counts the words of visible documents alone', async () => {
  const index = await indexOf([...Array.from({ length: 140 }, (_, at) => `w${at} hidden`), 'w1 shown']);
  const query = asked({ kind: 'pattern', query: { kind: 'prefix', field: 'text', prefix: 'w' } });
  const view: Query = { kind: 'term', field: 'text', term: 'shown' };
  equal(index.searcher().count(query, view), 1);
  let reason = '';
  try {
    index.searcher().count(query);
  } catch (error) {
    reason = (error as Error).message;
  }
  match(reason, /too many terms \(limit 128\)/);
});
