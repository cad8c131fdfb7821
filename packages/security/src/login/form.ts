// Reads the fields of a form that was sent urlencoded (WHATWG URL §5.1). JSON and multipart bodies are not forms here.
import type { SecurityExchange } from '../chain/exchange.ts';
import { attribute } from '../chain/exchange.ts';

const FORM = attribute<Promise<URLSearchParams>>('form');

/**
 * The fields of the request's urlencoded body, read once.
 *
 * @returns undefined when the body is of another type
 * @throws SECURITY_BODY_TOO_LARGE
 */
export function readForm(exchange: SecurityExchange, limit: number): Promise<URLSearchParams> | undefined {
  const type = exchange.request.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') return undefined;
  let form = exchange.get(FORM);
  if (form === undefined) {
    form = exchange.request.readBody(limit).then((bytes) => new URLSearchParams(Buffer.from(bytes).toString('utf8')));
    exchange.set(FORM, form);
  }
  return form;
}
