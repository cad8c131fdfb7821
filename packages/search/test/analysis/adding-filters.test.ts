// Filters that add tokens, and spellings of Scandinavian and Serbian words: the expected tokens are Lucene 8.7's.
import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { createAnalysis } from '../../src/analysis/analysis-registry.ts';

/** The tokens of a text by white space and filters: `term@position`. */
function tokens(text: string, filters: readonly unknown[], defined: Readonly<Record<string, unknown>> = {}): string {
  const analysis = createAnalysis({
    filter: defined,
    analyzer: { x: { tokenizer: 'whitespace', filter: filters } },
  });
  const list = analysis.analyzer('x')!.analyze(text);
  return list.terms.map((term, at) => `${term}@${list.positions[at]}`).join(' ');
}

const COMMON = ['the', 'in', 'a', 's'];
for (const [text, indexed, asked] of [
  ['the quick fox', 'the@0 the_quick@0 quick@1 fox@2', 'the_quick@0 quick@1 fox@2'],
  [
    'the rain in spain falls',
    'the@0 the_rain@0 rain@1 rain_in@1 in@2 in_spain@2 spain@3 falls@4',
    'the_rain@0 rain_in@1 in_spain@2 spain@3 falls@4',
  ],
  ['quick fox', 'quick@0 fox@1', 'quick@0 fox@1'],
  ['the', 'the@0', 'the@0'],
  ['quick the', 'quick@0 quick_the@0 the@1', 'quick_the@0'],
  ['the the in a', 'the@0 the_the@0 the@1 the_in@1 in@2 in_a@2 a@3', 'the_the@0 the_in@1 in_a@2'],
  ['x STOP the y', 'x@0 x_the@0 the@2 the_y@2 y@3', 'x_the@0 the_y@1'],
] as const) {
  test(`common_grams pairs the words of "${text}" as Lucene does, in an index and in a query`, () => {
    const grams = (query: boolean) => [
      { type: 'stop', stopwords: ['STOP'] },
      { type: 'common_grams', common_words: COMMON, query_mode: query },
    ];
    deepEqual([tokens(text, grams(false)), tokens(text, grams(true))], [indexed, asked]);
  });
}

test('keyword_repeat keeps each word beside its stem', () => {
  const filters = ['keyword_repeat', 'porter_stem'];
  deepEqual(tokens('running dogs run', filters), 'running@0 run@0 dogs@1 dog@1 run@2 run@2');
  deepEqual(tokens('running dogs run', [...filters, 'remove_duplicates']), 'running@0 run@0 dogs@1 dog@1 run@2');
});

test('multiplexer puts what several chains make of a word at one position, once', () => {
  const multiplexer = { type: 'multiplexer', filters: ['lowercase', 'lowercase, porter_stem'] };
  deepEqual(tokens('Going HOME home', [multiplexer]), 'Going@0 going@0 go@0 HOME@1 home@1 home@2');
  deepEqual(tokens('Going', [{ ...multiplexer, preserve_original: false }]), 'going@0 go@0');
});

test('a multiplexer that names itself is refused', () => {
  const define = () => tokens('x', ['m'], { m: { type: 'multiplexer', filters: ['m'] } });
  throws(define, /filters name each other deeper than \[2\]/);
  throws(() => tokens('x', [{ type: 'multiplexer', filters: ['lowercas'] }]), /Did you mean "lowercase"/);
});

test('pattern_capture gives the groups of all patterns by where they begin', () => {
  const filter = { type: 'pattern_capture', patterns: ['([^@]+)', '(\\p{L}+)', '(\\d+)', '@(.+)'] };
  deepEqual(
    tokens('john-smith_123@foo-bar.com abc', [filter]),
    'john-smith_123@foo-bar.com@0 john-smith_123@0 john@0 smith@0 123@0 foo-bar.com@0 foo@0 foo-bar.com@0 bar@0 com@0 abc@1',
  );
  deepEqual(tokens('com.x abc', [{ ...filter, preserve_original: false }]), 'com.x@0 com@0 x@0 abc@1 abc@1');
  deepEqual(tokens('+++', [{ type: 'pattern_capture', patterns: ['(\\w+)'], preserve_original: false }]), '+++@0');
});

test('dictionary_decompounder finds the words of its list within long words', () => {
  const filter = { type: 'dictionary_decompounder', word_list: ['Donau', 'dampf', 'meer', 'schiff', 'ampf', 'schi'] };
  deepEqual(
    tokens('Donaudampfschiff meer', [filter]),
    'Donaudampfschiff@0 Donau@0 dampf@0 ampf@0 schi@0 schiff@0 meer@1',
  );
  deepEqual(
    tokens('Donaudampfschiff', [{ ...filter, only_longest_match: true }]),
    'Donaudampfschiff@0 Donau@0 dampf@0 ampf@0 schiff@0',
  );
});

test('keep_types keeps tokens by their type, or drops them', () => {
  const terms = (mode?: string) =>
    createAnalysis({
      analyzer: {
        x: { tokenizer: 'standard', filter: [{ type: 'keep_types', types: ['<NUM>'], ...(mode ? { mode } : {}) }] },
      },
    })
      .analyzer('x')!
      .analyze('1 fox 2').terms;
  deepEqual([terms(), terms('exclude')], [['1', '2'], ['fox']]);
  throws(() => terms('other'), /can only be \[include\] or \[exclude\] but was \[other\]/);
});

test('keyword_marker takes a pattern for whole words', () => {
  const filters = [{ type: 'keyword_marker', keywords_pattern: 'run.*' }, 'porter_stem'];
  deepEqual(tokens('running outrunning', filters), 'running@0 outrun@1');
});

test('a fingerprint longer than max_output_size is no token', () => {
  deepEqual(tokens('b a b', [{ type: 'fingerprint', max_output_size: 3 }]), 'a b@0');
  deepEqual(tokens('b a c', [{ type: 'fingerprint', max_output_size: 3 }]), '');
});

test('Scandinavian words are spelled alike, and Serbian ones in Latin letters', () => {
  const words = 'blåbärsyltetöj blaabaersyltetoej BLAABAER räksmörgås';
  deepEqual(tokens(words, ['scandinavian_normalization']), 'blåbærsyltetøj@0 blåbærsyltetøj@1 BLÅBÆR@2 ræksmørgås@3');
  deepEqual(tokens(words, ['scandinavian_folding']), 'blabarsyltetoj@0 blabarsyltetoj@1 BLABAR@2 raksmorgas@3');
  deepEqual(tokens('ђак žaba љубав čvor', ['serbian_normalization']), 'djak@0 zaba@1 ljubav@2 cvor@3');
});
