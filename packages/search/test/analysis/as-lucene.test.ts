// Options of tokenizers and filters, and mistakes in them, as Elasticsearch 7.10.2 reads them. What its `_analyze` answered stands here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRest } from '../rest/harness.ts';

type Json = Readonly<Record<string, unknown>>;

const TEXT = "The Quick-fox's a/b 12 ab3 fox fox";

/** Parts with the tokens of `TEXT`, or of another text: term, start and position. */
const CUT: readonly (readonly [parts: Json, tokens: string])[] = [
  [
    { tokenizer: { type: 'standard', max_token_length: 3 }, text: 'U.S.A. AT&T SD-500 XL500' },
    'U.S/0@0 A/4@1 AT/7@2 T/10@3 SD/12@4 500/15@5 XL5/19@6 00/22@7',
  ],
  [
    { tokenizer: { type: 'char_group', tokenize_on_chars: ['whitespace'], max_token_length: 3 } },
    "The/0@0 Qui/4@1 ck-/7@2 fox/10@3 's/13@4 a/b/16@5 12/20@6 ab3/23@7 fox/27@8 fox/31@9",
  ],
  [{ tokenizer: { type: 'pattern', pattern: '(?i)FOX' } }, "The Quick-/0@0 's a/b 12 ab3 /13@1  /30@2"],
  [
    { tokenizer: { type: 'pattern', pattern: 'F O X', flags: 'CASE_INSENSITIVE|COMMENTS' } },
    "The Quick-/0@0 's a/b 12 ab3 /13@1  /30@2",
  ],
  [{ tokenizer: { type: 'path_hierarchy', reverse: true, skip: 1, delimiter: '-' }, text: '1 10-20 5' }, '1 10-/0@0'],
  [{ tokenizer: 'keyword', text: '' }, '/0@0'],
  [{ filter: ['unique'] }, "The/0@0 Quick-fox's/4@1 a/b/16@2 12/20@3 ab3/23@4 fox/27@5"],
  [{ filter: ['unique'], text: 'a b a c' }, 'a/0@0 b/2@1 c/6@2'],
  [
    { filter: [{ type: 'porter_stem' }], text: 'Café naïve Übergröße Foxes RUNNING' },
    'Café/0@0 naïv/5@1 Übergröß/11@2 Fox/21@3 RUNNING/27@4',
  ],
  [
    { filter: [{ type: 'brazilian_stem' }], text: 'U.S.A. Donaudampfschiff AT' },
    'u.s.a/0@0 donaudampfschiff/7@1 AT/24@2',
  ],
  [{ filter: [{ type: 'keep', keep_words: ['FOX'], keep_words_case: true }] }, 'fox/27@5 fox/31@6'],
  [{ filter: [{ type: 'elision', articles: ['L'] }], text: "l'avion L'avion" }, "l'avion/0@0 avion/8@1"],
  [
    { filter: [{ type: 'elision', articles: ['L'], articles_case: true }], text: "l'avion L'avion" },
    'avion/0@0 avion/8@1',
  ],
  [{ filter: [{ type: 'pattern_replace', pattern: '(f)(o)', replacement: '$2$1' }], text: 'fox' }, 'ofx/0@0'],
  [
    { filter: [{ type: 'pattern_replace', pattern: '[aeiou]', replacement: 'X', all: false }], text: 'quick fox' },
    'qXick/0@0 fXx/6@1',
  ],
  [
    { filter: [{ type: 'pattern_replace', pattern: 'FOX', flags: 'CASE_INSENSITIVE', replacement: 'X' }], text: 'fox' },
    'X/0@0',
  ],
  [{ filter: [{ type: 'multiplexer', filters: [], preserve_original: false }], text: 'fox' }, 'fox/0@0'],
  [{ char_filter: [{ type: 'mapping', mappings: [] }], text: 'fox' }, 'fox/0@0'],
  [{ tokenizer: { type: 'standard', max_token_length: {} }, text: 'fox' }, 'fox/0@0'],
];

test('options of tokenizers and filters cut texts as Lucene does', async () => {
  const ask = await startRest();
  for (const [parts, expected] of CUT) {
    const { json } = await ask('POST /_analyze', { tokenizer: 'whitespace', text: TEXT, ...parts });
    const tokens = (json.tokens as readonly { token: string; start_offset: number; position: number }[]).map(
      ({ token, start_offset: start, position }) => `${token}/${start}@${position}`,
    );
    assert.equal(tokens.join(' '), expected, JSON.stringify(parts));
  }
});

const IAE = 'illegal_argument_exception';

