// What asking the security chain again comes to.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';

import { createPrincipal } from '@lockstitch/kernel';
import {
  createMemoryUserStore,
  createNoOpEncoder,
  createSecurity,
  type SecurityRequest,
  userNamed,
  type UserStore,
} from '@lockstitch/security';

import { createRechecks } from '../../src/http/recheck.ts';

const request = (headers: Readonly<Record<string, string>>): SecurityRequest => ({
  method: 'GET',
  target: '/graphql',
  rawHeaders: Object.entries({ host: 'localhost', ...headers }).flat(),
  remoteAddress: '127.0.0.1',
  secure: false,
  header: (name) => ({ host: 'localhost', ...headers })[name],
  readBody: () => Promise.reject(new Error('The body has been read.')),
});
const ADA = { authorization: `Basic ${btoa('ada:pw')}` };

async function open(): Promise<{ users: UserStore; hashes: () => number; recheck: ReturnType<typeof createRechecks> }> {
  let hashed = 0;
  const plain = createNoOpEncoder();
  const passwordEncoder = {
    ...plain,
    matches: (raw: string, encoded: string) => {
      hashed++;
      return plain.matches(raw, encoded);
    },
  };
  const users = createMemoryUserStore([userNamed('ada').password('pw').authorities('read').build()]) as UserStore;
  const security = createSecurity({ users, passwordEncoder, credentialCache: false });
  return { users, hashes: () => hashed, recheck: createRechecks(security, users) };
}

test('a password is hashed again only when its account has changed', async () => {
  const { users, hashes, recheck } = await open();
  const first = createPrincipal('ada', ['read']);
  const ask = recheck(request(ADA), first);
  for (let index = 0; index < 5; index++) equal(await ask(), first);
  equal(hashes(), 1);
  const user = (await users.loadUserByUsername('ada'))!;
  await users.replaceUser(user.with({ authorities: ['read', 'write'] }));
  const changed = await ask();
  deepEqual([...changed!.authorities], ['read', 'write']);
  equal(await ask(), changed);
  equal(hashes(), 2);
  await users.replaceUser(user.withPassword('other'));
  equal(await ask(), undefined);
});

test('one-time credentials are not asked for again while the account is unchanged', async () => {
  const { users, hashes, recheck } = await open();
  const first = createPrincipal('ada', ['read']);
  const ask = recheck(request({ ...ADA, 'x-one-time-password': '123456' }), first);
  for (let index = 0; index < 3; index++) equal(await ask(), first);
  equal(hashes(), 0);
  await users.replaceUser((await users.loadUserByUsername('ada'))!.withPassword('other'));
  equal(await ask(), undefined);
  const signing = recheck(request({ authorization: 'Signature keyId="k"' }), first);
  equal(await signing(), first);
});

test('another or an anonymous caller loses the connection', async () => {
  const { recheck } = await open();
  equal(await recheck(request(ADA), createPrincipal('eve', ['read']))(), undefined);
  equal(await recheck(request({}), createPrincipal('ada', ['read']))(), undefined);
});

test('too many requests say nothing about rights, and a fault says so', async () => {
  const answering = (status: number) =>
    createRechecks(
      { handle: () => Promise.resolve({ kind: 'answer', status, headers: [], body: undefined }) },
      createMemoryUserStore([]),
    )(request({}), createPrincipal('ada'));
  equal((await answering(429)())?.name, 'ada');
  equal(await answering(401)(), undefined);
  equal(await answering(403)(), undefined);
  await rejects(answering(503)(), /503/);
});
