import { equal, throws } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../kernel/test/code-point.ts';
import { createOneShotHmac } from '../../src/authentication/one-shot-hmac.ts';

test('it is the HMAC-SHA-256 of node:crypto for any key and text, also for long ones and one after the other', () => {
  const key = fc.uint8Array({ minLength: 1, maxLength: 64 });
  const text = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.string({ unit: 'grapheme', minLength: 1300, maxLength: 3000, size: 'max' }),
  );
  fc.assert(
    fc.property(key, fc.array(text, { minLength: 1, maxLength: 4 }), (secret, texts) => {
      const hmac = createOneShotHmac(secret);
      for (const each of texts) equal(hmac(each), createHmac('sha256', secret).update(each, 'utf8').digest('base64'));
    }),
    { numRuns: 50 },
  );
});

test('the case of RFC 4231 §4.3', () => {
  const expected = Buffer.from('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', 'hex').toString(
    'base64',
  );
  equal(createOneShotHmac(Buffer.from('Jefe'))('what do ya want for nothing?'), expected);
});

test('a key longer than a block is refused', () => {
  throws(() => createOneShotHmac(new Uint8Array(65)), RangeError);
});
