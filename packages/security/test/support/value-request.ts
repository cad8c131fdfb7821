// A request as a value, for chains that run without a server.
import type { SecurityRequest } from '../../src/index.ts';

/** A GET without headers and body. */
export const getRequest = (target: string): SecurityRequest => ({
  method: 'GET',
  target,
  rawHeaders: [],
  remoteAddress: '',
  secure: false,
  header: () => undefined,
  readBody: () => Promise.resolve(new Uint8Array()),
});
