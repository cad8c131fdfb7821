// What a chain may set of the ways to log in beside Basic and the form. Reading it is token-filters.ts.
import type { OAuth2ProviderOptions } from '../login/oauth2-provider.ts';
import type { RememberMeOptions } from '../login/remember-me.ts';
import type { JwtOptions, TokenVerifier } from '../token/jwt.ts';
import type { SignatureOptions } from '../token/signature-filter.ts';
import type { OneTimeVerifier, TotpOptions } from '../token/totp.ts';

/** Log-in at identity providers. */
export interface OAuth2Config {
  readonly providers: readonly OAuth2ProviderOptions[];
  /** The address browsers reach this server at: https://app.example.org. */
  readonly baseUrl: string;
  /** Where a log-in leads when no page was refused before. Default: /. */
  readonly defaultTarget?: string | undefined;
}

/** The second factor. */
export interface OneTimeConfig {
  /** Where codes are checked: secrets of authenticator apps, or a service of one's own. */
  readonly verifier: OneTimeVerifier | Pick<TotpOptions, 'secretOf' | 'steps'>;
  /** Default: X-One-Time-Password. */
  readonly header?: string | undefined;
  /** Default: /login/one-time. */
  readonly path?: string | undefined;
}

/** What a chain may set of these; all off by default. */
export interface TokenConfig {
  /** JWTs as `Authorization: Bearer`. */
  readonly bearer?: JwtOptions | { readonly verifier: TokenVerifier } | undefined;
  readonly signatures?: Pick<SignatureOptions, 'signers' | 'window' | 'nonces' | 'maxBodyBytes'> | undefined;
  readonly oauth2Login?: OAuth2Config | undefined;
  readonly oneTime?: OneTimeConfig | undefined;
  /** "Stay signed in" on the login form; needs formLogin and users. */
  readonly rememberMe?: Omit<RememberMeOptions, 'users' | 'clock' | 'sessions' | 'secondFactor'> | undefined;
}
