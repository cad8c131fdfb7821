// Verifies bearer tokens that are JWTs (RFC 7519, RFC 9068) with jose. The configuration and the key determine the
// algorithm, never the token: `none`, and a public key used as a shared secret, are rejected.
import type { KeyObject } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as joseModule from 'jose';
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { type Clock, createPrincipal, type Principal, systemClock } from '@lockstitch/kernel';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import { storeFailure } from '../stores/call-store.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import { JWT } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

// jose is 46 modules, loaded with the first verifier.
const require = createRequire(import.meta.url);
const loadJose = (): typeof joseModule => require('jose');

/** Converts a token to a principal. */
export interface TokenVerifier {
  /** @throws AuthenticationFailure SECURITY_TOKEN_INVALID */
  verify(token: string): Promise<Principal>;
}

export interface JwtOptions {
  /**
   * Source of the keys: the issuer's JWK set (fetched, cached, fetched again for an unknown key id), one public key, or
   * a shared secret.
   */
  readonly keys:
    | { readonly kind: 'jwks'; readonly url: string }
    | { readonly kind: 'public'; readonly key: KeyObject }
    | { readonly kind: 'shared'; readonly secret: Uint8Array };
  /** Required value of `iss`. */
  readonly issuer: string;
  /** Required member of `aud`. */
  readonly audience: string;
  /** Default: HS256 for a shared secret; RS256, PS256, ES256 and EdDSA for public keys. */
  readonly algorithms?: readonly string[];
  /** Tolerated clock difference in seconds. Default: 30. */
  readonly clockTolerance?: number;
  /** The claim that names the user. Default: sub. */
  readonly nameClaim?: string;
  /**
   * Claims with authorities, as a list or a space-separated text, and the prefix of each. Default: scope and scp, as
   * SCOPE_.
   */
  readonly authorities?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

const PUBLIC_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
const SHARED_ALGORITHMS = ['HS256', 'HS384', 'HS512'];
/** Longer tokens are rejected. */
const MAX_TOKEN = 16_384;

/**
 * Creates a verifier.
 *
 * @throws SECURITY_SETTING if an algorithm does not fit the kind of key, or a secret is too short
 */
export function createJwtVerifier(options: JwtOptions): TokenVerifier {
  requireOptions('createJwtVerifier', JWT, options);
  const { keys, issuer, audience, clockTolerance = 30, nameClaim = 'sub', clock = systemClock } = options;
  const { authorities = { scope: 'SCOPE_', scp: 'SCOPE_' } } = options;
  const possible =
    keys.kind === 'shared'
      ? SHARED_ALGORITHMS
      : [...PUBLIC_ALGORITHMS, 'RS384', 'RS512', 'PS384', 'PS512', 'ES384', 'ES512'];
  const algorithms = [...(options.algorithms ?? (keys.kind === 'shared' ? ['HS256'] : PUBLIC_ALGORITHMS))];
  const misfit = algorithms.find((algorithm) => !possible.includes(algorithm));
  if (misfit !== undefined || algorithms.length === 0)
    throw setting(
      `JWT: the algorithm "${misfit ?? ''}" does not fit keys of kind "${keys.kind}"; possible: ${possible.join(', ')}.`,
    );
  if (keys.kind === 'shared' && keys.secret.length < 32) throw setting('JWT: a shared secret needs 32 bytes or more.');
  if (keys.kind === 'public' && keys.key.type !== 'public') throw setting('JWT: the key is not a public key.');
  const jose = loadJose();
  const remote: JWTVerifyGetKey | undefined =
    keys.kind === 'jwks' ? jose.createRemoteJWKSet(readJwksUrl(keys.url)) : undefined;

  return {
    async verify(token) {
      if (token.length > MAX_TOKEN) throw invalid('it is too long');
      const rules: JWTVerifyOptions = {
        issuer,
        audience,
        algorithms,
        clockTolerance,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', nameClaim],
      };
      let claims: JWTPayload;
      try {
        claims = (
          remote === undefined
            ? await jose.jwtVerify(
                token,
                keys.kind === 'shared' ? keys.secret : (keys as { key: KeyObject }).key,
                rules,
              )
            : await jose.jwtVerify(token, remote, rules)
        ).payload;
      } catch (error) {
        if (error instanceof jose.errors.JWKSTimeout || (error instanceof TypeError && remote !== undefined))
          throw storeFailure('server with the keys of bearer tokens', error);
        throw invalid(describeFault(error), error);
      }
      const name = claims[nameClaim];
      if (typeof name !== 'string' || name === '') throw invalid(`its claim "${nameClaim}" names no user`);
      return createPrincipal(name, readAuthorities(claims, authorities), { claims });
    },
  };
}

/** Over plain HTTP an attacker in between could supply a key; on this machine there is none. */
function readJwksUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return url;
  throw setting(`JWT: the address of the keys, "${text}", must start with https://.`);
}

function readAuthorities(claims: JWTPayload, sources: Readonly<Record<string, string>>): string[] {
  return Object.entries(sources).flatMap(([claim, prefix]) => {
    const value = claims[claim];
    const names = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
    return names.flatMap((name: unknown) => (typeof name === 'string' && name !== '' ? [prefix + name] : []));
  });
}

/** Reason for the caller; jose's own messages may quote the token. */
function describeFault(error: unknown): string {
  const { errors } = loadJose();
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `its claim "${error.claim}" does not hold`;
  if (error instanceof errors.JOSEAlgNotAllowed) return 'its algorithm is not accepted';
  if (error instanceof errors.JWKSNoMatchingKey) return 'its key is unknown';
  return 'it cannot be verified';
}

function invalid(reason: string, cause?: unknown): AuthenticationFailure {
  return new AuthenticationFailure('SECURITY_TOKEN_INVALID', { values: { reason }, cause });
}

function setting(what: string): Error {
  return authenticationErrors.create('SECURITY_SETTING', { what });
}
