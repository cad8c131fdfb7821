// The option --port.
import { serverErrors } from '../errors.ts';

/** Parses the port; undefined if the option is not given. @throws ProductError SERVER_BAD_ARGUMENTS */
export function readPort(port: string | undefined): number | undefined {
  if (port === undefined) return undefined;
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port);
  const reason = `--port must be a number from 0 to 65535, not "${port}".`;
  throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
}
