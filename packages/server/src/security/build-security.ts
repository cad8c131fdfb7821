// Builds the security layer from an application's configuration: accounts, encoder, sessions, limits, and the chains of
// chain-config.ts.
import type { Log } from '@lockstitch/kernel';
import {
  type AuditSink,
  createArgon2Encoder,
  createBCryptEncoder,
  createDefaultUser,
  createDelegatingEncoder,
  createMemorySessionStore,
  createMemoryUserStore,
  createNoOpEncoder,
  createPbkdf2Encoder,
  createSCryptEncoder,
  createSecurity,
  createStandardEncoder,
  type LoginState,
  type PasswordEncoder,
  type Security,
  type SecurityConfig,
  type SessionStore,
  type User,
  type UserSource,
  userNamed,
} from '@lockstitch/security';

import type { ResolvedConfig } from '../config/config.ts';
import type { GeneratedUser } from '../config/environment.ts';
import { toChainConfig, toPathChains } from './chain-config.ts';

/** The security layer, its accounts, and the generated user if none is configured. */
export interface BuiltSecurity {
  readonly security: Security;
  readonly users: UserSource;
  readonly generated: { readonly name: string; readonly password: string } | undefined;
}

/** Parts that only a running application opens; a check of the rules does without. */
export interface SecurityParts {
  /** Accounts in the database, for `userStore: 'sql'`. */
  readonly users?: UserSource;
  /** Sessions in the database, for `session.store: 'database'`. */
  readonly sessions?: SessionStore;
  /** What log-ins count and remember, for `servers: 'several'`. Default: in memory. */
  readonly loginState?: LoginState;
  readonly audit?: AuditSink;
}

type EncoderName = Extract<ResolvedConfig['passwordEncoder'], string>;

const ENCODERS: Readonly<Record<EncoderName, () => PasswordEncoder>> = {
  noop: createNoOpEncoder,
  standard: createStandardEncoder,
  pbkdf2: createPbkdf2Encoder,
  bcrypt: createBCryptEncoder,
  scrypt: createSCryptEncoder,
  argon2: createArgon2Encoder,
  delegating: createDelegatingEncoder,
};

/** Builds the security layer. @throws ProductError SECURITY_… for rules and settings that cannot work */
export function buildSecurity(
  config: ResolvedConfig,
  user: GeneratedUser,
  log: Log,
  parts: SecurityParts = {},
): BuiltSecurity {
  const made =
    config.userStore === 'config' && config.users === undefined
      ? createDefaultUser({
          username: user.name,
          roles: config.generatedUser.roles,
          ...(user.password === undefined ? {} : { password: user.password }),
        })
      : undefined;
  const encoder = made === undefined ? readEncoder(config) : made.encoder;
  const users = made?.store ?? readUsers(config, parts.users);
  const { loginState } = parts;
  const chains = toPathChains(config, loginState);
  const { enabled: countsAttempts, perPair, perAccount, perAddress, window: seconds } = config.attempts;
  const { requestsPerAddress, ...firewall } = config.firewall;
  const settings: SecurityConfig = {
    ...toChainConfig(config, loginState),
    ...(chains === undefined ? {} : { chains }),
    users,
    passwordEncoder: encoder,
    attempts: countsAttempts && {
      byPair: { failures: perPair, seconds },
      byAccount: { failures: perAccount, seconds },
      byAddress: { failures: perAddress, seconds },
      ...(loginState === undefined ? {} : { counter: loginState.counter }),
    },
    credentialCache: config.credentialCache > 0 && { ttl: config.credentialCache * 1000 },
    sessions: toSessions(config.session, parts.sessions),
    firewall,
    ...(requestsPerAddress === undefined ? {} : { addressLimit: { requests: requestsPerAddress } }),
    filters: config.filters.add,
    ...(parts.audit === undefined ? {} : { audit: parts.audit }),
    log,
  };
  const security = createSecurity(settings);
  for (const warning of security.warnings) log.write('warn', warning);
  const generated = made === undefined ? undefined : { name: made.username, password: made.password };
  return { security, users, generated };
}

/** The password encoder. Stored passwords in the database have an encoder prefix by default. */
export function readEncoder({
  passwordEncoder,
  userStore,
}: Pick<ResolvedConfig, 'passwordEncoder' | 'userStore'>): PasswordEncoder | undefined {
  const given = passwordEncoder ?? (userStore === 'sql' ? 'delegating' : undefined);
  return typeof given === 'string' ? ENCODERS[given]() : given;
}

function readUsers({ userStore, users = [] }: ResolvedConfig, stored: UserSource | undefined): UserSource {
  if (typeof userStore === 'object') return userStore;
  return userStore === 'sql' ? (stored ?? createMemoryUserStore()) : createMemoryUserStore(users.map(toUser));
}

function toSessions(session: ResolvedConfig['session'], stored: SessionStore | undefined): SecurityConfig['sessions'] {
  const own = typeof session.store === 'object' ? session.store : stored;
  return {
    store: own ?? createMemorySessionStore({ maxSessions: session.maxInMemory }),
    maxIdle: session.idleTimeout * 1000,
    maxAge: session.absoluteTimeout * 1000,
    beyond: session.beyond,
    cookieName: session.cookieName,
    sameSite: session.sameSite,
    ...(session.maxPerUser === undefined ? {} : { maxPerUser: session.maxPerUser }),
    ...(session.secureCookie ? { secure: true } : {}),
  };
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
