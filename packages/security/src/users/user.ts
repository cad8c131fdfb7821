// One account: name, stored password, authorities, flags. Immutable; neither inspection nor JSON shows the stored
// password.
import { inspect } from 'node:util';
import { createPrincipal, type Principal, ROLE_PREFIX } from '@lockstitch/kernel';
import { isBlankJava } from '../chain/java-text.ts';
import { authenticationErrors } from '../errors/authentication-errors.ts';

/** The four flags of an account, each true in the normal case, as in Spring's UserDetails. */
export interface AccountFlags {
  readonly accountNonExpired: boolean;
  readonly accountNonLocked: boolean;
  readonly credentialsNonExpired: boolean;
  readonly enabled: boolean;
}

interface UserParts extends AccountFlags {
  readonly username: string;
  readonly password: string | undefined;
  readonly authorities: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** An account. Created by `userNamed(…)`. */
export class User implements AccountFlags {
  readonly username: string;
  /** Sorted, without duplicates. */
  readonly authorities: readonly string[];
  readonly accountNonExpired: boolean;
  readonly accountNonLocked: boolean;
  readonly credentialsNonExpired: boolean;
  readonly enabled: boolean;
  /** Further facts for policies (tenant, e-mail); no secrets. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly #password: string | undefined;
  #principal: Principal | undefined;
  #erased: User | undefined;

  constructor(parts: UserParts) {
    this.username = parts.username;
    this.authorities = Object.freeze([...new Set(parts.authorities)].sort());
    this.accountNonExpired = parts.accountNonExpired;
    this.accountNonLocked = parts.accountNonLocked;
    this.credentialsNonExpired = parts.credentialsNonExpired;
    this.enabled = parts.enabled;
    this.attributes = Object.freeze({ ...parts.attributes });
    this.#password = parts.password;
    Object.freeze(this);
  }

  /**
   * The stored (encoded) password; undefined once erased. A getter over a private field, so that copies do not include
   * it.
   */
  get password(): string | undefined {
    return this.#password;
  }

  /** The same account without its stored password. */
  erased(): User {
    if (this.#password === undefined) return this;
    // Cached: a store in memory returns the same user on every request, and the copy brings its principal along.
    this.#erased ??= this.#with({ password: undefined });
    return this.#erased;
  }

  /** The same account with another stored (already encoded) password. */
  withPassword(encoded: string): User {
    return this.#with({ password: encoded });
  }

  /** The same account with other flags or authorities. */
  with(changes: Partial<Pick<UserParts, keyof AccountFlags | 'authorities' | 'attributes'>>): User {
    return this.#with(changes);
  }

  /** The account as the rest of the server sees it. Created once. */
  toPrincipal(): Principal {
    this.#principal ??= createPrincipal(this.username, this.authorities, this.attributes);
    return this.#principal;
  }

  #with(changes: Partial<UserParts>): User {
    return new User({
      username: this.username,
      password: this.#password,
      authorities: this.authorities,
      attributes: this.attributes,
      accountNonExpired: this.accountNonExpired,
      accountNonLocked: this.accountNonLocked,
      credentialsNonExpired: this.credentialsNonExpired,
      enabled: this.enabled,
      ...changes,
    });
  }

  toString(): string {
    return `User [Username=${this.username}, Password=[PROTECTED], Enabled=${this.enabled}, AccountNonExpired=${this.accountNonExpired}, CredentialsNonExpired=${this.credentialsNonExpired}, AccountNonLocked=${this.accountNonLocked}, Granted Authorities=[${this.authorities.join(', ')}]]`;
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

/** Builder of a user; `build` validates. The flags are named as in Spring's builder. */
export interface UserBuilder {
  /** The stored form, made by the password encoder: `{bcrypt}$2a$…` or, in examples, `{noop}12345`. */
  password(encoded: string): UserBuilder;
  /** Replaces authorities and roles set before. An explicit empty list is accepted. */
  authorities(...names: readonly string[]): UserBuilder;
  /** Replaces authorities and roles set before; names without `ROLE_`. */
  roles(...names: readonly string[]): UserBuilder;
  attributes(values: Readonly<Record<string, unknown>>): UserBuilder;
  accountExpired(value?: boolean): UserBuilder;
  accountLocked(value?: boolean): UserBuilder;
  credentialsExpired(value?: boolean): UserBuilder;
  disabled(value?: boolean): UserBuilder;
  /** @throws SECURITY_USER_INVALID if the name is empty, or the password or authorities were never set */
  build(): User;
}

/** Starts a user: `userNamed('john').password('{noop}12345').authorities('read').build()`. */
export function userNamed(username: string): UserBuilder {
  return builder({
    username,
    accountNonExpired: true,
    accountNonLocked: true,
    credentialsNonExpired: true,
    enabled: true,
  });
}

function builder(parts: Partial<UserParts>): UserBuilder {
  const next = (changes: Partial<UserParts>): UserBuilder => builder({ ...parts, ...changes });
  return {
    password: (encoded) => next({ password: encoded }),
    authorities: (...names) => next({ authorities: names.map(checkAuthority) }),
    roles: (...names) => next({ authorities: names.map(toRole) }),
    attributes: (values) => next({ attributes: values }),
    accountExpired: (value = true) => next({ accountNonExpired: negated(value) }),
    accountLocked: (value = true) => next({ accountNonLocked: negated(value) }),
    credentialsExpired: (value = true) => next({ credentialsNonExpired: negated(value) }),
    disabled: (value = true) => next({ enabled: negated(value) }),
    build() {
      const { username, password, authorities, attributes = {} } = parts;
      if (typeof username !== 'string' || username === '') throw invalid('The user name cannot be null or empty.');
      if (typeof password !== 'string') throw invalid(`User "${username}": the password cannot be null.`);
      if (authorities === undefined)
        throw invalid(
          `User "${username}": authorities cannot be null; call authorities(…) or roles(…), if need be empty.`,
        );
      for (const name of FLAGS) {
        if (typeof parts[name] !== 'boolean')
          throw invalid(
            `User "${username}": ${name} must be true or false, and so must what the builder is told of it.`,
          );
      }
      if (typeof attributes !== 'object' || attributes === null || Array.isArray(attributes))
        throw invalid(`User "${username}": attributes must be an object.`);
      return new User({ attributes: {}, ...(parts as Omit<UserParts, 'attributes'>) });
    },
  };
}

const FLAGS = ['accountNonExpired', 'accountNonLocked', 'credentialsNonExpired', 'enabled'] as const;

/** Passes non-booleans on for `build` to reject: `disabled('false')` would disable. */
function negated(value: boolean): boolean {
  return typeof value === 'boolean' ? !value : value;
}

function checkAuthority(name: string): string {
  if (typeof name !== 'string' || isBlankJava(name))
    throw invalid('A granted authority textual representation is required: an authority needs a name.');
  return name;
}

function toRole(name: string): string {
  checkAuthority(name);
  if (name.startsWith(ROLE_PREFIX))
    throw invalid(
      `${name} cannot start with ${ROLE_PREFIX} (it is automatically added): write roles('${name.slice(ROLE_PREFIX.length)}').`,
    );
  return ROLE_PREFIX + name;
}

function invalid(what: string): Error {
  return authenticationErrors.create('SECURITY_USER_INVALID', { what });
}
