// `GET /` and `GET /graphql`: redirect browsers to the console, answer programs.
import type { Incoming } from '../http/incoming.ts';
import type { Handle } from '../http/router.ts';

/** Redirects to the console if the request prefers HTML and has no query. */
export function consoleFirst(answer: Handle, hasConsole: boolean): Handle {
  return (request) =>
    hasConsole && prefersHtml(request) && request.query.size === 0
      ? { status: 302, headers: { location: '/_console/', vary: 'accept' }, body: undefined }
      : answer(request);
}

/** Browsers list text/html first; programs list JSON, or nothing. */
function prefersHtml({ headers }: Incoming): boolean {
  const accept = headers['accept'];
  if (accept === undefined) return false;
  const html = accept.indexOf('text/html');
  const json = accept.indexOf('application/json');
  return html !== -1 && (json === -1 || html < json);
}
