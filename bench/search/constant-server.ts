// The bar for searches over HTTP: bare node:http that reads its request and answers a constant.
import { createServer } from 'node:http';
import { serveBench } from '../lib/serve.ts';

const answer = JSON.stringify({ took: 1, timed_out: false, hits: { total: { value: 0, relation: 'eq' }, hits: [] } });
serveBench(
  createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
      response.end(answer);
    });
  }),
);
