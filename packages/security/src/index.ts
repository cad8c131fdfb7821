// Adapters
import './this-node.ts';

export { type ConnectOptions, connectHandler } from './adapters/connect-handler.ts';
export { exchangeOf } from './adapters/exchange-of.ts';
export { type FastifyLike, fastifySecurity, type FastifySecurityOptions } from './adapters/fastify-plugin.ts';
export { type FetchApplication, fetchHandler, type FetchOptions } from './adapters/fetch-handler.ts';
export { nodeHandler, type SecuredListener } from './adapters/node-handler.ts';
export { canonicalUrl, type NodeAdapterOptions, NodeRequest, sendAnswer } from './adapters/node-request.ts';

// Configuration and the layer itself
export { createSecurity, type Outcome, type Security } from './config/create-security.ts';
export type { ChainListing, ExplainAs, Explanation } from './config/explain.ts';
export type { HttpSecurity } from './config/http-security.ts';
export type {
  ChainConfig,
  CsrfConfig,
  FormLoginConfig,
  HttpBasicConfig,
  LogoutConfig,
  PathChainConfig,
  RequestSelection,
  SecurityConfig,
} from './config/security-config.ts';
export type { OAuth2Config, OneTimeConfig, TokenConfig } from './config/token-config.ts';

// Chain
export {
  type Attribute,
  attribute,
  type CurrentAuthentication,
  type Next,
  SecurityExchange,
} from './chain/exchange.ts';
export type { Filter } from './chain/filter.ts';
export type { MaybePromise } from './maybe-promise.ts';
export { oncePerRequest } from './chain/once.ts';
export { FILTER_ORDER, type FilterPosition } from './chain/order.ts';
export { type FilterPlacement, type OrderedFilter, orderFilters } from './chain/order-filters.ts';
export {
  AccessDeniedError,
  type AccessDeniedHandler,
  AuthenticationError,
  type EntryPoint,
  respondError,
  respondForbidden,
} from './chain/error-handling.ts';
export type { Answer, ResponseHead, SecurityRequest } from './chain/request.ts';

// Rules and matching
export type { AccessFunction, AccessRequest } from './authorization/access.ts';
export type {
  AccessBuilder,
  CompletedRules,
  Rule,
  RuleBuilder,
  RuleData,
  SecurityWarning,
} from './authorization/rules.ts';
export {
  compileMatcher,
  HTTP_METHODS,
  type HttpMethod,
  type RequestMatcher,
  type RequestPattern,
} from './match/matcher.ts';
export { EXACT, type PathComparison, type PathView, viewPath } from './match/path-view.ts';

// Firewall, headers, CORS
export { type CanonicalTarget, canonicalTarget, encodePath, type RefusedTarget } from './firewall/canonical-path.ts';
export { DEFAULT_ALLOWED_METHODS, type FirewallOptions } from './firewall/firewall-filter.ts';
export { CSP_NONCE, type HeadersOptions } from './headers/headers-filter.ts';
export type { CorsOptions } from './cors/cors-filter.ts';
export { type CorsPolicyOptions } from './cors/cors-policy.ts';

// Context
export type { Authorize, Guard } from './context/authorize.ts';
export {
  type ContextMode,
  createSecurityContextHolder,
  inheritedContext,
  type SecurityContext,
  type SecurityContextHolder,
} from './context/security-context.ts';

// Users and passwords
export { createDefaultUser, type DefaultUser } from './users/default-user.ts';
export { createMemoryUserStore } from './users/memory-user-store.ts';
export type { SqlConnection, SqlDatabase, SqlValue } from './stores/sql-database.ts';
export { type LoginState, openSqlLoginState, type SqlLoginStateOptions } from './login/sql-login-state.ts';
export { openSqlUserStore, type SqlUserStoreOptions } from './users/sql-user-store.ts';
export { createUserManager, type UserManager, type UserManagerOptions } from './users/user-manager.ts';
export type { UserSource, UserStore } from './users/user-store.ts';
export { type AccountFlags, User, type UserBuilder, userNamed } from './users/user.ts';
export { type Argon2Options, createArgon2Encoder } from './password/argon2-encoder.ts';
export { type BCryptOptions, createBCryptEncoder } from './password/bcrypt-encoder.ts';
export { createDelegatingEncoder, type DelegatingOptions, standardEncoders } from './password/delegating-encoder.ts';
export { createLdapEncoder } from './password/ldap-encoder.ts';
export { createMessageDigestEncoder } from './password/message-digest-encoder.ts';
export { createNoOpEncoder } from './password/noop-encoder.ts';
export type { PasswordEncoder } from './password/password-encoder.ts';
export { createPbkdf2Encoder, PBKDF2_V5_5, type Pbkdf2Options } from './password/pbkdf2-encoder.ts';
export { createSCryptEncoder, SCRYPT_V4_1, type SCryptOptions } from './password/scrypt-encoder.ts';
export { createStandardEncoder } from './password/standard-encoder.ts';