const REFUSED: readonly (readonly [parts: Json, type: string, reason: string])[] = [
  [{ tokenizer: { type: 'standard', max_token_length: -1 } }, IAE, 'maxTokenLength must be greater than zero'],
  [{ tokenizer: { type: 'standard', max_token_length: 2000000 } }, IAE, 'maxTokenLength may not exceed 1048576'],
  [
    { tokenizer: { type: 'whitespace', max_token_length: 0 } },
    IAE,
    'maxTokenLen must be greater than 0 and less than 1048576 passed: 0',
  ],
  [
    { tokenizer: { type: 'standard', max_token_length: 1.5 } },
    'settings_exception',
    'Failed to parse int setting [max_token_length] with value [1.5]',
  ],
  [{ tokenizer: { type: 'path_hierarchy', skip: -1 } }, IAE, 'skip cannot be negative'],
  [{ tokenizer: { type: 'path_hierarchy', delimiter: 'ab' } }, IAE, 'delimiter must be a one char value'],
  [
    { tokenizer: { type: 'char_group', tokenize_on_chars: ['ab'] } },
    'runtime_exception',
    'Invalid escaped char in [ab]',
  ],
  [
    { tokenizer: { type: 'ngram', token_chars: ['custom'] } },
    IAE,
    "Token type: 'custom' requires setting `custom_token_chars`",
  ],
  [{ tokenizer: { type: 'pattern', group: 1 } }, IAE, 'invalid group specified: pattern only has: 0 capturing groups'],
  [{ tokenizer: { type: 'pattern', flags: 'wrong' } }, IAE, 'Unknown regex flag [WRONG]'],
  [{ tokenizer: {} }, IAE, 'Missing [type] setting for anonymous tokenizer: {}'],
  [{ tokenizer: { type: 'wrong' } }, IAE, 'failed to find global tokenizer under [wrong]'],
  [{ filter: [{ type: 'standard' }] }, IAE, 'The [standard] token filter has been removed.'],
  [{ filter: [{ type: 'truncate' }] }, IAE, 'length parameter must be provided'],
  [{ filter: [{ type: 'limit', max_token_count: 0 }] }, IAE, 'maxTokenCount must be greater than zero'],
  [{ filter: [{ type: 'length', min: 5, max: 3 }] }, IAE, 'maximum length must not be greater than minimum length'],
  [{ filter: [{ type: 'keep' }] }, IAE, 'keep requires either `keep_words` or `keep_words_path` to be configured'],
  [
    { filter: [{ type: 'stemmer_override', rules: ['a => b => c'] }] },
    'runtime_exception',
    'Invalid Keyword override Rule:a => b => c',
  ],
  [
    { filter: [{ type: 'pattern_replace', pattern: 'fox', replacement: '$1' }] },
    'index_out_of_bounds_exception',
    'No group 1',
  ],
  [
    { filter: [{ type: 'trim', update_offsets: false }] },
    IAE,
    'update_offsets is not supported anymore. Please fix your analysis chain',
  ],
  [{ filter: [{ type: 'shingle', max_shingle_size: 1 }] }, IAE, 'Max shingle size must be >= 2'],
  [
    { filter: [{ type: 'fingerprint', separator: 'ab' }] },
    IAE,
    'Setting [separator] must be a single, non-null character. [ab] was provided.',
  ],
  [{ filter: [{ type: 'edge_ngram', side: 'wrong' }] }, IAE, 'invalid side: wrong'],
  [
    { filter: [{ type: 'asciifolding', preserve_original: 0 }] },
    IAE,
    'Failed to parse value [0] as only [true] or [false] are allowed.',
  ],
  [{ char_filter: [{ type: 'mapping', mappings: ['a=>b', 'a=>c'] }] }, IAE, 'match "a" was already added'],
  [{ char_filter: [{ type: 'mapping', mappings: [' => x'] }] }, IAE, 'cannot match the empty string'],
  [
    { char_filter: [{ type: 'pattern_replace', pattern: '' }] },
    IAE,
    "pattern is missing for [__anonymous__pattern_replace] char filter of type 'pattern_replace'",
  ],
];

test('mistakes in tokenizers and filters are refused in the words of Elasticsearch', async () => {
  const ask = await startRest();
  for (const [parts, type, reason] of REFUSED) {
    const { status, json } = await ask('POST /_analyze', { tokenizer: 'whitespace', text: TEXT, ...parts });
    assert.deepEqual(
      [status, json.error?.type, json.error?.reason.replace(/,? did you mean.*/i, '')],
      [400, type, reason],
      JSON.stringify(parts),
    );
  }
});

test('a normalizer may use what changes letters and nothing else', async () => {
  const ask = await startRest();
  const made = (normalizer: Json): ReturnType<typeof ask> =>
    ask('PUT /t', { settings: { analysis: { normalizer: { folding: normalizer } } } });
  const { json } = await made({ filter: ['stop'] });
  assert.equal(json.error.reason, 'Custom normalizer [folding] may not use filter [stop]');
  const stripped = await made({ char_filter: ['html_strip'] });
  assert.equal(stripped.json.error.reason, 'Custom normalizer [folding] may not use char filter [html_strip]');
  assert.equal((await made({ filter: ['lowercase', 'asciifolding'] })).status, 200);
});
