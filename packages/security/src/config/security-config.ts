// The configuration of a security layer as data: every key with its default, and the keys that a chain may set for
// itself. It is read by build-chain.ts; http-security.ts is the fluent form.
import type { Bean, Clock, Log } from '@lockstitch/kernel';
import type { AuditSink } from '../audit/audit.ts';
import type { CredentialCacheOptions } from '../authentication/credential-cache.ts';
import type { AuthenticationManager, AuthenticationProvider } from '../authentication/manager.ts';
import type { StaticKeyOptions } from '../authentication/static-key.ts';
import type { CompletedRules, RuleBuilder, RuleData } from '../authorization/rules.ts';
import type { FilterPlacement } from '../chain/order-filters.ts';
import type { AccessDeniedHandler, EntryPoint } from '../chain/error-handling.ts';
import type { ContextMode, SecurityContextHolder } from '../context/security-context.ts';
import type { CorsOptions } from '../cors/cors-filter.ts';
import type { CsrfTokenRepository } from '../csrf/csrf-token-repository.ts';
import type { FetchMetadataOptions } from '../csrf/fetch-metadata.ts';
import type { FirewallOptions } from '../firewall/firewall-filter.ts';
import type { HeadersOptions } from '../headers/headers-filter.ts';
import type { AddressLimitOptions } from '../limits/address-limit.ts';
import type { AttemptLimits } from '../limits/attempt-limiter.ts';
import type { FormLimits } from '../html/form.ts';
import type { LoginLink } from '../login/login-page.ts';
import type { PathComparison } from '../match/path-view.ts';
import type { HttpMethod } from '../match/matcher.ts';
import type { PasswordEncoder } from '../password/password-encoder.ts';
import type { SessionOptions, Sessions } from '../session/sessions.ts';
import type { UserSource } from '../users/user-store.ts';
import type { User } from '../users/user.ts';
import type { TokenConfig } from './token-config.ts';

/** Selects requests by path, as rules do, but without an access. */
export interface RequestSelection {
  readonly ant?: string | readonly string[] | undefined;
  readonly mvc?: string | readonly string[] | undefined;
  readonly regex?: string | readonly string[] | undefined;
  readonly method?: HttpMethod | undefined;
}

export interface HttpBasicConfig {
  /** Default: Realm. */
  readonly realm?: string | undefined;
  /** Responds to failures. Default: 401 with a challenge and the error body. */
  readonly entryPoint?: EntryPoint | undefined;
}

export interface FormLoginConfig {
  /** Default: /login. */
  readonly path?: string | undefined;
  /** Whether the built-in page is served. Default: true. */
  readonly page?: boolean | undefined;
  readonly title?: string | undefined;
  readonly links?: readonly LoginLink[] | undefined;
  /** Target after log-in if no page was saved before. Default: /. */
  readonly defaultTarget?: string | undefined;
  /** Target after a failure. Default: /login?error. */
  readonly failureTarget?: string | undefined;
}

export interface LogoutConfig {
  /** Default: /logout. */
  readonly path?: string | undefined;
  /** Default: /login?logout. */
  readonly target?: string | undefined;
}

export interface CsrfConfig {
  /** Default: in the session. */
  readonly repository?: CsrfTokenRepository | ((sessions: Sessions) => CsrfTokenRepository) | undefined;
  /** Requests that need no token. */
  readonly ignoring?: readonly RequestSelection[] | undefined;
  /** Default: false. */
  readonly masked?: boolean | undefined;
  /** Path at which a client gets its token. Default: /csrf; false serves none. */
  readonly endpoint?: string | false | undefined;
  /** The second layer, by `Sec-Fetch-Site`. Default: off. */
  readonly fetchMetadata?: boolean | FetchMetadataOptions | undefined;
}

