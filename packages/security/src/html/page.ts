// Frame of the built-in pages: plain HTML and CSS without script, for light and dark mode, keyboard and screen readers.
// The style has a nonce, and the page's policy forbids everything else.
import { randomBytes } from 'node:crypto';
import type { SecurityExchange } from '../chain/exchange.ts';

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#f5f6f8;--card:#fff;--line:#8a929c;--main:#0b57d0;--on-main:#fff;--bad:#b3261e;--bad-paper:#fdecea;--good:#146c2e;--good-paper:#e7f5ea}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8eb;--paper:#14171a;--card:#1e2226;--line:#7d8691;--main:#a8c7fa;--on-main:#062e6f;--bad:#f2b8b5;--bad-paper:#3b1512;--good:#8fd6a3;--good-paper:#0f2e18}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{width:100%;max-width:23rem;padding:2rem;background:var(--card);border-radius:.75rem;box-shadow:0 1px 3px rgb(0 0 0/.2)}
h1{margin:0 0 1.25rem;font-size:1.375rem;line-height:1.25}
p[role]{margin:0 0 1.25rem;padding:.625rem .875rem;border-radius:.375rem;border-left:.25rem solid}
p[role=alert]{color:var(--bad);background:var(--bad-paper)}
p[role=status]{color:var(--good);background:var(--good-paper)}
label{display:block;margin:0 0 1rem;font-weight:600}
label.check{display:flex;gap:.5rem;align-items:center;font-weight:400}
input:not([type=checkbox]){display:block;width:100%;margin-top:.25rem;padding:.625rem .75rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.375rem}
button,a.button{display:block;width:100%;padding:.6875rem 1rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--on-main);background:var(--main);border:0;border-radius:.375rem;cursor:pointer}
a.button{margin-top:.75rem;color:inherit;background:transparent;border:1px solid var(--line)}
:focus-visible{outline:3px solid var(--main);outline-offset:2px}
`.trim();

/** Responds with a page. `content` is HTML whose values are escaped. */
export function respondPage(exchange: SecurityExchange, title: string, content: string): void {
  const nonce = randomBytes(16).toString('base64');
  const { response } = exchange;
  response.setHeader(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  );
  // The page contains a token of one session, so it must not be cached.
  response.setHeader('Cache-Control', 'no-cache, no-store, max-age=0, must-revalidate');
  exchange.respond(
    200,
    `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`,
    'text/html;charset=UTF-8',
  );
}

/** Escapes text for HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** Redirects the caller to another path of this server. */
export function redirect(exchange: SecurityExchange, location: string): void {
  exchange.response.setHeader('Location', location);
  exchange.respond(302);
}
