// Remembers the page that was refused, so that log-in leads there. Only pages: a GET by a browser, no script, no JSON, no
// icon. Only the path and query of this server are kept, so that log-in can never lead elsewhere.
import { isScript, acceptedTypes } from '../authentication/entry-points.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Sessions } from '../session/sessions.ts';

const KEY = 'savedRequest';
/** Longer targets are not kept; log-in then leads to the default page. */
const MAX_TARGET = 2048;

/** Keeps one request a session. */
export interface SavedRequests {
  save(exchange: SecurityExchange): void;
  /** The path and query to go to, taken out of the session; undefined when there is none. */
  take(exchange: SecurityExchange): string | undefined;
}

/** Makes the keeper. Saving starts a session. */
export function createSavedRequests(sessions: Sessions): SavedRequests {
  return {
    save(exchange) {
      if (worthKeeping(exchange)) sessions.obtain(exchange).set(KEY, sentTarget(exchange));
    },
    take(exchange) {
      const session = sessions.current(exchange);
      const target = session?.get(KEY);
      if (session === undefined || typeof target !== 'string') return undefined;
      session.delete(KEY);
      return isLocal(target) ? target : undefined;
    },
  };
}

function worthKeeping(exchange: SecurityExchange): boolean {
  if (exchange.method !== 'GET' || isScript(exchange)) return false;
  const target = sentTarget(exchange);
  if (target.length > MAX_TARGET || !isLocal(target) || /\/favicon\.[^/]*$/.test(exchange.path)) return false;
  if (exchange.request.header('upgrade') !== undefined) return false;
  const accepted = acceptedTypes(exchange);
  return !accepted.some(
    (type) => type === 'application/json' || type === 'text/event-stream' || type === 'multipart/form-data',
  );
}

/** What the browser asked for: it knows nothing of mounts and rewritten paths. */
function sentTarget({ request }: SecurityExchange): string {
  return request.sentTarget ?? request.target;
}

/** A target in origin form. `//host` and `/\host` would lead a browser to another server (WHATWG URL §4.4). */
function isLocal(target: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(target);
}
