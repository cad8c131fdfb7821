import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { userNamed } from '../../src/users/user.ts';
import { createDefaultUser } from '../../src/users/default-user.ts';

const john = () => userNamed('john').password('{noop}s3cr3t');

test('a new account is enabled, not expired and not locked', () => {
  const user = john().authorities('read').build();
  deepEqual(
    [user.enabled, user.accountNonExpired, user.accountNonLocked, user.credentialsNonExpired],
    [true, true, true, true],
  );
});

test('each flag of the builder says what is wrong with the account', () => {
  const user = john().authorities('read').accountExpired().accountLocked().credentialsExpired().disabled().build();
  deepEqual(
    [user.enabled, user.accountNonExpired, user.accountNonLocked, user.credentialsNonExpired],
    [false, false, false, false],
  );
});

test('a role is an authority with ROLE_ in front', () => {
  deepEqual(john().roles('ADMIN', 'USER').build().authorities, ['ROLE_ADMIN', 'ROLE_USER']);
});

test('the last of authorities and roles wins', () => {
  deepEqual(john().authorities('read').roles('ADMIN').build().authorities, ['ROLE_ADMIN']);
});

test('authorities come sorted and without doubles', () => {
  deepEqual(john().authorities('b', 'a', 'b').build().authorities, ['a', 'b']);
});

test('an explicit empty list of authorities is accepted, none at all is not', () => {
  deepEqual(john().authorities().build().authorities, []);
  throws(() => john().build(), { code: 'SECURITY_USER_INVALID', message: /authorities/ });
});

test('a role with its prefix is rejected, and the message says what to write', () => {
  throws(() => john().roles('ROLE_ADMIN'), { code: 'SECURITY_USER_INVALID', message: /roles\('ADMIN'\)/ });
});

test('an authority, a name and a password are needed; the empty password is one', () => {
  throws(() => john().authorities(' '), { code: 'SECURITY_USER_INVALID' });
  throws(() => userNamed('').password('x').authorities().build(), { code: 'SECURITY_USER_INVALID' });
  throws(() => userNamed('john').authorities().build(), { code: 'SECURITY_USER_INVALID' });
  equal(userNamed('john').password('').authorities().build().password, '');
});

test('inspection, JSON, a spread copy and the text form never show the stored password', () => {
  const user = john().authorities('read').build();
  const shown = [
    inspect(user, { depth: 9, showHidden: true }),
    JSON.stringify(user),
    String(user),
    inspect(Object.assign({}, user)),
  ];
  equal(shown.join().includes('s3cr3t'), false);
  match(String(user), /Username=john, Password=\[PROTECTED\], Enabled=true/);
});

test('an erased user has no password, and the one it came from keeps its own', () => {
  const user = john().authorities('read').build();
  deepEqual([user.erased().password, user.password], [undefined, '{noop}s3cr3t']);
});

test('the principal of a user carries its name, authorities and attributes', () => {
  const principal = john().authorities('read').attributes({ tenant: 7 }).build().toPrincipal();
  deepEqual(
    [principal.name, principal.authenticated, [...principal.authorities], principal.attributes],
    ['john', true, ['read'], { tenant: 7 }],
  );
});

test('the default user is called user and has a new random password each time', async () => {
  const [first, second] = [createDefaultUser(), createDefaultUser()];
  equal(first.username, 'user');
  match(first.password, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  equal(first.password === second.password, false);
  const stored = await first.store.loadUserByUsername('user');
  equal(await first.encoder.matches(first.password, stored?.password ?? ''), true);
});
