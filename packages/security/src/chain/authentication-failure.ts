// Failures of authentication, with Spring's names and our codes. Callers learn less than the log: see `publicFailure`.
import type { ErrorTemplate } from '@lockstitch/kernel';
import { AuthenticationError } from './error-handling.ts';
import { authenticationErrors } from '../errors/authentication-errors.ts';

/** Codes that mean "not authenticated". */
export type FailureCode =
  | 'SECURITY_BAD_CREDENTIALS'
  | 'SECURITY_BASIC_MALFORMED'
  | 'SECURITY_ACCOUNT_LOCKED'
  | 'SECURITY_ACCOUNT_DISABLED'
  | 'SECURITY_ACCOUNT_EXPIRED'
  | 'SECURITY_CREDENTIALS_EXPIRED'
  | 'SECURITY_PROVIDER_NOT_FOUND'
  | 'SECURITY_AUTHENTICATION_SERVICE'
  | 'SECURITY_STORE_UNAVAILABLE'
  | 'SECURITY_KEY_INVALID'
  | 'SECURITY_SIGNATURE_INVALID'
  | 'SECURITY_TOKEN_INVALID'
  | 'SECURITY_ONE_TIME_REQUIRED'
  | 'SECURITY_ONE_TIME_INVALID'
  | 'SECURITY_OAUTH_FAILED'
  | 'SECURITY_SESSION_LIMIT'
  | 'SECURITY_TOO_MANY_ATTEMPTS'
  | 'SECURITY_HASHING_BUSY';

/** Spring Security's exception of each code that has one. */
const SPRING_NAMES: Readonly<Partial<Record<FailureCode, string>>> = {
  SECURITY_BAD_CREDENTIALS: 'BadCredentialsException',
  SECURITY_BASIC_MALFORMED: 'BadCredentialsException',
  SECURITY_ACCOUNT_LOCKED: 'LockedException',
  SECURITY_ACCOUNT_DISABLED: 'DisabledException',
  SECURITY_ACCOUNT_EXPIRED: 'AccountExpiredException',
  SECURITY_CREDENTIALS_EXPIRED: 'CredentialsExpiredException',
  SECURITY_PROVIDER_NOT_FOUND: 'ProviderNotFoundException',
  SECURITY_AUTHENTICATION_SERVICE: 'InternalAuthenticationServiceException',
  SECURITY_STORE_UNAVAILABLE: 'InternalAuthenticationServiceException',
  SECURITY_SESSION_LIMIT: 'SessionAuthenticationException',
};

const ACCOUNT_STATUS: ReadonlySet<string> = new Set([
  'SECURITY_ACCOUNT_LOCKED',
  'SECURITY_ACCOUNT_DISABLED',
  'SECURITY_ACCOUNT_EXPIRED',
  'SECURITY_CREDENTIALS_EXPIRED',
]);

/** A failed authentication. `name` is Spring's exception if there is one. */
export class AuthenticationFailure extends AuthenticationError {
  override readonly name: string;
  /** Seconds until a retry makes sense; sent as Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(code: FailureCode, options: FailureOptions = {}) {
    const template: ErrorTemplate = authenticationErrors.templates[code];
    const filled = authenticationErrors.create(code, options.values, {
      cause: options.cause,
      ...(options.detail === undefined ? undefined : { detail: options.detail }),
    });
    super({
      code,
      status: template.status,
      message: filled.message,
      hint: filled.hint,
      cause: options.cause,
      detail: options.detail,
    });
    this.name = SPRING_NAMES[code] ?? 'AuthenticationFailure';
    this.retryAfter = options.retryAfter;
  }

  /** Whether the account itself is rejected, whatever the password; then no other provider is asked. */
  get isAccountStatus(): boolean {
    return ACCOUNT_STATUS.has(this.code);
  }
}

interface FailureOptions {
  readonly values?: Readonly<Record<string, string | number>>;
  readonly cause?: unknown;
  readonly detail?: unknown;
  readonly retryAfter?: number;
}

/**
 * The failure as the caller sees it. Locked, disabled, expired and unknown all become "Bad credentials", because the
 * account's state is checked before the password and would reveal which names exist. So would the time to create
 * another error (20 µs, visible in 2,000 attempts); therefore a wrong password creates a new error as well.
 */
export function publicFailure(error: unknown): unknown {
  if (!(error instanceof AuthenticationFailure)) return error;
  if (!error.isAccountStatus && error.code !== 'SECURITY_BAD_CREDENTIALS') return error;
  return new AuthenticationFailure('SECURITY_BAD_CREDENTIALS', { cause: error });
}
