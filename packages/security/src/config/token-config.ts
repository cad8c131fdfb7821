// Options of a chain for log-in other than Basic and form. They are read by token-filters.ts.
import type { OAuth2ProviderOptions } from '../login/oauth2-provider.ts';
import type { RememberMeOptions } from '../login/remember-me.ts';
import type { JwtOptions, TokenVerifier } from '../token/jwt.ts';
import type { SignatureOptions } from '../token/signature-filter.ts';
import type { OneTimeVerifier, TotpOptions } from '../token/totp.ts';

/** Log-in at identity providers. */
export interface OAuth2Config {
  readonly providers: readonly OAuth2ProviderOptions[];
  /** Address at which browsers reach this server: https://app.example.org. */
  readonly baseUrl: string;
  /** Target after log-in if no page was saved before. Default: /. */
  readonly defaultTarget?: string | undefined;
}

/** The second factor. */
export interface OneTimeConfig {
  /** Verifies codes: with secrets of authenticator apps, or by an application's own service. */
  readonly verifier: OneTimeVerifier | Pick<TotpOptions, 'secretOf' | 'steps'>;
  /** Default: X-One-Time-Password. */
  readonly header?: string | undefined;
  /** Default: /login/one-time. */
  readonly path?: string | undefined;
}

/** All off by default. */
export interface TokenConfig {
  /** JWTs as `Authorization: Bearer`. */
  readonly bearer?: JwtOptions | { readonly verifier: TokenVerifier } | undefined;
  readonly signatures?: Pick<SignatureOptions, 'signers' | 'window' | 'nonces' | 'maxBodyBytes'> | undefined;
  readonly oauth2Login?: OAuth2Config | undefined;
  readonly oneTime?: OneTimeConfig | undefined;
  /** "Stay signed in" on the login form; needs formLogin and users. */
  readonly rememberMe?: Omit<RememberMeOptions, 'users' | 'clock' | 'sessions' | 'secondFactor'> | undefined;
}
