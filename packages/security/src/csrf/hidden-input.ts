// The CSRF token in the built-in forms.
import type { SecurityExchange } from '../chain/exchange.ts';
import { escapeHtml } from '../html/page.ts';
import { CSRF } from './csrf-token.ts';

/** Returns a hidden input with the token; empty without CSRF protection. */
export async function hiddenCsrfInput(exchange: SecurityExchange): Promise<string> {
  const token = await exchange.get(CSRF)?.obtain();
  if (token === undefined) return '';
  return `<input type="hidden" name="${escapeHtml(token.parameterName)}" value="${escapeHtml(token.token)}">\n`;
}
