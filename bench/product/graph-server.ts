// The graph alone on node:http: its HTTP handler over the database of the photo-share example (first argument), no security.
import { createServer } from 'node:http';
import { createGraph, createHttpHandler, openSqliteStore } from '@lockstitch/graph';
import { loadApp } from 'lockstitch';
import { serveBench } from '../lib/serve.ts';

const { model, resolvers } = await loadApp('examples/photo-share', {});
const graph = await createGraph({ model, resolvers, store: await openSqliteStore({ file: process.argv[2]! }) });
const handle = createHttpHandler(graph);
const noQuery = new URLSearchParams();

serveBench(
  createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    const answer = async (): Promise<void> => {
      const headers = request.headers as Readonly<Record<string, string | undefined>>;
      const answered = handle({ method: request.method!, query: noQuery, headers, body: Buffer.concat(chunks) });
      const { status, headers: given, body } = answered instanceof Promise ? await answered : answered;
      response.writeHead(status, { ...given, 'content-length': Buffer.byteLength(body) });
      response.end(body);
    };
    request.on('end', () => void answer());
  }),
);
