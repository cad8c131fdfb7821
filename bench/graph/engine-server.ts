// The graph alone on node:http, over the bench's own database: a SQLite file or the URL of a PostgreSQL server (first argument).
import { createServer } from 'node:http';
import type { HttpAnswer } from '@lockstitch/graph';
import { serveBench } from '../lib/serve.ts';
import { openPhotoGraph } from './photo-data.ts';

const place = process.argv[2]!;
const graph = await openPhotoGraph(place.startsWith('postgres:') ? { url: place } : { file: place });
const noQuery = new URLSearchParams();

serveBench(
  createServer((request, response) => {
    const chunks: Buffer[] = [];
    const send = ({ status, headers, body }: HttpAnswer): void => {
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
      response.end(body);
    };
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = request.headers as Readonly<Record<string, string | undefined>>;
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      const answered = graph.handleHttp({ method: request.method!, query: noQuery, headers, body });
      if (answered instanceof Promise) void answered.then(send);
      else send(answered);
    });
  }),
);
