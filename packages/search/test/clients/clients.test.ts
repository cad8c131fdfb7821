// The official clients against a real socket: each creates an index, bulk-loads, searches, aggregates, scrolls, updates and deletes.
import { deepEqual, equal } from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { type RunningSearch, startSearch } from '@lockstitch/search';

const require = createRequire(import.meta.url);
let server: RunningSearch;

before(async () => {
  server = await startSearch();
});
after(() => server.close());

/** What all clients have in common, untyped: five packages with five sets of types. */
type AnyClient = any;

const DOCUMENTS = [
  { name: 'Ada Lovelace', born: 1815, field: 'mathematics' },
  { name: 'Grace Hopper', born: 1906, field: 'computing' },
  { name: 'Alan Turing', born: 1912, field: 'computing' },
];

const CLIENTS: readonly {
  readonly name: string;
  readonly make: (url: string) => AnyClient;
  /** Whether calls take `{body}` and answers wrap the body. */
  readonly wraps: boolean;
  readonly legacy?: boolean;
}[] = [
  {
    name: 'elasticsearch 16',
    make: (url) => new (require('es-legacy').Client)({ host: url, apiVersion: '7.x', log: 'error' }),
    wraps: false,
    legacy: true,
  },
  { name: '@elastic/elasticsearch 7', make: (url) => new (require('es7').Client)({ node: url }), wraps: true },
  { name: '@elastic/elasticsearch 8', make: (url) => new (require('es8').Client)({ node: url }), wraps: false },
  { name: '@elastic/elasticsearch 9', make: (url) => new (require('es9').Client)({ node: url }), wraps: false },
  {
    name: '@opensearch-project/opensearch 3',
    make: (url) => new (require('opensearch3').Client)({ node: url }),
    wraps: true,
  },
];

for (const [at, { name, make, wraps, legacy = false }] of CLIENTS.entries()) {
  test(`${name} creates, loads, searches, aggregates, scrolls, updates and deletes`, async () => {
    const client = make(server.url);
    const index = `people${at}`;
    const unwrap = (answer: AnyClient): AnyClient => (wraps ? answer.body : answer);
    const body = (parts: object): object => (wraps || legacy ? { body: parts } : parts);
    try {
      equal(unwrap(await client.info()).version.number, '7.10.2');
      await client.indices.create({ index, ...body({ mappings: { properties: { field: { type: 'keyword' } } } }) });
      equal(unwrap(await client.indices.exists({ index })), true);
      const lines = DOCUMENTS.flatMap((document, id) => [{ index: { _index: index, _id: String(id) } }, document]);
      const loaded = unwrap(
        await client.bulk({
          refresh: legacy ? 'true' : true,
          ...(wraps || legacy ? { body: lines } : { operations: lines }),
        }),
      );
      deepEqual([loaded.errors, loaded.items.length], [false, 3]);

      const found = unwrap(await client.search({ index, ...body({ query: { match: { name: 'grace' } } }) }));
      deepEqual([found.hits.total.value, found.hits.hits[0]._source.born], [1, 1906]);
      const facets = unwrap(
        await client.search({ index, ...body({ size: 0, aggs: { fields: { terms: { field: 'field' } } } }) }),
      );
      deepEqual(facets.aggregations.fields.buckets, [
        { key: 'computing', doc_count: 2 },
        { key: 'mathematics', doc_count: 1 },
      ]);
      equal(unwrap(await client.count({ index })).count, 3);

      const first = unwrap(await client.search({ index, scroll: '1m', ...body({ size: 2, sort: [{ born: 'asc' }] }) }));
      const scrollId = first._scroll_id;
      const second = unwrap(
        await client.scroll(
          wraps || legacy ? { body: { scroll_id: scrollId, scroll: '1m' } } : { scroll_id: scrollId, scroll: '1m' },
        ),
      );
      deepEqual([first.hits.hits.length, second.hits.hits.map((hit: AnyClient) => hit._id)], [2, ['2']]);
      await client.clearScroll(wraps || legacy ? { body: { scroll_id: [scrollId] } } : { scroll_id: scrollId });

      await client.update({ index, id: '0', ...body({ doc: { born: 1816 } }) });
      equal(unwrap(await client.get({ index, id: '0' }))._source.born, 1816);
      const gone = await client.get({ index, id: '77' }).then(
        () => 200,
        (error: AnyClient) => error.statusCode ?? error.status,
      );
      equal(gone, 404);
      await client.delete({ index, id: '0' });
      equal(unwrap(await client.exists({ index, id: '0' })), false);
      const refused = await client.search({ index, ...body({ query: { mtch: {} } }) }).then(
        () => '',
        (error: AnyClient) => String(error.message),
      );
      equal(/mtch|parsing_exception/.test(refused), true, refused);
      await client.indices.delete({ index });
    } finally {
      await client.close?.();
    }
  });
}
