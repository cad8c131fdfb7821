// The configuration of a security layer as data: every key, its default, and which of them a single chain may set for
// itself. Reading it is build-chain.ts; the fluent form that fills it in is http-security.ts.
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

/** Requests by path, as in rules but without saying anything about them. */
export interface RequestSelection {
  readonly ant?: string | readonly string[] | undefined;
  readonly mvc?: string | readonly string[] | undefined;
  readonly regex?: string | readonly string[] | undefined;
  readonly method?: HttpMethod | undefined;
}

export interface HttpBasicConfig {
  /** Default: Realm. */
  readonly realm?: string | undefined;
  /** Answers failures. Default: 401 with a challenge and the error body. */
  readonly entryPoint?: EntryPoint | undefined;
}

export interface FormLoginConfig {
  /** Default: /login. */
  readonly path?: string | undefined;
  /** Whether the built-in page is served. Default: true. */
  readonly page?: boolean | undefined;
  readonly title?: string | undefined;
  readonly links?: readonly LoginLink[] | undefined;
  /** Where a log-in leads when no page was refused before. Default: /. */
  readonly defaultTarget?: string | undefined;
  /** Where a failure leads. Default: /login?error. */
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
  /** Where a client asks for its token. Default: /csrf; false serves none. */
  readonly endpoint?: string | false | undefined;
  /** The second layer: `Sec-Fetch-Site`. Default: off. */
  readonly fetchMetadata?: boolean | FetchMetadataOptions | undefined;
}

/** What one chain may set. */
export interface ChainConfig extends TokenConfig {
  /** Rules as data, or through the builder. Default: every request needs a valid user. */
  readonly rules?: readonly RuleData[] | ((rules: RuleBuilder) => CompletedRules | void) | undefined;
  /** Refuses requests that no rule selects. Default: false, as in Spring Security 5; a warning says so at start-up. */
  readonly denyUnmatched?: boolean | undefined;
  /** Default: on. */
  readonly httpBasic?: boolean | HttpBasicConfig | undefined;
  /** Default: off. */
  readonly formLogin?: boolean | FormLoginConfig | undefined;
  /** Default: on with formLogin. */
  readonly logout?: boolean | LogoutConfig | undefined;
  /** Default: on. */
  readonly csrf?: boolean | CsrfConfig | undefined;
  /** What the chain reads of a form. Default: 102,400 bytes, 1,000 fields. */
  readonly forms?: FormLimits | undefined;
  /** Default: off, browsers then allow no other origin. */
  readonly cors?: CorsOptions | false | undefined;
  /** Default: on. */
  readonly headers?: HeadersOptions | boolean | undefined;
  /** Keys that replace log-in: every request needs one. Default: none. */
  readonly staticKeys?: StaticKeyOptions['keys'] | StaticKeyOptions | undefined;
  /** Refuses requests without the header `Request-Id`, ahead of authentication. Default: off. */
  readonly requestId?: boolean | { readonly header?: string } | undefined;
  /** Requests per address. Default: no limit. */
  readonly addressLimit?: AddressLimitOptions | undefined;
  /** Custom filters with their places. */
  readonly filters?: readonly FilterPlacement[] | undefined;
  /** Starts authentication where it is needed. Default: by the kinds of log-in. */
  readonly entryPoint?: EntryPoint | undefined;
  /** Default: 403 with the error body. */
  readonly accessDenied?: AccessDeniedHandler | undefined;
}

/** A chain for some paths. */
export interface PathChainConfig extends ChainConfig {
  /** Ant patterns. The first chain that matches takes the request. */
  readonly path: string | readonly string[];
  /** Shown in `list()`. */
  readonly name?: string | undefined;
}

/** The whole configuration. Keys of `ChainConfig` here are the defaults of every chain. */
export interface SecurityConfig extends ChainConfig {
  /** Several chains by path. Default: one chain for everything, made of the keys beside this one. */
  readonly chains?: readonly PathChainConfig[] | undefined;
  /** The accounts. Default: one user named `user` with a random password, printed at start-up. */
  readonly users?: UserSource | readonly User[] | undefined;
  /** Must be given with `users`. */
  readonly passwordEncoder?: PasswordEncoder | undefined;
  /** Asked after the user store, in order. */
  readonly providers?: readonly AuthenticationProvider[] | undefined;
  /** Replaces user store and providers altogether. */
  readonly authenticationManager?: AuthenticationManager | undefined;
  /** Verified passwords remembered for up to a minute. Default: on. */
  readonly credentialCache?: CredentialCacheOptions | false | undefined;
  /** Default: 4096. */
  readonly maxPasswordBytes?: number | undefined;
  /** Failed log-ins before the next try has to wait. Default: on. */
  readonly attempts?: AttemptLimits | false | undefined;
  /** Default: in memory. `false`: none, for programs only. */
  readonly sessions?: SessionOptions | Sessions | false | undefined;
  readonly firewall?: FirewallOptions | undefined;
  /** Objects that expressions may ask: `@clock.hour()`. */
  readonly beans?: Readonly<Record<string, Bean>> | undefined;
  /** Default: a new holder in MODE_THREADLOCAL. */
  readonly context?: SecurityContextHolder | ContextMode | undefined;
  /** How the router behind the chain compares paths. Default: exactly; the adapters of lenient routers set it. */
  readonly matching?: Partial<PathComparison> | undefined;
  readonly audit?: AuditSink | undefined;
  readonly log?: Log | undefined;
  readonly clock?: Clock | undefined;
  /** Takes the one line with the generated password. Default: standard output. */
  readonly print?: ((line: string) => void) | undefined;
}
