// Adapters
export { type ConnectOptions, connectHandler, exchangeOf } from './adapters/connect-handler.ts';
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

// Chain
export { type Attribute, attribute, type CurrentAuthentication, SecurityExchange } from './chain/exchange.ts';
export type { Filter, MaybePromise, Next } from './chain/filter.ts';
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
} from './chain/refusal.ts';
export type { Answer, ResponseHead, SecurityRequest } from './chain/request.ts';

// Rules and matching
export type { AccessFunction, AccessRequest } from './authorization/access.ts';
export type { AccessBuilder, CompletedRules, Rule, RuleBuilder, RuleData } from './authorization/rules.ts';
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
export type { Authorize } from './context/authorize.ts';
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
export { type AccountFlags, User, type UserBuilder, userNamed } from './users/user.ts';
export type { UserSource, UserStore } from './users/user-store.ts';
export { createArgon2Encoder } from './password/argon2-encoder.ts';
export { createBCryptEncoder } from './password/bcrypt-encoder.ts';
export { createDelegatingEncoder } from './password/delegating-encoder.ts';
export { createNoOpEncoder } from './password/noop-encoder.ts';
export type { PasswordEncoder } from './password/password-encoder.ts';
export { createPbkdf2Encoder } from './password/pbkdf2-encoder.ts';
export { createSCryptEncoder } from './password/scrypt-encoder.ts';
export { createStandardEncoder } from './password/standard-encoder.ts';
