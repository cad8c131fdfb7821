// Parts that all chains of a security layer share: accounts and authentication, sessions, limits, audit, context.
import { type Bean, type Clock, limitRepeats, type Log, silentLog, systemClock } from '@lockstitch/kernel';
import type { SecurityWarning } from '../authorization/rules.ts';
import { guardUserSource } from '../users/guard-user-source.ts';
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import { type Authenticator, createAuthenticator } from '../authentication/authenticator.ts';
import {
  type AuthenticationManager,
  type AuthenticationProvider,
  createAuthenticationManager,
} from '../authentication/manager.ts';
import { createUserProvider } from '../authentication/user-provider.ts';
import { createSecurityContextHolder, type SecurityContextHolder } from '../context/security-context.ts';
import { type AttemptLimiter, createAttemptLimiter } from '../limits/attempt-limiter.ts';
import { EXACT, type PathComparison } from '../match/path-view.ts';
import type { PasswordEncoder } from '../password/password-encoder.ts';
import { createSessions, type Sessions } from '../session/sessions.ts';
import { createDefaultUser } from '../users/default-user.ts';
import { createMemoryUserStore } from '../users/memory-user-store.ts';
import type { UserSource } from '../users/user-store.ts';
import type { SecurityConfig } from './security-config.ts';

export interface SharedParts {
  readonly authenticator: Authenticator;
  /** Undefined if the application brings its own authentication manager. */
  readonly users: UserSource | undefined;
  readonly attempts: AttemptLimiter | undefined;
  readonly sessions: Sessions | undefined;
  readonly context: SecurityContextHolder;
  readonly comparison: PathComparison;
  readonly beans: Readonly<Record<string, Bean>>;
  readonly audit: AuditSink;
  readonly log: Log;
  readonly clock: Clock;
  readonly warn: (warning: SecurityWarning) => void;
}

/** @throws ProductError SECURITY_ENCODER_REQUIRED and every error of the parts */
export function createSharedParts(config: SecurityConfig, warnings: SecurityWarning[]): SharedParts {
  const { audit = silentAudit, clock = systemClock } = config;
  const log = limitRepeats(config.log ?? silentLog, clock);
  const { manager, users } = createManager(config, audit);
  const attempts = config.attempts === false ? undefined : createAttemptLimiter({ audit, clock, ...config.attempts });
  const { context } = config;
  return {
    authenticator: createAuthenticator({ manager, attempts, audit, log }),
    users,
    attempts,
    sessions: readSessions(config, users, clock, audit),
    context: typeof context === 'object' ? context : createSecurityContextHolder(context),
    comparison: { ...EXACT, ...config.matching },
    beans: config.beans ?? {},
    audit,
    log,
    clock,
    warn(warning) {
      if (warnings.some(({ message }) => message === warning.message)) return;
      warnings.push(warning);
      log.write('warn', warning.message);
    },
  };
}

function readSessions(
  { sessions }: SecurityConfig,
  users: UserSource | undefined,
  clock: Clock,
  audit: AuditSink,
): Sessions | undefined {
  if (sessions === false) return undefined;
  if (sessions !== undefined && 'filter' in sessions) return sessions;
  return createSessions({ clock, audit, ...(users === undefined ? {} : { users }), ...sessions });
}

function createManager(
  config: SecurityConfig,
  audit: AuditSink,
): { readonly manager: AuthenticationManager; readonly users: UserSource | undefined } {
  const { authenticationManager, providers = [], credentialCache, maxPasswordBytes } = config;
  const users = readUsers(config);
  if (authenticationManager !== undefined) return { manager: authenticationManager, users };
  const byPassword = (source: UserSource, encoder: PasswordEncoder): AuthenticationProvider =>
    createUserProvider({
      users: source,
      encoder,
      audit,
      ...(credentialCache === undefined ? {} : { cache: credentialCache }),
      ...(maxPasswordBytes === undefined ? {} : { maxPasswordBytes }),
    });
  if (users !== undefined) {
    // The provider rejects a store without an encoder, at start-up.
    const own = byPassword(users, config.passwordEncoder!);
    return { manager: createAuthenticationManager({ providers: [own, ...providers] }), users };
  }
  if (providers.length > 0 || !needsDefaultUser(config))
    return { manager: createAuthenticationManager({ providers }), users };
  const user = createDefaultUser();
  (config.print ?? ((line) => void process.stdout.write(`${line}\n`)))(
    `Using generated security password: ${user.password}`,
  );
  return {
    manager: createAuthenticationManager({ providers: [byPassword(user.store, user.encoder)] }),
    users: user.store,
  };
}

function readUsers({ users }: SecurityConfig): UserSource | undefined {
  if (Array.isArray(users)) return createMemoryUserStore(users);
  return users === undefined ? undefined : guardUserSource(users as UserSource);
}

/** Only if users can log in with a password and nothing is configured to check it. */
function needsDefaultUser(config: SecurityConfig): boolean {
  return [config, ...(config.chains ?? [])].some(
    (chain) => (chain.httpBasic ?? chain.staticKeys === undefined) !== false || (chain.formLogin ?? false) !== false,
  );
}
