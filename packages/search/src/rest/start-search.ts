// The search server alone: the REST API on a port of this machine, open to everybody who reaches it. For tests, examples and
// laptops; the server package puts it behind the security chain instead.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isProductError } from '@lockstitch/kernel';
import { errorBody } from '../json/error-shape.ts';
import { readBody } from './request/read-body.ts';
import { createRestApi, type RestOptions } from './create-rest-api.ts';
import { nodeHttp } from './node-http.ts';
import { createMapper } from '../mapping/create-mapper.ts';
import { fileDirectory } from '../directory/file.ts';
import { memoryDirectory } from '../directory/memory.ts';
import { openEngine } from '../engine/engine.ts';
import type { Engine } from '../engine/engine-api.ts';

/** How to start. */
export interface StartOptions extends RestOptions {
  /** 0 (default) takes a free one. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** A folder to keep the data in; memory by default. */
  readonly data?: string;
  /** Bytes of one request body at most; 100 MB by default, as Elasticsearch. */
  readonly maxBodyBytes?: number;
}

/** A running search server. */
export interface RunningSearch {
  readonly url: string;
  readonly engine: Engine;
  close(): Promise<void>;
}

/** Starts the search server alone. It asks for no credentials: keep it on loopback. */
export async function startSearch(options: StartOptions = {}): Promise<RunningSearch> {
  const engine = await openEngine({
    directory: options.data === undefined ? memoryDirectory() : fileDirectory(options.data),
    mapperFactory: createMapper,
  });
  const rest = createRestApi(engine, options);
  const limit = options.maxBodyBytes ?? 100 << 20;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body: Uint8Array;
    try {
      body = await readBody(request, limit);
    } catch (error) {
      if (!isProductError(error)) throw error;
      const refusal = errorBody(error);
      // What was not read is not waited for.
      const headers = { 'Content-Type': 'application/json; charset=UTF-8', Connection: 'close' };
      response.writeHead(refusal.status, headers).end(JSON.stringify(refusal.body));
      return;
    }
    const url = new URL(request.url ?? '/', 'http://localhost');
    const headers: Record<string, string | undefined> = {};
    for (const [name, value] of Object.entries(request.headers))
      headers[name] = Array.isArray(value) ? value.join(', ') : value;
    const abort = new AbortController();
    response.once('close', () => abort.abort());
    const result = await rest.handle({
      signal: () => abort.signal,
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers,
      body,
    });
    const bytes = result.bytes ?? Buffer.from(result.body);
    response.writeHead(result.status, { ...result.headers, 'Content-Length': bytes.length });
    response.end(bytes);
  };
  const server = nodeHttp.createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    engine,
    async close() {
      rest.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await engine.close();
    },
  };
}
