// What the official clients do beyond plain calls: their helpers, packed bodies, sniffing, the errors they throw.
import { deepEqual, equal } from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type RunningSearch, startSearch } from '@lockstitch/search';

const require = createRequire(import.meta.url);
let server: RunningSearch;

before(async () => {
  server = await startSearch({ maxBodyBytes: 100_000 });
});
after(() => server.close());

/** What all clients have in common, untyped: four packages with four sets of types. */
type AnyClient = any;

const DOCUMENTS = Array.from({ length: 300 }, (_, n) => ({ n, text: `document ${n}` }));

for (const [name, wraps] of [
  ['es7', true],
  ['es8', false],
  ['es9', false],
  ['opensearch3', true],
] as const) {
  const { Client } = require(name) as { Client: new (options: object) => AnyClient };
  const body = (parts: object): object => (wraps ? { body: parts } : parts);
  const unwrap = (answer: AnyClient): AnyClient => (wraps ? answer.body : answer);

  test(`${name}: helpers load, scroll and search many at once, with packed bodies`, async () => {
    const client = new Client({ node: server.url, compression: wraps ? 'gzip' : true });
    try {
      const index = `helped-${name}`;
      const loaded = await client.helpers.bulk({
        datasource: DOCUMENTS,
        onDocument: ({ n }: { n: number }) => ({ index: { _index: index, _id: String(n) } }),
        flushBytes: 4000,
        refreshOnCompletion: true,
      });
      deepEqual([loaded.successful, loaded.failed], [300, 0]);
      const dropped: number[] = [];
      await client.helpers.bulk({
        datasource: [{ n: 1 }],
        onDocument: () => ({ create: { _index: index, _id: '1' } }),
        onDrop: ({ status }: { status: number }) => dropped.push(status),
      });
      deepEqual(dropped, [409]);
      let read = 0;
      for await (const page of client.helpers.scrollSearch({ index, ...body({ size: 120 }) }))
        read += page.documents.length;
      equal(read, 300);
      const many = client.helpers.msearch({ operations: 2 });
      const [one, other, wrong] = await Promise.all([
        many.search({ index }, { query: { match: { text: '7' } } }),
        many.search({ index }, { size: 0, aggs: { most: { max: { field: 'n' } } } }),
        many.search({ index }, { query: { nope: {} } }).catch((error: Error) => error.name),
      ]);
      many.stop();
      deepEqual([one.documents[0].n, other.body.aggregations.most.value, wrong], [7, 299, 'ResponseError']);
    } finally {
      await client.close();
    }
  });

  test(`${name}: a client that asks for the nodes finds this one, and errors have their status`, async () => {
    const client = new Client({ node: server.url, sniffOnStart: true });
    try {
      const { nodes } = unwrap(await client.nodes.info({ metric: 'http' }));
      const [node] = Object.values(nodes) as { http: { publish_address: string } }[];
      equal(`http://${node?.http.publish_address}`, server.url);
      const statusOf = (error: AnyClient): number => error.meta.statusCode;
      equal(await client.get({ index: 'none', id: '1' }).catch(statusOf), 404);
      equal(await client.search({ index: 'none', ...body({ query: { nope: {} } }) }).catch(statusOf), 400);
    } finally {
      await client.close();
    }
  });
}

test("OpenSearch's client opens and closes points in time by its own names", async () => {
  const { Client } = require('opensearch3') as { Client: new (options: object) => AnyClient };
  const client = new Client({ node: server.url });
  await client.index({ index: 'timed', id: '1', body: { n: 1 }, refresh: true });
  const { pit_id: id } = (await client.createPit({ index: 'timed', keep_alive: '1m' })).body;
  await client.delete({ index: 'timed', id: '1', refresh: true });
  equal((await client.search({ body: { pit: { id } } })).body.hits.total.value, 1);
  const closed = (await client.deletePit({ body: { pit_id: [id] } })).body;
  deepEqual(closed.pits, [{ pit_id: id, successful: true }]);
  await client.close();
});

test('packed bodies are measured by what they unpack to, and refused where they are not what they say', async () => {
  const post = async (body: Uint8Array | string, coding: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding };
    const response = await fetch(`${server.url}/t/_doc`, { method: 'POST', headers, body: Buffer.from(body) });
    await response.text();
    return response.status;
  };
  equal(await post(gzipSync('{"a":1}'), 'gzip'), 201);
  equal(await post(gzipSync(JSON.stringify({ a: 'x'.repeat(200_000) })), 'gzip'), 413);
  equal(await post('{"a":1}', 'gzip'), 400);
  equal(await post('{"a":1}', 'zstd'), 400);
  equal(await post('{"a":1}', 'identity'), 201);
});
