// A search cluster behind TLS that demands a password or an API key. Skipped where openssl is not installed.
import { equal, match, ok, rejects } from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { inspect } from 'node:util';

import { runLine } from '../cli/run-here.ts';
import { startApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type FakeNode, startNode } from './fake-cluster.ts';
import { basic, type Certificates, makeCertificates, startSecureProxy } from './secure-proxy.ts';

const PASSWORD = 'sesame-7';
const API_KEY = 'a2V5OnNlc2FtZS04';
const ACCEPTED = [basic('ann', PASSWORD), `ApiKey ${API_KEY}`];
const SECRETS = [PASSWORD, API_KEY, ACCEPTED[0]!.slice('Basic '.length)];
const AS_ANN = { auth: { username: 'ann', password: PASSWORD } };

const noSecretIn = (text: string): void =>
  SECRETS.forEach((secret) => ok(!text.includes(secret), `a secret in ${text}`));

/** Says its version, and cannot do more now. */
const startEngine = (context: TestContext): Promise<FakeNode> =>
  startNode(context, ({ target }) =>
    target === 'GET /'
      ? { status: 200, body: { version: { distribution: 'opensearch', number: '2.19.1' } } }
      : { status: 503 },
  );

const certificates = makeCertificates();

async function secured(
  context: TestContext,
  which: Exclude<keyof Certificates, 'ca'> = 'valid',
): Promise<{ readonly node: FakeNode; readonly url: string; readonly ca: string } | undefined> {
  if (certificates === undefined) {
    context.skip('openssl is not installed');
    return undefined;
  }
  const node = await startEngine(context);
  return { node, ca: certificates.ca, url: await startSecureProxy(context, node.url, certificates[which], ACCEPTED) };
}

const on = (url: string, more: object): Readonly<Record<string, unknown>> => ({
  search: { engine: 'opensearch', nodes: [url], ...more },
});

test('a cluster behind TLS is asked with a password or an API key, which nothing that is printed shows', async (context) => {
  const place = await secured(context);
  if (place === undefined) return;
  const { ca, node, url } = place;
  const lines: string[] = [];
  const log = { write: (...line: readonly unknown[]) => void lines.push(inspect(line, { depth: 9 })) };
  for (const auth of [AS_ANN.auth, { apiKey: API_KEY }]) {
    const before = node.received.length;
    const app = await startApp(context, { config: on(url, { ca, auth }), log });
    ok(
      node.received.slice(before).some(({ target }) => target.startsWith('PUT /')),
      'its version was accepted',
    );
    for (const path of ['/metrics', '/authors/_search', '/readyz?door=search']) noSecretIn((await app.call(path)).text);
    noSecretIn(inspect(await app.app.status()));
    await app.close();
  }
  match(lines.join('\n'), /Search is unavailable/);
  noSecretIn(lines.join('\n'));
  const folder = temporaryFolder(context, {
    'schema.graphql': 'type Note @entity { id: ID! text: String @search } type Query { notes: [Note!]! }',
    'lockstitch.config.mjs': `export default ${JSON.stringify(on(url, { ca, ...AS_ANN }))};`,
  });
  const { code, err, out } = await runLine(['check', folder]);
  equal(code, 0, out + err);
  noSecretIn(out + err);
});

test('other credentials, and a certificate that is foreign, expired or of another name, are refused by name', async (context) => {
  const place = await secured(context);
  if (place === undefined) return;
  const refused = async (config: object, code: string, reason: RegExp): Promise<void> => {
    await rejects(startApp(context, { config: on(place.url, config) }), (error: Error & { code?: string }) => {
      equal(error.code, code, error.message);
      match(error.message, reason);
      noSecretIn(inspect(error, { depth: 9 }));
      return true;
    });
  };
  const { ca } = place;
  await refused({ ca }, 'SERVER_CLUSTER_DENIED', /refuses the credentials at localhost:/);
  const wrong = [{ username: 'ann', password: `${PASSWORD}!` }, { apiKey: `${API_KEY}x` }];
  for (const auth of wrong) await refused({ ca, auth }, 'SERVER_CLUSTER_DENIED', /refuses the credentials/);
  await refused(AS_ANN, 'SERVER_CLUSTER_UNTRUSTED', /not trusted: localhost:\d+: UNABLE_TO_/);
  equal(place.node.received.length, 0);

  for (const [which, reason] of [
    ['expired', /CERT_HAS_EXPIRED/],
    ['foreign', /UNABLE_TO_/],
    ['misnamed', /ALTNAME_INVALID/],
  ] as const) {
    const other = await secured(context, which);
    const config = on(other!.url, { ca: other!.ca, ...AS_ANN });
    await rejects(startApp(context, { config }), { code: 'SERVER_CLUSTER_UNTRUSTED', message: reason });
    equal(other!.node.received.length, 0, 'no credentials were sent');
  }
});
