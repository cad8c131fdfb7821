// An authentication is an attempt before it is checked, and a result afterwards: name, credentials, authorities.
// Credentials are in a private field, so that inspection, JSON and copies do not show them.
import { inspect } from 'node:util';
import { ANONYMOUS, createPrincipal, type Principal } from '@lockstitch/kernel';
import { hash } from '../node-crypto.ts';
import type { User } from '../users/user.ts';

/** Where the attempt came from. */
export interface AuthenticationDetails {
  readonly address?: string | undefined;
  readonly sessionId?: string | undefined;
  /**
   * Whether this account recently logged in from the same network. Its password is hashed before those of strangers.
   */
  readonly isKnown?: boolean | undefined;
}

/** Kind of credentials; providers declare which they support. Applications may add kinds. */
export type CredentialsKind =
  | 'password'
  | 'static-key'
  | 'signature'
  | 'bearer'
  | 'one-time'
  | 'oauth2'
  | 'remember-me'
  | (string & {});

interface AuthenticationParts {
  readonly kind: CredentialsKind;
  readonly name: string;
  readonly credentials?: string | undefined;
  readonly details?: AuthenticationDetails | undefined;
  readonly authenticated?: boolean;
  readonly user?: User | undefined;
  readonly principal?: Principal | undefined;
  readonly passwordMark?: string | undefined;
}

const fixed: PropertyDescriptor = { writable: false, configurable: false };
const FIXED: PropertyDescriptorMap = { name: fixed, authenticated: fixed, user: fixed, principal: fixed };

/** An authentication attempt or its result. Immutable. */
export class Authentication {
  readonly kind: CredentialsKind;
  /** The name in the request; after success the account's name. */
  readonly name: string;
  readonly details: AuthenticationDetails;
  readonly authenticated: boolean;
  /** The account, if a user store knows it. */
  readonly user: User | undefined;
  /** The principal that the rest of the server sees; anonymous until success. */
  readonly principal: Principal;
  readonly #credentials: string | undefined;
  readonly #passwordMark: string | undefined;

  constructor(parts: AuthenticationParts) {
    this.kind = parts.kind;
    this.name = parts.name;
    this.details = parts.details ?? {};
    this.authenticated = parts.authenticated ?? false;
    this.user = parts.user;
    this.principal = this.authenticated
      ? (parts.principal ?? parts.user?.toPrincipal() ?? createPrincipal(parts.name))
      : ANONYMOUS;
    this.#credentials = parts.credentials;
    this.#passwordMark = parts.passwordMark;
    // Also in JavaScript: setting `authenticated` would log a user in.
    Object.defineProperties(this, FIXED);
  }

  /** The credentials as sent; undefined once erased. */
  get credentials(): string | undefined {
    return this.#credentials;
  }

  /**
   * Digest of the stored password that was proven, so that a session can end when it changes; undefined without one.
   */
  get passwordMark(): string | undefined {
    return this.#passwordMark;
  }

  /** Authorities; empty before success. */
  get authorities(): ReadonlySet<string> {
    return this.authenticated ? this.principal.authorities : new Set();
  }

  /** The same result without credentials and without the user's stored password. */
  erased(): Authentication {
    const user = this.user?.erased();
    if (user === this.user && this.#credentials === undefined) return this;
    const { kind, name, details, authenticated, principal } = this;
    const passwordMark = this.#passwordMark;
    return new Authentication({ kind, name, details, authenticated, user, principal, passwordMark });
  }

  /** The same attempt, marked as from a known client. */
  ofKnownClient(): Authentication {
    const { kind, name, details } = this;
    return new Authentication({ kind, name, credentials: this.#credentials, details: { ...details, isKnown: true } });
  }

  /** The successful result of this attempt, already erased. */
  recognised(user: User): Authentication {
    const erased = user.erased();
    return new Authentication({
      kind: this.kind,
      name: erased.username,
      details: this.details,
      authenticated: true,
      user: erased,
    });
  }

  /** The successful result of this attempt. */
  succeeded(as: { readonly user: User } | { readonly principal: Principal }): Authentication {
    const name = 'user' in as ? as.user.username : as.principal.name;
    return new Authentication({
      kind: this.kind,
      details: this.details,
      credentials: this.#credentials,
      passwordMark: 'user' in as ? markOf(as.user) : undefined,
      ...as,
      name,
      authenticated: true,
    });
  }

  [inspect.custom](): string {
    return `Authentication [Kind=${this.kind}, Name=${this.name}, Credentials=[PROTECTED], Authenticated=${this.authenticated}, Granted Authorities=[${[...this.authorities].join(', ')}]]`;
  }
}

/**
 * Digest of an account's stored password; undefined without one. Confidential: a weak encoder's digest can be guessed.
 */
export function markOf({ password }: User): string | undefined {
  return password === undefined ? undefined : hash('sha256', password, 'base64url');
}

/** Creates an attempt with user name and password. */
export function passwordAttempt(username: string, password: string, details?: AuthenticationDetails): Authentication {
  return new Authentication({ kind: 'password', name: username, credentials: password, details });
}
