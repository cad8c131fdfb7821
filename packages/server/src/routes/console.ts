// The browser console under `/_console/`: its files, and the current user. The console is an HTTP client like any
// other.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { serverErrors } from '../errors.ts';
import { errorResponse, jsonResponse } from '../http/route-response.ts';
import { serveFiles } from './files.ts';
import { type MaybeHandle, methodNotAllowed } from '../http/router.ts';

const PREFIX = '/_console/';

/** No external or inline script, style or image, no framing: CSP level 3. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Folder of the bundled console. It is built with the package, and by `npm start` in the repository. */
function findConsole(): string {
  return join(dirname(fileURLToPath(import.meta.resolve('@lockstitch/console/package.json'))), 'dist');
}

/** Creates the handler of `/_console`. */
export function consoleRoute(folder: string = findConsole()): MaybeHandle {
  const serve = serveFiles({
    folder,
    index: 'index.html',
    headers: { 'content-security-policy': CONTENT_SECURITY_POLICY, 'referrer-policy': 'same-origin' },
  });
  return async (request) => {
    const { path, method, principal } = request;
    if (path !== '/_console' && !path.startsWith(PREFIX)) return undefined;
    if (method !== 'GET' && method !== 'HEAD') return methodNotAllowed(request, ['GET']);
    if (path === '/_console') return { status: 302, headers: { location: PREFIX }, body: undefined };
    // The page's first request. Never 401: a page that needs no credentials has to find out whether there are any.
    if (path === '/_console/session')
      return jsonResponse(
        200,
        { name: principal.authenticated ? principal.name : null },
        { 'cache-control': 'no-store' },
      );
    const answer = await serve(path.slice(PREFIX.length) || 'index.html', request);
    if (answer !== undefined || existsSync(join(folder, 'index.html'))) return answer;
    return errorResponse(serverErrors.create('SERVER_CONSOLE_NOT_BUILT'), path);
  };
}
