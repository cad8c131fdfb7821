// A PostgreSQL that goes away beneath accounts, sessions and data: nobody is let in, nothing is a fault of ours, search goes on.
import { deepEqual, equal, match } from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { createDelegatingEncoder, userNamed } from '@lockstitch/security';
import { createApp } from '../src/app.ts';
import { loadApp } from '../src/app/load-app.ts';
import { withStoredUsers } from '../src/cli/stored-users.ts';
import { createLog } from '../src/http/log.ts';
import { freshDatabase } from './fresh-database.ts';
import { NOTES_SCHEMA } from './start-app.ts';
import { temporaryFolder } from './temporary-folder.ts';

const CONFIG = (url: string): string => `export default {
  database: { url: ${JSON.stringify(url)} },
  userStore: 'sql', session: { store: 'database' }, login: { rememberMe: { key: 'k'.repeat(32) } },
  rules: [{ ant: '/notes/_search', access: 'permitAll' }, { any: true, access: 'authenticated' }],
  csrf: { ignore: [{ ant: '/graphql' }] },
  search: { refreshInterval: 1 },
};`;
const ADA = { authorization: `Basic ${btoa('ada:correct horse')}` };
const graph = {
  method: 'POST',
  headers: { ...ADA, 'content-type': 'application/json' },
  body: '{"query":"{ notes { id } }"}',
};

test('3.7 while PostgreSQL is away every request that needs it is a 503 with Retry-After, and open searches go on', async (context) => {
  const direct = await freshDatabase();
  if (!direct.startsWith('postgres:')) return context.skip(direct);
  const database = await openSwitch(context, direct);
  const folder = temporaryFolder(context, {
    'schema.graphql': NOTES_SCHEMA,
    'lockstitch.config.mjs': CONFIG(database.url),
  });
  const loaded = await loadApp(folder, {}, { port: 0 });
  const password = await createDelegatingEncoder().encode('correct horse');
  await withStoredUsers(loaded, (users) => users.insertUser(userNamed('ada').password(password).roles('USER').build()));
  const lines: string[] = [];
  const log = createLog({ format: 'json', level: 'debug', requests: false }, { write: (line) => lines.push(line) });
  const app = await createApp(loaded, { log });
  context.after(() => app.close());
  const { url } = await app.listen();
  const ask = (path: string, init: RequestInit = {}) => fetch(url + path, { redirect: 'manual', ...init });

  equal((await ask('/graphql', graph)).status, 200);
  deepEqual(await (await ask('/readyz')).json(), {
    status: 'ready',
    doors: { graph: { status: 'ready' }, search: { status: 'ready', lag: 0 } },
  });
  const page = await ask('/login', { headers: { accept: 'text/html' } });
  const cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const token = /name="_csrf"[^>]*value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const form = {
    method: 'POST',
    body: new URLSearchParams({ username: 'ada', password: 'correct horse', 'remember-me': 'on', _csrf: token }),
    headers: { cookie },
  };
  const loggedIn = await ask('/login', form);
  equal(loggedIn.status, 302);
  const session = loggedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const remembered = session
    .split('; ')
    .filter((each) => !each.startsWith('JSESSIONID'))
    .join('; ');
  equal((await ask('/notes/_count', { headers: { cookie: session } })).status, 200);

  database.turnOff();
  const requests: Readonly<Record<string, readonly [string, RequestInit]>> = {
    'a password': ['/graphql', graph],
    'a wrong password': ['/notes/_count', { headers: { authorization: `Basic ${btoa('ada:x')}` } }],
    'an unknown user': ['/notes/_count', { headers: { authorization: `Basic ${btoa('eve:x')}` } }],
    'a search with a password': ['/notes/_search', { headers: ADA }],
    'a session': ['/notes/_count', { headers: { cookie: session } }],
    'a remembered user': ['/notes/_count', { headers: { cookie: remembered } }],
    'the login form': ['/login', form],
    'a CSRF token': ['/csrf', { headers: { cookie: session } }],
    'a CSRF token for a new session': ['/csrf', {}],
    'the page of the login form': ['/login', { headers: { accept: 'text/html' } }],
  };
  for (const [name, [path, init]] of Object.entries(requests)) {
    const answer = await ask(path, init);
    deepEqual(
      [answer.status, answer.headers.get('retry-after')],
      [503, '1'],
      `${name}: ${await answer.clone().text()}`,
    );
    equal(/configuration/.test(await answer.text()), false, name);
  }
  equal((await ask('/notes/_search')).status, 200);
  // `/readyz` uses what it saw for 250 ms.
  await sleep(300);
  equal((await ask('/readyz')).status, 200);
  const away = await ask('/readyz?door=graph');
  equal(away.status, 503);
  deepEqual(await away.json(), {
    status: 'unavailable',
    doors: { graph: { status: 'unavailable' }, search: { status: 'ready' } },
  });
  equal((await ask('/readyz?door=search')).status, 200);
  const unknown = await ask('/readyz?door=grpah');
  match(await unknown.text(), /no door \\"grpah\\".*graph, search/);
  equal(unknown.status, 400);
  equal(
    lines.filter((line) => line.includes('"level":"error"') && line.includes('security')).length,
    0,
    lines.join(''),
  );
  // Each says so once, not with each request.
  equal(lines.filter((line) => line.includes('SECURITY_STORE_UNAVAILABLE')).length <= 2, true, lines.join(''));

  database.turnOn();
  while ((await ask('/readyz?door=graph')).status !== 200) await sleep(20);
  equal((await ask('/notes/_count', { headers: { cookie: session } })).status, 200);
});

/** A port before a database that can be taken away. */
async function openSwitch(context: TestContext, url: string) {
  const open = new Set<Socket>();
  let isOff = false;
  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (isOff) return near.destroy();
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    open.add(near).add(far);
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far).pipe(near);
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    turnOff() {
      isOff = true;
      for (const socket of open) socket.destroy();
    },
    turnOn() {
      isOff = false;
    },
  };
}
