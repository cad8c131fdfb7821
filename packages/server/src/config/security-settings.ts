// Configuration keys for authorization, browser protection, sessions, limits and audit. Authentication is in
// login-settings.ts. Part of the table in config.ts; ../security/ turns them into chains.
import type {
  CompletedRules,
  FilterPlacement,
  PasswordEncoder,
  RuleBuilder,
  SessionStore,
  TimedAuditEvent,
  UserSource,
} from '@lockstitch/security';

import {
  BEARER_SETTINGS,
  LOGIN_SETTINGS,
  SIGNATURE_SETTINGS,
  STATIC_KEY_SETTINGS,
  USER_SETTINGS,
} from './login-settings.ts';
import {
  anything,
  callable,
  choice,
  flag,
  group,
  integer,
  list,
  map,
  oneOf,
  text,
  typed,
  withMethods,
} from './setting.ts';

const pathPattern = {
  ant: { shape: text('/api/**'), doc: 'Ant pattern of the paths.', default: undefined },
  mvc: { shape: text('/photos/{id}'), doc: 'MVC pattern of the paths: `/a` and `/a/` alike.', default: undefined },
  regex: { shape: text('/v[12]/.*'), doc: 'Regular expression the whole path must match.', default: undefined },
  method: { shape: text('POST'), doc: 'Only this HTTP method.', default: undefined, defaultText: 'every method' },
} as const;

const rule = {
  ...pathPattern,
  any: { shape: flag, doc: 'Every request; the last rule only.', default: false },
  access: {
    shape: text("hasRole('ADMIN')"),
    doc: "Expression that decides: `permitAll`, `denyAll`, `authenticated`, `hasRole('ADMIN')`, `hasAuthority('read') and …`.",
    default: undefined,
    required: true,
  },
} as const;

const rules = {
  shape: oneOf(
    list(group(rule)),
    callable<(rules: RuleBuilder) => CompletedRules | void>('(r) => r.anyRequest().authenticated()'),
  ),
  doc: 'Who may request what, from particular to general; the first that matches decides. A request that no rule matches is open to anyone. Without any rule every path needs a valid user.',
  default: undefined,
  defaultText: 'every path needs a valid user',
} as const;

const cors = {
  path: { shape: text('/graphql'), doc: 'Ant pattern of the paths the policy is for.', default: '/**' },
  allowedOrigins: { shape: list(text('https://app.example.com')), doc: 'Origins that may call.', default: [] },
  allowedMethods: { shape: list(text('POST')), doc: 'Methods they may use.', default: ['GET', 'HEAD'] },
  allowedHeaders: { shape: list(text('content-type')), doc: 'Request headers they may send.', default: [] },
  exposedHeaders: { shape: list(text('etag')), doc: 'Answer headers their code may read.', default: [] },
  allowCredentials: { shape: flag, doc: 'Whether cookies and credentials are sent along.', default: false },
  maxAge: { shape: integer(0), doc: 'How long a browser may keep the preflight answer.', unit: 's', default: 1800 },
} as const;

const csrf = {
  enabled: { shape: flag, doc: 'Whether requests that change something must carry the token.', default: true },
  ignore: {
    shape: list(group(pathPattern)),
    doc: 'Requests that need no token: `JSON_PATHS` of `lockstitch` are GraphQL and what reads in search, by JSON alone.',
    default: [],
  },
  repository: {
    shape: choice('session', 'cookie', 'client'),
    doc: 'Where the token is: in the session; in a cookie `XSRF-TOKEN` that scripts send back as `X-XSRF-TOKEN`; or by the identifier that a client sends as `X-IDENTIFIER`.',
    default: 'session',
  },
  lifetime: {
    shape: integer(0),
    doc: 'How long a token is good; 0 as long as its session. Not with `cookie`.',
    unit: 's',
    default: 0,
  },
  masked: { shape: flag, doc: 'Another spelling of the token in each answer, against BREACH.', default: false },
  fetchMetadata: {
    shape: flag,
    doc: 'Also refuse changes whose `Sec-Fetch-Site` names another site, except from origins that `cors` allows.',
    default: false,
  },
} as const;

