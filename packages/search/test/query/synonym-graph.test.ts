// Synonyms of several words, with the answers of Elasticsearch 7.10.2.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, type Reply, startRest } from '../rest/harness.ts';

const SYNONYMS = ['ny, new york', 'cab => taxi, new taxi'];

async function filled(): Promise<Ask> {
  const ask = await startRest();
  const chain = (...filters: readonly string[]) => ({ tokenizer: 'standard', filter: ['lowercase', ...filters] });
  await ask('PUT /t', {
    settings: {
      analysis: {
        filter: {
          laid: { type: 'synonym', synonyms: SYNONYMS },
          graph: { type: 'synonym_graph', synonyms: SYNONYMS },
        },
        analyzer: { laid: chain('laid'), graph: chain('graph'), flat: chain('graph', 'flatten_graph') },
      },
    },
    mappings: {
      properties: {
        t: { type: 'text', analyzer: 'standard', search_analyzer: 'graph' },
        laid: { type: 'text', analyzer: 'laid' },
        plain: { type: 'text' },
      },
    },
  });
  const texts = ['new york city', 'ny taxi', 'new shoes from york', 'big apple', 'taxi in new york'];
  await load(
    ask,
    't',
    texts.map((text) => ({ t: text, laid: text, plain: text })),
  );
  return ask;
}

const hits = (reply: Reply): readonly (readonly [string, number])[] =>
  reply.json.hits.hits.map((hit: { _id: string; _score: number }) => [hit._id, hit._score]);

type Hits = readonly (readonly [string, number])[];

async function expectHits(cases: readonly (readonly [object, Hits])[]): Promise<void> {
  const ask = await filled();
  for (const [query, expected] of cases)
    deepEqual(hits(await ask('POST /t/_search', { query })), expected, JSON.stringify(query));
}

const words = (reply: Reply): readonly (readonly unknown[])[] =>
  reply.json.tokens.map((token: Record<string, unknown>) => [
    token['token'],
    token['start_offset'],
    token['end_offset'],
    token['position'],
    ...('positionLength' in token ? [token['positionLength']] : []),
  ]);

test('a graph of synonyms gives each alternative a path of its own', async () => {
  const ask = await filled();
  const analyze = async (analyzer: string, text: string) => words(await ask('POST /t/_analyze', { analyzer, text }));
  deepEqual(await analyze('graph', 'a ny cab'), [
    ['a', 0, 1, 0],
    ['new', 2, 4, 1],
    ['ny', 2, 4, 1, 2],
    ['york', 2, 4, 2],
    ['taxi', 5, 8, 3, 2],
    ['new', 5, 8, 3],
    ['taxi', 5, 8, 4],
  ]);
  deepEqual(await analyze('graph', 'new york'), [
    ['ny', 0, 8, 0, 2],
    ['new', 0, 3, 0],
    ['york', 4, 8, 1],
  ]);
  deepEqual(await analyze('flat', 'a ny cab'), await analyze('graph', 'a ny cab'));
});

test('synonyms without a graph lie over the words behind', async () => {
  const ask = await filled();
  deepEqual(words(await ask('POST /t/_analyze', { analyzer: 'laid', text: 'a ny cab' })), [
    ['a', 0, 1, 0],
    ['ny', 2, 4, 1],
    ['new', 2, 4, 1],
    ['york', 5, 8, 2],
    ['taxi', 5, 8, 2],
    ['new', 5, 8, 2],
    ['taxi', 5, 8, 3],
  ]);
  deepEqual(words(await ask('POST /t/_analyze', { analyzer: 'laid', text: 'new york' })), [
    ['new', 0, 3, 0],
    ['ny', 0, 8, 0, 2],
    ['york', 4, 8, 1],
  ]);
});

