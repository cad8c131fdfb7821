// Node's HTTP module, for code that needs its values and not only its types.
import type * as Http from 'node:http';
import type * as Https from 'node:https';

/**
 * Not imported as an ES module: that reads every export, including `WebSocket`, and so loads Node's fetch client,
 * HTTP/2 and web streams. Measured on Node 26: 16 MB of resident memory in a process that uses none of them.
 */
export const nodeHttp: typeof Http = process.getBuiltinModule('node:http');

/** Node's HTTPS module, loaded by the first that needs it. */
export function nodeHttps(): typeof Https {
  return process.getBuiltinModule('node:https');
}
