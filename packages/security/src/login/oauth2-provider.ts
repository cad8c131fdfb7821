// One identity provider for OAuth 2 log-in: its addresses, our registration, and the mapping of profiles to principals.
// oauth4webapi implements the protocol; sessions and redirects are the filter's.
import { createRequire } from 'node:module';
import type * as oauth from 'oauth4webapi';
import { createPrincipal, membersIn, type Principal, required } from '@lockstitch/kernel';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import { OAUTH2_PROVIDER } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

// Loaded with the first provider: 100 KB of source that other applications do not need.
const require = createRequire(import.meta.url);

/** A user's profile from a provider. */
export type Profile = Readonly<Record<string, unknown>>;

/** A provider. For OpenID Connect give `issuer` only; for plain OAuth 2 give the three addresses. */
export interface OAuth2ProviderOptions {
  /** Part of the path: /oauth2/authorization/<id>. Lower-case letters, digits, -. */
  readonly id: string;
  /** On the login page: "Sign in with <label>". Default: the id. */
  readonly label?: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The OpenID Connect issuer; its addresses are discovered at the first log-in. */
  readonly issuer?: string;
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly profileUrl?: string;
  /** Default: openid profile email, or none for plain OAuth 2. */
  readonly scopes?: readonly string[];
  /** Maps a profile to a principal. Default: name `<id>:<sub or id>`, no authorities, attributes name and email. */
  readonly toPrincipal?: (profile: Profile) => Principal | Promise<Principal>;
  /** Allows http: addresses, for a provider on this machine. Default: false. */
  readonly allowInsecureRequests?: boolean;
}

/** State between the redirect and the response. */
export interface PendingLogin {
  readonly provider: string;
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
}

export interface OAuth2Provider {
  readonly id: string;
  readonly label: string;
  /** Returns the address to redirect to, and the state to keep. */
  start(redirectUri: string): Promise<{ readonly url: string; readonly pending: PendingLogin }>;
  /** Converts the provider's response to a principal. @throws the failure */
  finish(answer: URLSearchParams, pending: PendingLogin, redirectUri: string): Promise<Principal>;
}

/** GitHub's addresses; the other options are the application's. */
export const GITHUB = {
  id: 'github',
  label: 'GitHub',
  authorizationUrl: 'https://github.com/login/oauth/authorize',
  tokenUrl: 'https://github.com/login/oauth/access_token',
  profileUrl: 'https://api.github.com/user',
} as const;

/** Seconds for a provider to respond. */
const TIMEOUT = 10;

