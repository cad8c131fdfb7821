// Random requests to every API that searches: each with documented options of its parameters and its body, around queries that have options
// of their kind.
import { type Choice, list } from './choice.ts';
import { QUERIES, randomQueryOf } from './query-options.ts';

/** A request; a list is a body of lines. */
interface Asked {
  readonly target: string;
  readonly body?: unknown;
}

type Values = Readonly<Record<string, readonly unknown[]>>;

const WRONG = list('null,-1,0,2.5,"","x",true,[],{},[[]],[1],{"x":1}');
const KINDS = Object.keys(QUERIES);
/** What finds something, so that there is something to show. */
const FINDING = list(
  '{"match":{"body":"fox red dog"}},{"match":{"text":"red fox"}},{"match_phrase":{"body":{"query":"red fox","slop":3}}},{"query_string":{"query":"re* OR fox~1"}},{"bool":{"must":[{"match":{"body":"the fox"}}],"should":[{"match":{"text":"dog"}}]}},{"multi_match":{"query":"red fox","fields":["body","text"]}},{"prefix":{"body":"fo"}},{"match_phrase_prefix":{"body":"red f"}},{"span_near":{"clauses":[{"span_term":{"body":"red"}},{"span_term":{"body":"fox"}}],"slop":5}},{"nested":{"path":"parts","query":{"match":{"parts.note":"red fox"}}}},{"term":{"tag":"x"}},{"match":{"poster.name":"dog fox red"}},{"intervals":{"body":{"match":{"query":"red fox","max_gaps":4}}}},{"match":{"typed":"red"}},{"match":{"body":"café naïve running foxes"}},{"dis_max":{"queries":[{"match":{"body":"new york"}},{"fuzzy":{"body":"fxo"}}]}},{"match_all":{}}',
);

const some = ({ random }: Choice, options: Values, most: number): Record<string, unknown> => {
  const names = Object.keys(options);
  return Object.fromEntries(
    Array.from({ length: random.int(most + 1) }, () => random.pick(names)).map((name) => [
      name,
      random.pick(random.once(30) ? WRONG : options[name]!),
    ]),
  );
};

const HIGHLIGHT: Values = {
  type: list('"unified","plain","fvh","unified","x"'),
  number_of_fragments: list('0,1,2,5,"1",-1'),
  fragment_size: list('0,5,8,18,40,100,"10",-1'),
  pre_tags: list('["<b>"],["<1>","<2>"],"<x>",[]'),
  post_tags: list('["</b>"],["</1>","</2>"],"</x>"'),
  order: list('"score","none","x"'),
  require_field_match: list('true,false,"false"'),
  boundary_scanner: list('"word","sentence","chars","x"'),
  boundary_scanner_locale: list('"en-US","de","x"'),
  boundary_max_scan: list('1,5,20,0'),
  boundary_chars: list('" ","xo",""'),
  fragmenter: list('"simple","span","x"'),
  force_source: list('true,false'),
  no_match_size: list('0,4,9,100,-1'),
  phrase_limit: list('1,256'),
  options: list('{}'),
  highlight_query: [...FINDING, ...list('{"term":{"tag":"x"}},{"nobody":{}},{}')],
  max_analyzed_offset: list('10'),
};
const OF_ALL: Values = { tags_schema: list('"styled","x"'), encoder: list('"html","default","x"'), ...HIGHLIGHT };
const OF_FIELD: Values = {
  matched_fields: list('["body"],["body","text"],["text","text.keyword"],[],"body"'),
  fragment_offset: list('0,2,10,-1'),
  ...HIGHLIGHT,
};
const HIGHLIT = [
  'body',
  'text',
  'text.keyword',
  'parts.note',
  'poster.name',
  'typed',
  'tag',
  '*',
  'b*',
  'label',
  'n',
  'nobody',
  'poster.*',
  'start',
];

