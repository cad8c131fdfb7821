// Asks the providers in their order whether an attempt is good. Not here: how any one kind of proof is checked.
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import type { User } from '../users/user.ts';
import type { Authentication } from './authentication.ts';
import { MANAGER } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** Checks one kind of proof. */
export interface AuthenticationProvider {
  /**
   * Returns the successful result; undefined when this provider does not support the attempt.
   *
   * @throws AuthenticationFailure when it does and the proof is not good
   */
  authenticate(attempt: Authentication): Promise<Authentication | undefined>;
  /**
   * Returns the successful result, erased, when it is known without waiting; undefined when that is not so, whatever
   * the reason. Never raises an error and never counts as an attempt.
   *
   * @param line the header that the attempt was read from and that holds nothing else; it may be recalled from then on
   */
  recognise?(attempt: Authentication, line?: string): Authentication | undefined;
  /** The account behind a line that was recognised a moment ago, before anything of the line is read. */
  recall?(line: string): Recalled | undefined;
}

/** What a header line was recognised as. */
export interface Recalled {
  /** The name as the line has it: what limits are counted by. */
  readonly name: string;
  /** The account as it is now, erased. */
  readonly user: User;
}

/** Checks attempts. */
export interface AuthenticationManager {
  /**
   * Returns the successful result, its credentials erased.
   *
   * @throws AuthenticationFailure always when it does not succeed
   */
  authenticate(attempt: Authentication): Promise<Authentication>;
  /** As the provider's: the result when it is known without waiting. */
  recognise?(attempt: Authentication, line?: string): Authentication | undefined;
  /** As the provider's. */
  recall?(line: string): Recalled | undefined;
}

/** The parts of a manager. */
export interface AuthenticationManagerOptions {
  readonly providers: readonly AuthenticationProvider[];
  /** Asked when no provider of the list succeeded. */
  readonly parent?: AuthenticationManager;
  /** Whether a result keeps neither proof nor stored password. Default: true. */
  readonly eraseCredentials?: boolean;
}

/**
 * Makes a manager. Undefined means "the next one", bad credentials mean "the next one, but remember"; a refusing account
 * or a fault stops the list, since asking on would turn "locked" into "let in elsewhere".
 */
export function createAuthenticationManager(options: AuthenticationManagerOptions): AuthenticationManager {
  requireOptions('createAuthenticationManager', MANAGER, options);
  const { providers, parent, eraseCredentials = true } = options;
  return {
    // Only the first provider: what it knows, no other would have been asked about.
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

/** A fault on the way (a store that does not answer, a stored password without an encoder) is no wrong password. */
function serviceFailure(cause: unknown): AuthenticationFailure {
  return new AuthenticationFailure('SECURITY_AUTHENTICATION_SERVICE', { cause });
}