const headers = {
  enabled: { shape: flag, doc: 'Whether security headers are set at all.', default: true },
  contentSecurityPolicy: {
    shape: text("default-src 'self'; script-src 'nonce-{nonce}'"),
    doc: '`{nonce}` is replaced by a new one for each answer, which routes find as `request.cspNonce`.',
    default: undefined,
    defaultText: 'not sent',
  },
  hsts: {
    shape: group({
      enabled: { shape: flag, doc: 'Whether it is sent.', default: true },
      maxAge: { shape: integer(0), doc: 'How long browsers insist on TLS.', unit: 's', default: 31_536_000 },
      includeSubDomains: { shape: flag, doc: 'For sub-domains as well.', default: true },
      preload: { shape: flag, doc: 'May be put on the lists of browsers.', default: false },
    }),
    doc: 'Strict-Transport-Security, sent over TLS only: with `trustProxy` when TLS ends at a proxy.',
    default: {},
  },
  frameOptions: { shape: choice('DENY', 'SAMEORIGIN', 'off'), doc: 'X-Frame-Options.', default: 'DENY' },
  contentTypeOptions: { shape: flag, doc: 'X-Content-Type-Options.', default: true },
  cacheControl: { shape: flag, doc: 'Headers that forbid caching.', default: true },
  xssProtection: { shape: text('0'), doc: 'X-XSS-Protection.', default: '1; mode=block' },
  referrerPolicy: { shape: text('no-referrer'), doc: 'Referrer-Policy.', default: undefined, defaultText: 'not sent' },
  permissionsPolicy: {
    shape: text('camera=()'),
    doc: 'Permissions-Policy.',
    default: undefined,
    defaultText: 'not sent',
  },
  crossOriginOpenerPolicy: {
    shape: text('same-origin'),
    doc: 'Cross-Origin-Opener-Policy.',
    default: undefined,
    defaultText: 'not sent',
  },
  crossOriginResourcePolicy: {
    shape: text('same-origin'),
    doc: 'Cross-Origin-Resource-Policy.',
    default: undefined,
    defaultText: 'not sent',
  },
  custom: { shape: map(text()), doc: 'Further headers by name.', default: {} },
} as const;

/** A group that is off as a whole unless written. */
const off = { default: undefined, defaultText: 'off' } as const;

const chain = {
  name: { shape: text('api'), doc: 'Shown by `lockstitch policy list`.', default: undefined, defaultText: 'the path' },
  path: {
    shape: oneOf(text('/api/**'), list(text('/api/**'))),
    doc: 'Ant patterns of the paths it is for.',
    default: undefined,
    required: true,
  },
  rules: { ...rules, doc: 'As `rules`.', sameAs: 'rules' },
  denyUnmatched: { shape: flag, doc: 'As `denyUnmatched`.', sameAs: 'denyUnmatched', default: undefined },
  login: { shape: group(LOGIN_SETTINGS), doc: 'As `login`.', sameAs: 'login', default: undefined },
  csrf: { shape: group(csrf), doc: 'As `csrf`.', sameAs: 'csrf', default: undefined },
  cors: { shape: list(group({ ...cors })), doc: 'As `cors`.', sameAs: 'cors', default: undefined },
  headers: { shape: group(headers), doc: 'As `headers`.', sameAs: 'headers', default: undefined },
  staticKeys: {
    shape: list(group(STATIC_KEY_SETTINGS)),
    doc: 'As `staticKeys`.',
    sameAs: 'staticKeys',
    default: undefined,
  },
  bearer: { shape: group(BEARER_SETTINGS), doc: 'As `bearer`.', sameAs: 'bearer', default: undefined },
  signatures: { shape: group(SIGNATURE_SETTINGS), doc: 'As `signatures`.', sameAs: 'signatures', default: undefined },
  requestId: { shape: flag, doc: 'As `filters.requestId`.', sameAs: 'filters.requestId', default: undefined },
} as const;

