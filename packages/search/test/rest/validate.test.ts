// What `_validate/query` says of a query: the answers are those of Elasticsearch 7.10.2.
import { deepEqual } from 'node:assert/strict';
import { before, test } from 'node:test';
import { load, startRest } from './harness.ts';

let ask: Awaited<ReturnType<typeof startRest>>;
before(async () => {
  ask = await startRest();
  const mappings = {
    properties: { text: { type: 'text' }, body: { type: 'text' }, n: { type: 'long' }, flag: { type: 'boolean' } },
  };
  await ask('PUT /v', { mappings, settings: { number_of_shards: 2 } });
  await load(ask, 'v', [
    { text: 'red fox', body: 'red', n: 1 },
    { text: 'rex fax', body: 'foxes', n: 2 },
  ]);
});

async function rewritten(query: object): Promise<string> {
  const { json } = await ask('POST /v/_validate/query?rewrite=true', { query });
  return json.explanations[0].explanation;
}

test('rewrite=true shows the words that a query stands for', async () => {
  const like = { fields: ['text'], like: 'red fox', min_term_freq: 1, min_doc_freq: 1 };
  const cases: readonly (readonly [object, string])[] = [
    [{ prefix: { text: 're' } }, 'text:re*'],
    [{ prefix: { text: { value: 're', rewrite: 'scoring_boolean' } } }, 'text:red text:rex'],
    [
      { prefix: { text: { value: 're', rewrite: 'constant_score_boolean', boost: 2 } } },
      '(ConstantScore(text:red text:rex))^2.0',
    ],
    [{ prefix: { text: { value: 're', rewrite: 'top_terms_1' } } }, 'text:red'],
    [
      { wildcard: { text: { value: 're?', rewrite: 'top_terms_boost_2' } } },
      'ConstantScore(text:red) ConstantScore(text:rex)',
    ],
    [{ fuzzy: { text: 'fix' } }, '(text:fax)^0.6666666 (text:fox)^0.6666666'],
    [{ fuzzy: { text: { value: 'fix', rewrite: 'constant_score' } } }, 'text:fix~1'],
    [{ match_phrase_prefix: { text: 'red f' } }, 'text:"red (fax fox)"'],
    [{ span_multi: { match: { prefix: { text: 're' } } } }, 'spanOr([text:red, text:rex])'],
    [{ more_like_this: like }, 'text:red text:fox'],
    [{ multi_match: { query: 'red', fields: ['text', 'body'], type: 'cross_fields' } }, '(text:red | body:red)'],
    [{ bool: { must: [{ prefix: { text: { value: 'no', rewrite: 'scoring_boolean' } } }] } }, '+text:no*'],
    [{ bool: { must: [{ term: { text: 'red' } }], filter: [{ match_all: {} }] } }, 'text:red'],
    [{ terms: { n: [1, 2] } }, 'n:{1 2}'],
  ];
  for (const [query, text] of cases) deepEqual([query, await rewritten(query)], [query, text]);
});

test('explanations are given by explain, rewrite and all_shards, by the last for each shard', async () => {
  const query = { term: { n: 1 } };
  const validate = async (how: string): Promise<unknown> =>
    (await ask(`POST /v/_validate/query${how}`, { query })).json;
  const _shards = { total: 1, successful: 1, failed: 0 };
  const told = { index: 'v', valid: true, explanation: 'n:[1 TO 1]' };
  deepEqual(await validate(''), { _shards, valid: true });
  for (const how of ['?explain=true', '?rewrite=true'])
    deepEqual(await validate(how), { _shards, valid: true, explanations: [told] });
  deepEqual(await validate('?all_shards=true'), {
    _shards: { total: 2, successful: 2, failed: 0 },
    valid: true,
    explanations: [
      { ...told, shard: 0 },
      { ...told, shard: 1 },
    ],
  });
});

