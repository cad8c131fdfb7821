// Checks user name and password against a user store and an encoder: Spring's DaoAuthenticationProvider. Order of the
// checks as in Spring: locked, disabled, expired, password, credentials expired.
import { createHmac, randomBytes } from 'node:crypto';
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import { createHashingLimiter, type HashingLimiter } from '../limits/hashing-limiter.ts';
import type { PasswordEncoder } from '../password/password-encoder.ts';
import type { UserSource } from '../users/user-store.ts';
import type { User } from '../users/user.ts';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import {
  createCredentialCache,
  type CredentialCache,
  type CredentialCacheOptions,
  type Verdict,
} from './credential-cache.ts';
import { AuthenticationFailure, type FailureCode } from '../chain/authentication-failure.ts';
import type { AuthenticationProvider } from './manager.ts';
import { USER_PROVIDER } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface UserProviderOptions {
  readonly users: UserSource;
  readonly encoder: PasswordEncoder;
  /**
   * Caches proven passwords for up to a minute, so that HTTP Basic does not hash on each request. `false` switches it
   * off. Default: on.
   */
  readonly cache?: CredentialCacheOptions | false;
  /** Limits concurrent hashing. Default: half the cores. Share one between providers. */
  readonly hashing?: HashingLimiter;
  /** Longest password in bytes; a longer one is wrong. Default: 4096. */
  readonly maxPasswordBytes?: number;
  readonly audit?: AuditSink;
}

/** A user provider with access to its cache, for metrics and clearing. */
export interface UserProvider extends AuthenticationProvider {
  readonly cache: CredentialCache | undefined;
}

/** Creates the provider for user name and password. @throws SECURITY_ENCODER_REQUIRED without an encoder */
export function createUserProvider(options: UserProviderOptions): UserProvider {
  requireOptions('createUserProvider', USER_PROVIDER, options);
  const { users, encoder, hashing = createHashingLimiter(), maxPasswordBytes = 4096, audit = silentAudit } = options;
  if (encoder === undefined) throw authenticationErrors.create('SECURITY_ENCODER_REQUIRED');
  const cache = options.cache === false ? undefined : createCredentialCache(options.cache ?? {});
  const dummy = dummyPassword(encoder);

  /** Unknown names and rejected accounts take one hash too, so that the time reveals nothing. */
  const pretend = async (username: string, raw: string, isKnown: boolean): Promise<void> => {
    await verify(username, raw, await dummy(), isKnown);
  };

  // Concurrent attempts of one pair share one hash, for known and unknown names alike; otherwise the saving would tell
  // them apart.
  const verify = async (username: string, raw: string, stored: string, isKnown: boolean): Promise<Verdict> => {
    const prove = (): Promise<boolean> => hashing.run(() => encoder.matches(raw, stored), isKnown);
    if (cache !== undefined) return cache.verify(username, raw, stored, prove);
    return (await prove()) ? 'proven' : 'wrong';
  };

  const upgrade = async (user: User, raw: string): Promise<User> => {
    const stored = user.password;
    if (stored === undefined || users.updatePassword === undefined || !encoder.upgradeEncoding(stored)) return user;
    try {
      const encoded = await hashing.run(() => encoder.encode(raw));
      await users.updatePassword(user.username, encoded, stored);
      audit.record({ kind: 'password-upgraded', username: user.username });
      return user.withPassword(encoded);
    } catch {
      // A stronger hash is optional: a busy machine, or a password beyond bcrypt's 72 bytes, keeps the old one.
      return user;
    }
  };

  return {
    cache,
    recognise(attempt, line) {
      if (cache === undefined || attempt.kind !== 'password') return undefined;
      const user = users.findUserByUsername?.(attempt.name);
      if (user?.password === undefined || statusRefusal(user) !== undefined || !user.credentialsNonExpired)
        return undefined;
      const raw = attempt.credentials ?? '';
      if (raw.length > maxPasswordBytes || !cache.isProven(user.username, raw, user.password)) return undefined;
      if (line !== undefined) cache.keepLine(line, attempt.name, raw, user);
      return attempt.recognised(user);
    },
    recall(line) {
      const known = cache?.findLine(line);
      if (known === undefined) return undefined;
      // Reads the account again. Users are immutable: another password, flag or authority means another object.
      const user = users.findUserByUsername?.(known.name);
      return user !== undefined && user.erased() === known.user ? known : undefined;
    },
    async authenticate(attempt) {
      if (attempt.kind !== 'password') return undefined;
      const raw = attempt.credentials ?? '';
      const isKnown = attempt.details.isKnown === true;
      const tooLong = raw.length > maxPasswordBytes || Buffer.byteLength(raw, 'utf8') > maxPasswordBytes;
      // Known and unknown names wait for it once, or the first unknown name would take twice as long.
      await dummy();
      const user = await users.loadUserByUsername(attempt.name);
      const refusal = user === undefined ? 'SECURITY_BAD_CREDENTIALS' : statusRefusal(user);
      if (tooLong || user?.password === undefined || refusal !== undefined) {
        if (!tooLong) await pretend(attempt.name, raw, isKnown);
        throw new AuthenticationFailure(refusal ?? 'SECURITY_BAD_CREDENTIALS');
      }
      const verdict = await verify(user.username, raw, user.password, isKnown);
      if (verdict === 'wrong') throw new AuthenticationFailure('SECURITY_BAD_CREDENTIALS');
      if (!user.credentialsNonExpired) throw new AuthenticationFailure('SECURITY_CREDENTIALS_EXPIRED');
      return attempt.succeeded({ user: verdict === 'proven' ? await upgrade(user, raw) : user });
    },
  };
}

/** Reason to reject the account before its password is checked, in Spring's order. */
function statusRefusal(user: User): FailureCode | undefined {
  if (!user.accountNonLocked) return 'SECURITY_ACCOUNT_LOCKED';
  if (!user.enabled) return 'SECURITY_ACCOUNT_DISABLED';
  if (!user.accountNonExpired) return 'SECURITY_ACCOUNT_EXPIRED';
  return undefined;
}

/** An encoded random password with the same encoder and cost, created on first use. */
function dummyPassword(encoder: PasswordEncoder): () => Promise<string> {
  let dummy: Promise<string> | undefined;
  return () => {
    dummy ??= encoder.encode(createHmac('sha256', randomBytes(32)).update('nobody').digest('base64url'));
    return dummy;
  };
}