test('a word finds its synonym of several words as a phrase', () =>
  expectHits([
    [
      { match: { t: 'ny' } },
      [
        ['2', 1.605183],
        ['1', 1.0779929],
        ['5', 0.9486339],
      ],
    ],
    [
      { match: { t: { query: 'ny', auto_generate_synonyms_phrase_query: false } } },
      [
        ['2', 1.605183],
        ['1', 1.0779929],
        ['3', 0.9486339],
        ['5', 0.9486339],
      ],
    ],
    [
      { match: { t: { query: 'ny taxi', operator: 'and' } } },
      [
        ['2', 2.6188836],
        ['5', 1.7190465],
      ],
    ],
    [
      { match: { t: { query: 'ny taxi shoes', minimum_should_match: 2 } } },
      [
        ['2', 2.6188836],
        ['5', 1.7190465],
      ],
    ],
    [
      { match: { t: 'cab' } },
      [
        ['2', 1.0137007],
        ['5', 0.77041256],
      ],
    ],
    [
      { match_bool_prefix: { t: 'ny sho' } },
      [
        ['2', 1.605183],
        ['1', 1.0779929],
        ['3', 1],
        ['5', 0.9486339],
      ],
    ],
    [
      { multi_match: { query: 'ny taxi', fields: ['t', 'plain'], type: 'cross_fields', operator: 'and' } },
      [
        ['2', 2.6188836],
        ['5', 1.7190465],
      ],
    ],
    [
      { multi_match: { query: 'ny taxi', fields: ['t', 'plain'], type: 'most_fields' } },
      [
        ['2', 5.237767],
        ['5', 2.489459],
        ['1', 1.0779929],
      ],
    ],
    [
      { simple_query_string: { query: 'ny + taxi', fields: ['t'] } },
      [
        ['2', 2.6188836],
        ['5', 1.7190465],
      ],
    ],
    [
      { match: { laid: { query: 'new york', operator: 'and' } } },
      [
        ['2', 1.3822038],
        ['1', 1.219379],
        ['5', 1.090873],
      ],
    ],
  ]));

test('phrases and intervals follow every path of a graph of synonyms', () =>
  expectHits([
    [{ match_phrase: { t: 'ny taxi' } }, [['2', 3.8670862]]],
    [{ match_phrase: { t: { query: 'taxi ny', slop: 1 } } }, [['5', 1.074404]]],
    [{ match_phrase_prefix: { t: 'taxi in n' } }, [['5', 3.684608]]],
    [{ match_phrase_prefix: { t: 'ny ci' } }, [['1', 3.8505816]]],
    [{ query_string: { query: '"ny taxi"', default_field: 't' } }, [['2', 3.8670862]]],
    [
      { match_phrase: { laid: 'new york' } },
      [
        ['2', 1.7677524],
        ['1', 1.6286811],
        ['5', 1.5098956],
      ],
    ],
    [
      { intervals: { t: { match: { query: 'taxi ny' } } } },
      [
        ['2', 0.5],
        ['5', 0.25],
      ],
    ],
    [{ intervals: { t: { match: { query: 'ny city', ordered: true, max_gaps: 0 } } } }, [['1', 0.3333333]]],
  ]));

test('a rule of synonyms that cannot be read is refused with its line, unless lenient', async () => {
  const ask = await startRest();
  const create = (filter: object) =>
    ask(`PUT /s${Math.random().toString(36).slice(2)}`, {
      settings: {
        analysis: {
          filter: { s: { type: 'synonym_graph', ...filter } },
          analyzer: { a: { tokenizer: 'standard', filter: ['lowercase', 'stop', 's'] } },
        },
      },
    });
  const synonyms = ['a => b', 'states of america, usa'];
  const { json, status } = await create({ synonyms: synonyms.slice(1) });
  equal(status, 400);
  deepEqual(json.error.root_cause, [{ type: 'illegal_argument_exception', reason: 'failed to build synonyms' }]);
  deepEqual(json.error.caused_by, {
    type: 'parse_exception',
    reason: 'Invalid synonym rule at line 1',
    caused_by: {
      type: 'illegal_argument_exception',
      reason: 'term: states of america analyzed to a token (america) with position increment != 1 (got: 2)',
    },
  });
  equal(
    (await create({ synonyms })).json.error.caused_by.caused_by.reason,
    'term: a was completely eliminated by analyzer',
  );
  equal((await create({ synonyms, lenient: true })).status, 200);
  equal(
    (await create({ synonyms: ["s(100000001,1,'woods',n,1,0).", "s(100000001,2,'wood',n,1,0)."], format: 'wordnet' }))
      .status,
    200,
  );
});