test('a query that an index does not take is invalid there, with its shards', async () => {
  const { json } = await ask('POST /v/_validate/query?rewrite=true', { query: { prefix: { n: '1' } } });
  deepEqual(json, {
    _shards: { total: 1, successful: 1, failed: 0 },
    valid: false,
    explanations: [
      {
        index: 'v',
        valid: false,
        error:
          'org.elasticsearch.index.query.QueryShardException: Can only use prefix queries on keyword, text and wildcard fields - not on [n] which is of type [long]',
      },
    ],
  });
});

test('a query that finds nothing says why', async () => {
  const explained = async (query: object): Promise<string> =>
    (await ask('POST /v/_validate/query?explain=true', { query })).json.explanations[0].explanation;
  const asked = 'MatchNoDocsQuery("User requested "match_none" query.")';
  const cases: readonly (readonly [object, string])[] = [
    [{ match: { absent: 'x' } }, 'MatchNoDocsQuery("unmapped fields [absent]")'],
    [{ match: { text: '' } }, 'MatchNoDocsQuery("Matching no documents because no terms present")'],
    [
      { match: { n: { query: 'x', lenient: true } } },
      'MatchNoDocsQuery("failed [n] query, caused by number_format_exception:[For input string: "x"]")',
    ],
    [
      { match: { flag: { query: 'x', lenient: true } } },
      `MatchNoDocsQuery("failed [flag] query, caused by illegal_argument_exception:[Can't parse boolean value [x], expected [true] or [false]]")`,
    ],
    [{ term: { n: 1.5 } }, 'MatchNoDocsQuery("Value [1.5] has a decimal part")'],
    [{ terms: { n: [1.5] } }, 'MatchNoDocsQuery("All values have a decimal part")'],
    [{ query_string: { query: 'absent:x' } }, 'MatchNoDocsQuery("unmapped fields [absent]")'],
    [{ rank_feature: { field: 'absent' } }, 'MatchNoDocsQuery("")'],
    [{ bool: { must: [{ match: { absent: 'x' } }] } }, '+MatchNoDocsQuery("unmapped fields [absent]")'],
    // Joined queries end early where what they need asks for nothing.
    [{ bool: { must: [{ term: { absent: 1 } }, { match: { text: 'red' } }] } }, asked],
    [{ bool: { should: [{ term: { absent: 1 } }, { term: { absent: 2 } }] } }, asked],
    [{ constant_score: { filter: { term: { absent: 1 } }, boost: 2 } }, asked],
    [{ function_score: { query: { term: { absent: 1 } }, weight: 2 } }, asked],
  ];
  for (const [query, text] of cases) deepEqual([query, await explained(query)], [query, text]);
});

test('more_like_this takes words field by field, the one that tells least first', async () => {
  const like = { like: [{ _id: '1' }], fields: ['text', 'body'], min_term_freq: 1, min_doc_freq: 1, boost_terms: 1 };
  deepEqual(await rewritten({ more_like_this: like }), 'text:red text:fox body:red -ConstantScore(_id:[fe 1f])');
});

