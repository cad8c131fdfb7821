import { deepEqual, equal, match, notEqual, rejects } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { createPrincipal } from '@lockstitch/kernel';
import type { AuditEvent } from '../../src/audit/audit.ts';
import { passwordAttempt } from '../../src/authentication/authentication.ts';
import type { Filter } from '../../src/chain/filter.ts';
import { createMemorySessionStore } from '../../src/session/memory-session-store.ts';
import { promiseStore, type SessionStore, type StoredSession } from '../../src/session/session-store.ts';
import { createSessions, type SessionOptions, type Sessions } from '../../src/session/sessions.ts';
import { createMemoryUserStore } from '../../src/users/memory-user-store.ts';
import { userNamed } from '../../src/users/user.ts';
import { createClient, run } from '../support/run-filters.ts';

const john = createPrincipal('john', ['read'], { tenant: 7 });

/** `/start` starts a session, `/login` logs john in, `/logout` out; everything else passes. */
function app(sessions: Sessions): Filter[] {
  const actions: Filter = {
    name: 'actions',
    async handle(exchange, next) {
      if (exchange.path === '/start') sessions.obtain(exchange).set('visits', 1);
      if (exchange.path === '/login') await sessions.logIn(exchange, { principal: john, login: 'full' });
      if (exchange.path === '/logout') await sessions.logOut(exchange);
      await next(exchange);
    },
  };
  return [sessions.filter, actions];
}

function at(options: SessionOptions = {}) {
  const clock = { now: 1_000_000, wait: (ms: number) => void (clock.now += ms) };
  const store = createMemorySessionStore({ clock: { now: () => clock.now } });
  const events: AuditEvent[] = [];
  const sessions = createSessions({
    store,
    clock: { now: () => clock.now },
    audit: { record: (event) => events.push(event) },
    ...options,
  });
  return { sessions, store, clock, events, filters: app(sessions) };
}

test('a request that needs no session starts none and sets no cookie', async () => {
  const { filters, store } = at();
  const answer = await run(filters);
  deepEqual([answer.reached, answer.headers, store.size], [true, {}, 0]);
});

