// Patterns and distances against plain definitions: JavaScript's regular expressions, and the textbook distance table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProductError } from '@lockstitch/kernel';
import fc from 'fast-check';
import { until } from '../../../kernel/test/until.ts';
import { wildcardMatcher } from '../../src/automaton/automaton.ts';
import type { SegmentView } from '../../src/index/segment-view.ts';
import { findNeighbours } from '../../src/query/edit-distance.ts';
import { regexpMatcher } from '../../src/automaton/regexp.ts';
import type { Query } from '../../src/query/query.ts';
import { createTestIndex, indexing } from '../engine/test-index.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A', 'é', '😀', '.'), maxLength: 6 });

/** Regular expressions that mean the same to Lucene and to JavaScript. */
const pattern: fc.Arbitrary<string> = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'b', 'c', 'é', '😀', '.', '[ab]', '[^a]', '[a-c]', '\\.'),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(${left}|${right})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,1}', '{1,}'))
      .map(([inner, times]) => `(${inner})${times}`),
  ),
})).pattern;

test('a regular expression matches the texts that the same one matches in JavaScript', () => {
  fc.assert(
    fc.property(pattern, fc.array(text, { maxLength: 10 }), (source, texts) => {
      const matcher = regexpMatcher(source, 'ALL', false, 10_000);
      const reference = new RegExp(`^(?:${source})$`, 'su');
      for (const sample of texts)
        assert.equal(matcher.matches(sample), reference.test(sample), `${source} on ${sample}`);
    }),
    { numRuns: 500 },
  );
});

test("Lucene's own operators: any text, quotes, intervals, the empty language", () => {
  const matches = (source: string, sample: string): boolean =>
    regexpMatcher(source, 'ALL', false, 10_000).matches(sample);
  assert.ok(matches('a@c', 'abbbc'));
  assert.ok(matches('"a.b"', 'a.b'));
  assert.ok(!matches('"a.b"', 'axb'));
  assert.ok(matches('v<1-12>', 'v7'));
  assert.ok(!matches('v<1-12>', 'v13'));
  assert.ok(matches('<01-12>', '07'));
  assert.ok(!matches('<01-12>', '7'));
  assert.ok(!matches('#', ''));
  assert.ok(regexpMatcher('abc', 'ALL', true, 100).matches('aBC'));
});

test('a malformed or exploding regular expression is refused by code', () => {
  const codeOf = (action: () => unknown): string | undefined => {
    try {
      action();
      return undefined;
    } catch (error) {
      return isProductError(error) ? error.code : 'other';
    }
  };
  for (const source of ['(a', '[a', 'a{2', '"a', '~', 'a&', '[c-a]', '(']) {
    assert.equal(
      codeOf(() => regexpMatcher(source, 'ALL', false, 1000)),
      'SEARCH_PATTERN_SYNTAX',
      source,
    );
  }
  const exploding = `(a|b)*a${'(a|b)'.repeat(14)}`;
  assert.equal(
    codeOf(() => regexpMatcher(exploding, 'ALL', false, 1000)),
    'SEARCH_PATTERN_TOO_COMPLEX',
  );
  assert.equal(
    codeOf(() => regexpMatcher('a{1000}'.repeat(50), 'ALL', false, 1000)),
    'SEARCH_PATTERN_TOO_COMPLEX',
  );
  assert.equal(
    codeOf(() => regexpMatcher('('.repeat(5000), 'ALL', false, 10_000)),
    'SEARCH_PATTERN_SYNTAX',
  );
});

test('wildcards: a star is any text, a question mark one character, a backslash takes away their meaning', () => {
  const matches = (source: string, sample: string): boolean => wildcardMatcher(source, false, 1000).matches(sample);
  assert.ok(matches('a*c', 'ac') && matches('a*c', 'abbc') && !matches('a*c', 'acd'));
  assert.ok(matches('?', '😀') && !matches('?', ''));
  assert.ok(matches('\\*', '*') && !matches('\\*', 'a'));
  assert.ok(wildcardMatcher('AB*', true, 1000).matches('abc'));
});

/** Optimal string alignment by the book. */
function distance(left: string, right: string, transpositions: boolean): number {
  const a = Array.from(left);
  const b = Array.from(right);
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      let value = Math.min(
        table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1,
        table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
      if (transpositions && i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, table[i - 2]![j - 2]! + 1);
      }
      table[i]![j] = value;
    }
  }
  return table[a.length]![b.length]!;
}