function highlight(choice: Choice): object {
  const { random } = choice;
  const fields = Array.from(
    { length: 1 + random.int(2) },
    () => [random.pick(random.once(2) ? ['body', 'text'] : HIGHLIT), some(choice, OF_FIELD, 2)] as const,
  );
  return {
    ...some(choice, OF_ALL, 2),
    fields: random.once(5) ? fields.map(([name, options]) => ({ [name]: options })) : Object.fromEntries(fields),
  };
}

const GENERATOR: Values = {
  size: list('1,5,10,0'),
  suggest_mode: list('"always","missing","popular","x"'),
  max_edits: list('1,2,3,"1"'),
  prefix_length: list('0,1,2,-1'),
  min_word_length: list('1,2,4'),
  max_inspections: list('1,5'),
  min_doc_freq: list('0,1,2,0.2,1.5'),
  max_term_freq: list('0.01,0.5,3,1.5'),
};
const TERM: Values = {
  ...GENERATOR,
  analyzer: list('"standard","keyword","nobody","whitespace"'),
  sort: list('"score","frequency","x"'),
  shard_size: list('1,5,10,-1'),
  string_distance: list('"internal","damerau_levenshtein","levenshtein","jaro_winkler","ngram","x"'),
  lowercase_terms: list('true,false'),
};
const PHRASE: Values = {
  gram_size: list('1,2,3,0'),
  real_word_error_likelihood: list('0.95,0.5,1,0,-1,2'),
  confidence: list('0,1,0.5,2,-1'),
  max_errors: list('0.5,1,2,0.9,3,0'),
  separator: list('" ","_",""'),
  size: list('1,3,5,0'),
  analyzer: list('"standard","keyword","nobody"'),
  shard_size: list('1,5'),
  token_limit: list('1,10'),
  force_unigrams: list('true,false'),
  highlight: list('{"pre_tag":"<","post_tag":">"},{"pre_tag":"<"},{}'),
  smoothing: list(
    '{"laplace":{"alpha":0.7}},{"stupid_backoff":{"discount":0.3}},{"linear_interpolation":{"trigram_lambda":0.5,"bigram_lambda":0.3,"unigram_lambda":0.2}},{"laplace":{}},{"x":{}},{}',
  ),
  collate: list(
    '{"query":{"source":{"match":{"body":"{{suggestion}}"}}}},{"query":{"source":{"match":{"{{f}}":"{{suggestion}}"}}},"params":{"f":"body"},"prune":true},{"query":{"source":{"match_phrase":{"body":"{{suggestion}}"}}},"prune":true},{}',
  ),
};
const COMPLETION: Values = {
  size: list('1,2,5,0,-1'),
  shard_size: list('1,5'),
  skip_duplicates: list('true,false'),
  analyzer: list('"simple","standard","nobody"'),
  fuzzy: list(
    '{},true,false,{"fuzziness":1},{"fuzziness":"AUTO"},{"fuzziness":2,"transpositions":false},{"prefix_length":0},{"min_length":1},{"unicode_aware":true},{"max_determinized_states":1},{"x":1}',
  ),
  regex: list('{"flags":"ALL"},{"max_determinized_states":10},{"flags":"NONE"},{"x":1}'),
  contexts: list('{"kind":"x"}'),
};