test('1.1 mistakes in a query are named in the words of its parser', async () => {
  const a = { span_term: { text: 'a' } };
  const b = { span_term: { body: 'b' } };
  const all = { match_all: {} };
  const cases: readonly (readonly [object, string])[] = [
    [{ nested: { path: 'p', query: all, x: 1 } }, '[nested] query does not support [x]'],
    [{ dis_max: { queries: [all], x: 1 } }, '[dis_max] query does not support [x]'],
    [{ more_like_this: { fields: ['text'], like: 'a', x: 1 } }, '[mlt] query does not support [x]'],
    [{ simple_query_string: { query: 'a', x: 1 } }, '[simple_query_string] unsupported field [x]'],
    [{ type: { value: '_doc', x: 1 } }, "[type] filter doesn't support [x]"],
    [{ match_none: { x: 1 } }, '[match_none] query does not support [x]'],
    [{ terms: { n: [1], x: 1 } }, '[terms] query does not support [x]'],
    [{ geo_polygon: { p: { points: ['1,1', '1,2', '2,2'] }, x: 1 } }, '[geo_polygon] query does not support [x]'],
    [{ constant_score: { boost: 2 } }, "[constant_score] requires a 'filter' element"],
    [{ boosting: { positive: all, negative_boost: 1 } }, "[boosting] query requires 'negative' query to be set'"],
    [{ dis_max: { boost: 2 } }, "[dis_max] requires 'queries' field with at least one clause"],
    [{ range: 9 }, '[range] query malformed, no start_object after query name'],
    [{ wrapper: {} }, '[wrapper] query malformed'],
    [{ span_near: { clauses: [a], in_order: [] } }, '[span_near] query does not support [in_order]'],
    [{ span_or: { clauses: [{ term: { text: 'a' } }] } }, 'span_or [clauses] must be of type span query'],
    [{ span_not: { include: a } }, 'span_not must have [exclude] span query clause'],
    [{ span_first: { match: { term: {} }, end: 1 } }, 'span_first [match] must be of type span query'],
  ];
  for (const [query, reason] of cases) {
    const { json } = await ask('POST /v/_validate/query?explain=true', { query });
    deepEqual(json, { valid: false, error: `org.elasticsearch.common.ParsingException: ${reason}` });
  }
  const shard: readonly (readonly [object, string])[] = [
    [{ span_near: { clauses: [a, b] } }, 'Cannot add clause body:b to SpanNearQuery for field text'],
    [{ span_within: { big: a, little: b } }, 'big and little not same field'],
  ];
  for (const [query, reason] of shard) {
    const { json } = await ask('POST /v/_validate/query?explain=true', { query });
    const { error } = json.explanations[0];
    deepEqual(
      error.replace(/\/[\w-]+\]/, ']'),
      `[v] QueryShardException[failed to create query: ${reason}]; nested: IllegalArgumentException[${reason}];; java.lang.IllegalArgumentException: ${reason}`,
    );
  }
});

test('1.1 a query alone that cannot be read failed to parse, whatever its parser threw', async () => {
  const query = { function_score: { functions: [{ weight: -1 }] } };
  const reason = '[weight] cannot be negative for a filtering function';
  for (const target of ['/v/_count', '/v/_explain/1']) {
    const { json, status } = await ask(`POST ${target}`, { query });
    const cause = { type: 'illegal_argument_exception', reason };
    deepEqual([status, json.error.type, json.error.reason], [400, 'parsing_exception', 'Failed to parse']);
    deepEqual([json.error.caused_by.type, json.error.caused_by.reason], [cause.type, cause.reason]);
  }
  const { json } = await ask('POST /v/_validate/query?explain=true', { query });
  deepEqual(
    json.error,
    `ParsingException[Failed to parse]; nested: IllegalArgumentException[${reason}];; java.lang.IllegalArgumentException: ${reason}`,
  );
});

test('1.1 explanations are of ranges of dates as the values of an index leave them, and of phrases that miss', async () => {
  const mappings = {
    properties: {
      text: { type: 'text' },
      when: { type: 'date' },
      begun: { type: 'search_as_you_type' },
      parts: { type: 'nested' },
      ip: { type: 'ip' },
    },
  };
  await ask('PUT /w', { mappings });
  await ask('PUT /w/_doc/0?refresh=true', { text: 'red fox', when: '2026-01-01', parts: [{ n: 1 }] });
  const explained = async (query: object): Promise<unknown> => {
    const { json } = await ask('POST /w/_explain/0', { query });
    const { description, details } = json.explanation;
    return details[0]?.details[0]?.description ?? details[0]?.description ?? description;
  };
  const printed = async (query: object): Promise<string> => {
    const { json } = await ask('POST /w/_validate/query?explain=true', { query });
    return json.explanations[0].explanation;
  };
  const none = 'MatchNoDocsQuery("User requested "match_none" query.")';
  const roots = ' #DocValuesFieldExistsQuery [field=_primary_term]';
  const range = (bounds: object): object => ({ range: { when: bounds } });
  deepEqual(await printed(range({ gte: '2027-01-01' })), none);
  deepEqual(await printed({ bool: { must: [range({ lt: '2026-01-01' })] } }), none);
  deepEqual(
    await printed(range({ gte: '2025-01-01' })),
    `+ConstantScore(DocValuesFieldExistsQuery [field=when])${roots}`,
  );
  deepEqual(await printed({ range: { ip: { gt: '10.0.0.1', lt: '10.0.0.4' } } }), 'ip:[10.0.0.2 TO 10.0.0.3]');
  deepEqual(
    await printed({ match_phrase_prefix: { begun: 'red fo' } }),
    `+Synonym(begun._index_prefix:red fo)${roots}`,
  );
  deepEqual(await explained({ match_phrase: { text: 'fox red' } }), 'no matching phrase');
  deepEqual(await explained({ match_phrase: { text: 'red dog' } }), 'no matching terms');
});