test('a fuzzy query finds exactly the terms within its distance that share its prefix', async () => {
  const near = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(near, { minLength: 1, maxLength: 40 }),
      near,
      fc.constantFrom(0 as const, 1 as const, 2 as const),
      fc.integer({ min: 0, max: 3 }),
      fc.boolean(),
      async (terms, term, maxEdits, prefixLength, transpositions) => {
        const index = await createTestIndex();
        await index.apply(terms.map((word) => indexing(word, { title: [word] })));
        await index.refresh();
        const query: Query = {
          kind: 'fuzzy',
          field: 'title',
          term,
          maxEdits,
          prefixLength,
          transpositions,
          maxExpansions: 1000,
        };
        const found = index
          .searcher()
          .search({ query, size: 100 })
          .hits.map((hit) => hit.id)
          .sort();
        const prefix = Array.from(term).slice(0, prefixLength).join('');
        const expected = terms.filter((word) => {
          const edits = distance(word, term, transpositions);
          return edits <= maxEdits && word.startsWith(prefix);
        });
        assert.deepEqual(found, expected.sort());
      },
    ),
    { numRuns: 300 },
  );
});

test('a fuzzy query finds the same in a large dictionary before and after its order from behind is made', async () => {
  const letters = 'abcdefghij';
  const words = Array.from({ length: 5000 }, (_, i) =>
    Array.from(String(i * 37), (digit) => letters[+digit]).join('x'),
  );
  const index = await createTestIndex();
  await index.apply([indexing('1', { title: words })]);
  await index.refresh();
  const [segment] = index.searcher().segments;
  const postings = (segment as SegmentView).core.terms('title')!.postings;
  const check = (): void => {
    for (const term of ['axbxcxd', 'jxixhxgx', 'xaxbxcxd', 'axb', 'jjjjjj', 'bxcxdxe😀']) {
      const wanted = words.filter((word) => distance(word, term, true) <= 1).sort();
      const found = findNeighbours(postings, { term, maxEdits: 1, prefixLength: 0, transpositions: true });
      assert.deepEqual(found.map(({ ordinal }) => postings.term(ordinal)).sort(), wanted);
    }
  };
  check();
  await until(
    () => postings.reversedTerms() !== undefined,
    () => 'no reversed order is made',
  );
  check();
});

test('one edit is found in whatever place among thousands of terms that are all near', async () => {
  const units = ['a', 'b', 'q', 'é'];
  const words = ['a', 'b', 'q', 'é'];
  for (let at = 0; words[at]!.length < 6; at++) for (const unit of units) words.push(words[at]! + unit);
  for (const unit of [...units, '𐐨'])
    words.push(`aqbbaqbbaqbbaqbb${unit}`, `${unit}aqbbaqbbaqbbaqbb`, `aqbb${unit}aqbbaqbbaqb`);
  const index = await createTestIndex();
  await index.apply([indexing('1', { title: words })]);
  await index.refresh();
  const postings = (index.searcher().segments[0] as SegmentView).core.terms('title')!.postings;
  await until(
    () => postings.reversedTerms() !== undefined,
    () => 'no reversed order is made',
  );
  for (const term of [
    'abqa',
    'qabqa',
    'baab',
    'zabqa',
    'abqaz',
    'bqabqa',
    'aaaaaa',
    'qqbbaqb',
    'aqbbaqbbaqbbaqbb',
    'zaqbbaqbbaqbbaqbb',
    'aqbbaqbbaqbbaq',
  ]) {
    for (const transpositions of [true, false]) {
      const wanted = [...new Set(words)].filter((word) => distance(word, term, transpositions) <= 1).sort();
      const found = findNeighbours(postings, {
        term,
        maxEdits: 1,
        prefixLength: 0,
        transpositions,
      });
      assert.deepEqual(found.map(({ ordinal }) => postings.term(ordinal)).sort(), wanted, term);
    }
  }
});

test('a wildcard pattern finds the same terms in a large dictionary as in JavaScript', async () => {
  const words = Array.from({ length: 1000 }, (_, i) => `${(i * 7919).toString(36)}é${(i * 37).toString(5)}`);
  const index = await createTestIndex();
  await index.apply(words.map((word) => indexing(word, { title: [word] })));
  await index.refresh();
  for (const pattern of [
    '*a*',
    '*é1*',
    '*é*4',
    '?1*3?',
    '1*é2*',
    'z*é',
    '*\\é11*',
    '*',
    '*?',
    '*nothing*',
    '*4é?4*4',
  ]) {
    const source = pattern.replaceAll('\\', '').replaceAll('*', '.*').replaceAll('?', '.');
    const wanted = words.filter((word) => new RegExp(`^${source}$`, 'u').test(word)).sort();
    const { hits } = index.searcher().search({ query: { kind: 'wildcard', field: 'title', pattern }, size: 1000 });
    assert.deepEqual(hits.map(({ id }) => id).sort(), wanted, pattern);
  }
});
