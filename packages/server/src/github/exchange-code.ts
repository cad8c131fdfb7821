// Exchanges the code that GitHub gave a browser for an access token and a user. oauth4webapi implements the OAuth
// rules; this file adds GitHub's addresses and deviations.
import { membersIn } from '@lockstitch/kernel';
import {
  allowInsecureRequests,
  type AuthorizationServer,
  type Client,
  ClientSecretPost,
  customFetch,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
  protectedResourceRequest,
  ResponseBodyError,
} from 'oauth4webapi';

import { serverErrors } from '../errors.ts';

/** A GitHub user. */
export interface GithubUser {
  readonly login: string;
  readonly name: string | null;
  readonly avatar: string | null;
}

/** Our client registration, and the addresses. */
interface Registered {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly baseUrl: string;
  readonly apiUrl: string;
}

/** Time limit for both requests to GitHub together. */
const TIMEOUT_MS = 10_000;

/**
 * Exchanges a code for an access token and loads its user.
 *
 * @throws SERVER_GITHUB_CODE_REFUSED, SERVER_GITHUB_UNREACHABLE
 */
export async function exchangeCode(
  { clientId, clientSecret, baseUrl, apiUrl }: Registered,
  code: string,
  signal?: AbortSignal,
): Promise<{ readonly token: string; readonly user: GithubUser }> {
  const request = requestOptions(signal);
  try {
    const token = await askToken(baseUrl, { client_id: clientId }, clientSecret, code, request);
    return { token, user: await readUser(apiUrl, token, request) };
  } catch (cause) {
    if (cause instanceof ResponseBodyError) {
      const reason = cause.error_description ?? cause.error;
      throw serverErrors.create('SERVER_GITHUB_CODE_REFUSED', { reason }, { cause });
    }
    throw serverErrors.create('SERVER_GITHUB_UNREACHABLE', {}, { cause });
  }
}

type RequestOptions = ReturnType<typeof requestOptions>;

function requestOptions(signal: AbortSignal | undefined) {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  return {
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    headers: { accept: 'application/json', 'user-agent': 'lockstitch' },
    [customFetch]: fetchWithHonestStatus,
  };
}

async function askToken(
  baseUrl: string,
  client: Client,
  clientSecret: string,
  code: string,
  request: RequestOptions,
): Promise<string> {
  const url = addressUnder(baseUrl, 'login/oauth/access_token');
  const server: AuthorizationServer = { issuer: new URL(baseUrl).origin, token_endpoint: url.href };
  // A generic request instead of authorizationCodeGrantRequest, which always sends a redirect_uri. GitHub accepts that
  // only if it was part of the first step, which the page makes.
  const options = { ...request, [allowInsecureRequests]: isLoopback(url) };
  const auth = ClientSecretPost(clientSecret);
  const response = await genericTokenEndpointRequest(server, client, auth, 'authorization_code', { code }, options);
  return (await processGenericTokenEndpointResponse(server, client, response)).access_token;
}

async function readUser(apiUrl: string, token: string, request: RequestOptions): Promise<GithubUser> {
  const url = addressUnder(apiUrl, 'user');
  const headers = new Headers({ ...request.headers, accept: 'application/vnd.github+json' });
  const options = { signal: request.signal, [allowInsecureRequests]: isLoopback(url) };
  const response = await protectedResourceRequest(token, 'GET', url, headers, undefined, options);
  if (!response.ok) throw new Error(`GET ${url.href} answered ${response.status}`);
  const user = membersIn(await response.json());
  if (typeof user['login'] !== 'string' || user['login'] === '') throw new Error(`GET ${url.href} named no login`);
  return { login: user['login'], name: textOrNull(user['name']), avatar: textOrNull(user['avatar_url']) };
}

/** GitHub answers a rejected code with 200 and `{"error": …}`, where RFC 6749 §5.2 requires 400. This sets the 400. */
async function fetchWithHonestStatus(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.status !== 200) return response;
  const text = await response.text();
  const refused = /^\s*\{[^]*"error"\s*:/.test(text);
  return new Response(text, { status: refused ? 400 : 200, headers: response.headers });
}

/** Joins `https://host/api/v3` and `user`, with or without a slash between them. */
function addressUnder(base: string, path: string): URL {
  return new URL(path, base.endsWith('/') ? base : `${base}/`);
}

/** Plain HTTP would expose the secret to the network; only a server on this machine may be addressed so. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