test('the cookie is JSESSIONID, for this server only, unreadable by scripts, and Secure over TLS', async () => {
  const { filters } = at();
  match(
    (await run(filters, { target: '/start' })).headers['set-cookie'] ?? '',
    /^JSESSIONID=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const tls = await run(filters, { target: '/start', secure: true });
  match(tls.headers['set-cookie'] ?? '', /; Secure/);
});

test('values survive from request to request', async () => {
  const { sessions, filters } = at();
  const client = createClient(filters);
  await client.send({ target: '/start' });
  let seen: unknown;
  await client.send({}, (exchange) => void (seen = sessions.current(exchange)?.get('visits')));
  equal(seen, 1);
});

test('logging in changes the id, keeps the values, and the old id is dead', async () => {
  const { sessions, filters } = at();
  const client = createClient(filters);
  await client.send({ target: '/start' });
  const before = client.jar.get('JSESSIONID')!;
  await client.send({ target: '/login' });
  notEqual(client.jar.get('JSESSIONID'), before);
  let visits: unknown;
  const after = await client.send({}, (exchange) => void (visits = sessions.current(exchange)?.get('visits')));
  deepEqual(
    [after.user, visits, [...after.exchange.principal.authorities], after.exchange.principal.attributes],
    ['john', 1, ['read'], { tenant: 7 }],
  );
  equal((await run(filters, { headers: { cookie: `JSESSIONID=${before}` } })).user, 'anonymousUser');
});

test('an id chosen by a stranger is never taken over', async () => {
  const { filters } = at();
  for (const chosen of ['attacker', 'A'.repeat(43), '../../etc/passwd', '__proto__']) {
    const answer = await run(filters, { target: '/login', headers: { cookie: `JSESSIONID=${chosen}` } });
    notEqual(answer.cookies['JSESSIONID'], chosen);
    equal((await run(filters, { headers: { cookie: `JSESSIONID=${chosen}` } })).user, 'anonymousUser');
  }
});

test('logging out ends the session and takes the cookie back', async () => {
  const { filters, store } = at();
  const client = createClient(filters);
  await client.send({ target: '/login' });
  const id = client.jar.get('JSESSIONID')!;
  const answer = await client.send({ target: '/logout' });
  match(answer.headers['set-cookie'] ?? '', /^JSESSIONID=; .*Expires=Thu, 01 Jan 1970/);
  deepEqual([answer.user, store.size], ['anonymousUser', 0]);
  equal((await run(filters, { headers: { cookie: `JSESSIONID=${id}` } })).user, 'anonymousUser');
});

test('a session ends when unused for the idle time, and use keeps it alive', async () => {
  const { filters, clock, events } = at({ maxIdle: 60_000 });
  const client = createClient(filters);
  await client.send({ target: '/login' });
  for (let step = 0; step < 5; step += 1) {
    clock.wait(50_000);
    equal((await client.send()).user, 'john');
  }
  clock.wait(60_000);
  equal((await client.send()).user, 'anonymousUser');
  equal(
    events.some((event) => event.kind === 'session-created'),
    true,
  );
});

test('a session ends at its age, however much it is used', async () => {
  const { filters, clock } = at({ maxIdle: 60_000, maxAge: 120_000 });
  const client = createClient(filters);
  await client.send({ target: '/login' });
  clock.wait(50_000);
  equal((await client.send()).user, 'john');
  clock.wait(50_000);
  equal((await client.send()).user, 'john');
  clock.wait(25_000);
  equal((await client.send()).user, 'anonymousUser');
});

test('beyond the number allowed, the session used longest ago ends', async () => {
  const { filters } = at({ maxPerUser: 2 });
  const clients = [createClient(filters), createClient(filters), createClient(filters)];
  await clients[0]!.send({ target: '/login' });
  await clients[1]!.send({ target: '/login' });
  await clients[0]!.send();
  await clients[2]!.send({ target: '/login' });
  const users = [];
  for (const client of clients) users.push((await client.send()).user);
  deepEqual(users, ['john', 'anonymousUser', 'john']);
});

test('or the log-in is refused, until one is ended', async () => {
  const { filters } = at({ maxPerUser: 1, beyond: 'refuse' });
  const first = createClient(filters);
  await first.send({ target: '/login' });
  await rejects(run(filters, { target: '/login' }), {
    code: 'SECURITY_SESSION_LIMIT',
    name: 'SessionAuthenticationException',
  });
  await first.send({ target: '/login' });
  await first.send({ target: '/logout' });
  equal((await run(filters, { target: '/login' })).user, 'john');
});

test('a session whose cookie is lost does not count for ever', async () => {
  const { filters, clock } = at({ maxPerUser: 1, beyond: 'refuse', maxIdle: 60_000 });
  await run(filters, { target: '/login' });
  await rejects(run(filters, { target: '/login' }), { code: 'SECURITY_SESSION_LIMIT' });
  clock.wait(60_000);
  equal((await run(filters, { target: '/login' })).user, 'john');
});

test('log-ins side by side do not get beyond the number either', async () => {
  const { filters } = at({ maxPerUser: 2, beyond: 'refuse' });
  const answers = await Promise.allSettled(Array.from({ length: 5 }, () => run(filters, { target: '/login' })));
  equal(answers.filter(({ status }) => status === 'fulfilled').length, 2);
});

test('locking, deleting or changing an account counts on the next request of its sessions', async () => {
  const user = userNamed('john').password('{noop}p').authorities('read').build();
  const users = createMemoryUserStore([user]);
  const { filters } = at({ users });
  const client = createClient(filters);
  await client.send({ target: '/login' });
  await users.replaceUser(user.with({ authorities: ['write'] }));
  deepEqual([...(await client.send()).exchange.principal.authorities], ['write']);
  await users.replaceUser(user.with({ accountNonLocked: false }));
  equal((await client.send()).user, 'anonymousUser');
  await users.replaceUser(user);
  equal((await client.send()).user, 'anonymousUser', 'the session is gone, not asleep');
});

test('a password change ends earlier sessions, whichever process made it', async () => {
  const users = createMemoryUserStore([userNamed('john').password('first stored form').authorities('read').build()]);
  const { filters, sessions, store } = at({ users });
  const client = createClient(filters);
  await client.send({ target: '/login' });
  await client.send({}, async (exchange) => sessions.current(exchange)!.changeId());
  equal((await client.send()).user, 'john', 'a new id keeps the seal good');
  await users.updatePassword('john', 'second stored form', 'first stored form');
  equal((await client.send()).user, 'anonymousUser');
  equal(store.size, 0);
});

test('a log-in with a password that was changed while it was checked opens no lasting session', async () => {
  const users = createMemoryUserStore([userNamed('john').password('old').authorities('read').build()]);
  const { filters, sessions } = at({ users });
  const proven = passwordAttempt('john', 'x').succeeded({ user: (await users.loadUserByUsername('john'))! });
  const client = createClient(filters);
  await users.updatePassword('john', 'new', 'old');
  await client.send({}, async (exchange) => {
    const { passwordMark } = proven.erased();
    await sessions.logIn(exchange, { principal: john, login: 'full' }, { passwordMark });
  });
  equal((await client.send()).user, 'anonymousUser');
});

test('the stored password cannot be guessed at from the store of sessions', async () => {
  const kept: string[] = [];
  const inner = createMemorySessionStore();
  const store: SessionStore = {
    get: (id, callback) => inner.get(id, callback),
    set(id, session, callback) {
      kept.push(JSON.stringify(session));
      inner.set(id, session, callback);
    },
    destroy: (id, callback) => inner.destroy(id, callback),
  };
  const users = createMemoryUserStore([userNamed('john').password('12345').authorities('read').build()]);
  await run(at({ users, store }).filters, { target: '/login' });
  match(kept.join(), /"seal":"[\w-]{43}"/);
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    equal(kept.join().includes(createHash('sha256').update('12345').digest(encoding)), false);
  }
});