function suggestion(choice: Choice): object {
  const { random } = choice;
  const text = random.pick(
    list('"fxo","red fxo","the dgo","foxs runing","reb fox dg","blu","New Yrok","café","","x","rad foxes"'),
  );
  switch (random.pick(['term', 'phrase', 'completion'])) {
    case 'term':
      return {
        text,
        term: {
          field: random.pick(['body', 'text', 'body', 'text', 'tag', 'n', 'nobody', 'typed']),
          ...some(choice, TERM, 3),
        },
      };
    case 'phrase': {
      const generators = Array.from({ length: random.int(3) }, () => ({
        field: random.pick(['body', 'text', 'body', 'tag']),
        min_word_length: 1,
        ...some(choice, GENERATOR, 2),
        ...(random.once(8) ? { pre_filter: random.pick(['standard', 'keyword', 'x']) } : {}),
        ...(random.once(8) ? { post_filter: random.pick(['standard', 'x']) } : {}),
      }));
      return {
        text,
        phrase: {
          field: random.pick(['body', 'text', 'body', 'nobody']),
          ...(generators.length === 0 ? {} : { direct_generator: generators }),
          ...some(choice, PHRASE, 3),
        },
      };
    }
    default: {
      const [name, value] = random.pick(
        list<readonly [string, string]>(
          '["prefix","r"],["prefix","bl"],["regex","r.*"],["regex","[rb].*"],["text","red"],["prefix","rde"],["prefix",""],["prefix","RED"]',
        ),
      );
      return {
        [name]: value,
        completion: {
          field: random.pick(['start', 'start', 'start', 'start', 'body', 'nobody']),
          ...some(choice, COMPLETION, 2),
        },
      };
    }
  }
}

function suggest(choice: Choice): object {
  const { random } = choice;
  return {
    ...(random.once(6) ? { text: 'red fxo' } : {}),
    s: suggestion(choice),
    ...(random.once(4) ? { t: suggestion(choice) } : {}),
  };
}

const INNER = list(
  '{"name":"a"},{"name":"a","size":1,"sort":[{"n":"desc"}]},[{"name":"a","size":1},{"name":"b","sort":["scaled"],"from":1}],[{"name":"a","sort":[{"when":"asc"}]},{"name":"b","_source":["n"],"size":2},{"name":"c","size":0}],{"name":"a","collapse":{"field":"flag"},"size":5},{"name":"a","highlight":{"fields":{"body":{}}}},{"name":"a","docvalue_fields":["when"],"explain":true},{"name":"a","fields":["n","t*"],"version":true},[{"name":"a"},{"name":"a"}]',
);
const RESCORE = list(
  '{"window_size":5,"query":{"rescore_query":{"match_phrase":{"body":"red fox"}},"query_weight":0.7,"rescore_query_weight":1.2}},[{"window_size":10,"query":{"rescore_query":{"match":{"text":"dog"}},"score_mode":"multiply"}},{"window_size":3,"query":{"rescore_query":{"function_score":{"field_value_factor":{"field":"scaled","missing":1}}},"score_mode":"total"}},{"query":{"rescore_query":{"term":{"tag":"x"}},"score_mode":"avg"}}],{"query":{"rescore_query":{"match":{"body":"the"}},"score_mode":"max"}},{"query":{"rescore_query":{"constant_score":{"filter":{"exists":{"field":"n"}},"boost":4}},"score_mode":"min"},"window_size":100}',
);
/** A key to sort by, and values that come after some of the hits. */
const AFTER = list<readonly [unknown, readonly unknown[]]>(
  '[{"n":"asc"},[3,"4",2.5,"x",-1,1e20]],[{"n":"desc"},[5]],[{"scaled":"asc"},[1.5,"2.5"]],[{"when":"asc"},["2026-01-01","2026-01-02T00:00:00.000Z",1767225600000,"now","x"]],[{"fine":"asc"},["2026-01-01T00:00:00.000000001Z",1767225600000000001,1767225600000,"2026"]],[{"tag":"asc"},["x","",null,5]],[{"tag":{"order":"desc","missing":"_first"}},["y",null]],[{"flag":"asc"},[true,0,1,"true"]],[{"address":"asc"},["10.0.0.1","fe80::1",null,"x",5]],["_score",[0.5,"0.2"]],["_doc",[2,"3"]],["_id",["5",5]],["_index",["differ"]],["_seq_no",[3]],[{"text.keyword":"asc"},["fox",null]],[{"_geo_distance":{"place":"1,1","unit":"km"}},[100,"150.5"]],[{"n":{"order":"asc","missing":3}},[3]],[{"parts.v":{"order":"asc","nested":{"path":"parts"}}},[1]],[{"when":{"order":"asc","numeric_type":"date_nanos"}},["2026-01-01",1767225600000000000]],[{"nobody":{"unmapped_type":"long"}},[1]],[{"body":"asc"},["fox"]]',
);