// Authentication
export {
  Authentication,
  type AuthenticationDetails,
  type CredentialsKind,
  passwordAttempt,
} from './authentication/authentication.ts';
export { type Authenticator, type AuthenticatorOptions, createAuthenticator } from './authentication/authenticator.ts';
export { type BasicOptions, createBasicFilter } from './authentication/basic.ts';
export type { CredentialCache, CredentialCacheOptions } from './authentication/credential-cache.ts';
export {
  basicEntryPoint,
  loginEntryPoint,
  negotiate,
  respondUnauthorized,
  wantsJson,
  wantsPage,
} from './authentication/entry-points.ts';
export { AuthenticationFailure, type FailureCode } from './chain/authentication-failure.ts';
export {
  type AuthenticationManager,
  type AuthenticationManagerOptions,
  type AuthenticationProvider,
  createAuthenticationManager,
} from './authentication/manager.ts';
export { createStaticKeyFilter, type StaticKey, type StaticKeyOptions } from './authentication/static-key.ts';
export { createUserProvider, type UserProvider, type UserProviderOptions } from './authentication/user-provider.ts';

// Log-in and log-out
export type { FormLimits } from './html/form.ts';
export { createFormLoginFilter, type FormLoginOptions } from './login/form-login.ts';
export {
  createLoginPageFilter,
  createLogoutPageFilter,
  type LoginLink,
  type LoginPageOptions,
} from './login/login-page.ts';
export { createLogoutFilter, type LogoutOptions } from './login/logout.ts';
export { createOAuth2Login, type OAuth2Login, type OAuth2LoginOptions } from './login/oauth2-login.ts';
export {
  createOAuth2Provider,
  GITHUB,
  type OAuth2Provider,
  type OAuth2ProviderOptions,
  type Profile,
} from './login/oauth2-provider.ts';
export { createRememberMe, type RememberMe, type RememberMeOptions } from './login/remember-me.ts';
export { createRequestIdFilter } from './login/request-id.ts';
export { createSavedRequests, type SavedRequests } from './login/saved-request.ts';

// Tokens, signatures, second factor
export { bearerEntryPoint, type BearerOptions, createBearerFilter } from './token/bearer.ts';
export { createJwtVerifier, type JwtOptions, type TokenVerifier } from './token/jwt.ts';
export { createOneTimeFilter, type OneTimeOptions } from './token/one-time.ts';
export {
  createMemoryNonces,
  createSignatureFilter,
  type NonceStore,
  type SignatureOptions,
  type Signer,
} from './token/signature-filter.ts';
export { type SignatureKey, signRequest } from './token/signature.ts';
export { createTotpVerifier, enrolTotp, type OneTimeVerifier, type TotpOptions, type UsedSteps } from './token/totp.ts';

// Sessions and CSRF
export { createMemorySessionStore, type MemorySessionStore } from './session/memory-session-store.ts';
export { openSqlSessionStore, type SqlSessionStoreOptions } from './session/sql-session-store.ts';
export type { SessionStore, StoredCookie, StoredPrincipal, StoredSession } from './session/session-store.ts';
export type { Session } from './session/session.ts';
export { createSessions, type SessionOptions, type Sessions } from './session/sessions.ts';
export {
  type ClientCsrfOptions,
  type ClientTokenStore,
  createClientCsrfRepository,
} from './csrf/client-csrf-repository.ts';
export { type CookieCsrfOptions, createCookieCsrfRepository } from './csrf/cookie-csrf-repository.ts';
export { createCsrf, type Csrf, type CsrfOptions } from './csrf/csrf.ts';
export type { CsrfTokenRepository } from './csrf/csrf-token-repository.ts';
export { createCsrfToken, CSRF, type CsrfToken, type DeferredCsrfToken } from './csrf/csrf-token.ts';
export { createExpiringCsrfRepository } from './csrf/expiring-csrf-repository.ts';
export { createFetchMetadataFilter, type FetchMetadataOptions } from './csrf/fetch-metadata.ts';
export { createSessionCsrfRepository } from './csrf/session-csrf-repository.ts';

// Limits and audit
export { type AddressLimitOptions, createAddressLimitFilter } from './limits/address-limit.ts';
export {
  type AttemptBound,
  type AttemptLimiter,
  type AttemptLimits,
  createAttemptLimiter,
} from './limits/attempt-limiter.ts';
export { createHashingLimiter, type HashingLimiter, type HashingLimits } from './limits/hashing-limiter.ts';
export {
  type AuditEvent,
  type AuditSink,
  type AuditStream,
  createAuditStream,
  jsonLines,
  silentAudit,
  type TimedAuditEvent,
} from './audit/audit.ts';

// All error codes of this package
export { authenticationErrors, securityErrors } from './errors.ts';
