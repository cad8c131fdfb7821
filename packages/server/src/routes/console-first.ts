// The addresses that a person may type: `GET /` and `GET /graphql` lead a browser to the console, and answer a program.
import type { Incoming } from '../http/incoming.ts';
import type { Handle } from '../http/router.ts';

/** Sends whoever asks for HTML before anything else, and asks for nothing in particular, to the console. */
export function consoleFirst(answer: Handle, hasConsole: boolean): Handle {
  return (request) =>
    hasConsole && prefersHtml(request) && request.query.size === 0
      ? { status: 302, headers: { location: '/_console/', vary: 'accept' }, body: undefined }
      : answer(request);
}

/** Browsers name text/html first; programs name JSON, or nothing in particular. */
function prefersHtml({ headers }: Incoming): boolean {
  const accept = headers['accept'];
  if (accept === undefined) return false;
  const html = accept.indexOf('text/html');
  const json = accept.indexOf('application/json');
  return html !== -1 && (json === -1 || html < json);
}
