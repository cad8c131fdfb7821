// Accounts over the store of the graph do what the user store promises, on SQLite and on PostgreSQL.
import { deepEqual, equal, rejects } from 'node:assert/strict';

import { createUserManager, createNoOpEncoder, userNamed } from '@lockstitch/security';

import { testOnStores } from '../../../graph/test/stores.ts';
import { openUserStore } from '../../src/data/user-store.ts';

testOnStores('an account is written with its authorities, found in any case, changed and removed', async (store) => {
  const users = await openUserStore(store);
  const again = await openUserStore(store);
  const ada = userNamed('Ada').password('one').authorities('write', 'read').attributes({ team: 'red' }).build();
  equal(await users.insertUser(ada), true);
  equal(await users.insertUser(userNamed('ADA').password('x').authorities().build()), false);
  const found = await again.loadUserByUsername('ada');
  deepEqual([found?.username, found?.password, found?.authorities], ['Ada', 'one', ['read', 'write']]);
  deepEqual([found?.attributes, found?.accountNonLocked, found?.enabled], [{ team: 'red' }, true, true]);

  equal(await users.replaceUser(found!.with({ accountNonLocked: false, authorities: ['read'] })), true);
  await users.updatePassword('ada', 'two', 'not the stored one');
  await users.updatePassword('ada', 'three', 'one');
  const changed = await again.loadUserByUsername('Ada');
  deepEqual([changed?.accountNonLocked, changed?.password, changed?.authorities], [false, 'three', ['read']]);

  await users.insertUser(userNamed('bob').password('b').authorities().build());
  deepEqual((await users.listUsers({ limit: 1 })).map(String).length, 1);
  deepEqual(
    (await users.listUsers({ after: 'ada' })).map(({ username }) => username),
    ['bob'],
  );
  equal(await users.removeUser('ADA'), true);
  equal(await users.removeUser('ADA'), false);
  equal(await users.loadUserByUsername('ada'), undefined);
});

testOnStores('of many who add the same account at once, one does', async (store) => {
  const users = await openUserStore(store);
  const manager = createUserManager({ store: users, encoder: createNoOpEncoder() });
  const adding = Array.from({ length: 8 }, (_, index) =>
    manager.createUser(userNamed('ada').password(`p${index}`).authorities(`a${index}`).build()),
  );
  const outcomes = await Promise.allSettled(adding);
  equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  const ada = await users.loadUserByUsername('ada');
  equal(ada?.authorities[0], `a${ada?.password?.slice(1)}`);
  await rejects(manager.createUser(ada!), { code: 'SECURITY_USER_EXISTS' });
});
