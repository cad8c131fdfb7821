// Options of the tokenizers and filters that have a grammar of their own, and texts made to take long.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { standardAnalysis } from '../../src/analysis/analysis-registry.ts';
import { runParts } from '../../src/analysis/analyzer.ts';

const count = (parts: Parameters<typeof standardAnalysis.custom>[0], text: string): number =>
  runParts(standardAnalysis.custom(parts), text).tokens.length;

test('a type table is refused where a rule names no single character or no kind', () => {
  const define = (rule: string) => () =>
    standardAnalysis.custom({ tokenizer: 'whitespace', filters: [{ type: 'word_delimiter', type_table: [rule] }] });
  throws(define('$'), /Invalid Mapping Rule : \[\$\]/);
  throws(define('ab => DIGIT'), /Only a single character is allowed/);
  throws(define('$ => DIGITS'), /Illegal type./);
});

test('word_delimiter takes neither offsets nor keywords, which the graph knows, and says so', () => {
  const define = (option: string) => () =>
    standardAnalysis.custom({ tokenizer: 'whitespace', filters: [{ type: 'word_delimiter', [option]: true }] });
  throws(define('adjust_offsets'), /\[adjust_offsets\] of the filter \[.*\] is not supported/);
  throws(define('ignore_keywords'), /\[ignore_keywords\] of the filter \[.*\] is not supported/);
});

test('a script that cjk_bigram does not know is refused by name', () => {
  const define = () =>
    standardAnalysis.custom({ tokenizer: 'standard', filters: [{ type: 'cjk_bigram', ignored_scripts: ['hiragna'] }] });
  throws(define, /got \[hiragna\].*Did you mean "hiragana"/);
});

test('words of katakana and hangul with joiners are words of any script, as in Lucene', () => {
  const { tokens } = runParts(standardAnalysis.custom({ tokenizer: 'standard' }), 'タ_ 한_ 한.국 タ 한국 1_2');
  deepEqual(
    tokens.map(({ type }) => type),
    ['<ALPHANUM>', '<ALPHANUM>', '<ALPHANUM>', '<KATAKANA>', '<HANGUL>', '<NUM>'],
  );
});

test('rows of what begins a long token and never ends it are read once by classic', () => {
  for (const [unit, tokens] of [
    ['a_', 50_000],
    ['a-b_c@', 16_666],
    ["a'b", 0],
  ] as const) {
    equal(count({ tokenizer: 'classic' }, unit.repeat(Math.floor(100_000 / unit.length))), tokens, unit);
  }
});

test('tags that never end do not hold html_strip', () => {
  const strip = { tokenizer: 'keyword', charFilters: ['html_strip'] };
  for (const unit of ['<?', '<a ', '<a onload="', '<!', '</', '<script ']) {
    equal(count(strip, unit.repeat(Math.floor(500_000 / unit.length))), 1, unit);
  }
  const includes = '<a <!--#"-->'.repeat(40_000);
  throws(
    () => count(strip, includes),
    /html_strip finds too many tags that do not end in a text of \[480000\] characters/,
  );
});

test('a pattern of simple_pattern looks at a text once, or refuses it', () => {
  const tokenizer = (pattern: string) => ({ tokenizer: { type: 'simple_pattern', pattern } });
  equal(count(tokenizer('(a+)+b|a'), 'a'.repeat(1000)), 1000);
  throws(() => count(tokenizer('(a+)+b|a'), 'a'.repeat(20_000)), /takes too long to match with the pattern/);
});
