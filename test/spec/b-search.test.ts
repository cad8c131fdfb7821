// Area B of the specification on the running photo-share example, whose indexes are `photos` (type `photo`) and `users`.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { createGraphCaller, describeExample, spec } from './suite.ts';

interface SearchAnswer {
  readonly took: number;
  readonly timed_out: boolean;
  readonly _shards: { readonly total: number; readonly successful: number; readonly failed: number };
  readonly hits: {
    readonly total: { readonly value: number; readonly relation: string };
    readonly max_score: number | null;
    readonly hits: readonly {
      readonly _index: string;
      readonly _id: string;
      readonly _source: Record<string, unknown>;
    }[];
  };
  readonly aggregations?: Readonly<
    Record<
      string,
      {
        readonly buckets: readonly { readonly key: string; readonly doc_count: number }[];
        readonly sum_other_doc_count: number;
      }
    >
  >;
}

describeExample('B. Search interface', (example) => {
  const graph = createGraphCaller(example);
  const search = async (path: string, json?: unknown): Promise<SearchAnswer> => {
    const response = await example.call({ method: 'GET', path, ...(json === undefined ? {} : { json }) });
    equal(response.status, 200, response.text);
    return response.json<SearchAnswer>();
  };

  spec('B.service.1', 'a word is found in the documents that hold it, whatever its case', async () => {
    const { hits } = await search('/photos/photo/_search?size=50', { query: { match: { name: 'HARBOUR' } } });
    ok(hits.total.value > 0);
    for (const hit of hits.hits) ok(String(hit._source['name']).toLowerCase().includes('harbour'));
  });

  spec('B.service.2', 'search and graph count the same', async () => {
    const { totalPhotos } = await graph.data<{ totalPhotos: number }>('{ totalPhotos }');
    const response = await example.call({ path: '/photos/photo/_count?refresh=true' });
    // Photos posted by other tests may still be on their way to the index; a count never runs ahead of the data.
    const { count } = response.status === 200 ? response.json<{ count: number }>() : { count: 0 };
    ok(count <= totalPhotos);
  });

  spec('B.data.1', 'two indexes hold different documents; an unknown one is 404', async () => {
    ok((await search('/photos/_search')).hits.hits.every((hit) => hit._index === 'photos'));
    ok((await search('/users/_search')).hits.hits.every((hit) => hit._index === 'users'));
    const missing = await example.call({ path: '/phtos/_search' });
    equal(missing.status, 404);
    deepEqual(
      [missing.json<{ error: { type: string } }>().error.type, missing.json<{ status: number }>().status],
      ['index_not_found_exception', 404],
    );
  });

  spec('B.data.2', 'the typed path and the typeless one answer alike', async () => {
    const body = { query: { match: { name: 'bridge' } } };
    deepEqual((await search('/photos/photo/_search', body)).hits, (await search('/photos/_search', body)).hits);
  });

  spec('B.data.3', 'fields of a related object are searched by a dotted path', async () => {
    const { hits } = await search('/photos/photo/_search?size=1');
    const { githubLogin } = hits.hits[0]!._source['postedBy'] as { githubLogin: string };
    const found = await search('/photos/photo/_search?size=100', {
      query: { match: { 'postedBy.githubLogin': githubLogin } },
    });
    ok(found.hits.total.value > 0);
    for (const hit of found.hits.hits)
      deepEqual((hit._source['postedBy'] as { githubLogin: string }).githubLogin, githubLogin);
  });

  spec('B.endpoint.1', 'the status, pretty or not', async () => {
    const plain = await example.call({ path: '/' });
    const pretty = await example.call({ path: '/?pretty' });
    deepEqual(plain.json(), pretty.json());
    equal(plain.text.trim().split('\n').length, 1);
    ok(pretty.text.split('\n').length > 5);
    ok(plain.json<{ version: { number: string } }>().version.number);
  });

  spec('B.endpoint.2', 'every document of every index, with and without match_all', async () => {
    const without = await search('/_search');
    const withBody = await search('/_search', { query: { match_all: {} } });
    equal(without.hits.hits.length, 10);
    equal(without.hits.total.value, withBody.hits.total.value);
    const exact = await search('/_search?track_total_hits=true');
    ok(exact.hits.total.value >= 21_000);
    equal(exact.hits.total.relation, 'eq');
  });

  spec('B.endpoint.3', 'the query string and the body find the same', async () => {
    const byString = await search('/photos/photo/_search?q=name:harbour');
    const byBody = await search('/photos/photo/_search', { query: { match: { name: 'harbour' } } });
    ok(byString.hits.total.value > 0);
    deepEqual(byString.hits, byBody.hits);
    const byPost = await example.call({
      method: 'POST',
      path: '/photos/photo/_search',
      json: { query: { match: { name: 'harbour' } } },
    });
    deepEqual(byPost.json<SearchAnswer>().hits, byBody.hits);
    const unknown = await example.call({ path: '/photos/_search', json: { query: { matches: {} } }, method: 'POST' });
    equal(unknown.status, 400);
    ok(unknown.text.includes('matches'));
  });

  spec('B.endpoint.4', 'a count', async () => {
    const answer = await example.call({ path: '/photos/photo/_count' });
    equal(answer.status, 200);
    const body = answer.json<{ count: number; _shards: { failed: number } }>();
    ok(body.count >= 20_000);
    equal(body._shards.failed, 0);
    const users = await example.call({ path: '/users/user/_count' });
    equal(users.json<{ count: number }>().count, 1000);
  });

  spec('B.body.1', 'match', async () => {
    const { hits } = await search('/photos/photo/_search', { query: { match: { description: 'river light' } } });
    ok(hits.total.value > 0 && hits.max_score! > 0);
  });

  spec('B.body.2', 'terms aggregations, on a plain and on a dotted path, agree with the graph', async () => {
    const { aggregations } = await search('/photos/photo/_search?size=0', {
      aggs: {
        categories: { terms: { field: 'category' } },
        posters: { terms: { field: 'postedBy.githubLogin', size: 3 } },
      },
    });
    deepEqual(aggregations!['categories']!.buckets.map((bucket) => bucket.key).toSorted(), ['LANDSCAPE', 'PORTRAIT']);
    const { buckets, sum_other_doc_count: others } = aggregations!['posters']!;
    equal(buckets.length, 3);
    ok(buckets[0]!.doc_count >= buckets[1]!.doc_count && others > 0);
    const { User } = await graph.data<{ User: { postedPhotos: unknown[] } }>(
      'query ($login: ID!) { User(githubLogin: $login) { postedPhotos { id } } }',
      { login: buckets[0]!.key },
    );
    equal(User.postedPhotos.length, buckets[0]!.doc_count);
  });
});
