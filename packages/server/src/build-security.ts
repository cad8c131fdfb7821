// From the configuration of an application to its security layer: users, encoder, rules, log-in, CSRF, CORS. The security
// package decides what each of them means; this file only hands them over, and keeps health checks and console files open.
import type { Log } from '@lockstitch/kernel';
import {
  createArgon2Encoder,
  createBCryptEncoder,
  createDefaultUser,
  createDelegatingEncoder,
  createMemoryUserStore,
  createNoOpEncoder,
  createPbkdf2Encoder,
  createSCryptEncoder,
  createSecurity,
  createStandardEncoder,
  type PasswordEncoder,
  type RequestSelection,
  type RuleData,
  type Security,
  type SecurityConfig,
  type User,
  type UserSource,
  userNamed,
} from '@lockstitch/security';

import type { ResolvedConfig } from './config/config.ts';
import type { GeneratedUser } from './config/environment.ts';

/** The security layer, its accounts, and the user that was made up because none is configured. */
export interface BuiltSecurity {
  readonly security: Security;
  readonly users: UserSource;
  readonly generated: { readonly name: string; readonly password: string } | undefined;
}

const ENCODERS: Readonly<Record<NonNullable<ResolvedConfig['passwordEncoder']>, () => PasswordEncoder>> = {
  noop: createNoOpEncoder,
  standard: createStandardEncoder,
  pbkdf2: createPbkdf2Encoder,
  bcrypt: createBCryptEncoder,
  scrypt: createSCryptEncoder,
  argon2: createArgon2Encoder,
  delegating: createDelegatingEncoder,
};

/**
 * Paths that answer without credentials whatever the rules say: load balancers have none, and the console's files (which
 * hold nothing of the application) bring the page on which people log in.
 */
const OPEN_PATHS = ['/healthz', '/readyz', '/_console', '/_console/**'];

/**
 * Builds the security layer.
 *
 * @param stored the accounts of the database, for `userStore: 'sql'`; left out where nobody logs in (a check of the rules)
 * @throws ProductError SECURITY_… for rules and settings that cannot work
 */
export function buildSecurity(
  config: ResolvedConfig,
  user: GeneratedUser,
  log: Log,
  stored: UserSource = createMemoryUserStore([]),
): BuiltSecurity {
  const { login, csrf, cors, session, filters } = config;
  const made =
    config.userStore === 'config' && config.users === undefined
      ? createDefaultUser({ username: user.name, ...(user.password === undefined ? {} : { password: user.password }) })
      : undefined;
  const encoder = readEncoder(config);
  const users =
    made?.store ??
    (config.userStore === 'sql' ? stored : createMemoryUserStore((config.users ?? []).map((each) => toUser(each))));
  const settings: SecurityConfig = {
    ...readRules(config.rules),
    users,
    passwordEncoder: made === undefined ? encoder : made.encoder,
    denyUnmatched: config.denyUnmatched,
    httpBasic: login.basic && filters.staticKey === undefined ? { realm: login.realm } : false,
    formLogin: login.form ? { links: [] } : false,
    csrf: csrf.enabled ? { ignoring: csrf.ignore as readonly RequestSelection[] } : false,
    cors:
      cors.length === 0 ? false : Object.fromEntries(cors.map(({ path, ...policy }) => [path as `/${string}`, policy])),
    sessions: { maxIdle: session.idleTimeout * 1000, ...(session.secureCookie ? { secure: true } : {}) },
    ...(filters.staticKey === undefined ? {} : { staticKeys: [{ key: filters.staticKey }] }),
    requestId: filters.requestId,
    filters: filters.add,
    log,
  };
  const security = createSecurity(settings);
  for (const warning of security.warnings) log.write('warn', warning);
  const generated = made === undefined ? undefined : { name: made.username, password: made.password };
  return { security, users, generated };
}

/** The encoder of stored passwords. Accounts of the database name theirs in front of each password unless told otherwise. */
export function readEncoder({
  passwordEncoder,
  userStore,
}: Pick<ResolvedConfig, 'passwordEncoder' | 'userStore'>): PasswordEncoder | undefined {
  const name = passwordEncoder ?? (userStore === 'sql' ? 'delegating' : undefined);
  return name === undefined ? undefined : ENCODERS[name]();
}

function readRules(rules: ResolvedConfig['rules']): Pick<SecurityConfig, 'rules'> {
  const open: RuleData = { ant: OPEN_PATHS, access: 'permitAll' };
  // An empty list says nothing about anybody; it must not open everything.
  if (rules === undefined || (typeof rules !== 'function' && rules.length === 0))
    return { rules: [open, { any: true, access: 'authenticated' }] };
  if (typeof rules === 'function') {
    return {
      rules: (builder) => {
        builder.ant(...OPEN_PATHS).permitAll();
        return rules(builder);
      },
    };
  }
  const own = rules.map(toRule);
  // An application that has a rule of its own for one of them means it.
  const named = new Set(own.flatMap((rule) => [rule.ant ?? [], rule.mvc ?? []].flat()));
  const left = OPEN_PATHS.filter((path) => !named.has(path));
  return { rules: left.length === 0 ? own : [{ ant: left, access: 'permitAll' }, ...own] };
}

/** A rule without the keys that were left out: to the chain, a key that is there selects. */
function toRule({ any, ...rule }: Exclude<NonNullable<ResolvedConfig['rules']>, Function>[number]): RuleData {
  const given = Object.entries(rule).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(any === true ? { any } : {}) } as RuleData;
}

function toUser(account: NonNullable<ResolvedConfig['users']>[number]): User {
  return userNamed(account.username)
    .password(account.password)
    .authorities(...account.authorities, ...account.roles.map((role) => `ROLE_${role}`))
    .attributes(account.attributes)
    .accountExpired(account.accountExpired)
    .accountLocked(account.accountLocked)
    .credentialsExpired(account.credentialsExpired)
    .disabled(account.disabled)
    .build();
}
