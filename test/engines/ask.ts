// What a request to an engine is and what it answers, and how one over a socket is asked: with a time limit, as one request that hangs
// must not stop a comparison.
import { request as requestOver } from 'node:http';

/** What one engine says. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The header `Allow`. */
  readonly allow?: string | undefined;
  /** The header `Warning`. */
  readonly warning?: string | undefined;
}

/** One request. */
export interface Step {
  /** Method and path with its query. */
  readonly target: string;
  /** As it is sent. */
  readonly body?: string;
  readonly type?: string;
}

export type AskStep = (step: Step) => Promise<Answer>;

/** Milliseconds that an answer may take. */
export const LIMIT = 10_000;

/** What stands for an answer that did not come in time. Never equal to one, so that the request is reported. */
export const hung = (who: string): Answer => ({ status: 0, body: `${who} did not answer within ${LIMIT} ms` });

/** Over a socket, with whatever method and body. */
export function askHttp(url: string): AskStep {
  return ({ target, body, type }) =>
    new Promise((resolve, reject) => {
      const [method, path] = target.split(' ', 2) as [string, string];
      const sentHeaders = {
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      };
      const sent = requestOver(`${url}${path}`, { method, headers: sentHeaders, timeout: LIMIT }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { statusCode = 0, headers } = response;
          const { allow, warning } = headers;
          resolve({ status: statusCode, body: Buffer.concat(chunks).toString(), allow, warning });
        });
      });
      sent.on('timeout', () => {
        resolve(hung('theirs'));
        sent.destroy();
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

/** A request with a JSON body. */
export function step(target: string, body?: unknown): Step {
  return body === undefined ? { target } : { target, body: JSON.stringify(body), type: 'application/json' };
}

/** A request with a body of lines. */
export function lines(target: string, body: readonly unknown[]): Step {
  return { target, body: body.map((line) => `${JSON.stringify(line)}\n`).join(''), type: 'application/x-ndjson' };
}
