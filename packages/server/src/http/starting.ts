// Responses while an application starts. Building a first index can take minutes, in which a supervisor must see that
// the process lives and is not ready yet.
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { ResolvedConfig } from '../config/config.ts';
import { serverErrors } from '../errors.ts';
import { unready } from './health.ts';
import { errorResponse, jsonResponse, type TextResponse } from './route-response.ts';
import { listen, type Listening } from './listen.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** A socket that waits for its application. */
export interface Starting {
  readonly listening: Listening;
  /** Passes all further requests to the application. */
  handOver(listener: Listener): void;
}

/** Listens. @throws ProductError as `listen` */
export async function listenStarting(config: Pick<ResolvedConfig, 'port' | 'host' | 'limits'>): Promise<Starting> {
  let listener: Listener = answerStarting;
  const listening = await listen((request, response) => listener(request, response), config);
  return {
    listening,
    handOver(taken) {
      listener = taken;
    },
  };
}

function answerStarting(request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? '').split('?', 1)[0]!;
  const { status, headers, body } = answerTo(path);
  // The request body is not read.
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function answerTo(path: string): TextResponse {
  if (path === '/healthz') return jsonResponse(200, { status: 'ok' }, { 'cache-control': 'no-store' });
  if (path === '/readyz') return unready('starting');
  return errorResponse(serverErrors.create('SERVER_STARTING'), path, { 'retry-after': '1' });
}
