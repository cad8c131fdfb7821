// Errors because a client closed its connection. They are not server faults, so the log has no stack for them.
import { codeOf, type Log } from '@lockstitch/kernel';

const GONE: ReadonlySet<unknown> = new Set([
  'ABORT_ERR',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_UNABLE_TO_PIPE',
  'ERR_STREAM_WRITE_AFTER_END',
  'ETIMEDOUT',
]);

/** Logs a socket error: one line without a stack if the client has left. */
export function logSocketFailure(
  log: Log,
  what: string,
  error: unknown,
  facts: Readonly<Record<string, unknown>> = {},
): void {
  const code = codeOf(error);
  if (GONE.has(code)) log.write('info', 'A client left before its request was answered', { ...facts, code });
  else log.write('error', what, { ...facts, error });
}
