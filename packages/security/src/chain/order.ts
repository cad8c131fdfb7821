// Where each known filter stands: the one visible list of the whole chain, first to last. Custom filters name a
// position to stand before, after or at; filters with the same position run in no promised order.

/** The known positions in the order in which they run. Steps of 100 leave room for filters in between. */
export const FILTER_ORDER = Object.freeze({
  /** Refuses odd targets and yields the canonical path. Always first, in every chain. */
  firewall: 100,
  /** Holds the security context for the request (AsyncLocalStorage). */
  context: 200,
  /** Finds the session and takes the authentication stored in it. */
  session: 300,
  headers: 400,
  cors: 500,
  /** Limits by address, ahead of everything that costs. */
  limits: 600,
  csrf: 700,
  /** Second layer against cross-site requests: Sec-Fetch-Site. */
  fetchMetadata: 800,
  /** `GET /csrf`: tells a client the token and how to send it. */
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

/** The name of a known filter position. */
export type FilterPosition = keyof typeof FILTER_ORDER;
