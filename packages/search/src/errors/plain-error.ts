// Refusals on their way between threads: classes do not survive it, codes and sentences do.
import { isProductError, ProductError } from '@lockstitch/kernel';
import { type ErrorDetails, type RequestCode, RequestError } from './request-error.ts';

/** A refusal as plain values. */
export interface PlainError {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly hint: string | undefined;
  /** Of a `RequestError`. */
  readonly request: { readonly code: RequestCode; readonly type: string; readonly details: ErrorDetails } | undefined;
}

/** A refusal as plain values; undefined for what is none. */
export function toPlainError(error: unknown): PlainError | undefined {
  if (!isProductError(error)) return undefined;
  const { code, message, status, hint } = error;
  const request =
    error instanceof RequestError ? { code: error.code, type: error.type, details: error.details } : undefined;
  return { code, message, status, hint, request };
}

/** The refusal again. */
export function fromPlainError({ code, message, status, hint, request }: PlainError): ProductError {
  if (request === undefined) return new ProductError({ code, message, status, hint });
  return new RequestError(request.code, request.type, message, request.details);
}
