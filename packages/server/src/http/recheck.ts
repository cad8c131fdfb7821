// Checks again whether the caller of a lasting connection is still allowed: a password can change, an account be
// locked, a session end or a token expire while events flow. The chain runs again on the original request, without
// recording a use of the session. What happens to the connection is in routes/connection.ts.
import { createHash } from 'node:crypto';

import type { Principal } from '@lockstitch/kernel';
import type { Security, SecurityRequest, User, UserSource } from '@lockstitch/security';

import { LATE, within } from '../within.ts';

const TOO_MANY_REQUESTS = 429;
/** Time limit of the user store in ms. */
const USER_STORE_TIMEOUT = 10_000;

/**
 * Returns the current principal, or undefined if the caller is no longer allowed. Rejects if that is unknown for now.
 */
export type Recheck = () => Promise<Principal | undefined>;

/** Creates the recheck for a request that the chain allowed as `first`. */
export type CreateRecheck = (request: SecurityRequest, first: Principal) => Recheck;

/** Creates rechecks over a security layer and its accounts. */
export function createRechecks(security: Pick<Security, 'handle'>, users: UserSource): CreateRecheck {
  return (request, first) => {
    // The body has been read by now; all that the chain reads of one is a form.
    const again: SecurityRequest = { ...copyOf(request), readBody: () => Promise.resolve(new Uint8Array()) };
    const authorization = request.header('authorization') ?? '';
    // A signature can be used once, and its key is valid as long as the server runs.
    if (/^signature\b/i.test(authorization)) return () => Promise.resolve(first);
    const hasPassword = /^basic\b/i.test(authorization);
    let principal = first;
    let proven: string | undefined;
    // The same holds for a one-time password: a second use would be rejected. The current account state was checked by
    // this request.
    const isOneTime = hasPassword && request.header('x-one-time-password') !== undefined;
    // Without the account the recheck falls back to the chain.
    const opening = isOneTime ? load(users, first.name).catch(() => undefined) : undefined;
    return async () => {
      const opened = proven === undefined ? await opening : undefined;
      if (opened !== undefined) proven = stateOf(opened);
      // Checking a password costs a hash. It is skipped while the account has not changed since the last check.
      const account = hasPassword ? await load(users, first.name) : undefined;
      const state = account === undefined ? undefined : stateOf(account);
      if (state !== undefined && state === proven) return principal;
      const outcome = await security.handle(again);
      if (outcome.kind === 'answer') {
        // Too many requests says nothing about rights.
        if (outcome.status === TOO_MANY_REQUESTS) return principal;
        if (outcome.status >= 500) throw new Error(`The security chain answered ${outcome.status}.`);
        return undefined;
      }
      const now = outcome.exchange.principal;
      if (now.name !== first.name || now.authenticated !== first.authenticated) return undefined;
      proven = state;
      if (!isSame(now, principal)) principal = now;
      return principal;
    };
  };
}

/** @throws if the store does not respond: a connection must not outlive the rights of its caller */
async function load(users: UserSource, name: string): Promise<User | undefined> {
  const user = await within(users.loadUserByUsername(name), USER_STORE_TIMEOUT);
  if (user === LATE) throw new Error(`The user store gave no answer in ${USER_STORE_TIMEOUT} ms.`);
  return user;
}

/** Adapter requests have getters, which a spread would not copy. */
function copyOf(request: SecurityRequest): Omit<SecurityRequest, 'readBody'> {
  return {
    method: request.method,
    target: request.target,
    rawHeaders: request.rawHeaders,
    remoteAddress: request.remoteAddress,
    secure: request.secure,
    header: (name) => request.header(name),
  };
}

/** Digest of the account's state, including its stored password. */
function stateOf(user: User): string {
  const { password, enabled, accountNonExpired, accountNonLocked, credentialsNonExpired } = user;
  const { authorities, attributes } = user.toPrincipal();
  const flags = [enabled, accountNonExpired, accountNonLocked, credentialsNonExpired];
  return createHash('sha256')
    .update(JSON.stringify([password, flags, [...authorities], attributes]))
    .digest('base64');
}

function isSame(one: Principal, other: Principal): boolean {
  return (
    one.authorities.size === other.authorities.size &&
    [...one.authorities].every((authority) => other.authorities.has(authority)) &&
    JSON.stringify(one.attributes) === JSON.stringify(other.attributes)
  );
}
