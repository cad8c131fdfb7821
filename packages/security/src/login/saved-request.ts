// Saves the page that was denied, so that log-in leads there. Only pages: a GET by a browser, no script, no JSON, no
// icon. Only path and query are kept, so that log-in never leads to another server.
import { isScript, acceptedTypes } from '../authentication/entry-points.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Sessions } from '../session/sessions.ts';

const KEY = 'savedRequest';
/** Longer targets are not saved; log-in then leads to the default page. */
const MAX_TARGET = 2048;

/** Saves one request per session. */
export interface SavedRequests {
  save(exchange: SecurityExchange): void;
  /** Removes and returns the saved path and query; undefined if there is none. */
  take(exchange: SecurityExchange): string | undefined;
}

/** Creates the store of saved requests. Saving starts a session. */
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

/** The target as the browser sent it, without mounts and rewrites. */
function sentTarget({ request }: SecurityExchange): string {
  return request.sentTarget ?? request.target;
}

/** A target in origin form. `//host` and `/\host` would lead a browser to another server (WHATWG URL §4.4). */
function isLocal(target: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(target);
}
