// Sends bytes over a socket as they are given: fetch() and URL would normalise the very inputs that matter here.
import { connect } from 'node:net';

export interface RawResponse {
  /** 0 when the server closed the connection without an HTTP response. */
  readonly status: number;
  readonly body: string;
  /** The first value of a header, by any case. */
  readonly header: (name: string) => string | undefined;
  readonly headers: (name: string) => readonly string[];
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | undefined;
}

/** Sends one request and reads the answer until the connection closes. */
export function send(port: number, target: string, request: RawRequest = {}): Promise<RawResponse> {
  const { method = 'GET', headers = [], body } = request;
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  if (!headers.some(([name]) => name.toLowerCase() === 'host')) lines.unshift(`Host: 127.0.0.1:${port}\r\n`);
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}\r\n`);
  return sendBytes(port, `${method} ${target} HTTP/1.1\r\n${lines.join('')}Connection: close\r\n\r\n${body ?? ''}`);
}

export function sendBytes(port: number, bytes: string): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
    socket.on('error', reject);
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString('utf8'))));
  });
}

/** Sends bytes and gives what comes back, until it matches a pattern or the server closes. Without a pattern, it ends as well when the server says nothing more for a second. */
export function exchangeBytes(port: number, bytes: string, pattern?: RegExp): Promise<{ readonly text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (pattern === undefined) socket.setTimeout(1000, () => socket.destroy());
      else if (pattern.test(text)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve({ text }));
  });
}

function parse(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [start = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n');
  const fields = lines.map(
    (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const,
  );
  const headers = (name: string) => fields.filter(([field]) => field === name.toLowerCase()).map(([, value]) => value);
  const chunked = headers('transfer-encoding').includes('chunked');
  const body = text.slice(end + 4);
  return {
    status: Number(start.split(' ')[1] ?? 0),
    body: chunked ? body.replace(/^[0-9a-f]+\r\n|\r\n[0-9a-f]+\r\n(?:\r\n)?/gi, '') : body,
    header: (name) => headers(name)[0],
    headers,
  };
}
