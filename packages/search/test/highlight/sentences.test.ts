// Texts that are surely one sentence are not taken apart; whatever the text, the sentences are those of Intl.Segmenter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../kernel/test/code-point.ts';
import { sentencesOf } from '../../src/highlight/sentences.ts';

const word = fc.constantFrom('Harbour', 'light', 'Mr', 'no', '3', 'φως', '光', 'a.m', '“so”', 'x😀');
const between = fc.constantFrom(
  ' ',
  '. ',
  '! ',
  '? ',
  '.',
  '; ',
  ';',
  '\n',
  '\r\n',
  '\u0085',
  '\u2029',
  '。',
  '…',
  '．',
  '\u037e ',
  ') ',
  ', ',
);
const text = fc.oneof(
  fc.array(fc.tuple(word, between), { maxLength: 5 }).map((parts) => parts.flat().join('')),
  fc
    .array(fc.tuple(word, fc.constant(' ')), { maxLength: 4 })
    .chain((parts) =>
      fc.constantFrom('', '.', '!', '。', ' .').map((end) => `${parts.flat().join('').trimEnd()}${end}`),
    ),
  fc.string({ unit: codePoint, maxLength: 12 }),
);

for (const locale of ['en', 'el', 'ja', 'th', 'hi']) {
  test(`sentences are those that Intl.Segmenter finds: ${locale}`, () => {
    const segmenter = new Intl.Segmenter(locale, { granularity: 'sentence' });
    fc.assert(
      fc.property(text, (given) => {
        const pieces = [...sentencesOf(given, locale)].map(({ segment, index }) => [index, segment]);
        assert.deepEqual(
          pieces,
          [...segmenter.segment(given)].map(({ segment, index }) => [index, segment]),
        );
      }),
      { numRuns: 1500 },
    );
  });
}

test('no character that ends a sentence in a language is passed over', () => {
  for (const locale of ['en', 'el', 'ja', 'hi', 'ar', 'my']) {
    const passed: string[] = [];
    for (let code = 1; code < 0x20000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const given = `One${String.fromCodePoint(code)} Two`;
      if (Array.isArray(sentencesOf(given, locale))) passed.push(given);
    }
    assert.ok(passed.length > 100_000);
    const segmenter = new Intl.Segmenter(locale, { granularity: 'sentence' });
    assert.equal([...segmenter.segment(passed.join(' '))].length, 1);
  }
});