const SEARCH: Values = {
  size: list('0,1,3,100'),
  from: list('0,1,2'),
  track_total_hits: list('true,false,2'),
  track_scores: list('true'),
  min_score: list('0.1,1,2'),
  terminate_after: list('1,3'),
  explain: list('true'),
  profile: list('true'),
  version: list('true'),
  seq_no_primary_term: list('true'),
  stats: list('["a","b"]'),
  rescore: RESCORE,
  indices_boost: list('[{"differ":2}],[{"other":3}],{"differ":0.5},[{"nobody":1}]'),
  post_filter: FINDING,
  _source: list(
    'false,["n","t*"],{"includes":["poster.*"],"excludes":["*.login"]},"parts.v",["nobody"],{"excludes":["body","parts"]}',
  ),
  stored_fields: list('"_none_",["_source"],["n"],"*"'),
  docvalue_fields: list(
    '["n","when","tag"],[{"field":"when","format":"epoch_second"},{"field":"scaled","format":"0.00"}],["*"],["t*"],["parts.v"],["place","address","flag","fine"],[{"field":"fine","format":"use_field_mapping"}]',
  ),
  fields: list(
    '["*"],["n","when"],[{"field":"when","format":"yyyy/MM/dd"}],["poster.*","label"],["parts.v","parts.kind"],["place","span"],[{"field":"fine","format":"epoch_millis"}],["text*"],["_*"]',
  ),
  script_fields: list('{"a":{"script":{"source":"1"}}}'),
  timeout: list('"1s"'),
  aggs: list('{"a":{"terms":{"field":"tag"}}},{"a":{"max":{"field":"n"}}}'),
};