/** To be spread into the table of all keys. */
export const SECURITY_SETTINGS = {
  users: {
    shape: list(group(USER_SETTINGS)),
    doc: 'The users. Without any, one user `user` gets a new random password at each start.',
    default: undefined,
    defaultText: 'one generated user',
  },
  generatedUser: {
    shape: group({ roles: USER_SETTINGS.roles }),
    doc: 'The user that there is without `users`.',
    default: {},
  },
  userStore: {
    shape: oneOf(choice('config', 'sql'), withMethods<UserSource>('loadUserByUsername')),
    doc: 'Where accounts are kept: in `users`; in the database of the application, where `lockstitch user` adds, lists, locks and deletes them; or in a store of your own.',
    default: 'config',
  },
  passwordEncoder: {
    shape: oneOf(
      choice('noop', 'standard', 'pbkdf2', 'bcrypt', 'scrypt', 'argon2', 'delegating'),
      withMethods<PasswordEncoder>('encode', 'matches', 'upgradeEncoding'),
    ),
    doc: "How passwords are stored. Must be given with `users` and with a store of your own; `delegating` (the default with `userStore: 'sql'`, then bcrypt for new ones) reads the encoder from a `{bcrypt}`-like prefix.",
    default: undefined,
    defaultText: 'none',
  },
  rules,
  denyUnmatched: {
    shape: flag,
    doc: 'Refuse requests that no rule matches, instead of leaving them open.',
    default: false,
  },
  chains: {
    shape: list(group(chain)),
    doc: 'Chains of their own for some paths; the first whose path matches takes the request, and what none takes goes by the keys beside this one. A key written in a chain replaces the one beside it as a whole; keys left out are those beside it, but for `rules`, without which every path of the chain needs a valid user.',
    default: [],
  },
  login: { shape: group(LOGIN_SETTINGS), doc: 'How people log in.', default: {} },
  attempts: {
    shape: group({
      enabled: { shape: flag, doc: 'Whether failed log-ins are counted.', default: true },
      perPair: { shape: integer(1), doc: 'Failures of one account from one address.', default: 10 },
      perAccount: { shape: integer(1), doc: 'Failures of one account from anywhere.', default: 100 },
      perAddress: { shape: integer(1), doc: 'Failures from one address, whatever the account.', default: 100 },
      window: {
        shape: integer(1),
        doc: 'Time in which they count, and for which they block.',
        unit: 's',
        default: 900,
      },
    }),
    doc: 'Guessing passwords: beyond these, log-ins are answered 429 without a look at the password.',
    default: {},
  },
  credentialCache: {
    shape: integer(0, 60),
    doc: 'How long a proven HTTP Basic password needs no new hash; 0 hashes on every request. The account is read on every request.',
    unit: 's',
    default: 60,
  },
  csrf: { shape: group(csrf), doc: 'Protection against forged cross-site requests.', default: {} },
  cors: {
    shape: list(group(cors)),
    doc: 'Policies for calls from pages of other origins; the first whose path matches decides.',
    default: [],
  },
  forms: {
    shape: group({
      maxBytes: { shape: integer(1024), doc: 'Size of the body.', unit: 'bytes', default: 102_400 },
      maxFields: { shape: integer(1), doc: 'Number of fields.', default: 1000 },
    }),
    doc: 'What is read of a form before anybody is authenticated: at log-in, for a one-time password, and for a CSRF token in a field. Beyond, 413.',
    default: {},
  },
  headers: { shape: group(headers), doc: 'Security headers of every answer.', default: {} },
  session: {
    shape: group({
      store: {
        shape: oneOf(choice('memory', 'database'), withMethods<SessionStore>('get', 'set', 'destroy')),
        doc: 'Where sessions are: in memory; in the database of the application, where they outlive a restart and serve several processes; or in an express-session store (connect-redis, connect-pg-simple, …).',
        default: undefined,
        defaultText: "`memory`; `database` with `servers: 'several'`",
      },
      maxInMemory: { shape: integer(1), doc: 'Sessions kept in memory; beyond, the oldest go.', default: 10_000 },
      idleTimeout: { shape: integer(1), doc: 'How long an unused session lives.', unit: 's', default: 1800 },
      absoluteTimeout: { shape: integer(1), doc: 'How long any session lives.', unit: 's', default: 43_200 },
      maxPerUser: {
        shape: integer(1),
        doc: 'Sessions of one user at a time: of all servers with sessions in the database, else in each process.',
        default: undefined,
        defaultText: 'any number',
      },
      beyond: {
        shape: choice('end-oldest', 'refuse'),
        doc: 'What happens to a log-in beyond `maxPerUser`.',
        default: 'end-oldest',
      },
      cookieName: { shape: text('JSESSIONID'), doc: 'Name of the cookie.', default: 'JSESSIONID' },
      sameSite: { shape: choice('lax', 'strict', 'none'), doc: 'SameSite of the cookie.', default: 'lax' },
      secureCookie: {
        shape: flag,
        doc: 'Mark the cookie `Secure` although requests arrive by plain HTTP (behind a TLS proxy).',
        default: false,
      },
    }),
    doc: 'Sessions of logged-in browsers.',
    default: {},
  },
  bearer: {
    shape: group(BEARER_SETTINGS),
    doc: 'JWTs as `Authorization: Bearer`, beside the other ways to log in.',
    ...off,
  },
  staticKeys: {
    shape: list(group(STATIC_KEY_SETTINGS)),
    doc: 'Keys that replace HTTP Basic: every request must carry one of them as its `Authorization` header.',
    default: [],
  },
  signatures: {
    shape: group(SIGNATURE_SETTINGS),
    doc: 'Requests signed by known clients, `Authorization: Signature …`.',
    ...off,
  },
  filters: {
    shape: group({
      requestId: {
        shape: flag,
        doc: 'Answer 400 to requests without a `Request-Id` header, ahead of authentication.',
        default: false,
      },
      add: {
        shape: list(typed<FilterPlacement>(anything)),
        doc: "Filters of your own: `{ filter, before: 'basic' }`, `after` or `at` a known one.",
        default: [],
      },
      staticKey: {
        shape: text(),
        doc: 'One of `staticKeys`, for short: the `Authorization` header must equal this key.',
        default: undefined,
        defaultText: 'off',
        secret: true,
      },
    }),
    doc: 'Further request filters.',
    default: {},
  },
  firewall: {
    shape: group({
      allowedHosts: {
        shape: list(text('app.example.com')),
        doc: 'Host names (without port) that are served; others are answered 400, which stops DNS rebinding.',
        default: undefined,
        defaultText: 'every host',
      },
      allowedMethods: {
        shape: list(text('GET')),
        doc: 'HTTP methods that are served.',
        default: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      },
      requestsPerAddress: {
        shape: integer(1),
        doc: 'Requests of one address in a minute; beyond, 429. Behind a proxy only with `trustProxy`.',
        default: undefined,
        defaultText: 'any number',
      },
    }),
    doc: 'What is refused before anything else is looked at.',
    default: {},
  },
  trustProxy: {
    shape: flag,
    doc: 'Believe `X-Forwarded-Proto` and the last address of `X-Forwarded-For`: only behind a proxy that sets both itself.',
    default: false,
  },
  audit: {
    shape: group({
      file: {
        shape: text('audit.jsonl'),
        doc: "File to which every event is appended as a line of JSON, relative to the application's folder.",
        default: undefined,
        defaultText: 'none',
      },
      stdout: { shape: flag, doc: 'Write the lines to standard output.', default: false },
      changes: {
        shape: text('changes.jsonl'),
        doc: "File to which every change of the data is appended as a line of JSON: position, time, user, operation, type, key and names of the fields, no values. Relative to the application's folder.",
        default: undefined,
        defaultText: 'none',
      },
      listen: {
        shape: callable<(event: TimedAuditEvent) => void>('(event) => …'),
        doc: 'Function that is given every event.',
        default: undefined,
        defaultText: 'none',
      },
    }),
    doc: 'The record of log-ins, failures, refusals and changes of accounts. Events hold no passwords, tokens, keys or hashes.',
    default: {},
  },
} as const;
