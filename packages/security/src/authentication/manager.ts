// Asks authentication providers in order.
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import type { User } from '../users/user.ts';
import type { Authentication } from './authentication.ts';
import { MANAGER } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** Checks one kind of credentials. */
export interface AuthenticationProvider {
  /**
   * Returns the successful result; undefined if this provider does not support the attempt.
   *
   * @throws AuthenticationFailure if it supports the attempt and the credentials are wrong
   */
  authenticate(attempt: Authentication): Promise<Authentication | undefined>;
  /**
   * Returns the successful result, erased, if it is known synchronously; otherwise undefined. Never throws and never
   * counts as an attempt.
   *
   * @param line the header that held this attempt and nothing else; it may be recalled from then on
   */
  recognise?(attempt: Authentication, line?: string): Authentication | undefined;
  /** Returns the account behind a line that was recognised a moment ago, without parsing the line. */
  recall?(line: string): Recalled | undefined;
}

/** Result of recalling a header line. */
export interface Recalled {
  /** The name as it is in the line; limits are counted by it. */
  readonly name: string;
  /** The account as it is now, erased. */
  readonly user: User;
}

/** Checks attempts. */
export interface AuthenticationManager {
  /** Returns the successful result with its credentials erased. @throws AuthenticationFailure unless it succeeds */
  authenticate(attempt: Authentication): Promise<Authentication>;
  /** See AuthenticationProvider. */
  recognise?(attempt: Authentication, line?: string): Authentication | undefined;
  /** See AuthenticationProvider. */
  recall?(line: string): Recalled | undefined;
}

export interface AuthenticationManagerOptions {
  readonly providers: readonly AuthenticationProvider[];
  /** Asked if no provider of the list succeeded. */
  readonly parent?: AuthenticationManager;
  /** Whether a result drops credentials and stored password. Default: true. */
  readonly eraseCredentials?: boolean;
}

/**
 * Creates a manager. After undefined, the next provider is asked. After bad credentials too, but the failure is kept.
 * An account status failure or a fault ends the list, because asking on would turn "locked" into "let in elsewhere".
 */
export function createAuthenticationManager(options: AuthenticationManagerOptions): AuthenticationManager {
  requireOptions('createAuthenticationManager', MANAGER, options);
  const { providers, parent, eraseCredentials = true } = options;
  return {
    // Only the first provider: for what it knows, no other would be asked.
    recognise: (attempt, line) => (eraseCredentials ? providers[0]?.recognise?.(attempt, line) : undefined),
    recall: (line) => (eraseCredentials ? providers[0]?.recall?.(line) : undefined),
    async authenticate(attempt) {
      let last: AuthenticationFailure | undefined;
      for (const provider of providers) {
        try {
          const result = await provider.authenticate(attempt);
          if (result !== undefined) return eraseCredentials ? result.erased() : result;
        } catch (error) {
          if (!(error instanceof AuthenticationFailure)) throw serviceFailure(error);
          if (error.isAccountStatus || error.status !== 401) throw error;
          last = error;
        }
      }
      if (parent !== undefined) {
        try {
          const result = await parent.authenticate(attempt);
          return eraseCredentials ? result.erased() : result;
        } catch (error) {
          if (!(error instanceof AuthenticationFailure)) throw serviceFailure(error);
          if (error.code !== 'SECURITY_PROVIDER_NOT_FOUND') last = error;
        }
      }
      throw last ?? new AuthenticationFailure('SECURITY_PROVIDER_NOT_FOUND', { values: { kind: attempt.kind } });
    },
  };
}

/** A fault (a store that does not respond, a stored password without an encoder) is not a wrong password. */
function serviceFailure(cause: unknown): AuthenticationFailure {
  return new AuthenticationFailure('SECURITY_AUTHENTICATION_SERVICE', { cause });
}
