import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { AuditEvent } from '../../src/audit/audit.ts';
import { createAuthenticator } from '../../src/authentication/authenticator.ts';
import { createBasicFilter } from '../../src/authentication/basic.ts';
import { basicEntryPoint } from '../../src/authentication/entry-points.ts';
import { createAuthenticationManager } from '../../src/authentication/manager.ts';
import { createStaticKeyFilter } from '../../src/authentication/static-key.ts';
import { createUserProvider } from '../../src/authentication/user-provider.ts';
import { createAttemptLimiter } from '../../src/limits/attempt-limiter.ts';
import { createDelegatingEncoder } from '../../src/password/delegating-encoder.ts';
import { createMemoryUserStore } from '../../src/users/memory-user-store.ts';
import { userNamed } from '../../src/users/user.ts';
import { basic, run } from '../support/run-filters.ts';

const user = (name: string, password: string) => userNamed(name).password(`{noop}${password}`).authorities('read');
const users = createMemoryUserStore([
  user('john', '12345').build(),
  user('colon', 'a:b:c').build(),
  user('empty', '').build(),
  user('jürgen', 'pässwörd').build(),
  user('你好', '🔑').build(),
  user('space user', ' pad ').build(),
  user('q?>', '?>~').build(),
  user('locked', 'x').accountLocked().build(),
  userNamed('unencoded').password('12345').authorities().build(),
]);
const provider = createUserProvider({ users, encoder: createDelegatingEncoder({ encodeId: 'noop' }) });
const manager = createAuthenticationManager({ providers: [provider] });
const filters = [createBasicFilter({ authenticator: createAuthenticator({ manager }) })];
const send = (authorization: string, headers: Record<string, string> = {}) =>
  run(filters, { headers: { authorization, ...headers } });
const encode = (text: string) => Buffer.from(text).toString('base64');

test('name and password authenticate, the scheme in any case', async () => {
  for (const scheme of ['Basic', 'basic', 'BASIC', 'bAsIc']) {
    equal((await send(`${scheme} ${encode('john:12345')}`)).user, 'john');
  }
});

test('the split is at the first colon, nothing is trimmed, everything is UTF-8', async () => {
  for (const pair of ['colon:a:b:c', 'empty:', 'jürgen:pässwörd', '你好:🔑', 'space user: pad ', 'q?>:?>~']) {
    equal((await send(`Basic ${encode(pair)}`)).user, pair.split(':', 1)[0]);
  }
  for (const pair of ['john:12345\n', 'john:12345\0', ' john:12345', 'john: 12345', 'space user:pad']) {
    equal((await send(`Basic ${encode(pair)}`)).status, 401, JSON.stringify(pair));
  }
});

test('a malformed header is 401 with its own message, even where no log-in is needed', async () => {
  const table = [
    ['Basic', 'Empty basic authentication token'],
    ['Basic ', 'Empty basic authentication token'],
    [`Basic  ${encode('john:12345')}`, 'Failed to decode basic authentication token'],
    [`Basic\t${encode('john:12345')}`, 'Failed to decode basic authentication token'],
    ['Basic !!!!', 'Failed to decode basic authentication token'],
    ['Basic cT8-Oj8-fg==', 'Failed to decode basic authentication token'],
    [`Basic ${encode('john')}`, 'Invalid basic authentication token'],
  ] as const;
  for (const [authorization, message] of table) {
    const answer = await send(authorization);
    deepEqual([answer.status, answer.reached, answer.json()['message']], [401, false, message], authorization);
  }
});

test('a cached header line is audited like any success, and ignored after failed attempts at its account', async () => {
  const events: AuditEvent[] = [];
  const audit = { record: (event: AuditEvent) => void events.push(event) };
  const attempts = createAttemptLimiter({ byPair: { failures: 1, seconds: 60 } });
  const limited = [createBasicFilter({ authenticator: createAuthenticator({ manager, attempts, audit }) })];
  const sent = (pair: string) => run(limited, { headers: { authorization: `Basic ${encode(pair)}` } });
  for (let round = 0; round < 4; round++) equal((await sent('john:12345')).user, 'john');
  deepEqual(
    events.map(({ kind }) => kind),
    Array.from({ length: 4 }, () => 'authentication-success'),
  );
  equal((await sent('john:wrong')).status, 401);
  equal((await sent('john:12345')).status, 429);
});

test('padding may be left out', async () => {
  equal((await send(`Basic ${encode('john:12345').replace(/=+$/, '')}`)).user, 'john');
});

test('no header and other schemes are left to others', async () => {
  for (const headers of [{}, { authorization: 'Bearer x' }, { authorization: '' }, { authorization: 'john:12345' }]) {
    const answer = await run(filters, { headers });
    deepEqual([answer.reached, answer.user], [true, 'anonymousUser']);
  }
});

test('a refusal is 401 with a challenge and a body of status, error, message, path, code and hint', async () => {
  const answer = await run(filters, { target: '/any', headers: basic('john', 'wrong') });
  deepEqual([answer.status, answer.headers['www-authenticate']], [401, 'Basic realm="Realm"']);
  const { status, error, message, path, code } = answer.json();
  deepEqual(
    [status, error, message, path, code],
    [401, 'Unauthorized', 'Bad credentials', '/any', 'SECURITY_BAD_CREDENTIALS'],
  );
});

