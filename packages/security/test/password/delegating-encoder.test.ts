import { deepEqual, equal, match, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { createDelegatingEncoder } from '../../src/password/delegating-encoder.ts';
import { createNoOpEncoder } from '../../src/password/noop-encoder.ts';

const encoder = createDelegatingEncoder();

test('new passwords are bcrypt, and say so in front', async () => {
  match(await encoder.encode('12345'), /^\{bcrypt\}\$2a\$10\$.{53}$/);
});

test('the id in front chooses the encoder', async () => {
  const stored = '{bcrypt}$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
  equal(await encoder.matches('U*U', stored), true);
  equal(await encoder.matches('U*V', stored), false);
  equal(await encoder.matches('12345', '{noop}12345'), true);
  equal(await encoder.matches('abc', '{SHA-1}a9993e364706816aba3e25717850c26c9cd0d89d'), true);
});

test('a missing id is an error that says how to store passwords, never a wrong password', async () => {
  for (const stored of ['12345', '', '{}12345', '{noop', null, undefined]) {
    await rejects(encoder.matches('12345', stored as string), (error: { code: string; hint: string }) => {
      equal(error.code, 'SECURITY_ENCODER_ID_MISSING');
      match(error.hint, /\{noop\}/);
      return true;
    });
  }
});

test('an unknown id is an error, and ids are case-sensitive', async () => {
  await rejects(encoder.matches('12345', '{nope}12345'), { code: 'SECURITY_ENCODER_UNKNOWN', status: 500 });
  await rejects(encoder.matches('12345', '{NOOP}12345'), { code: 'SECURITY_ENCODER_UNKNOWN' });
  await rejects(encoder.matches('12345', '{__proto__}12345'), { code: 'SECURITY_ENCODER_UNKNOWN' });
});

test('errors about stored passwords do not quote them', async () => {
  await rejects(encoder.matches('hunter2', '{nope}s3cr3t-hash'), (error: Error) => {
    equal(/hunter2|s3cr3t/.test(`${error.message}${JSON.stringify(error)}${error.stack}`), false);
    return true;
  });
});

test('another id or a weaker hash of the same id asks for an upgrade', () => {
  const bcrypt = (strength: string) => `{bcrypt}$2a$${strength}$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`;
  deepEqual(
    ['{noop}12345', bcrypt('04'), bcrypt('10'), '12345'].map((stored) => encoder.upgradeEncoding(stored)),
    [true, true, false, true],
  );
});

test('an id for new passwords without an encoder is refused when the encoder is made', () => {
  throws(() => createDelegatingEncoder({ encodeId: 'xis', encoders: { noop: createNoOpEncoder() } }), {
    code: 'SECURITY_ENCODER_UNKNOWN',
  });
});
