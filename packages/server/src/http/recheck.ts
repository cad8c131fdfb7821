// Whether somebody who opened a connection that lasts may still have it: a password can be changed, an account locked, a
// session ended, a token run out while events flow. The chain is asked again with the request as it was; nothing is written
// down as a use of the session by that. Not here: what happens to the connection (routes/connection.ts).
import { createHash } from 'node:crypto';

import type { Principal } from '@lockstitch/kernel';
import type { Security, SecurityRequest, User, UserSource } from '@lockstitch/security';

import { LATE, within } from '../within.ts';

const TOO_MANY_REQUESTS = 429;
/** Milliseconds that the user store may take. */
const PATIENCE = 10_000;

/** Asks again: who the caller is by now, or undefined when he may no longer. Rejects when that cannot be told now. */
export type Recheck = () => Promise<Principal | undefined>;

/** Makes the question for one request that the chain let pass as `first`. */
export type CreateRecheck = (request: SecurityRequest, first: Principal) => Recheck;

/** Creates it over a security layer and the accounts behind it. */
export function createRechecks(security: Pick<Security, 'handle'>, users: UserSource): CreateRecheck {
  return (request, first) => {
    // Whatever body there was has been read by now; what the chain reads of one is a form.
    const again: SecurityRequest = { ...copyOf(request), readBody: () => Promise.resolve(new Uint8Array()) };
    const authorization = request.header('authorization') ?? '';
    // A signature is good once, and its key as long as the server runs.
    if (/^signature\b/i.test(authorization)) return () => Promise.resolve(first);
    const hasPassword = /^basic\b/i.test(authorization);
    let principal = first;
    let proven: string | undefined;
    // So is a one-time password: asked again, it would be refused. What the account is like right now was proven right now.
    const isOneTime = hasPassword && request.header('x-one-time-password') !== undefined;
    const opening = isOneTime ? load(users, first.name).catch(() => undefined) : undefined;
    return async () => {
      const opened = proven === undefined ? await opening : undefined;
      if (opened !== undefined) proven = stateOf(opened);
      // A password costs a hash to check. It need not be checked while the account is what it was when it last was.
      const account = hasPassword ? await load(users, first.name) : undefined;
      const state = account === undefined ? undefined : stateOf(account);
      if (state !== undefined && state === proven) return principal;
      const outcome = await security.handle(again);
      if (outcome.kind === 'answer') {
        // Too many requests is no word about rights.
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

/** @throws when the store does not answer: a connection must not outlast the rights of its caller for that. */
async function load(users: UserSource, name: string): Promise<User | undefined> {
  const user = await within(users.loadUserByUsername(name), PATIENCE);
  if (user === LATE) throw new Error(`The user store gave no answer in ${PATIENCE} ms.`);
  return user;
}

/** Requests of an adapter read through getters, which a spread would not copy. */
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

/** What the account was like, as a digest: the stored password is among it. */
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
