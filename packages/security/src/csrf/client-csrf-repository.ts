// Tokens bound to a client identifier in a header, for clients without cookies. A page of another site cannot send such
// a header unless CORS allows it.
import { evictOldest } from '@lockstitch/kernel';
import { callStore } from '../stores/call-store.ts';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { createCsrfToken } from './csrf-token.ts';
import type { CsrfTokenRepository } from './csrf-token-repository.ts';
import { CLIENT_CSRF } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** Keeps one token for each client; a table of two columns. */
export interface ClientTokenStore {
  get(client: string): MaybePromise<string | undefined>;
  set(client: string, token: string): MaybePromise<void>;
  delete(client: string): MaybePromise<void>;
}

export interface ClientCsrfOptions {
  /** Default: in memory, the 10,000 most recent clients. */
  readonly store?: ClientTokenStore;
  /** Header with the client's identifier. Default: X-IDENTIFIER. */
  readonly clientHeader?: string;
  readonly headerName?: string;
  readonly parameterName?: string;
}

/** Longer identifiers are ignored: they would only fill the store. */
const MAX_CLIENT = 200;

/** Creates the repository. A request without identifier has no token, so its writes are rejected. */
export function createClientCsrfRepository(options: ClientCsrfOptions = {}): CsrfTokenRepository {
  requireOptions('createClientCsrfRepository', CLIENT_CSRF, options);
  const { store = memoryTokens(10_000), clientHeader = 'X-IDENTIFIER', headerName, parameterName } = options;
  const names = {
    ...(headerName === undefined ? {} : { headerName }),
    ...(parameterName === undefined ? {} : { parameterName }),
  };
  const ask = <T>(work: () => MaybePromise<T>): Promise<T> => callStore('store of CSRF tokens', work);
  const header = clientHeader.toLowerCase();
  const clientOf = (read: (name: string) => string | undefined): string | undefined => {
    const client = read(header)?.trim();
    return client === undefined || client === '' || client.length > MAX_CLIENT ? undefined : client;
  };
  return {
    carrier: `header ${clientHeader}`,
    generate: () => createCsrfToken(names),
    save(exchange, token) {
      const client = clientOf((name) => exchange.request.header(name));
      if (client === undefined) {
        if (token === undefined) return undefined;
        throw authenticationErrors.create('SECURITY_CSRF_CLIENT_MISSING', { header: clientHeader, limit: MAX_CLIENT });
      }
      return ask(() => (token === undefined ? store.delete(client) : store.set(client, token.token)));
    },
    async load(exchange) {
      const client = clientOf((name) => exchange.request.header(name));
      const token = client === undefined ? undefined : await ask(() => store.get(client));
      return token === undefined ? undefined : createCsrfToken({ ...names, token });
    },
  };
}

function memoryTokens(bound: number): ClientTokenStore {
  const tokens = new Map<string, string>();
  return {
    get: (client) => tokens.get(client),
    set(client, token) {
      tokens.delete(client);
      tokens.set(client, token);
      evictOldest(tokens, bound);
    },
    delete: (client) => void tokens.delete(client),
  };
}