test('all sessions of a user can be ended, but for the one at hand', async () => {
  const { sessions, filters } = at();
  const [here, there] = [createClient(filters), createClient(filters)];
  await here.send({ target: '/login' });
  await there.send({ target: '/login' });
  await here.send({}, (exchange) => sessions.endAllOf('john', sessions.current(exchange)));
  deepEqual([(await here.send()).user, (await there.send()).user], ['john', 'anonymousUser']);
});

test('stored data opens no session, and a session never shows its id', async () => {
  const kept: string[] = [];
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    get: (id, callback) => memory.get(id, callback),
    destroy: (id, callback) => memory.destroy(id, callback),
    set(id, session, callback) {
      kept.push(id + JSON.stringify(session));
      memory.set(id, session, callback);
    },
  };
  const { sessions, filters } = at({ store });
  let shown = '';
  const answer = await run(filters, { target: '/login' }, (exchange) => {
    const session = sessions.current(exchange);
    shown = inspect(session, { depth: 9, showHidden: true }) + JSON.stringify(session);
  });
  const id = answer.cookies['JSESSIONID']!;
  equal(kept.length > 0, true);
  equal(kept.join().includes(id) || shown.includes(id), false);
});

test('express-session stores are called with the fields that they read', async () => {
  const seen = new Map<string, StoredSession>();
  const store: SessionStore = {
    get: (id, callback) => setImmediate(callback, null, seen.get(id)),
    set: (id, session, callback) => setImmediate(() => callback?.(seen.set(id, session) && undefined)),
    destroy: (id, callback) => setImmediate(() => callback?.(seen.delete(id) && undefined)),
  };
  const { filters } = at({ store, maxIdle: 60_000 });
  const client = createClient(filters);
  await client.send({ target: '/login' });
  equal((await client.send()).user, 'john');
  const { cookie } = [...seen.values()][0]!;
  deepEqual([cookie.originalMaxAge, new Date(cookie.expires).getTime()], [60_000, 1_060_000]);
});

test('a failing store is 503 with a code and no internal detail', async () => {
  const store: SessionStore = {
    get: (_id, callback) => callback(new Error('redis://:pa55@10.0.0.7 refused')),
    set: (_id, _session, callback) => callback?.(new Error('down')),
    destroy: (_id, callback) => callback?.(),
  };
  const { filters } = at({ store });
  const cookie = `JSESSIONID=${'A'.repeat(43)}`;
  await rejects(run(filters, { headers: { cookie } }), (error: Error & { code: string; status: number }) => {
    deepEqual([error.code, error.status, error.message.includes('pa55')], ['SECURITY_SESSION_STORE', 503, false]);
    return true;
  });
});

test('a store that never answers is 503 as well, and holds no request for ever', async () => {
  const never = (): void => undefined;
  const store = promiseStore({ get: never, set: never, destroy: never }, 5);
  await rejects(store.get('a'), { code: 'SECURITY_SESSION_STORE', status: 503 });
  await rejects(store.destroy('a'), { code: 'SECURITY_SESSION_STORE' });
});

test('a request that is still running when its user logs out does not bring the session back', async () => {
  const { sessions, filters, store } = at();
  const client = createClient(filters);
  await client.send({ target: '/login' });
  const id = client.jar.get('JSESSIONID')!;
  await run(filters, { headers: { cookie: `JSESSIONID=${id}` } }, async (exchange) => {
    await client.send({ target: '/logout' });
    sessions.current(exchange)?.set('late', true);
  });
  deepEqual([store.size, (await run(filters, { headers: { cookie: `JSESSIONID=${id}` } })).user], [0, 'anonymousUser']);
});

test('a request that began before the log-in does not keep the old id alive', async () => {
  const { sessions, filters } = at();
  const client = createClient(filters);
  await client.send({ target: '/start' });
  const before = client.jar.get('JSESSIONID')!;
  await run(filters, { headers: { cookie: `JSESSIONID=${before}` } }, async (exchange) => {
    await client.send({ target: '/login' });
    sessions.current(exchange)?.set('late', true);
  });
  let found: unknown;
  await run(
    filters,
    { headers: { cookie: `JSESSIONID=${before}` } },
    (exchange) => void (found = sessions.current(exchange)),
  );
  deepEqual([found, (await client.send()).user], [undefined, 'john']);
});

test('a store of files that says ENOENT simply does not have the session', async () => {
  const store: SessionStore = {
    get: (_id, callback) => callback(Object.assign(new Error('no such file'), { code: 'ENOENT' })),
    set: (_id, _session, callback) => callback?.(),
    destroy: (_id, callback) => callback?.(),
  };
  const answer = await run(at({ store }).filters, { headers: { cookie: `JSESSIONID=${'A'.repeat(43)}` } });
  deepEqual([answer.reached, answer.user], [true, 'anonymousUser']);
});

test("the store in memory is bounded, and anonymous sessions cannot evict users' sessions", async () => {
  const clock = { now: () => 1_000_000 };
  const store = createMemorySessionStore({ maxSessions: 3, clock });
  const { filters } = at({ store });
  const client = createClient(filters);
  await client.send({ target: '/login' });
  for (let count = 0; count < 10; count += 1) await run(filters, { target: '/start' });
  deepEqual([store.size, (await client.send()).user], [3, 'john']);
});
