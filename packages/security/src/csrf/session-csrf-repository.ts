// The default: the token is in the HTTP session, so it is as strong as the session cookie that must come with it.
import type { Sessions } from '../session/sessions.ts';
import { createCsrfToken } from './csrf-token.ts';
import type { CsrfTokenRepository } from './csrf-token-repository.ts';
import { CSRF_NAMES } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

const KEY = 'csrf';

/** Creates the repository. Generating starts no session; saving does. */
export function createSessionCsrfRepository(
  sessions: Sessions,
  options: { readonly headerName?: string; readonly parameterName?: string } = {},
): CsrfTokenRepository {
  requireOptions('createSessionCsrfRepository', CSRF_NAMES, options);
  return {
    carrier: `cookie ${sessions.cookieName}`,
    generate: () => createCsrfToken(options),
    save(exchange, token) {
      if (token === undefined) sessions.current(exchange)?.delete(KEY);
      else sessions.obtain(exchange).set(KEY, token.token);
    },
    load(exchange) {
      const token = sessions.current(exchange)?.get(KEY);
      return typeof token === 'string' ? createCsrfToken({ ...options, token }) : undefined;
    },
  };
}