const NAMES = [
  'differ',
  'differ',
  'differ',
  'other',
  '_all',
  '*',
  'd*',
  'differ,other',
  'nobody',
  'differ,nobody',
  'n*',
  '-differ',
  'd*,-differ',
  'other,*',
  '%3Cdiffer-%7Bnow%2Fd%7D%3E',
];
const INDICES: Values = {
  ignore_unavailable: ['true', 'false'],
  allow_no_indices: ['true', 'false'],
  expand_wildcards: ['open', 'closed', 'all', 'none', 'hidden', 'open,hidden', 'x'],
  ignore_throttled: ['true'],
};
const SHOWN: Values = {
  filter_path: [
    'hits.hits._id',
    '-hits',
    '**.value',
    'hits.*,-hits.total',
    'took',
    '*.*._source.n',
    'nobody',
    '_shards',
    'error.type',
  ],
  format: ['yaml', 'json', 'x'],
  pretty: ['', 'true', 'false'],
  human: ['true', ''],
  error_trace: ['false'],
};
const IN_URL: Values = {
  q: list(
    String.raw`"fox","tag:x","body:(red OR fox)","n:>2","\"red fox\"~3","re*","(","nobody:x","when:2026-01-01","*"`,
  ),
  df: ['body', 'text', 'nobody', '*'],
  default_operator: ['AND', 'OR', 'and'],
  analyzer: ['standard', 'keyword', 'nobody'],
  lenient: ['true', 'false'],
  analyze_wildcard: ['true'],
};
const OF_SEARCH: Values = {
  ...IN_URL,
  ...INDICES,
  ...SHOWN,
  typed_keys: ['true', ''],
  rest_total_hits_as_int: ['true'],
  track_total_hits: ['true', 'false', '2'],
  preference: ['_local', 'abc', '_only_local', '_shards:0', '_shards:1', '_primary'],
  search_type: ['dfs_query_then_fetch', 'query_then_fetch'],
  request_cache: ['true', 'false'],
  sort: ['n', 'n:desc,_id', '_score', 'tag:asc,n:desc', '_doc'],
  _source: ['n,tag', 'false', 'true', 't*'],
  _source_includes: ['n', 't*,n', 'parts.*'],
  _source_excludes: ['n', 'b*', '*.v'],
  stored_fields: ['_none_', 'n', '_source'],
  docvalue_fields: ['n,when', 't*', 'nobody'],
  size: ['1', '0'],
  from: ['1'],
  terminate_after: ['1'],
  version: ['true'],
  explain: ['true'],
  seq_no_primary_term: ['true'],
  stats: ['a'],
  batched_reduce_size: ['2', '1'],
  pre_filter_shard_size: ['1', '0'],
  max_concurrent_shard_requests: ['1', '0'],
  allow_partial_search_results: ['true', 'false'],
  ccs_minimize_roundtrips: ['true'],
};
const OF_EXPLAIN: Values = {
  ...IN_URL,
  ...SHOWN,
  routing: ['a'],
  preference: ['_local'],
  stored_fields: ['n', '_none_', '_source', 'tag,n'],
  _source: ['n', 'false', 'true'],
  _source_includes: ['n', 't*'],
  _source_excludes: ['n'],
  parent: ['1'],
};
const OF_VALIDATE: Values = {
  ...IN_URL,
  ...INDICES,
  explain: ['true', 'true', 'false', ''],
  rewrite: ['true', 'false'],
  all_shards: ['true', 'false'],
};
const OF_COUNT: Values = {
  ...IN_URL,
  ...INDICES,
  ...SHOWN,
  min_score: ['0.5', '2', 'x'],
  terminate_after: ['1', '3', '-1'],
  routing: ['a', 'a,b'],
  preference: ['_local'],
};
const OF_MULTI: Values = {
  ...SHOWN,
  max_concurrent_searches: ['1', '0', '5'],
  typed_keys: ['true'],
  rest_total_hits_as_int: ['true', 'false'],
  search_type: ['dfs_query_then_fetch', 'x'],
  pre_filter_shard_size: ['1'],
  max_concurrent_shard_requests: ['2', '0'],
  ccs_minimize_roundtrips: ['true'],
  index: ['differ'],
};
const HEADER: Values = {
  index: list('"differ","other",["differ","other"],"nobody","d*","_all",null,[]'),
  preference: list('"_local","abc"'),
  search_type: list('"dfs_query_then_fetch","query_then_fetch","x"'),
  ignore_unavailable: list('true,"true"'),
  allow_no_indices: list('true,false'),
  expand_wildcards: list('"open",["open","closed"],"none"'),
  routing: list('"a"'),
  request_cache: list('true,false'),
  allow_partial_search_results: list('true,false'),
  ccs_minimize_roundtrips: list('true'),
  ignore_throttled: list('true'),
  indices: list('"differ"'),
  cancel_after_time_interval: list('"1s"'),
  wrong: list('1'),
};

const wishes = (
  choice: Choice,
  values: Values,
  most: number,
  others: Readonly<Record<string, string>> = {},
): string => {
  const chosen = Object.entries({ ...some(choice, values, most), ...others }).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  return chosen.length === 0 ? '' : `?${chosen.join('&')}`;
};

/** Seldom without a text, which is one mistake. */
const suggestInUrl = ({ random }: Choice): Readonly<Record<string, string>> =>
  random.once(12)
    ? {
        suggest_field: random.pick(['body', 'text', 'nobody']),
        suggest_text: random.pick(['fxo', 'rde dgo']),
        ...(random.once(3) ? { suggest_size: '1' } : {}),
        ...(random.once(2) ? { suggest_mode: random.pick(['always', 'popular', 'missing', 'x']) } : {}),
      }
    : {};

const query = (choice: Choice): object => randomQueryOf(choice, choice.random.pick(KINDS), WRONG);
const finding = ({ random }: Choice): unknown => random.pick(FINDING);