/** Creates a provider. @throws SECURITY_SETTING */
export function createOAuth2Provider(options: OAuth2ProviderOptions): OAuth2Provider {
  requireOptions('createOAuth2Provider', OAUTH2_PROVIDER, options);
  const { id, label = id, issuer, authorizationUrl, tokenUrl, profileUrl, toPrincipal = byDefault(id) } = options;
  const need = (holds: boolean, what: string): void => {
    if (!holds) throw authenticationErrors.create('SECURITY_SETTING', { what: `OAuth2 login "${id}": ${what}` });
  };
  need(/^[a-z0-9-]{1,40}$/.test(id), 'the id must be lower-case letters, digits and -.');
  need(options.clientId !== '' && options.clientSecret !== '', 'clientId and clientSecret are needed.');
  const plain = authorizationUrl !== undefined && tokenUrl !== undefined && profileUrl !== undefined;
  need(issuer !== undefined || plain, 'give issuer, or authorizationUrl, tokenUrl and profileUrl.');
  for (const url of [issuer, authorizationUrl, tokenUrl, profileUrl]) {
    const fine =
      url === undefined ||
      url.startsWith('https://') ||
      (options.allowInsecureRequests === true && url.startsWith('http://'));
    need(fine, `the address "${url ?? ''}" must start with https://.`);
  }
  const scopes = options.scopes ?? (issuer === undefined ? [] : ['openid', 'profile', 'email']);
  const library: typeof oauth = require('oauth4webapi');
  const client: oauth.Client = { client_id: options.clientId };
  const clientSecret = library.ClientSecretPost(options.clientSecret);
  const transport = (): { readonly signal: AbortSignal; readonly [library.allowInsecureRequests]: boolean } => ({
    signal: AbortSignal.timeout(TIMEOUT * 1000),
    [library.allowInsecureRequests]: options.allowInsecureRequests === true,
  });

  const discover = async (address: URL): Promise<oauth.AuthorizationServer> =>
    library.processDiscoveryResponse(address, await library.discoveryRequest(address, transport()));
  let discovered: Promise<oauth.AuthorizationServer> | undefined;
  const server = (): Promise<oauth.AuthorizationServer> => {
    if (discovered !== undefined) return discovered;
    const found =
      issuer === undefined ? Promise.resolve(asServer(authorizationUrl!, tokenUrl!)) : discover(new URL(issuer));
    // Discovery that failed is tried again at the next log-in.
    found.catch(() => (discovered = undefined));
    discovered = found;
    return found;
  };

  return {
    id,
    label,
    async start(redirectUri) {
      const { authorization_endpoint: endpoint } = await server();
      if (endpoint === undefined) throw new Error('The provider has no authorization endpoint.');
      const pending = {
        provider: id,
        state: library.generateRandomState(),
        verifier: library.generateRandomCodeVerifier(),
        nonce: library.generateRandomNonce(),
      };
      const url = new URL(endpoint);
      const parameters = {
        response_type: 'code',
        client_id: options.clientId,
        redirect_uri: redirectUri,
        state: pending.state,
        code_challenge: await library.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
        ...(issuer === undefined ? {} : { nonce: pending.nonce }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url: url.href, pending };
    },
    async finish(answer, pending, redirectUri) {
      const as = await server();
      const checked = library.validateAuthResponse(as, client, answer, pending.state);
      const response = await library.authorizationCodeGrantRequest(
        as,
        client,
        clientSecret,
        checked,
        redirectUri,
        pending.verifier,
        transport(),
      );
      if (issuer === undefined) {
        const result = await library.processAuthorizationCodeResponse(as, client, response);
        const headers = new Headers({ accept: 'application/json', 'user-agent': 'lockstitch' });
        const profile = await library.protectedResourceRequest(
          result.access_token,
          'GET',
          new URL(profileUrl!),
          headers,
          undefined,
          transport(),
        );
        if (!profile.ok) throw new Error(`The provider answered ${profile.status} for the profile.`);
        return toPrincipal(membersIn(await profile.json()));
      }
      const expected = { expectedNonce: pending.nonce, requireIdToken: true };
      const result = await library.processAuthorizationCodeResponse(as, client, response, expected);
      const claims = required(library.getValidatedIdTokenClaims(result), 'the claims of the ID token');
      if (as.userinfo_endpoint === undefined) return toPrincipal({ ...claims });
      const info = await library.userInfoRequest(as, client, result.access_token, transport());
      return toPrincipal({ ...claims, ...(await library.processUserInfoResponse(as, client, claims.sub, info)) });
    },
  };
}

function asServer(authorizationUrl: string, tokenUrl: string): oauth.AuthorizationServer {
  return {
    issuer: new URL(authorizationUrl).origin,
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
  };
}

/** The name has the provider as prefix, so that an external user cannot take the name of a local account. */
function byDefault(id: string): (profile: Profile) => Principal {
  return (profile) => {
    const subject = profile['sub'] ?? profile['id'];
    if (typeof subject !== 'string' && typeof subject !== 'number')
      throw new Error('The profile has neither sub nor id.');
    const { name, email } = profile;
    return createPrincipal(`${id}:${subject}`, [], {
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof email === 'string' ? { email } : {}),
    });
  };
}
