// Where Spring Security 5.8 answers otherwise: what is stricter here stands in docs/spring-differences.md, the rest is alike.
import { deepEqual, equal, match, ok, throws } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ANONYMOUS, createPrincipal } from '@lockstitch/kernel';
import {
  type AccessBuilder,
  type CompletedRules,
  createSecurity,
  passwordAttempt,
  type RuleBuilder,
  userNamed,
} from '@lockstitch/security';
import { basicEntryPoint } from '../../src/authentication/entry-points.ts';
import { createAuthenticator } from '../../src/authentication/authenticator.ts';
import { createBasicFilter } from '../../src/authentication/basic.ts';
import { createAuthenticationManager } from '../../src/authentication/manager.ts';
import { createUserProvider } from '../../src/authentication/user-provider.ts';
import { createFormLoginFilter } from '../../src/login/form-login.ts';
import { createRequestIdFilter } from '../../src/login/request-id.ts';
import { createNoOpEncoder } from '../../src/password/noop-encoder.ts';
import { createSessions } from '../../src/session/sessions.ts';
import { createMemoryUserStore } from '../../src/users/memory-user-store.ts';
import { run } from '../support/run-filters.ts';

const page = readFileSync(new URL('../../../../docs/spring-differences.md', import.meta.url), 'utf8');

const outcome = (rules: (builder: RuleBuilder) => CompletedRules): string => {
  try {
    return createSecurity({ rules, print: () => undefined }).warnings.join();
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
};

test('3.8 rules that Spring takes and that can never decide are refused at the start, and documented', () => {
  const any = (say: (access: AccessBuilder<CompletedRules>) => CompletedRules) => outcome((r) => say(r.anyRequest()));
  for (const [seen, message, documented] of [
    [any((r) => r.hasAnyAuthority()), /SECURITY_ROLE_INVALID: hasAnyAuthority\(\) names nobody/, '`hasAnyAuthority()`'],
    [any((r) => r.hasAnyRole()), /SECURITY_ROLE_INVALID: hasAnyRole\(\) names nobody/, '`hasAnyRole()`'],
    [any((r) => r.access('hasAnyAuthority()')), /EXPRESSION_/, '`hasAnyAuthority()`'],
    [any((r) => r.access('hasRole(null)')), /takes a string, not null/, '`hasRole(null)`'],
    [any((r) => r.access('hasAuthority(null)')), /takes a string, not null/, '`hasAuthority(null)`'],
    [any((r) => r.hasAnyRole('ROLE_X')), /should not start with 'ROLE_'/, '`hasAnyRole("ROLE_X")`'],
    [any((r) => r.hasAuthority(null as never)), /SECURITY_ROLE_INVALID/, 'null is not an authority'],
    [any((r) => r.hasAnyAuthority('a', '')), /SECURITY_ROLE_INVALID/, ''],
    [any((r) => r.access(null as never)), /SECURITY_RULE_INVALID/, ''],
    [outcome((r) => r.ant('/a/x}').permitAll()), /a "}" has no opening "{"/, '`/a/x}`'],
    [outcome((r) => r.mvc('/a/x}').permitAll()), /a "}" has no opening "{"/, '`/a/x}`'],
    [outcome((r) => r.ant('/a/{}').permitAll()), /SECURITY_PATTERN_INVALID/, '`/a/{}`'],
    [outcome((r) => r.mvc('').permitAll()), /The Mvc pattern "" is not valid: it is empty/, 'an empty MVC pattern'],
    [outcome((r) => r.ant(null as never).permitAll()), /SECURITY_PATTERN_INVALID/, ''],
    [
      outcome((r) => r.ant('admin/**').denyAll()),
      /can never match: a path starts with "\/"\. Did you mean "\/admin\/\*\*"/,
      'without a leading `/`',
    ],
  ] as const) {
    match(seen, message);
    ok(page.includes(documented), documented);
  }
});

function login() {
  const users = createMemoryUserStore([
    userNamed('john').password('12345').authorities().build(),
    userNamed('a').password('b').authorities().build(),
    userNamed('\u00a0john').password('12345').authorities().build(),
  ]);
  const manager = createAuthenticationManager({
    providers: [createUserProvider({ users, encoder: createNoOpEncoder() })],
  });
  const authenticator = createAuthenticator({ manager });
  const sessions = createSessions();
  return [
    createFormLoginFilter({ authenticator, sessions }),
    createBasicFilter({ authenticator, entryPoint: basicEntryPoint() }),
  ];
}

test('3.8 Base64 of HTTP Basic is padded as a whole or not at all', async () => {
  const as = async (token: string) => (await run(login(), { headers: { authorization: `Basic ${token}` } })).user;
  deepEqual(
    [
      await as('am9objoxMjM0NQ=='),
      await as('am9objoxMjM0NQ'),
      await as('am9objoxMjM0NQ='),
      await as('am9objoxMjM0NQ==='),
      await as('am9objoxMjM0NQ===='),
      await as('YTpi'),
      await as('YTpi='),
      await as('YTpi===='),
      await as('YT=pi'),
      await as('am9objoxMjM0NQ==\u00a0'),
      await as('am9objoxMjM0NQ== \t'),
    ],
    ['john', 'john', '', '', '', 'a', '', '', '', '', 'john'],
  );
});

test('3.8 U+00A0 is a character like any other in a Request-Id and a user name', async () => {
  const reached = async (id: string) =>
    (await run([createRequestIdFilter()], { headers: { 'request-id': id } })).reached;
  for (const id of ['\u00a0', '\u2007', '\u202f', '\ufeff', '0', ' x '])
    equal(await reached(id), true, JSON.stringify(id));
  for (const id of ['', ' ', '\t', ' \t\u2003 ', '\u001c']) equal(await reached(id), false, JSON.stringify(id));
  const form = async (username: string) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ username, password: '12345' }).toString();
    const { exchange } = await run(login(), { method: 'POST', target: '/login', headers, body });
    return exchange.principal.name;
  };
  deepEqual(
    [await form(' john\t'), await form('\u00a0john '), await form('john\u00a0')],
    ['john', '\u00a0john', 'anonymousUser'],
  );
});

test('3.8 authentications, users, principals and their authorities are immutable', () => {
  const user = userNamed('john').password('x').authorities('read').build();
  const attempt = passwordAttempt('john', 'x');
  const write = (target: object, changes: object) => () => Object.assign(target, changes);
  throws(write(attempt, { authenticated: true }), TypeError);
  throws(write(attempt, { principal: user.toPrincipal() }), TypeError);
  throws(write(attempt.succeeded({ user }), { name: 'root' }), TypeError);
  throws(write(user, { enabled: false }), TypeError);
  throws(write(user.toPrincipal(), { authenticated: false }), TypeError);
  for (const { authorities } of [
    user.toPrincipal(),
    createPrincipal('x', ['a']),
    ANONYMOUS,
    attempt.succeeded({ user }),
  ]) {
    const set = authorities as Set<string>;
    throws(() => set.add('ROLE_ADMIN'), TypeError);
    throws(() => set.delete('read'), TypeError);
    throws(() => set.clear(), TypeError);
  }
  equal(attempt.authenticated, false);
  deepEqual([...user.toPrincipal().authorities], ['read']);
});
