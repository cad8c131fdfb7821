// Format of server-sent events (HTML §9.2): headers, one event, a heartbeat.
import type { RouteResponse } from '../http/route-response.ts';
import type { Incoming } from '../http/incoming.ts';
import type { Connection } from './connection.ts';

/** Proxies and browsers close a silent stream. In ms. */
export const HEARTBEAT = 12_000;

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // nginx would buffer events.
  'x-accel-buffering': 'no',
};
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/** Closes the connection when the client leaves. */
export function followClient(connection: Connection, { signal }: Incoming): void {
  if (signal.aborted) connection.close();
  else signal.addEventListener('abort', () => connection.close(), { once: true });
}

/** End of a stream of one operation. */
export const COMPLETE = 'event: complete\ndata:\n\n';

/** Prints one event with JSON as its data. */
export function printEvent(name: string, json: string): string {
  // A line break outside of strings, as stored JSON may have, would end the field.
  return `event: ${name}\ndata: ${/[\n\r]/.test(json) ? JSON.stringify(JSON.parse(json)) : json}\n\n`;
}

/** Returns an error in the graph's format. */
export function refuseStream(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): RouteResponse {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body };
}
