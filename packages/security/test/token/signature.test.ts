import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import type { AuditEvent } from '../../src/audit/audit.ts';
import { checkKey, parseSignatureHeader, type SignatureKey, signRequest } from '../../src/token/signature.ts';
import { createMemoryNonces, createSignatureFilter, type SignatureOptions } from '../../src/token/signature-filter.ts';
import { run, type TestRequest } from '../support/run-filters.ts';

const shared: SignatureKey = { kind: 'shared', secret: randomBytes(32) };
const now = 1_700_000_000;
const clock = { now: () => now * 1000 };

function filterFor(key: SignatureKey, options: Partial<SignatureOptions> = {}) {
  return [
    createSignatureFilter({ signers: { k1: { key, name: 'machine', authorities: ['push'] } }, clock, ...options }),
  ];
}

const request = { method: 'POST', target: '/orders?x=1', body: Buffer.from('{"n":1}'), created: now };
const signed = (authorization: string, changes: TestRequest = {}): TestRequest => ({
  method: 'POST',
  target: '/orders?x=1',
  body: '{"n":1}',
  ...changes,
  headers: { authorization, ...changes.headers },
});

test("a signed request is from the key's owner", async () => {
  const answer = await run(filterFor(shared), signed(signRequest('k1', shared, request)));
  deepEqual([answer.user, [...answer.exchange.principal.authorities]], ['machine', ['push']]);
});

test('a private key signs as well: Ed25519, ECDSA and RSA-PSS', async () => {
  const pairs: [string, { privateKey: KeyObject; publicKey: KeyObject }][] = [
    ['ed25519', generateKeyPairSync('ed25519')],
    ['ec', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['rsa', generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ];
  for (const [name, { privateKey, publicKey }] of pairs) {
    const header = signRequest('k1', { kind: 'asymmetric', key: privateKey }, request);
    const filters = filterFor({ kind: 'asymmetric', key: publicKey });
    equal((await run(filters, signed(header))).user, 'machine', name);
    equal((await run(filters, signed(header, { body: '{"n":2}' }))).status, 401, name);
  }
});

test('a change of method, target, body, time or nonce breaks it', async () => {
  const header = signRequest('k1', shared, { ...request, nonce: 'nonce-0001' });
  const changed: TestRequest[] = [
    signed(header, { method: 'PUT' }),
    signed(header, { target: '/orders?x=2' }),
    signed(header, { target: '/orders' }),
    signed(header, { body: '{"n":1} ' }),
    signed(header.replace(String(now), String(now + 1))),
    signed(header.replace('nonce-0001', 'nonce-0002')),
    signed(header.replace('k1', 'k2')),
  ];
  for (const each of changed) {
    const answer = await run(filterFor(shared), each);
    deepEqual([answer.status, answer.reached, answer.json()['code']], [401, false, 'SECURITY_SIGNATURE_INVALID']);
  }
});

test('a replayed request is refused, and so is one outside the window', async () => {
  const filters = filterFor(shared);
  const header = signRequest('k1', shared, request);
  equal((await run(filters, signed(header))).reached, true);
  match((await run(filters, signed(header))).body, /nonce was used/);
  for (const created of [now - 301, now + 301]) {
    const late = signRequest('k1', shared, { ...request, created });
    match((await run(filters, signed(late))).body, /300 s off/);
  }
  equal((await run(filters, signed(signRequest('k1', shared, { ...request, created: now - 300 })))).reached, true);
});

test('a request that was signed in time and arrives too late is rejected', async () => {
  let time = (now - 300) * 1000;
  let takes = 0;
  const signers = () => {
    time += takes;
    return { key: shared, name: 'machine' };
  };
  const filters = [createSignatureFilter({ signers, clock: { now: () => time } })];
  const header = signRequest('k1', shared, request);
  equal((await run(filters, signed(header))).reached, true);
  time = (now + 300) * 1000;
  match((await run(filters, signed(header))).body, /nonce was used/);
  takes = 5000;
  match((await run(filters, signed(header))).body, /300 s off/);
});

test('a nonce that a wrong signature brought is still free', async () => {
  const filters = filterFor(shared);
  const wrong: SignatureKey = { kind: 'shared', secret: randomBytes(32) };
  await run(filters, signed(signRequest('k1', wrong, { ...request, nonce: 'nonce-0001' })));
  equal((await run(filters, signed(signRequest('k1', shared, { ...request, nonce: 'nonce-0001' })))).reached, true);
});

test('a public key is never taken for a shared secret', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const asSecret = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }));
  const forged = signRequest('k1', { kind: 'shared', secret: asSecret }, request);
  equal((await run(filterFor({ kind: 'asymmetric', key: publicKey }), signed(forged))).status, 401);
  equal(createPublicKey(privateKey).type, 'public');
});

test('names from the prototype of an object are no key ids', async () => {
  for (const keyId of ['__proto__', 'constructor', 'toString']) {
    equal((await run(filterFor(shared), signed(signRequest(keyId, shared, request)))).status, 401);
  }
});

test('a malformed signature is rejected; other schemes are ignored', async () => {
  const good = signRequest('k1', shared, request);
  for (const header of [
    'Signature',
    'Signature ',
    `${good}, keyId="k1"`,
    good.replace(/, nonce="[^"]+"/, ''),
    good.replace(/nonce="[^"]+"/, 'nonce="x"'),
    `${good}, extra="1"`,
    good.replace(`"${now}"`, '"-1"'),
  ]) {
    equal((await run(filterFor(shared), signed(header))).status, 401, header);
    equal(header === good ? undefined : parseSignatureHeader(header), undefined, header);
  }
  equal((await run(filterFor(shared), signed('Basic eDp5'))).user, 'anonymousUser');
});

test('weak and unsuitable keys are refused when they are set', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const keys: SignatureKey[] = [
    { kind: 'shared', secret: randomBytes(31) },
    { kind: 'asymmetric', key: publicKey },
    { kind: 'asymmetric', key: generateKeyPairSync('x25519').publicKey },
  ];
  for (const key of keys) throws(() => checkKey(key), { code: 'SECURITY_SETTING' });
  throws(() => filterFor(keys[0]!), { code: 'SECURITY_SETTING' });
});

test('failures are audited by key id, without signature or secret', async () => {
  const events: AuditEvent[] = [];
  const filters = filterFor(shared, { audit: { record: (event) => events.push(event) } });
  const header = signRequest('k1', shared, request);
  await run(filters, signed(header, { body: 'x' }));
  deepEqual(
    events.map((event) => ('username' in event ? event.username : '')),
    ['k1'],
  );
  equal(JSON.stringify(events).includes(parseSignatureHeader(header)!.signature.toString('base64')), false);
});

describe('nonces in memory', () => {
  test('when full of live ones, new requests are refused rather than old ones forgotten', () => {
    let time = 0;
    const nonces = createMemoryNonces({ max: 2, clock: { now: () => time } });
    deepEqual(
      [nonces.use('a', 10), nonces.use('b', 10), nonces.use('c', 10), nonces.use('a', 10)],
      [true, true, false, false],
    );
    time = 10;
    deepEqual([nonces.use('c', 20), nonces.use('a', 20)], [true, true]);
  });
});
