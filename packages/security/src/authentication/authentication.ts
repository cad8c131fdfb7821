// An authentication is a request before it is checked and a result afterwards: who, with which proof, with which rights.
// Credentials sit in a private field, so neither inspection nor JSON nor a copy shows them.
import { inspect } from 'node:util';
import { ANONYMOUS, createPrincipal, type Principal } from '@lockstitch/kernel';
import { hash } from '../node-crypto.ts';
import type { User } from '../users/user.ts';

/** Where the attempt came from. */
export interface AuthenticationDetails {
  readonly address?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Whether this account recently logged in from the same network; its password is hashed before those of strangers. */
  readonly isKnown?: boolean | undefined;
}

/** What kind of proof is offered; providers say which they support. Own kinds are fine. */
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

/** One attempt to authenticate, or its result. Immutable. */
export class Authentication {
  readonly kind: CredentialsKind;
  /** The name the caller gave; after success the name of the account. */
  readonly name: string;
  readonly details: AuthenticationDetails;
  readonly authenticated: boolean;
  /** The account, when a user store knows it. */
  readonly user: User | undefined;
  /** Who the rest of the server sees; anonymous as long as nothing was proven. */
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
    // In JavaScript too: setting `authenticated` would log a user in.
    Object.defineProperties(this, FIXED);
  }

  /** The proof as it was sent; undefined once erased. */
  get credentials(): string | undefined {
    return this.#credentials;
  }

  /** A digest of the stored password that was proven, so that a session can end when it changes; undefined without one. */
  get passwordMark(): string | undefined {
    return this.#passwordMark;
  }

  /** The rights; empty before success. */
  get authorities(): ReadonlySet<string> {
    return this.authenticated ? this.principal.authorities : new Set();
  }

  /** The same result without proof and without the stored password of its user. */
  erased(): Authentication {
    const user = this.user?.erased();
    if (user === this.user && this.#credentials === undefined) return this;
    const { kind, name, details, authenticated, principal } = this;
    const passwordMark = this.#passwordMark;
    return new Authentication({ kind, name, details, authenticated, user, principal, passwordMark });
  }

  /** The same attempt, of a client that has proven this account lately. */
  ofKnownClient(): Authentication {
    const { kind, name, details } = this;
    return new Authentication({ kind, name, credentials: this.#credentials, details: { ...details, isKnown: true } });
  }

  /** The successful result of this attempt, erased already. */
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

/** The digest of an account's stored password; undefined without one. Not for anybody to see: a weak encoder's is guessed at. */
export function markOf({ password }: User): string | undefined {
  return password === undefined ? undefined : hash('sha256', password, 'base64url');
}

/** An attempt with user name and password. */
export function passwordAttempt(username: string, password: string, details?: AuthenticationDetails): Authentication {
  return new Authentication({ kind: 'password', name: username, credentials: password, details });
}