/** Keys that a chain may set. */
export interface ChainConfig extends TokenConfig {
  /** Rules as data, or through the builder. Default: every request needs a valid user. */
  readonly rules?: readonly RuleData[] | ((rules: RuleBuilder) => CompletedRules | void) | undefined;
  /** Denies requests that no rule selects. Default: false, as in Spring Security 5; a warning says so at start-up. */
  readonly denyUnmatched?: boolean | undefined;
  /** Default: on. */
  readonly httpBasic?: boolean | HttpBasicConfig | undefined;
  /** Default: off. */
  readonly formLogin?: boolean | FormLoginConfig | undefined;
  /** Default: on with formLogin. */
  readonly logout?: boolean | LogoutConfig | undefined;
  /** Default: on. */
  readonly csrf?: boolean | CsrfConfig | undefined;
  /** Limits of forms. Default: 102,400 bytes, 1,000 fields. */
  readonly forms?: FormLimits | undefined;
  /** Default: off, so browsers allow no other origin. */
  readonly cors?: CorsOptions | false | undefined;
  /** Default: on. */
  readonly headers?: HeadersOptions | boolean | undefined;
  /** Keys that replace log-in: every request needs one. Default: none. */
  readonly staticKeys?: StaticKeyOptions['keys'] | StaticKeyOptions | undefined;
  /** Rejects requests without the header `Request-Id`, before authentication. Default: off. */
  readonly requestId?: boolean | { readonly header?: string } | undefined;
  /** Requests per address. Default: no limit. */
  readonly addressLimit?: AddressLimitOptions | undefined;
  /** Custom filters with their positions. */
  readonly filters?: readonly FilterPlacement[] | undefined;
  /** Starts authentication. Default: chosen by the kinds of log-in. */
  readonly entryPoint?: EntryPoint | undefined;
  /** Default: 403 with the error body. */
  readonly accessDenied?: AccessDeniedHandler | undefined;
}

/** A chain for some paths. */
export interface PathChainConfig extends ChainConfig {
  /** Ant patterns. The first chain that matches handles the request. */
  readonly path: string | readonly string[];
  /** Shown in `list()`. */
  readonly name?: string | undefined;
}

/** The whole configuration. Keys of `ChainConfig` at this level are the defaults of every chain. */
export interface SecurityConfig extends ChainConfig {
  /** Several chains by path. Default: one chain for everything, made of the keys at this level. */
  readonly chains?: readonly PathChainConfig[] | undefined;
  /** The accounts. Default: one user named `user` with a random password, printed at start-up. */
  readonly users?: UserSource | readonly User[] | undefined;
  /** Required with `users`. */
  readonly passwordEncoder?: PasswordEncoder | undefined;
  /** Asked after the user store, in order. */
  readonly providers?: readonly AuthenticationProvider[] | undefined;
  /** Replaces the user store and the providers. */
  readonly authenticationManager?: AuthenticationManager | undefined;
  /** Caches verified passwords for up to a minute. Default: on. */
  readonly credentialCache?: CredentialCacheOptions | false | undefined;
  /** Default: 4096. */
  readonly maxPasswordBytes?: number | undefined;
  /** Limits failed log-ins. Default: on. */
  readonly attempts?: AttemptLimits | false | undefined;
  /** Default: in memory. `false`: none, for programs only. */
  readonly sessions?: SessionOptions | Sessions | false | undefined;
  readonly firewall?: FirewallOptions | undefined;
  /** Objects that expressions may call: `@clock.hour()`. */
  readonly beans?: Readonly<Record<string, Bean>> | undefined;
  /** Default: a new holder in MODE_THREADLOCAL. */
  readonly context?: SecurityContextHolder | ContextMode | undefined;
  /** How the router behind the chain compares paths. Default: exactly; the adapters of lenient routers set it. */
  readonly matching?: Partial<PathComparison> | undefined;
  readonly audit?: AuditSink | undefined;
  readonly log?: Log | undefined;
  readonly clock?: Clock | undefined;
  /** Receives the line with the generated password. Default: standard output. */
  readonly print?: ((line: string) => void) | undefined;
}
