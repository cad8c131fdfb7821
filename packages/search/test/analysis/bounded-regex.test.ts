import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boundRegex } from '../../src/analysis/bounded-regex.ts';
import { startRest } from '../rest/harness.ts';

const BOMBS = [
  '(a+)+$',
  '([a-zA-Z]+)*$',
  '(a|aa)+$',
  '(a|a)*b',
  '(a|[ab])*c',
  '(.*)*x',
  '(?:a?){30}a{30}',
  'a?'.repeat(30) + 'a'.repeat(30),
  '(?:a|a)'.repeat(30) + 'b',
  '(x+x+)+y',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '.*.*.*.*=x',
  '(a)\\1+$',
  '(?<word>a+)\\k<word>$',
  '(?=(a+)+$)b',
  '(?:a{1,50}){1,50}b',
  '(?:|a)+b',
  '(?:(a)|b)+c',
  'a{1,100000}b',
  '('.repeat(200) + ')'.repeat(200),
  'a'.repeat(1001),
];

test('expressions that can backtrack without end are refused when they are defined', () => {
  for (const bomb of BOMBS) throws(() => boundRegex(bomb), { type: 'illegal_argument_exception' }, bomb);
  throws(() => boundRegex('(a+)+$'), {
    message: 'pattern [(a+)+$] is refused: a repetition is repeated, which can backtrack exponentially',
  });
});

test('expressions of everyday settings are accepted and match as those of JavaScript that are spelt alike', () => {
  const text = 'camelCase, 12-34-56  #tag http://a.b/c?d=e "quoted" ab.cd.EF x_1';
  for (const source of [
    '\\W+',
    '\\s*,\\s*',
    '[.,!?;]',
    '(\\d+)-(\\d+)-(\\d+)',
    '(\\d+)-(?=\\d)',
    '(?<=\\p{Ll})(?=\\p{Lu})',
    '([^\\p{L}\\d]+)|(?<=\\D)(?=\\d)|(?<=\\d)(?=\\D)|(?<=\\p{Lu})(?=\\p{Lu}\\p{Ll})',
    '"([^"]+)"',
    '^\\s+|\\s+$',
    '(?:ab|cd|\\.)+',
    '\\b\\w+\\b',
    'https?://\\S+',
    '#(\\w+)',
    '\\x63[a-z]{2,5}',
    '(?!)',
    '',
  ]) {
    const found = text.matchAll(boundRegex(source).over([text]));
    deepEqual(
      [...found].map(([whole]) => whole),
      [...text.matchAll(new RegExp(source, 'gu'))].map(([whole]) => whole),
      source,
    );
  }
});

test('a text whose own shape would take too long is refused, one of the same length without long runs is not', () => {
  const regex = boundRegex('\\s+$');
  throws(() => regex.over([`${' '.repeat(100_000)}x`]), /a text of \[100001\] characters could take too long/);
  equal('word '.repeat(20_000).match(regex.over(['word '.repeat(20_000)]))?.length, 1);
  throws(() => boundRegex('\\W+').over(['a'.repeat(2_000_001)]), /could take too long/);
});

test('what is accepted takes no longer than its allowance on hostile texts', () => {
  // Random expressions that pass the check, over texts made of what they repeat: an unsound check hangs here.
  const piece = fc.constantFrom('a', 'b', '.', '[ab]', '\\w', '(a|b)', '(?:ab|b)', '(?:a|ba)', '^', '$', '\\b', '|');
  const quantified = fc.tuple(piece, fc.constantFrom('', '', '*', '+', '?', '{2,}', '{0,3}', '*?'));
  const level = fc.array(quantified, { maxLength: 8 }).map((parts) => parts.flat().join(''));
  const nested = fc.array(fc.tuple(level, fc.constantFrom('', '*', '+', '?')), { minLength: 1, maxLength: 3 });
  const source = nested.map((groups) => groups.map(([inner, quantifier]) => `(${inner})${quantifier}`).join(''));
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(level, source), (pattern) => {
      for (const text of ['a'.repeat(3000) + '!', 'ab'.repeat(400) + 'c', 'b'.repeat(30) + 'c']) {
        let regex: RegExp;
        try {
          regex = boundRegex(pattern).over([text]);
        } catch {
          continue;
        }
        accepted++;
        text.replace(regex, '');
      }
    }),
    { numRuns: 3000 },
  );
  equal(accepted > 500, true);
});

test('every setting that takes an expression refuses bombs with 400', async () => {
  const ask = await startRest();
  const pattern = '(a+)+$';
  for (const analysis of [
    { tokenizer: { bomb: { type: 'pattern', pattern } }, analyzer: { x: { tokenizer: 'bomb' } } },
    { analyzer: { x: { type: 'pattern', pattern } } },
    {
      char_filter: { bomb: { type: 'pattern_replace', pattern } },
      analyzer: { x: { tokenizer: 'keyword', char_filter: ['bomb'] } },
    },
    {
      filter: { bomb: { type: 'pattern_replace', pattern } },
      analyzer: { x: { tokenizer: 'keyword', filter: ['bomb'] } },
    },
  ]) {
    const reply = await ask('PUT /bombs', { settings: { analysis } });
    equal(reply.status, 400, JSON.stringify(analysis));
    equal(reply.json.error.type, 'illegal_argument_exception');
    match(reply.json.error.reason, /is refused: a repetition is repeated/);
  }
  const template = { match_pattern: 'regex', match: pattern, mapping: { type: 'keyword' } };
  const mapped = await ask('PUT /bombs', { mappings: { dynamic_templates: [{ bomb: template }] } });
  equal(mapped.status, 400);
  match(mapped.text, /is refused: a repetition is repeated/);
  const analyzed = await ask('POST /_analyze', { tokenizer: { type: 'pattern', pattern }, text: 'a'.repeat(50) });
  equal(analyzed.status, 400);
});

test('a document whose text would take too long is refused alone; the others of its bulk are kept', async () => {
  const ask = await startRest();
  await ask('PUT /notes', {
    settings: { analysis: { analyzer: { lines: { type: 'pattern', pattern: '\\s+;' } } } },
    mappings: { properties: { text: { type: 'text', analyzer: 'lines' } } },
  });
  const bulk = await ask('POST /notes/_bulk?refresh=true', [
    { index: { _id: '1' } },
    { text: 'a ;b' },
    { index: { _id: '2' } },
    { text: ' '.repeat(100_000) },
    { index: { _id: '3' } },
    { text: 'c ;d' },
  ]);
  deepEqual(
    bulk.json.items.map((item: any) => item.index.status),
    [201, 400, 201],
  );
  equal((await ask('GET /notes/_count')).json.count, 2);
});

test('replacements cannot make a text of any size out of a small one', async () => {
  const ask = await startRest();
  const filter = { type: 'pattern_replace', pattern: 'b*', replacement: 'x'.repeat(100_000) };
  const reply = await ask('POST /_analyze', { tokenizer: 'keyword', char_filter: [filter], text: 'a'.repeat(10_000) });
  equal(reply.status, 400);
  match(reply.json.error.reason, /its replacements are too long/);
});
