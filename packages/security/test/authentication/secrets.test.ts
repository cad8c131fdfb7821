// What must never be seen: passwords, hashes, tokens and session ids, in any answer, log line, audit event or inspection.
import { deepEqual, equal } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import {
  createBCryptEncoder,
  createCsrfToken,
  createDelegatingEncoder,
  createMemoryUserStore,
  type Filter,
  signRequest,
  userNamed,
} from '@lockstitch/security';
import { createAuditStream, jsonLines } from '../../src/audit/audit.ts';
import { createSecurity } from '../../src/config/create-security.ts';
import { CONFIG, MOUNTS } from '../support/mounts.ts';
import { send } from '../support/raw-socket.ts';
import { basic, createClient, form, type TestAnswer } from '../support/run-filters.ts';
import { basic as socketBasic } from '../support/serve.ts';

const password = 'correct-horse-7';
const wrong = 'wrong-battery-8';
const key = { kind: 'shared', secret: randomBytes(32) } as const;
const rememberKey = randomBytes(32);

test('no answer, log line, audit event or inspected object shows a secret', async () => {
  const lines: string[] = [];
  const audit = createAuditStream();
  audit.subscribe(jsonLines((line) => lines.push(line)));
  const stored = `{bcrypt}${await createBCryptEncoder({ strength: 4 }).encode(password)}`;
  const john = userNamed('john').password(stored).authorities('read').build();
  const broken = userNamed('broken').password('{nope}s3cr3t-hash').authorities('read').build();
  const users = createMemoryUserStore([john, broken]);
  const security = createSecurity({
    users,
    passwordEncoder: createDelegatingEncoder(),
    formLogin: true,
    rememberMe: { key: rememberKey },
    signatures: { signers: { k1: { key, name: 'machine' } } },
    audit,
    log: { write: (...line) => lines.push(inspect(line, { depth: 9 })) },
  });
  const layer: Filter[] = [{ name: 'layer', handle: async (exchange, next) => security.run(exchange, next) }];
  const client = createClient(layer);
  const answers: TestAnswer[] = [];
  const send = async (...request: Parameters<typeof client.send>): Promise<TestAnswer> => {
    const answer = await client.send(...request);
    answers.push(answer);
    return answer;
  };
  // The token is meant to be told by /csrf and by the login page, so it is looked for in everything else.
  const csrf = async () => String((await client.send({ target: '/csrf' })).json()['token']);

  for (const [name, word] of [
    ['john', password],
    ['john', wrong],
    ['nobody', password],
    ['broken', password],
  ] as const) {
    await send({ target: '/x', headers: basic(name, word) });
  }
  const token = await csrf();
  const login = (word: string) =>
    send({ ...form({ username: 'john', password: word, 'remember-me': 'on', _csrf: token }), target: '/login' });
  await login(wrong);
  await send({ method: 'POST', target: '/x', headers: { 'x-csrf-token': `${token}x` } });
  await login(password);
  const late = await csrf();
  await send({ target: '/x' }, (exchange) => {
    lines.push(
      inspect(
        [
          exchange,
          exchange.authentication,
          exchange.principal,
          security.sessions?.current(exchange),
          createCsrfToken({ token: late }),
          john,
          users,
          security,
        ],
        { depth: 9, showHidden: true },
      ),
    );
    lines.push(JSON.stringify([exchange.authentication, security.sessions?.current(exchange), john]));
  });
  await send({ target: '/x', headers: { authorization: signRequest('k2', key, { method: 'GET', target: '/x' }) } });
  const session = client.jar.get('JSESSIONID')!;
  const remember = client.jar.get('remember-me')!;
  await send({ ...form({ _csrf: late }), target: '/logout' });

  deepEqual(
    answers.map(({ status }) => status),
    [200, 401, 401, 500, 302, 403, 302, 200, 401, 302],
  );
  const told = lines.join('\n') + answers.map(({ body }) => body).join('\n');
  const secrets = [
    password,
    wrong,
    stored,
    stored.slice(8),
    's3cr3t-hash',
    token,
    late,
    session,
    remember,
    key.secret.toString('base64'),
    rememberKey.toString('hex'),
  ];
  for (const secret of secrets) equal(told.includes(secret), false, secret);
  equal(
    lines.some((line) => line.includes('authentication-failure')),
    true,
  );
});

for (const [name, mount] of Object.entries(MOUNTS)) {
  test(`${name}: neither the exchange nor its request show credentials when they are inspected`, async (t) => {
    const seen: string[] = [];
    const spy: Filter = {
      name: 'spy',
      handle(exchange, next) {
        seen.push(inspect([exchange, exchange.request, exchange.authentication], { depth: 9, showHidden: true }));
        return next(exchange);
      },
    };
    const config = { ...CONFIG, csrf: false, filters: [{ filter: spy, after: 'authorization' }] } as const;
    const { port } = await mount(t, createSecurity(config));
    const sent = { headers: [socketBasic('john'), ['Cookie', 'JSESSIONID=c00kie-value']] as const };
    equal((await send(port, '/open?token=in-query', sent)).status, 200);
    equal(seen.length, 1);
    for (const secret of [socketBasic('john')[1].slice(6), 'c00kie-value', 'in-query'])
      equal(seen.join().includes(secret), false, seen.join());
  });
}

test('names and addresses that a stranger writes cannot start a header or a line', async () => {
  const lines: string[] = [];
  const audit = createAuditStream();
  audit.subscribe(jsonLines((line) => lines.push(line)));
  const security = createSecurity({
    users: createMemoryUserStore(),
    passwordEncoder: createDelegatingEncoder(),
    formLogin: true,
    audit,
  });
  const client = createClient([{ name: 'layer', handle: async (exchange, next) => security.run(exchange, next) }]);
  const hostile = 'x\r\nSet-Cookie: a=b\n{"kind":"authentication-success"}';
  await client.send({ target: '/x', headers: basic(hostile, 'y') });
  const token = String((await client.send({ target: '/csrf' })).json()['token']);
  const answer = await client.send({ ...form({ username: hostile, password: 'y', _csrf: token }), target: '/login' });
  equal(answer.headers['location'], '/login?error');
  equal(
    lines.every((line) => line.indexOf('\n') === line.length - 1),
    true,
  );
  equal(
    lines.some((line) => line.startsWith('{"kind":"authentication-success"')),
    false,
  );
});
