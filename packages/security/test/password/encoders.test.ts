import { deepEqual, equal, match, rejects, throws } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isProductError } from '@lockstitch/kernel';
import { createArgon2Encoder } from '../../src/password/argon2-encoder.ts';
import { createBCryptEncoder } from '../../src/password/bcrypt-encoder.ts';
import { createLdapEncoder } from '../../src/password/ldap-encoder.ts';
import { createMessageDigestEncoder } from '../../src/password/message-digest-encoder.ts';
import { createNoOpEncoder } from '../../src/password/noop-encoder.ts';
import type { PasswordEncoder } from '../../src/password/password-encoder.ts';
import { createPbkdf2Encoder, PBKDF2_V5_5 } from '../../src/password/pbkdf2-encoder.ts';
import { createSCryptEncoder, SCRYPT_V4_1 } from '../../src/password/scrypt-encoder.ts';
import { createStandardEncoder } from '../../src/password/standard-encoder.ts';

const cheap: Readonly<Record<string, PasswordEncoder>> = {
  noop: createNoOpEncoder(),
  standard: createStandardEncoder({ secret: 'pepper' }),
  pbkdf2: createPbkdf2Encoder({ iterations: 2, secret: 'pepper', format: 'base64' }),
  bcrypt: createBCryptEncoder({ strength: 4 }),
  scrypt: createSCryptEncoder({ cpuCost: 4 }),
  argon2: createArgon2Encoder({ memory: 8, iterations: 1 }),
  digest: createMessageDigestEncoder('sha256'),
  ldap: createLdapEncoder(),
};

for (const [name, encoder] of Object.entries(cheap)) {
  test(`${name}: every password matches what it was encoded to, and no other does`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 12 }),
        fc.string({ maxLength: 12 }),
        async (raw, other) => {
          // LDAP passes clear text through when it has no prefix, so only hashes are compared here.
          const encoded = await encoder.encode(raw);
          equal(await encoder.matches(raw, encoded), true);
          equal(await encoder.matches(other, encoded), other === raw);
          equal(await encoder.matches(`${raw}x`, encoded), false);
        },
      ),
      { numRuns: 25 },
    );
  });

  test(`${name}: two users with one password are stored differently, unless it is clear text`, async () => {
    equal((await encoder.encode('12345')) === (await encoder.encode('12345')), name === 'noop');
  });

  test(`${name}: no stored password matches nothing`, async () => {
    for (const stored of [undefined, null] as unknown as readonly string[]) {
      const answer = await encoder.matches('x', stored).catch((error: unknown) => error);
      equal(answer === false || isProductError(answer), true, String(answer));
    }
  });

  test(`${name}: a password that is no string is refused and never hashed`, async () => {
    const missing = undefined as unknown as string;
    await rejects(encoder.encode(missing), { code: 'SECURITY_PASSWORD_MISSING' });
    await rejects(encoder.matches(missing, await encoder.encode('x')), { code: 'SECURITY_PASSWORD_MISSING' });
  });
}

