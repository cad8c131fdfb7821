// The caller of a request. The security package creates principals; graph and search only read them.

/** The caller of one request, after authentication. */
export interface Principal {
  /** The user's name; `anonymousUser` when nobody is logged in. */
  readonly name: string;
  readonly authenticated: boolean;
  /** Authority names; a role is an authority whose name starts with `ROLE_`. */
  readonly authorities: ReadonlySet<string>;
  /** Further facts a user store or token supplies (tenant, e-mail); readable in expressions. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The prefix that makes an authority a role. */
export const ROLE_PREFIX = 'ROLE_';

const refuse = {
  value: () => {
    throw new TypeError('The authorities of a principal cannot be changed.');
  },
};
const FIXED: PropertyDescriptorMap = { add: refuse, delete: refuse, clear: refuse };

/** The caller nobody authenticated, as Spring Security names it. */
export const ANONYMOUS: Principal = Object.freeze({
  name: 'anonymousUser',
  authenticated: false,
  authorities: fixedSet(['ROLE_ANONYMOUS']),
  attributes: Object.freeze({}),
});

/** Makes an authenticated principal. */
export function createPrincipal(
  name: string,
  authorities: Iterable<string> = [],
  attributes: Readonly<Record<string, unknown>> = {},
): Principal {
  return Object.freeze({ name, authenticated: true, authorities: fixedSet(authorities), attributes });
}

/** A set that its readers cannot change, in JavaScript either: one principal serves many requests. */
function fixedSet(values: Iterable<string>): ReadonlySet<string> {
  return Object.defineProperties(new Set(values), FIXED);
}
