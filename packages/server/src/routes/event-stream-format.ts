// How server-sent events are written (HTML §9.2), for both kinds of streams: their headers, one event, a pause without one.
import type { RouteResponse } from '../http/answer.ts';
import type { Incoming } from '../http/incoming.ts';
import type { Connection } from './connection.ts';

/** Without a word for so long, proxies and browsers give a stream up. In ms. */
export const HEARTBEAT = 12_000;

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // nginx would hold events back to fill its buffer.
  'x-accel-buffering': 'no',
};
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/** Closes the connection when the client leaves. */
export function followClient(connection: Connection, { signal }: Incoming): void {
  if (signal.aborted) connection.close();
  else signal.addEventListener('abort', () => connection.close(), { once: true });
}

/** The end of a stream of one operation. */
export const COMPLETE = 'event: complete\ndata:\n\n';

/** One event with JSON as its data. */
export function printEvent(name: string, json: string): string {
  // A line break outside of strings, as stored JSON may have, would end the field.
  return `event: ${name}\ndata: ${/[\n\r]/.test(json) ? JSON.stringify(JSON.parse(json)) : json}\n\n`;
}

/** A refusal in the graph's shape. */
export function refuseStream(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): RouteResponse {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body };
}