function searchBody(choice: Choice): Record<string, unknown> {
  const { random } = choice;
  switch (random.int(8)) {
    case 0:
    case 1:
      return { query: finding(choice), highlight: highlight(choice) };
    case 2:
      return { ...(random.once(2) ? { size: 0 } : {}), suggest: suggest(choice) };
    case 3: {
      const [sort, after] = random.pick(AFTER);
      const [other, more] = random.pick(AFTER);
      const both = random.once(3);
      return {
        query: finding(choice),
        sort: both ? [sort, other] : [sort],
        search_after: [random.pick(after), ...(both ? [random.pick(more)] : [])],
      };
    }
    case 4:
      return {
        query: finding(choice),
        collapse: {
          field: random.pick(['tag', 'n', 'flag', 'poster.login', 'when', 'label']),
          inner_hits: random.pick(INNER),
        },
        ...some(choice, SEARCH, 1),
        ...(random.once(3) ? { sort: ['n'] } : {}),
      };
    case 5:
      return { query: finding(choice), ...some(choice, SEARCH, 4) };
    default:
      return {
        query: query(choice),
        ...some(choice, SEARCH, 1),
        ...(random.once(8) ? { highlight: { fields: { '*': {} } } } : {}),
      };
  }
}

const APIS: readonly (readonly [often: number, make: (choice: Choice) => Asked])[] = [
  [10, (c) => ({ target: 'POST /differ/_search', body: searchBody(c) })],
  [
    3,
    (c) => ({
      target: `POST /${c.random.pick(NAMES)}/_search${wishes(c, OF_SEARCH, 3, suggestInUrl(c))}`,
      ...(c.random.once(3) ? {} : { body: c.random.once(2) ? { query: finding(c) } : searchBody(c) }),
    }),
  ],
  [
    2,
    (c) => ({
      target: `POST /differ/_explain/${c.random.int(6)}${wishes(c, OF_EXPLAIN, 2)}`,
      ...(c.random.once(5) ? {} : { body: { query: c.random.once(3) ? finding(c) : query(c) } }),
    }),
  ],
  [
    2,
    (c) => ({
      target: `POST /${c.random.pick(NAMES)}/_validate/query${wishes(c, OF_VALIDATE, 3)}`,
      ...(c.random.once(5) ? {} : { body: { query: query(c) } }),
    }),
  ],
  [
    1,
    (c) => ({
      target: `POST /${c.random.pick(NAMES)}/_count${wishes(c, OF_COUNT, 2)}`,
      ...(c.random.once(4) ? {} : { body: { query: query(c) } }),
    }),
  ],
  [
    1,
    (c) => ({
      target: `POST /_msearch${wishes(c, OF_MULTI, 1)}`,
      body: Array.from({ length: 1 + c.random.int(2) }, () => [
        some(c, HEADER, 2),
        c.random.once(2) ? { query: finding(c) } : searchBody(c),
      ]).flat(),
    }),
  ],
  [
    1,
    (c) => ({
      target: `GET /${c.random.pick(NAMES)}/_search_shards${wishes(c, { ...INDICES, routing: ['a', 'a,b'], preference: ['_local', '_shards:0'], local: ['true'] }, 2)}`,
    }),
  ],
  [
    1,
    (c) => ({
      target: `POST /${c.random.pick(NAMES)}/_field_caps${wishes(c, { fields: ['*', 'n', 't*,n', 'nobody', 'parts.*', ''], include_unmapped: ['true'], ...INDICES }, 3)}`,
      ...(c.random.once(2) ? { body: { index_filter: query(c) } } : {}),
    }),
  ],
];
const WEIGHTED = APIS.flatMap(([often, make]) => Array.from({ length: often }, () => make));

/** Makes a request. */
export function randomSearchApi(choice: Choice): Asked {
  return choice.random.pick(WEIGHTED)(choice);
}
