// Rows of area C that are about a start of the server: the generated user, and logging in with GitHub.
import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SOURCE_FLAGS } from '../../packages/kernel/test/source-flags.ts';
import { basic } from './http-client.ts';
import { startEmptyPhotoShare } from './start-app.ts';
import { createGraphCaller, describeTransports, spec } from './suite.ts';

const main = fileURLToPath(new URL('../../packages/server/src/cli/main.ts', import.meta.url));

describe('C. The user of a server that has none configured', () => {
  spec('C.authentication.2', 'another password at each start, on the console, and good for HTTP Basic', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lockstitch-default-user-'));
    writeFileSync(
      join(folder, 'schema.graphql'),
      'type Thing @entity { id: ID! } type Query { thing(id: ID!): Thing }',
    );
    const { LOCKSTITCH_USER_PASSWORD: _set, ...environment } = process.env;
    const passwords: string[] = [];
    try {
      for (let start = 0; start < 2; start += 1) {
        const child = spawn(
          process.execPath,
          [...SOURCE_FLAGS, main, 'start', folder, '--port', '0', '--data', ':memory:'],
          { env: environment, stdio: ['ignore', 'pipe', 'inherit'] },
        );
        let out = '';
        while (!out.includes('Index')) out += String((await once(child.stdout, 'data'))[0]);
        const [, url] = /(http:\/\/[\d.]+:\d+)/.exec(out)!;
        const [, name, password] = /User\s+(\S+), password (\S+)/.exec(out) ?? [];
        equal(name, 'user', out);
        passwords.push(password!);
        equal((await fetch(`${url}/_search`, { headers: basic('user', password!) })).status, 200);
        equal((await fetch(`${url}/_search`, { headers: basic('user', 'wrong') })).status, 401);
        child.kill('SIGTERM');
        deepEqual(await once(child, 'exit'), [0, null]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    notEqual(passwords[0], passwords[1]);
  });
});

describeTransports('C. Logging in with GitHub', (transport) => {
  spec(
    'C.authentication.15',
    "a user and GitHub's token for the code, against an OAuth server of this machine",
    async () => {
      const github = createServer((request, response) => {
        const isToken = request.url!.startsWith('/login/oauth/access_token');
        response.setHeader('content-type', 'application/json');
        response.end(
          JSON.stringify(
            isToken
              ? { access_token: 'gho_token', token_type: 'bearer', scope: '' }
              : { login: 'new-at-github', name: 'New', avatar_url: 'https://example.com/a.png' },
          ),
        );
      });
      await once(github.listen(0, '127.0.0.1'), 'listening');
      const url = `http://127.0.0.1:${(github.address() as AddressInfo).port}`;
      const app = await startEmptyPhotoShare(transport, {
        github: { clientId: 'id', clientSecret: 'secret', baseUrl: url, apiUrl: url },
      });
      try {
        const graph = createGraphCaller(app);
        const { githubAuth } = await graph.data<{ githubAuth: unknown }>(
          'mutation { githubAuth(code: "from-github") { token user { githubLogin name } } }',
        );
        deepEqual(githubAuth, { token: 'gho_token', user: { githubLogin: 'new-at-github', name: 'New' } });
      } finally {
        await app.close();
        github.close();
      }
      const unset = await startEmptyPhotoShare(transport, {});
      try {
        const { body } = await createGraphCaller(unset).post({ query: 'mutation { githubAuth(code: "x") { token } }' });
        match(JSON.stringify(body.errors), /GITHUB_CLIENT_ID|clientId/);
      } finally {
        await unset.close();
      }
    },
  );
});
