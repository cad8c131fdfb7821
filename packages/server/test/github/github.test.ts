// Logging in with GitHub, against an OAuth server on this machine that behaves as GitHub does.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';

import { createGithub, type Github } from '../../src/github/github.ts';

const SECRET = 'a-secret-nobody-may-see';
const seen: { form: URLSearchParams; accept: string | undefined }[] = [];
let server: Server;
let url: string;

before(async () => {
  server = createServer((request, response) => void answerLikeGithub(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

async function answerLikeGithub(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(body));
  };
  if (request.method === 'POST' && request.url === '/login/oauth/access_token') {
    const form = new URLSearchParams(await text(request));
    seen.push({ form, accept: request.headers.accept });
    const known = form.get('client_id') === 'app' && form.get('client_secret') === SECRET;
    if (!known) return answer(200, { error: 'incorrect_client_credentials', error_description: 'Wrong credentials.' });
    if (form.get('code') === 'nonsense') return answer(200, 'what?');
    const token =
      form.get('code') === 'good' ? 'gho_good' : form.get('code') === 'stranger' ? 'gho_stranger' : undefined;
    if (token !== undefined) return answer(200, { access_token: token, token_type: 'bearer', scope: 'read:user' });
    return answer(200, {
      error: 'bad_verification_code',
      error_description: 'The code passed is incorrect or expired.',
    });
  }
  if (request.method === 'GET' && request.url === '/api/user') {
    if (request.headers.authorization !== 'Bearer gho_good') return answer(401, { message: 'Bad credentials' });
    return answer(200, { login: 'zoë-okafor', name: 'Zoë Okafor', avatar_url: '' });
  }
  return answer(404, { message: 'Not Found' });
}

after(() => server.close());

function github(changes: Partial<Parameters<typeof createGithub>[0]> = {}): Github {
  return createGithub({ clientId: 'app', clientSecret: SECRET, baseUrl: url, apiUrl: `${url}/api`, ...changes });
}

test('a code is exchanged for a token and the user it belongs to', async () => {
  assert.deepEqual(await github().exchange('good'), {
    token: 'gho_good',
    user: { login: 'zoë-okafor', name: 'Zoë Okafor', avatar: null },
  });
  const { form, accept } = seen.at(-1)!;
  assert.equal(form.get('grant_type'), 'authorization_code');
  assert.equal(form.has('redirect_uri'), false);
  assert.equal(accept, 'application/json');
});

test('a code that GitHub refuses is refused with its reason', async () => {
  await assert.rejects(github().exchange('old'), {
    code: 'SERVER_GITHUB_CODE_REFUSED',
    status: 401,
    message: 'GitHub refused the code: The code passed is incorrect or expired.',
  });
});

test('without client credentials the error says what to set', async () => {
  await assert.rejects(
    github({ clientSecret: undefined }).exchange('good'),
    (error: { code: string; hint: string }) => {
      assert.equal(error.code, 'SERVER_GITHUB_NOT_CONFIGURED');
      assert.match(error.hint, /GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET/);
      return true;
    },
  );
});

test('an empty code is refused before GitHub is asked', async () => {
  const asked = seen.length;
  await assert.rejects(github().exchange(' '), { code: 'SERVER_GITHUB_CODE_EMPTY', status: 400 });
  assert.equal(seen.length, asked);
});

for (const [what, changes, code] of [
  ['an answer that is not OAuth', {}, 'nonsense'],
  ['a token that the API does not know', {}, 'stranger'],
  ['an address where nothing is', { apiUrl: 'http://127.0.0.1:9/' }, 'good'],
  ['plain HTTP to another machine', { baseUrl: 'http://192.0.2.1' }, 'good'],
] as const) {
  test(`${what} is a fault of the far side, and shows no secret`, async () => {
    await assert.rejects(github(changes).exchange(code), (error: Error & { code: string; status: number }) => {
      assert.equal(error.code, 'SERVER_GITHUB_UNREACHABLE');
      assert.equal(error.status, 502);
      assert.ok(!inspect(error, { depth: 10 }).includes(SECRET));
      return true;
    });
  });
}

test('wrong client credentials are refused and not shown', async () => {
  await assert.rejects(github({ clientSecret: 'wrong-secret' }).exchange('good'), (error: Error & { code: string }) => {
    assert.equal(error.code, 'SERVER_GITHUB_CODE_REFUSED');
    assert.ok(!inspect(error, { depth: 10 }).includes('wrong-secret'));
    return true;
  });
});