test('ranges of dates inside nested objects are explained by the values of the elements', async () => {
  const date = { type: 'date' };
  const replies = { type: 'nested', properties: { at: { type: 'date_nanos' } } };
  const also = { type: 'alias', path: 'comments.date' };
  const comments = { type: 'nested', properties: { date, replies, also } };
  await ask('PUT /e', { mappings: { properties: { comments } } });
  await load(ask, 'e', [
    { comments: [{ date: '2019-01-01' }, { date: '2021-01-01', replies: [{ at: '2022-01-01' }] }] },
    { comments: [{ date: '2019-06-01' }] },
  ]);
  const nested = (field: string, bounds: object): object => ({
    nested: { path: field.slice(0, field.lastIndexOf('.')), query: { range: { [field]: bounds } } },
  });
  const dates = (bounds: object): object => nested('comments.date', bounds);
  const printed = async (query: object): Promise<string> =>
    (await ask('POST /e/_validate/query?explain=true', { query })).json.explanations[0].explanation;
  for (const [query, matched, inner] of [
    [dates({ gte: '2020' }), [true, false], 'comments.date:['],
    [nested('comments.also', { gte: '2020' }), [true, false], 'comments.date:['],
    [dates({ gte: '2018' }), [true, true], 'DocValuesFieldExistsQuery [field=comments.date]'],
    [dates({ gte: '2022' }), [false, false], 'MatchNoDocsQuery'],
    [nested('comments.replies.at', { gte: '2020' }), [true, false], '[field=comments.replies.at]'],
    [nested('comments.replies.at', { lt: '2020' }), [false, false], 'MatchNoDocsQuery'],
  ] as const) {
    const text = JSON.stringify(query);
    const explained = await Promise.all(['1', '2'].map((id) => ask(`POST /e/_explain/${id}`, { query })));
    deepEqual(
      explained.map(({ json }) => json.matched),
      matched,
      text,
    );
    const { json } = await ask('POST /e/_search', { query });
    deepEqual(json.hits.total.value, matched.filter(Boolean).length, text);
    const explanation = await printed(query);
    deepEqual(explanation.includes(inner), true, `${text}: ${explanation}`);
  }
});

test('1.1 elements of nested objects have the id of their document', async () => {
  const query = (values: readonly string[]): object => ({ nested: { path: 'parts', query: { ids: { values } } } });
  const found = async (values: readonly string[]): Promise<number> =>
    (await ask('POST /w/_count', { query: query(values) })).json.count;
  deepEqual([await found(['0']), await found(['1'])], [1, 0]);
});

test('1.1 without hits there is no best score, whatever `from` is', async () => {
  const { json } = await ask('POST /w/_search', { query: { match: { text: 'red' } }, size: 0, from: 1 });
  deepEqual(json.hits, { total: { value: 1, relation: 'eq' }, max_score: null, hits: [] });
});

test('1.1 a query is not validated without an index, nor explained in all', async () => {
  const typeOf = async (target: string): Promise<unknown> => {
    const { json, status } = await ask(`POST ${target}`, { query: { match_all: {} } });
    return [status, json.error?.type];
  };
  deepEqual(await typeOf('/*,-*/_validate/query'), [404, 'index_not_found_exception']);
  deepEqual(await typeOf('/*,-*/_validate/query?allow_no_indices=true'), [200, undefined]);
  deepEqual(await typeOf('/_all/_explain/0'), [404, 'index_not_found_exception']);
});
