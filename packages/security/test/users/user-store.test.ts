import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import type { AuditEvent } from '../../src/audit/audit.ts';
import { createNoOpEncoder } from '../../src/password/noop-encoder.ts';
import { createStandardEncoder } from '../../src/password/standard-encoder.ts';
import { createMemoryUserStore } from '../../src/users/memory-user-store.ts';
import type { SqlDatabase } from '../../src/stores/sql-database.ts';
import { openSqlUserStore } from '../../src/users/sql-user-store.ts';
import { createUserManager } from '../../src/users/user-manager.ts';
import type { UserStore } from '../../src/users/user-store.ts';
import { userNamed } from '../../src/users/user.ts';
import { testOnDatabases } from '../support/databases.ts';

/** Runs a test body on the store in memory and on the SQL store over both databases. */
function testOnStores(name: string, body: (store: UserStore) => Promise<void>): void {
  test(`memory: ${name}`, () => body(createMemoryUserStore()));
  testOnDatabases(name, async (database) => body(await openSqlUserStore({ database })));
}

const john = userNamed('John')
  .password('{noop}12345')
  .authorities('read', 'ROLE_USER')
  .attributes({ tenant: 7 })
  .build();

testOnStores('gives back an account as it was put in', async (store) => {
  const locked = userNamed('l').password('p').authorities().accountLocked().credentialsExpired().build();
  await store.insertUser(john);
  await store.insertUser(locked);
  for (const user of [john, locked]) {
    const loaded = await store.loadUserByUsername(user.username);
    deepEqual([loaded, loaded?.password], [user, user.password]);
  }
  equal(await store.loadUserByUsername('nobody'), undefined);
});

testOnStores('takes names that differ in case for one account', async (store) => {
  equal(await store.insertUser(john), true);
  equal(await store.insertUser(userNamed('JOHN').password('x').authorities().build()), false);
  equal((await store.loadUserByUsername('john'))?.username, 'John');
});

testOnStores('replaces flags and authorities, and only of accounts that exist', async (store) => {
  equal(await store.replaceUser(john), false);
  await store.insertUser(john);
  equal(await store.replaceUser(john.with({ authorities: ['write'], enabled: false })), true);
  const loaded = await store.loadUserByUsername('John');
  deepEqual([loaded?.authorities, loaded?.enabled, loaded?.password], [['write'], false, '{noop}12345']);
});

testOnStores('does not overwrite a password that changed since it was checked', async (store) => {
  await store.insertUser(john);
  await store.updatePassword('John', 'upgraded', 'not the stored one');
  equal((await store.loadUserByUsername('John'))?.password, '{noop}12345');
  await store.updatePassword('John', 'upgraded', '{noop}12345');
  equal((await store.loadUserByUsername('John'))?.password, 'upgraded');
});

testOnStores('lists accounts in pages by name', async (store) => {
  for (const each of ['c', 'a', 'B']) await store.insertUser(userNamed(each).password('p').authorities('x').build());
  deepEqual(
    (await store.listUsers({ limit: 2 })).map((user) => user.username),
    ['a', 'B'],
  );
  deepEqual(
    (await store.listUsers({ after: 'b' })).map((user) => user.username),
    ['c'],
  );
});

testOnStores('a name full of SQL is just a name', async (store) => {
  const odd = userNamed(`x'; DROP TABLE security_users; --`).password('p').authorities(`'a"`).build();
  await store.insertUser(odd);
  deepEqual((await store.loadUserByUsername(odd.username))?.authorities, [`'a"`]);
});

testOnStores('the user manager creates, updates and deletes, refusing what cannot be', async (store) => {
  const manager = createUserManager({ store, encoder: createNoOpEncoder() });
  await rejects(manager.updateUser(john), { code: 'SECURITY_USER_NOT_FOUND' });
  await manager.createUser(john);
  equal(await manager.userExists('JOHN'), true);
  await rejects(manager.createUser(john), { code: 'SECURITY_USER_EXISTS', status: 409 });
  await manager.updateUser(john.with({ enabled: false }));
  equal((await manager.loadUserByUsername('john'))?.enabled, false);
  await manager.deleteUser('john');
  await manager.deleteUser('john');
  equal(await manager.userExists('john'), false);
});

testOnStores('a password is changed by its owner only, who must know the old one', async (store) => {
  const events: AuditEvent[] = [];
  const encoder = createStandardEncoder();
  const manager = createUserManager({
    store,
    encoder,
    audit: { record: (event) => events.push(event) },
  });
  await manager.createUser(john, { rawPassword: '12345' });
  const me = createPrincipal('John');
  await rejects(manager.changePassword('12345', 'new', undefined), { code: 'SECURITY_NO_CURRENT_USER' });
  await rejects(manager.changePassword('wrong', 'new', me), { code: 'SECURITY_BAD_CREDENTIALS' });
  await manager.changePassword('12345', 'n3w-passw0rd', me);
  const stored = (await manager.loadUserByUsername('john'))?.password ?? '';
  equal(await encoder.matches('n3w-passw0rd', stored), true);
  deepEqual(
    events.map((event) => event.kind),
    ['user-created', 'password-change-refused', 'password-changed'],
  );
  equal(/12345|wrong|n3w/.test(JSON.stringify(events)), false);
});

test('a manager without an encoder is refused when it is made', async () => {
  const store = createMemoryUserStore();
  await rejects(async () => createUserManager({ store } as unknown as Parameters<typeof createUserManager>[0]), {
    code: 'SECURITY_ENCODER_REQUIRED',
  });
});

test('for PostgreSQL every statement numbers its parameters', async () => {
  const statements: string[] = [];
  const database: SqlDatabase = {
    dialect: 'postgres',
    query: async (sql) => (statements.push(sql), []),
    transaction: (work) => work(database),
  };
  const store = await openSqlUserStore({ database, prefix: 'auth_' });
  await store.insertUser(john);
  await store.updatePassword('john', 'a', 'b');
  equal(
    statements.some((sql) => sql.includes('?')),
    false,
  );
  equal(
    statements.some((sql) => sql.includes('VALUES ($1, $2, $3, $4, $5, $6, $7, $8)')),
    true,
  );
  equal(statements.at(-1), 'UPDATE auth_users SET password = $1 WHERE user_key = $2 AND password = $3');
});

test('a changed password and a deleted account end the sessions of the user', async () => {
  const ended: string[] = [];
  const sessions = { endAllOf: async (name: string) => void ended.push(name) };
  const encoder = createNoOpEncoder();
  const manager = createUserManager({ store: createMemoryUserStore(), encoder, sessions });
  await manager.createUser(john, { rawPassword: 'old' });
  await manager.changePassword('old', 'new', createPrincipal('john'));
  await manager.deleteUser('nobody');
  await manager.deleteUser('John');
  deepEqual(ended, ['John', 'John']);
});
