// The bar for bench/product: bare node:http and one prepared statement written by hand for each query, over the database of
// the photo-share example (first argument; the second is the login that q2 and q3 ask for). Answers `/q1` to `/q4`, and `/constant` with a fixed small JSON body.
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { serveBench } from '../lib/serve.ts';
import { HAND_WRITTEN } from './queries.ts';

const database = new DatabaseSync(process.argv[2]!, { readOnly: true });
database.exec('PRAGMA mmap_size = 268435456; PRAGMA cache_size = -65536');
const login = process.argv[3]!;
const statements = new Map(
  Object.entries(HAND_WRITTEN).map(([name, { sql, bind, limit }]) => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    const value = bind === 'login' ? login : BigInt(limit!);
    return [`/${name}`, () => (statement.get(value) as unknown as [string])[0]];
  }),
);
const constant = JSON.stringify({ took: 1, timed_out: false, hits: { total: { value: 0, relation: 'eq' }, hits: [] } });

serveBench(
  createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const run = statements.get(request.url!);
      // A server of use reads its request; the bar pays for that too.
      if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString());
      const body = run === undefined ? constant : `{"data":${run()}}`;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
      response.end(body);
    });
  }),
);