test('an unknown name, a wrong password and a locked account answer the same, byte for byte', async () => {
  const answers = [
    await send(`Basic ${encode('nobody:x')}`),
    await send(`Basic ${encode('john:x')}`),
    await send(`Basic ${encode('locked:x')}`),
  ];
  equal(new Set(answers.map(({ body, headers, status }) => JSON.stringify([body, headers, status]))).size, 1);
});

test('a script gets no challenge', async () => {
  const answer = await send(`Basic ${encode('john:x')}`, { 'x-requested-with': 'XMLHttpRequest' });
  deepEqual([answer.status, answer.headers['www-authenticate']], [401, undefined]);
});

test('a stored password without an encoder is 500 with a code, logged with its reason and without the password', async () => {
  const lines: string[] = [];
  const log = { write: (...line: readonly unknown[]) => void lines.push(JSON.stringify(line)) };
  const answer = await run([createBasicFilter({ authenticator: createAuthenticator({ manager, log }) })], {
    headers: basic('unencoded', '12345'),
  });
  deepEqual([answer.status, answer.json()['code']], [500, 'SECURITY_AUTHENTICATION_SERVICE']);
  match(lines.join(), /no PasswordEncoder/);
  equal(/12345/.test(lines.join() + answer.body), false);
});

test('every success and failure is audited, and no event holds a password', async () => {
  const events: AuditEvent[] = [];
  const authenticator = createAuthenticator({ manager, audit: { record: (event) => events.push(event) } });
  const audited = [createBasicFilter({ authenticator })];
  for (const [name, password] of [
    ['john', '12345'],
    ['john', 'wr0ng'],
    ['locked', 'x'],
    ['n'.repeat(500), 'y'],
  ] as const) {
    await run(audited, { target: '/a', headers: basic(name, password) });
  }
  await run(audited, { headers: { authorization: 'Basic !' } });
  deepEqual(
    events.map((event) => ('code' in event ? event.code : event.kind)),
    [
      'authentication-success',
      'SECURITY_BAD_CREDENTIALS',
      'SECURITY_ACCOUNT_LOCKED',
      'SECURITY_BAD_CREDENTIALS',
      'SECURITY_BASIC_MALFORMED',
    ],
  );
  equal(/12345|wr0ng/.test(JSON.stringify(events)), false);
  equal(JSON.stringify(events).includes('n'.repeat(129)), false);
});

test('a realm is quoted; an empty one, or one that would break the header, is refused when it is set', async () => {
  const realm = [createBasicFilter({ authenticator: createAuthenticator({ manager }), realm: 'say "hi"\\' })];
  equal((await run(realm, { headers: basic('x', 'y') })).headers['www-authenticate'], 'Basic realm="say \\"hi\\"\\\\"');
  for (const bad of ['', 'a\r\nSet-Cookie: x=1', 'é'])
    throws(() => basicEntryPoint({ realm: bad }), { code: 'SECURITY_SETTING' });
});

test('a static key must be the whole header, letter for letter', async () => {
  const keyed = [createStaticKeyFilter({ keys: [{ key: 'SD9cICjl1e', name: 'machine', authorities: ['push'] }] })];
  const answer = await run(keyed, { headers: { authorization: 'SD9cICjl1e' } });
  deepEqual([answer.user, [...answer.exchange.principal.authorities]], ['machine', ['push']]);
  const wrong: Record<string, string>[] = [
    {},
    { authorization: '' },
    { authorization: 'sd9cicjl1e' },
    { authorization: 'Basic SD9cICjl1e' },
    { 'x-api-key': 'SD9cICjl1e' },
    { authorization: 'SD9cICjl1' },
  ];
  for (const headers of wrong) {
    const refused = await run(keyed, { headers });
    deepEqual([refused.status, refused.reached, refused.json()['code']], [401, false, 'SECURITY_KEY_INVALID']);
  }
  for (const keys of [[], [{ key: '' }], [{ key: ' x ' }]])
    throws(() => createStaticKeyFilter({ keys }), { code: 'SECURITY_SETTING' });
});

test('a password proven before is answered at once, but the account as it is now decides', async () => {
  const john = user('john', '12345').build();
  const store = createMemoryUserStore([john]);
  let hashed = 0;
  const inner = createDelegatingEncoder({ encodeId: 'noop' });
  const encoder = { ...inner, matches: (raw: string, encoded: string) => ((hashed += 1), inner.matches(raw, encoded)) };
  const events: AuditEvent[] = [];
  const own = createAuthenticationManager({ providers: [createUserProvider({ users: store, encoder })] });
  const cached = [
    createBasicFilter({
      authenticator: createAuthenticator({ manager: own, audit: { record: (event) => events.push(event) } }),
    }),
  ];
  const ask = () => run(cached, { headers: basic('john', '12345') });
  await ask();
  await ask();
  deepEqual([hashed, events.map(({ kind }) => kind)], [1, ['authentication-success', 'authentication-success']]);
  equal(inspect((await ask()).exchange.authentication, { depth: 9 }).includes('12345'), false);
  await store.replaceUser(john.with({ authorities: ['write'] }));
  deepEqual([...(await ask()).exchange.principal.authorities], ['write']);
  for (const flag of ['enabled', 'accountNonLocked', 'accountNonExpired', 'credentialsNonExpired'] as const) {
    await store.replaceUser(john.with({ [flag]: false }));
    equal((await ask()).status, 401, flag);
  }
  await store.replaceUser(john.withPassword('{noop}other'));
  equal((await ask()).status, 401);
  await store.removeUser('john');
  equal((await ask()).status, 401);
});
