// Area C of the specification where it is about the security package used as a library, without the server.
import { deepEqual, equal, match, notEqual, ok, rejects, throws } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { after, describe } from 'node:test';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import {
  Authentication,
  type AuthenticationProvider,
  type ContextMode,
  createAttemptLimiter,
  createAuthenticationManager,
  createBCryptEncoder,
  createClientCsrfRepository,
  createExpiringCsrfRepository,
  createMemoryUserStore,
  createNoOpEncoder,
  createOneTimeFilter,
  createPbkdf2Encoder,
  createSCryptEncoder,
  createSecurity,
  createSecurityContextHolder,
  createSignatureFilter,
  createStandardEncoder,
  createUserManager,
  createUserProvider,
  CSRF,
  type CsrfTokenRepository,
  nodeHandler,
  oncePerRequest,
  type PasswordEncoder,
  type SecurityConfig,
  type SecurityContext,
  signRequest,
  type User,
  userNamed,
} from '@lockstitch/security';
import { basic, type Client, createClient } from './http-client.ts';
import { spec } from './suite.ts';

const john = (): User => userNamed('john').password('12345').authorities('read').build();
const contextOf = (principal: Principal): SecurityContext => ({ authentication: { principal, login: 'full' } });

describe('C. The security package as a library', () => {
  /** A server with one handler, which answers who is asking and the CSRF token it sees, behind a chain. */
  const serve = (config: SecurityConfig): Client => {
    const security = createSecurity({ users: [john()], passwordEncoder: createNoOpEncoder(), csrf: false, ...config });
    const server = createServer(
      nodeHandler(security, async (_request, response, exchange) => {
        const token = (await exchange.get(CSRF)?.obtain())?.token;
        response.end(JSON.stringify({ user: security.context.principal().name, token }));
      }),
    );
    after(() => server.close());
    return createClient(server, 'in-process');
  };
  const get = async (client: Client, headers: Record<string, string> = {}): Promise<number> =>
    (await client({ path: '/x', headers })).status;

  spec('C.object.1', 'a user and the four flags', () => {
    const user = userNamed('ada')
      .password('{noop}x')
      .roles('ADMIN')
      .accountExpired()
      .accountLocked()
      .credentialsExpired()
      .disabled()
      .build();
    deepEqual(
      [
        user.username,
        user.authorities,
        user.accountNonExpired,
        user.accountNonLocked,
        user.credentialsNonExpired,
        user.enabled,
      ],
      ['ada', ['ROLE_ADMIN'], false, false, false, false],
    );
    ok(john().accountNonExpired && john().accountNonLocked && john().credentialsNonExpired && john().enabled);
  });

  spec('C.object.2', 'authorities are named when a user is built', () => {
    throws(() => userNamed('ada').password('x').build(), /authorities/);
    deepEqual(userNamed('ada').password('x').authorities('any text at all').build().authorities, ['any text at all']);
  });

  spec('C.object.3', 'a role is an authority with a prefix', () => {
    deepEqual(userNamed('ada').password('x').roles('ADMIN').build().authorities, ['ROLE_ADMIN']);
    throws(() => userNamed('ada').password('x').roles('ROLE_ADMIN'), /ROLE_/);
  });

  spec('C.object.5', 'an authentication is a request, and afterwards its result', async () => {
    const attempt = new Authentication({
      kind: 'password',
      name: 'john',
      credentials: '12345',
      details: { address: '::1' },
    });
    deepEqual([attempt.authenticated, attempt.credentials, attempt.details.address], [false, '12345', '::1']);
    const provider = createUserProvider({ users: createMemoryUserStore([john()]), encoder: createNoOpEncoder() });
    const result = await createAuthenticationManager({ providers: [provider] }).authenticate(attempt);
    deepEqual(
      [result.authenticated, result.principal.name, [...result.principal.authorities]],
      [true, 'john', ['read']],
    );
  });

  spec('C.object.6', 'the context holds the authentication of the current request', async () => {
    const client = serve({});
    deepEqual((await client({ path: '/x', headers: basic('john', '12345') })).json(), { user: 'john' });
  });

  const manage = () => {
    const store = createMemoryUserStore([john()]);
    return createUserManager({ store, encoder: createNoOpEncoder() });
  };
  spec('C.user-manager.1', 'create', async () => {
    const manager = manage();
    await manager.createUser(userNamed('jane').password('x').authorities('read').build());
    equal(await manager.userExists('jane'), true);
    await rejects(manager.createUser(john()), { code: 'SECURITY_USER_EXISTS' });
  });
  spec('C.user-manager.2', 'update', async () => {
    const manager = manage();
    await manager.updateUser(userNamed('john').password('12345').authorities('write').build());
    deepEqual((await manager.loadUserByUsername('john'))!.authorities, ['write']);
  });
  spec('C.user-manager.3', 'delete', async () => {
    const manager = manage();
    await manager.deleteUser('john');
    await manager.deleteUser('john');
    equal(await manager.userExists('john'), false);
  });
  spec('C.user-manager.4', 'change password', async () => {
    const manager = manage();
    const caller = createPrincipal('john');
    await rejects(manager.changePassword('wrong', 'new', caller), { code: 'SECURITY_BAD_CREDENTIALS' });
    await manager.changePassword('12345', 'new', caller);
    equal((await manager.loadUserByUsername('john'))!.password, 'new');
  });
  spec('C.user-manager.5', 'exists', async () => {
    deepEqual([await manage().userExists('john'), await manage().userExists('jane')], [true, false]);
  });
  spec('C.user-manager.6', 'load', async () => {
    equal((await manage().loadUserByUsername('john'))!.username, 'john');
    equal(await manage().loadUserByUsername('jane'), undefined);
  });

  const encoders: readonly (readonly [
    id: `C.encoder.${number}`,
    name: string,
    encoder: PasswordEncoder,
    form: RegExp,
  ])[] = [
    ['C.encoder.4', 'NoOp', createNoOpEncoder(), /^secret$/],
    ['C.encoder.5', 'Standard', createStandardEncoder(), /^[0-9a-f]{80}$/],
    ['C.encoder.6', 'Pbkdf2', createPbkdf2Encoder({ iterations: 1000 }), /^[0-9a-f]+$/],
    ['C.encoder.7', 'BCrypt', createBCryptEncoder({ strength: 4 }), /^\$2[ab]\$04\$.{53}$/],
    ['C.encoder.8', 'SCrypt', createSCryptEncoder({ cpuCost: 1024 }), /^\$[0-9a-f]+\$.+\$.+$/],
  ];
  const roundTrip = async (encoder: PasswordEncoder, form: RegExp): Promise<void> => {
    const encoded = await encoder.encode('secret');
    match(encoded, form);
    equal(await encoder.matches('secret', encoded), true);
    equal(await encoder.matches('Secret', encoded), false);
  };
  spec('C.encoder.4', 'NoOp', () => roundTrip(encoders[0]![2], encoders[0]![3]));
  spec('C.encoder.5', 'Standard', () => roundTrip(encoders[1]![2], encoders[1]![3]));
  spec('C.encoder.6', 'Pbkdf2', () => roundTrip(encoders[2]![2], encoders[2]![3]));
  spec('C.encoder.7', 'BCrypt', () => roundTrip(encoders[3]![2], encoders[3]![3]));
  spec('C.encoder.8', 'SCrypt', () => roundTrip(encoders[4]![2], encoders[4]![3]));
  spec('C.encoder.1', 'encode, salted: twice the same password, two different texts', async () => {
    for (const [, name, encoder] of encoders.slice(1))
      notEqual(await encoder.encode('secret'), await encoder.encode('secret'), name);
  });
  spec('C.encoder.2', 'matches hashes that others made', async () => {
    equal(
      await createBCryptEncoder().matches('U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'),
      true,
    );
  });
  spec('C.encoder.3', 'no upgrade unless an encoder asks for one', async () => {
    equal(createNoOpEncoder().upgradeEncoding('x'), false);
    const weak = await createBCryptEncoder({ strength: 4 }).encode('x');
    deepEqual(
      [
        createBCryptEncoder({ strength: 5 }).upgradeEncoding(weak),
        createBCryptEncoder({ strength: 4 }).upgradeEncoding(weak),
      ],
      [true, false],
    );
  });

  spec('C.rule.1', 'a rule after the catch-all, and a rule that can never match, are start-up errors', () => {
    throws(
      () =>
        createSecurity({
          rules: [
            { any: true, access: 'authenticated' },
            { ant: '/x', access: 'permitAll' },
          ],
        }),
      /anyRequest/,
    );
    throws(
      () =>
        createSecurity({
          rules: [
            { ant: '/a/**', access: 'permitAll' },
            { ant: '/a/b', access: 'denyAll' },
          ],
        }),
      /\/a\/b/,
    );
    throws(
      () =>
        createSecurity((http) =>
          http.authorizeRequests(
            (r) => (r.anyRequest().authenticated() as unknown as typeof r).ant('/x').permitAll() as never,
          ),
        ),
      /anyRequest|not a function/,
    );
  });

  spec('C.rule-kind.8', 'a time condition', async () => {
    for (const [hour, status] of [
      [13, 200],
      [3, 403],
    ] as const) {
      const client = serve({
        beans: { clock: { hour: () => hour } },
        rules: [{ any: true, access: '@clock.hour() >= 12 and authenticated' }],
      });
      equal(await get(client, basic('john', '12345')), status);
    }
  });

  const marker = (log: string[], name: string) => ({
    name,
    handle: (exchange: never, next: (exchange: never) => void | Promise<void>) => {
      log.push(name);
      return next(exchange);
    },
  });
  spec('C.filter.2', 'before, after and at a known filter', async () => {
    const log: string[] = [];
    const client = serve({
      rules: [{ any: true, access: 'permitAll' }],
      filters: [
        { filter: marker(log, 'after'), after: 'basic' },
        { filter: marker(log, 'before'), before: 'basic' },
        { filter: marker(log, 'at'), at: 'csrf' },
      ],
    });
    await get(client);
    deepEqual(log, ['at', 'before', 'after']);
    throws(() => serve({ filters: [{ filter: marker(log, 'x'), before: 'bsaic' }] }), /basic/);
  });

  spec('C.filter.3', 'once per request', async () => {
    const log: string[] = [];
    const once = oncePerRequest(marker(log, 'once') as never);
    const client = serve({
      rules: [{ any: true, access: 'permitAll' }],
      filters: [
        { filter: once, before: 'csrf' },
        { filter: once, after: 'basic' },
      ],
    });
    await get(client);
    deepEqual(log, ['once']);
    await get(client);
    deepEqual(log, ['once', 'once']);
  });

  spec('C.authentication.3', 'an own user store needs an own encoder', () => {
    throws(() => createSecurity({ users: [john()] }), { code: 'SECURITY_ENCODER_REQUIRED' });
  });

  spec('C.authentication.4', 'filter, manager, provider, store and encoder, in that order', async () => {
    const seen: string[] = [];
    const store = createMemoryUserStore([john()]);
    const encoder = createNoOpEncoder();
    const client = serve({
      users: { ...store, loadUserByUsername: (name) => (seen.push(`store ${name}`), store.loadUserByUsername(name)) },
      passwordEncoder: { ...encoder, matches: (raw, encoded) => (seen.push('encoder'), encoder.matches(raw, encoded)) },
    });
    equal(await get(client, basic('john', '12345')), 200);
    deepEqual(seen.slice(0, 2), ['store john', 'encoder']);
  });

  spec('C.authentication.5', 'undefined, an error, or a result without the password', async () => {
    const other: AuthenticationProvider = { authenticate: () => Promise.resolve(undefined) };
    const users = createUserProvider({ users: createMemoryUserStore([john()]), encoder: createNoOpEncoder() });
    const manager = createAuthenticationManager({ providers: [other, users] });
    const attempt = (password: string): Authentication =>
      new Authentication({ kind: 'password', name: 'john', credentials: password });
    const result = await manager.authenticate(attempt('12345'));
    deepEqual([result.authenticated, result.credentials], [true, undefined]);
    await rejects(manager.authenticate(attempt('wrong')), { code: 'SECURITY_BAD_CREDENTIALS' });
    await rejects(createAuthenticationManager({ providers: [other] }).authenticate(attempt('x')), {
      code: 'SECURITY_PROVIDER_NOT_FOUND',
    });
  });

  spec('C.authentication.6', 'an own entry point: headers and body', async () => {
    const client = serve({
      entryPoint: (exchange, error) => {
        exchange.response.setHeader('message', 'Luke, I am your father!');
        exchange.respond(401, JSON.stringify({ why: error.code }), 'application/json');
      },
    });
    const answer = await client({ path: '/x' });
    deepEqual([answer.status, answer.headers['message']], [401, 'Luke, I am your father!']);
  });

  spec('C.authentication.9', 'a signature over the request', async () => {
    const key = { kind: 'shared', secret: Buffer.alloc(32, 7) } as const;
    const client = serve({
      httpBasic: false,
      filters: [
        {
          filter: createSignatureFilter({ signers: { app: { key, name: 'app', authorities: ['read'] } } }),
          at: 'signature',
        },
      ],
      rules: [{ any: true, access: "hasAuthority('read')" }],
    });
    const signed = (target: string): Record<string, string> => ({
      authorization: signRequest('app', key, { method: 'GET', target }),
    });
    equal(await get(client, signed('/x')), 200);
    equal(await get(client, signed('/y')), 401);
    const again = signed('/x');
    deepEqual([await get(client, again), await get(client, again)], [200, 401]);
  });

  spec('C.authentication.10', 'a one-time password after the first factor, from whoever checks it', async () => {
    // The third party: it knows the code of the moment, here an HMAC of the user name.
    const codeFor = (name: string): string =>
      createHmac('sha256', 'third party').update(name).digest('hex').slice(0, 6);
    const filter = createOneTimeFilter({
      verifier: { isRequired: () => true, verify: (principal, code) => code === codeFor(principal.name) },
      attempts: createAttemptLimiter({}),
    });
    const client = serve({ filters: [{ filter, at: 'oneTime' }] });
    equal(await get(client, basic('john', '12345')), 401);
    equal(await get(client, { ...basic('john', '12345'), 'x-one-time-password': codeFor('john') }), 200);
  });

  spec('C.authentication.11', 'MODE_THREADLOCAL: concurrent requests do not see each other', async () => {
    const holder = createSecurityContextHolder('MODE_THREADLOCAL');
    const seen = await Promise.all(
      ['a', 'b'].map((name) =>
        holder.run(contextOf(createPrincipal(name)), async () => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          return holder.principal().name;
        }),
      ),
    );
    deepEqual([seen, holder.get()], [['a', 'b'], undefined]);
  });

  spec('C.authentication.12', 'MODE_INHERITABLETHREADLOCAL: a worker that is started gets a copy', async () => {
    const nameIn = (mode: ContextMode): Promise<unknown> => {
      const holder = createSecurityContextHolder(mode);
      return holder.run(contextOf(createPrincipal('ada')), () => {
        const worker = holder.startWorker(new URL('inherited-context.worker.ts', import.meta.url));
        return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      });
    };
    equal(await nameIn('MODE_INHERITABLETHREADLOCAL'), 'ada');
    equal(await nameIn('MODE_THREADLOCAL'), null);
  });

  spec('C.authentication.13', 'MODE_GLOBAL: one context', () => {
    const holder = createSecurityContextHolder('MODE_GLOBAL');
    holder.setGlobal(contextOf(createPrincipal('shared')));
    equal(holder.principal().name, 'shared');
    holder.setGlobal(undefined);
    equal(holder.get(), undefined);
  });

  spec('C.authentication.14', 'a decorated task runs under the context it was decorated in', () => {
    const holder = createSecurityContextHolder();
    const task = holder.run(contextOf(createPrincipal('ada')), () => holder.wrap(() => holder.principal().name));
    equal(task(), 'ada');
    const executed = holder.run(contextOf(createPrincipal('eve')), () => {
      const queue: (() => unknown)[] = [];
      holder.executor((work) => queue.push(work))(() => holder.principal().name);
      return queue;
    });
    equal(executed[0]!(), 'eve');
  });

  spec('C.csrf.4', 'on the request as the attribute _csrf', async () => {
    const client = serve({ csrf: true, rules: [{ any: true, access: 'permitAll' }] });
    equal(CSRF.name, '_csrf');
    match((await client({ path: '/x' })).json<{ token: string }>().token, /^[0-9a-f-]{36}$/);
  });

  spec('C.csrf.5', 'tokens bound to a client, and tokens that expire', async () => {
    let now = 0;
    const tokensOf = (repository: CsrfTokenRepository) => {
      const client = serve({ csrf: { repository }, rules: [{ any: true, access: 'permitAll' }] });
      return async (identifier: string, token?: string) => {
        const headers = { 'x-identifier': identifier, ...(token === undefined ? {} : { 'x-csrf-token': token }) };
        return client({ method: token === undefined ? 'GET' : 'POST', path: '/x', headers });
      };
    };
    const bound = tokensOf(createClientCsrfRepository());
    const mine = (await bound('client-1')).json<{ token: string }>().token;
    deepEqual([(await bound('client-1', mine)).status, (await bound('client-2', mine)).status], [200, 403]);

    const expiring = tokensOf(
      createExpiringCsrfRepository(createClientCsrfRepository(), { lifetime: 1000, clock: { now: () => now } }),
    );
    const { token } = (await expiring('client-1')).json<{ token: string }>();
    equal((await expiring('client-1', token)).status, 200);
    now = 1001;
    equal((await expiring('client-1', token)).status, 403);
  });
});
