// The configuration keys of security: who the users are, how they log in, who may request what, and what protects
// browsers, sessions and the machine. One part of the table in config.ts; what each key means to the chain is decided in
// ../security/.
import type {
  CompletedRules,
  FilterPlacement,
  PasswordEncoder,
  Profile,
  RuleBuilder,
  SessionStore,
  TimedAuditEvent,
  UserSource,
} from '@lockstitch/security';
import type { Principal } from '@lockstitch/kernel';

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

const user = {
  username: { shape: text('ada'), doc: 'Name to log in with; unique.', default: undefined, required: true },
  password: {
    shape: text('{bcrypt}$2b$10$…'),
    doc: 'Password as the password encoder stores it. With `noop` that is the password itself.',
    default: undefined,
    required: true,
    secret: true,
  },
  authorities: { shape: list(text('read')), doc: 'What the user may do, as names of your choice.', default: [] },
  roles: { shape: list(text('ADMIN')), doc: 'Roles, without the prefix `ROLE_`.', default: [] },
  accountExpired: { shape: flag, doc: 'The account has run out.', default: false },
  accountLocked: { shape: flag, doc: 'The account is locked.', default: false },
  credentialsExpired: { shape: flag, doc: 'The password must be changed before the next log-in.', default: false },
  disabled: { shape: flag, doc: 'The account is switched off.', default: false },
  attributes: { shape: map(anything), doc: 'Further facts; expressions read them.', default: {} },
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

const provider = {
  id: {
    shape: text('acme'),
    doc: 'In the paths `/oauth2/authorization/<id>` and `/login/oauth2/code/<id>`, and in front of the names of its users.',
    default: undefined,
    required: true,
  },
  label: { shape: text('Acme'), doc: 'Name on the log-in page.', default: undefined, defaultText: 'the id' },
  issuer: {
    shape: text('https://login.example.com'),
    doc: 'OpenID Connect issuer; its addresses are discovered. Without it, plain OAuth 2 by the three addresses below.',
    default: undefined,
  },
  clientId: { shape: text(), doc: 'Client id there.', default: undefined, required: true },
  clientSecret: { shape: text(), doc: 'Its secret.', default: undefined, required: true, secret: true },
  authorizationUrl: { shape: text(), doc: 'Where users are sent to.', default: undefined },
  tokenUrl: { shape: text(), doc: 'Where codes are exchanged.', default: undefined },
  profileUrl: { shape: text(), doc: 'Where the profile of the user is.', default: undefined },
  scopes: {
    shape: list(text('openid')),
    doc: 'What is asked for.',
    default: undefined,
    defaultText: '`openid profile email` with an issuer, else none',
  },
  toPrincipal: {
    shape: callable<(profile: Profile) => Principal | Promise<Principal>>('(profile) => principal'),
    doc: 'Makes the user of the profile.',
    default: undefined,
    defaultText: 'named `<id>:<sub>`, without authorities',
  },
  allowInsecureRequests: { shape: flag, doc: 'Lets its addresses be `http:`, on this machine.', default: false },
} as const;

const login = {
  basic: { shape: flag, doc: 'HTTP Basic.', default: true },
  form: { shape: flag, doc: 'The form at `/login`, and `/logout`.', default: true },
  realm: { shape: text('Realm'), doc: 'Realm named in the Basic challenge.', default: 'Realm' },
  target: { shape: text('/'), doc: 'Where a log-in leads when no page was refused before.', default: '/' },
  baseUrl: {
    shape: text('https://app.example.com'),
    doc: 'The address browsers reach this server at; identity providers send them back to it.',
    default: undefined,
    defaultText: 'needed with `github` and `providers`',
  },
  github: {
    shape: flag,
    doc: 'Sign in with GitHub, as the client of the key `github`. Users are named `github:<number>`.',
    default: false,
  },
  providers: { shape: list(group(provider)), doc: 'Further identity providers to sign in with.', default: [] },
  rememberMe: {
    shape: group({
      key: {
        shape: text('process.env.REMEMBER_ME_KEY'),
        doc: 'Secret of 32 bytes or more, the same in all processes and after a restart.',
        default: undefined,
        required: true,
        secret: true,
      },
      lifetime: { shape: integer(60), doc: 'How long the cookie is good.', unit: 's', default: 1_209_600 },
    }),
    doc: '"Stay signed in" on the form.',
    default: undefined,
    defaultText: 'off',
  },
  oneTime: {
    shape: group({
      secrets: {
        shape: map(text('JBSWY3DPEHPK3PXP…')),
        doc: 'Secret of the authenticator app (Base32) by user name.',
        default: {},
        secret: true,
      },
      secretOf: {
        shape:
          callable<(username: string) => string | undefined | Promise<string | undefined>>(
            'async (username) => secret',
          ),
        doc: 'Looks the secret up instead; `undefined` for users without a second factor.',
        default: undefined,
        defaultText: 'by `secrets`',
      },
    }),
    doc: 'One-time passwords (TOTP) as a second factor, in the header `X-One-Time-Password` or the form at `/login/one-time`.',
    default: undefined,
    defaultText: 'off',
  },
} as const;

const csrf = {
  enabled: { shape: flag, doc: 'Whether requests that change something must carry the token.', default: true },
  ignore: { shape: list(group(pathPattern)), doc: 'Requests that need no token.', default: [] },
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

const staticKey = {
  key: {
    shape: text('process.env.PARTNER_KEY'),
    doc: 'What the `Authorization` header must equal.',
    default: undefined,
    required: true,
    secret: true,
  },
  name: { shape: text('partner'), doc: 'Who it stands for.', default: 'static-key' },
  authorities: { shape: list(text('read')), doc: 'What its bearer may do.', default: [] },
} as const;

const bearer = {
  issuer: { shape: text('https://login.example.com'), doc: 'What `iss` must be.', default: undefined, required: true },
  audience: { shape: text('photos'), doc: 'What `aud` must hold.', default: undefined, required: true },
  jwksUrl: {
    shape: text('https://login.example.com/jwks'),
    doc: "Where the issuer's keys are; fetched, kept, and fetched again for an unknown key id. One of the three.",
    default: undefined,
  },
  publicKey: { shape: text('-----BEGIN PUBLIC KEY-----…'), doc: 'One public key, as PEM.', default: undefined },
  secret: {
    shape: text('process.env.JWT_SECRET'),
    doc: 'A shared secret of 32 bytes or more (HS256).',
    default: undefined,
    secret: true,
  },
  algorithms: {
    shape: list(text('RS256')),
    doc: 'Algorithms that count.',
    default: undefined,
    defaultText: 'HS256 with `secret`, else RS256, PS256, ES256, EdDSA',
  },
  clockTolerance: { shape: integer(0, 3600), doc: 'By how much clocks may differ.', unit: 's', default: 30 },
  nameClaim: { shape: text('sub'), doc: 'The claim that names the user.', default: 'sub' },
  authorities: {
    shape: map(text('SCOPE_')),
    doc: "Claims that hold authorities, and what is put before each: `{ roles: 'ROLE_' }`.",
    default: undefined,
    defaultText: '`scope` and `scp`, as `SCOPE_…`',
  },
} as const;

const signatures = {
  signers: {
    shape: list(
      group({
        keyId: { shape: text('partner-1'), doc: 'Name of the key in the header.', default: undefined, required: true },
        name: { shape: text('partner'), doc: 'Who signs with it.', default: undefined, defaultText: 'the key id' },
        secret: {
          shape: text('process.env.PARTNER_SECRET'),
          doc: 'Shared secret of 32 bytes or more (HMAC-SHA-256).',
          default: undefined,
          secret: true,
        },
        publicKey: {
          shape: text('-----BEGIN PUBLIC KEY-----…'),
          doc: 'Instead: a public key as PEM (Ed25519, ECDSA or RSA).',
          default: undefined,
        },
        authorities: { shape: list(text('read')), doc: 'What the client may do.', default: [] },
      }),
    ),
    doc: 'The clients that sign.',
    default: undefined,
    required: true,
  },
  window: { shape: integer(1, 86_400), doc: 'By how much the time of a request may differ.', unit: 's', default: 300 },
} as const;

/** A key that holds a group and is off as a whole unless written. */
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
  login: { shape: group(login), doc: 'As `login`.', sameAs: 'login', default: undefined },
  csrf: { shape: group(csrf), doc: 'As `csrf`.', sameAs: 'csrf', default: undefined },
  cors: { shape: list(group({ ...cors })), doc: 'As `cors`.', sameAs: 'cors', default: undefined },
  headers: { shape: group(headers), doc: 'As `headers`.', sameAs: 'headers', default: undefined },
  staticKeys: { shape: list(group(staticKey)), doc: 'As `staticKeys`.', sameAs: 'staticKeys', default: undefined },
  bearer: { shape: group(bearer), doc: 'As `bearer`.', sameAs: 'bearer', default: undefined },
  signatures: { shape: group(signatures), doc: 'As `signatures`.', sameAs: 'signatures', default: undefined },
  requestId: { shape: flag, doc: 'As `filters.requestId`.', sameAs: 'filters.requestId', default: undefined },
} as const;

/** The keys of security, to be spread into the whole table. */
export const SECURITY_SETTINGS = {
  users: {
    shape: list(group(user)),
    doc: 'The users. Without any, one user `user` gets a new random password at each start.',
    default: undefined,
    defaultText: 'one generated user',
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
  login: { shape: group(login), doc: 'How people log in.', default: {} },
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
    doc: 'How long a proven HTTP Basic password needs no new hash; 0 hashes on every request. The account is read anew all the same.',
    unit: 's',
    default: 60,
  },
  csrf: { shape: group(csrf), doc: 'Protection against forged cross-site requests.', default: {} },
  cors: {
    shape: list(group(cors)),
    doc: 'Policies for calls from pages of other origins; the first whose path matches decides.',
    default: [],
  },
  headers: { shape: group(headers), doc: 'Security headers of every answer.', default: {} },
  session: {
    shape: group({
      store: {
        shape: oneOf(choice('memory', 'database'), withMethods<SessionStore>('get', 'set', 'destroy')),
        doc: 'Where sessions are: in memory; in the database of the application, where they outlive a restart and serve several processes; or in an express-session store (connect-redis, connect-pg-simple, …).',
        default: 'memory',
      },
      maxInMemory: { shape: integer(1), doc: 'Sessions kept in memory; beyond, the oldest go.', default: 10_000 },
      idleTimeout: { shape: integer(1), doc: 'How long an unused session lives.', unit: 's', default: 1800 },
      absoluteTimeout: { shape: integer(1), doc: 'How long any session lives.', unit: 's', default: 43_200 },
      maxPerUser: {
        shape: integer(1),
        doc: 'Sessions of one user at a time (in each process).',
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
  bearer: { shape: group(bearer), doc: 'JWTs as `Authorization: Bearer`, beside the other ways to log in.', ...off },
  staticKeys: {
    shape: list(group(staticKey)),
    doc: 'Keys that replace HTTP Basic: every request must carry one of them as its `Authorization` header.',
    default: [],
  },
  signatures: {
    shape: group(signatures),
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
