// Reads urlencoded forms (WHATWG URL §5.1); JSON and multipart bodies are not forms here. Limited in bytes and fields,
// because the caller is unauthenticated, and 500,000 fields blocked the event loop for 0.8 s.
import { securityErrors } from '../errors/chain-errors.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import { attribute } from '../chain/exchange.ts';

/** Limits of forms: at log-in, for a one-time password, and for a CSRF token in a field. */
export interface FormLimits {
  /** Bytes of the body; more is 413. Default: 102,400. */
  readonly maxBytes?: number | undefined;
  /** Fields; more is 413. Default: 1,000. */
  readonly maxFields?: number | undefined;
}

const MAX_BYTES = 102_400;
const MAX_FIELDS = 1000;
const AMPERSAND = 0x26;

const FORM = attribute<Promise<URLSearchParams>>('form');

/** Returns whether the request declares a form body that `readForm` reads. */
export function hasForm({ request }: SecurityExchange): boolean {
  const type = request.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  return type === 'application/x-www-form-urlencoded';
}

/**
 * Reads the fields of the urlencoded body, once.
 *
 * @returns undefined if the body has another type
 * @throws SECURITY_BODY_TOO_LARGE, SECURITY_FORM_FIELDS
 */
export function readForm(exchange: SecurityExchange, limits: FormLimits = {}): Promise<URLSearchParams> | undefined {
  if (!hasForm(exchange)) return undefined;
  let form = exchange.get(FORM);
  if (form === undefined) {
    const { maxBytes = MAX_BYTES, maxFields = MAX_FIELDS } = limits;
    form = exchange.request.readBody(maxBytes).then((bytes) => parseForm(bytes, maxFields));
    exchange.set(FORM, form);
  }
  return form;
}

function parseForm(bytes: Uint8Array, limit: number): URLSearchParams {
  let fields = 1;
  for (let at = bytes.indexOf(AMPERSAND); at >= 0 && fields <= limit; at = bytes.indexOf(AMPERSAND, at + 1))
    fields += 1;
  if (fields > limit) throw securityErrors.create('SECURITY_FORM_FIELDS', { limit });
  return new URLSearchParams(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}