describe('bcrypt', () => {
  const bcrypt = createBCryptEncoder();
  const long = 'a'.repeat(72);

  test('the Openwall vectors match', async () => {
    const vectors = [
      ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
      ['U*U*', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
      ['U*U*U', '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
      ['', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy'],
      [
        '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored',
        '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui',
      ],
    ] as const;
    for (const [raw, encoded] of vectors) equal(await bcrypt.matches(raw, encoded), true, encoded);
  });

  test('the prefixes 2a, 2b and 2y mean the same', async () => {
    const rest = '$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
    for (const version of ['2a', '2b', '2y']) equal(await bcrypt.matches('U*U', `$${version}${rest}`), true);
    equal(await bcrypt.matches('U*U', `$2x${rest}`), false);
    equal(await bcrypt.matches('U*U', `$3a${rest}`), false);
  });

  test('a hash of the first bcrypt, which repeats the password without a NUL between, is read', async () => {
    // "abcabc…" filled up to 72 bytes is the same key in 2a, where the NUL would be byte 73.
    const cycled = await createBCryptEncoder({ strength: 4 }).encode('abc'.repeat(24));
    const first = `$2${cycled.slice(3)}`;
    equal(await bcrypt.matches('abc', first), true);
    equal(await bcrypt.matches('abd', first), false);
    equal(await bcrypt.matches('', first), false);
  });

  test('72 bytes are encoded, 73 are refused; counted in UTF-8', async () => {
    const encoder = createBCryptEncoder({ strength: 4 });
    equal(await encoder.matches(long, await encoder.encode(long)), true);
    await rejects(encoder.encode(`${long}a`), { code: 'SECURITY_PASSWORD_TOO_LONG', status: 400 });
    await rejects(encoder.encode('é'.repeat(37)), { code: 'SECURITY_PASSWORD_TOO_LONG' });
  });

  test('a password stored elsewhere in cut form still matches', async () => {
    const encoded = await createBCryptEncoder({ strength: 4 }).encode(long);
    equal(await bcrypt.matches(`${long}and more`, encoded), true);
  });

  test('the stored text must be a bcrypt hash from end to end', async () => {
    const good = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
    for (const bad of ['', 'U*U', good.slice(0, -1), `${good}x`, ` ${good}`, `${good}\n`, good.replace('$05', '$5')]) {
      equal(await bcrypt.matches('U*U', bad), false, JSON.stringify(bad));
    }
  });

  test('rounds outside 4 to 31 are an error, in the stored text and in the settings', async () => {
    await rejects(bcrypt.matches('x', '$2a$32$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'), {
      code: 'SECURITY_HASH_MALFORMED',
    });
    throws(() => createBCryptEncoder({ strength: 3 }), { code: 'SECURITY_ENCODER_SETTING' });
    throws(() => createBCryptEncoder({ strength: 32 }), { code: 'SECURITY_ENCODER_SETTING' });
  });

  test('a weaker hash is to be upgraded, an equal or stronger one is not', () => {
    const of = (strength: string) => `$2a$${strength}$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`;
    deepEqual(
      ['04', '09', '10', '12'].map((strength) => bcrypt.upgradeEncoding(of(strength))),
      [true, true, false, false],
    );
    throws(() => bcrypt.upgradeEncoding('clear text'), { code: 'SECURITY_HASH_MALFORMED' });
  });
});

describe('standard', () => {
  test('is 1024 rounds of SHA-256 over salt, secret and password, as 80 hexadecimal digits', async () => {
    const salt = Buffer.from('0102030405060708', 'hex');
    let digest = createHash('sha256').update(salt).update('s3').update('12345').digest();
    for (let round = 1; round < 1024; round += 1) digest = createHash('sha256').update(digest).digest();
    const stored = salt.toString('hex') + digest.toString('hex');
    equal(stored.length, 80);
    equal(await createStandardEncoder({ secret: 's3' }).matches('12345', stored), true);
    equal(await createStandardEncoder().matches('12345', stored), false);
    equal(await createStandardEncoder({ secret: 's3' }).matches('12345', stored.slice(0, -2)), false);
    equal(await createStandardEncoder({ secret: 's3' }).matches('12345', ''), false);
  });
});

describe('pbkdf2', () => {
  test('the RFC 6070 vectors match, the secret standing behind the salt', async () => {
    const plain = createPbkdf2Encoder({ saltLength: 4, iterations: 4096, algorithm: 'sha1', keyLength: 20 });
    equal(await plain.matches('password', `${hex('salt')}4b007901b765489abead49d926f721d065a429c1`), true);
    const peppered = createPbkdf2Encoder({
      saltLength: 4,
      iterations: 4096,
      algorithm: 'sha1',
      keyLength: 25,
      secret: 'SALTsaltSALTsaltSALTsaltSALTsalt',
    });
    const key = '3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038';
    equal(await peppered.matches('passwordPASSWORDpassword', hex('salt') + key), true);
  });

  test('the two generations of defaults write 80 and 96 digits', async () => {
    match(await createPbkdf2Encoder(PBKDF2_V5_5).encode('12345'), /^[0-9a-f]{80}$/);
    match(await createPbkdf2Encoder().encode('12345'), /^[0-9a-f]{96}$/);
  });

  test('non-hexadecimal text is an error, too short text does not match', async () => {
    await rejects(createPbkdf2Encoder().matches('x', 'zz'), { code: 'SECURITY_HASH_MALFORMED' });
    equal(await createPbkdf2Encoder().matches('x', 'abcd'), false);
  });
});

describe('scrypt', () => {
  test('the RFC 7914 vector matches, its parameters read from the stored text', async () => {
    const key =
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887';
    const stored = `$e0801$${Buffer.from('SodiumChloride').toString('base64')}$${Buffer.from(key, 'hex').toString('base64')}`;
    equal(await createSCryptEncoder().matches('pleaseletmein', stored), true);
    equal(await createSCryptEncoder().matches('pleaseletmeout', stored), false);
  });

  test('the two generations of defaults write $e0801$ and $100801$', async () => {
    match(await createSCryptEncoder(SCRYPT_V4_1).encode('12345'), /^\$e0801\$.{88}\$.{44}$/);
    match(await createSCryptEncoder().encode('12345'), /^\$100801\$.{24}\$.{44}$/);
  });

  test('any weaker parameter asks for an upgrade', () => {
    const encoder = createSCryptEncoder();
    deepEqual(
      ['$e0801$AA$AA', '$100701$AA$AA', '$100801$AA$AA', '$110801$AA$AA'].map((stored) =>
        encoder.upgradeEncoding(stored),
      ),
      [true, true, false, false],
    );
  });

  test('parameters that are no number or would take gigabytes are an error', async () => {
    for (const cost of ['zz', '1f0801', '000801', 'ffffffff', '100000801']) {
      await rejects(
        createSCryptEncoder().matches('x', `$${cost}$AAAA$AAAA`),
        { code: 'SECURITY_HASH_MALFORMED' },
        cost,
      );
    }
    equal(await createSCryptEncoder().matches('x', '$e0801$AAAA'), false);
  });
});

describe('argon2', () => {
  const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

  test("the reference implementation's vector matches", async () => {
    equal(await createArgon2Encoder().matches('password', stored), true);
    equal(await createArgon2Encoder().matches('Password', stored), false);
  });

  test('less memory or fewer passes ask for an upgrade', () => {
    equal(createArgon2Encoder().upgradeEncoding(stored), false);
    equal(createArgon2Encoder({ iterations: 3 }).upgradeEncoding(stored), true);
    equal(createArgon2Encoder({ memory: 131_072 }).upgradeEncoding(stored), true);
  });

  test('a stored text cannot make the server allocate without bound', async () => {
    await rejects(createArgon2Encoder().matches('x', stored.replace('m=65536', 'm=99999999')), {
      code: 'SECURITY_HASH_MALFORMED',
    });
  });
});

describe('digests of old systems', () => {
  test('an unsalted SHA-1 and a salted MD5 are read', async () => {
    equal(await createMessageDigestEncoder('sha1').matches('abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'), true);
    const salted = `{NaCl}${createHash('md5').update('abc{NaCl}').digest('hex')}`;
    equal(await createMessageDigestEncoder('md5').matches('abc', salted), true);
    equal(await createMessageDigestEncoder('md5').matches('abd', salted), false);
  });

  test('the {SHA} and {SSHA} of a directory are read, another prefix is an error', async () => {
    const ldap = createLdapEncoder();
    equal(await ldap.matches('abc', '{SHA}qZk+NkcGgWq6PiVxeFDCbJzQ2J0='), true);
    equal(await ldap.matches('abd', '{SHA}qZk+NkcGgWq6PiVxeFDCbJzQ2J0='), false);
    match(await ldap.encode('abc'), /^\{SSHA\}/);
    await rejects(ldap.matches('abc', '{CRYPT}xyz'), { code: 'SECURITY_HASH_MALFORMED' });
  });
});

function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}
