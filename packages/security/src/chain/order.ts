// The order of all built-in filters, first to last. Custom filters name a position to run before, after or at. The
// order of filters at the same position is not guaranteed.

/** Built-in positions in the order in which they run. Steps of 100 leave room for filters in between. */
export const FILTER_ORDER = Object.freeze({
  /** Rejects ambiguous targets and sets the canonical path. Always first. */
  firewall: 100,
  /** Holds the security context for the request (AsyncLocalStorage). */
  context: 200,
  /** Finds the session and takes the authentication stored in it. */
  session: 300,
  headers: 400,
  cors: 500,
  /** Limits per address, before any expensive step. */
  limits: 600,
  csrf: 700,
  /** Second layer against cross-site requests: Sec-Fetch-Site. */
  fetchMetadata: 800,
  /** `GET /csrf`: returns the token and how to send it. */
  csrfEndpoint: 900,
  logout: 1000,
  oauth2Login: 1100,
  formLogin: 1200,
  loginPage: 1300,
  logoutPage: 1400,
  requestId: 1450,
  bearer: 1500,
  staticKey: 1600,
  signature: 1700,
  basic: 1800,
  oneTime: 1900,
  requestCache: 2000,
  rememberMe: 2100,
  anonymous: 2200,
  sessionManagement: 2300,
  exceptionTranslation: 2400,
  /** Decides by the declared rules. Always last. */
  authorization: 2500,
} as const);

/** Name of a built-in filter position. */
export type FilterPosition = keyof typeof FILTER_ORDER;
