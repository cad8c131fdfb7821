// `GET /`: the console for a browser, the search status for a program.
import type { Incoming } from '../http/incoming.ts';
import type { Handle } from './router.ts';

/** Makes the handler: who asks for HTML before anything else is a browser, and is sent to the console. */
export function rootRoute(status: Handle, hasConsole: boolean): Handle {
  return (request) =>
    hasConsole && prefersHtml(request)
      ? { status: 302, headers: { location: '/_console/', vary: 'accept' }, body: undefined }
      : status(request);
}

/** Browsers name text/html first; programs name JSON, or nothing in particular. */
function prefersHtml({ headers }: Incoming): boolean {
  const accept = headers['accept'];
  if (accept === undefined) return false;
  const html = accept.indexOf('text/html');
  const json = accept.indexOf('application/json');
  return html !== -1 && (json === -1 || html < json);
}
