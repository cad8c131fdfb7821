// Random searches made of the documented options of sorts and of the body and the parameters of a search.
import { type Choice, COLUMN_FIELDS, list } from './choice.ts';

const FIELDS = [
  ...COLUMN_FIELDS,
  'parts.v',
  'parts.kind',
  'n',
  'when',
  'span',
  'body',
  'text',
  'place',
  'rank',
  'nobody',
  '_id',
  '_index',
  '_seq_no',
  '_doc',
  '_score',
  '_type',
  '_routing',
  '_version',
];

const SORT_OPTIONS: Readonly<Record<string, readonly unknown[]>> = {
  order: ['asc', 'desc', 'asc', 'desc', 'ASC', 'up', null, 1],
  mode: list('"min","max","sum","avg","median","MAX","x",null'),
  missing: list('"_first","_last",0,5,"x","5",2.5,null,true,"2026-01-02","",[],{},-1,1e10'),
  unmapped_type: list(
    '"long","keyword","date","double","text","geo_point","nobody","",null,7,"ip","boolean","integer_range"',
  ),
  numeric_type: list('"long","double","date","date_nanos","x",null,"LONG","integer"'),
  nested: list(
    '{"path":"parts"}, {"path":"parts","filter":{"term":{"parts.kind":"x"}}}, {"path":"parts","max_children":1}, {"path":"nobody"}, {}, {"path":"parts","nested":{"path":"parts"}}, {"path":"poster"}, "parts", {"path":"parts","wrong":1}, {"filter":{"match_all":{}}}, {"path":"parts","filter":{"nobody":{}}}',
  ),
  nested_path: list('"parts","nobody"'),
  nested_filter: list('{"term":{"parts.kind":"x"}}, {"nobody":{}}'),
  ignore_unmapped: [true],
  wrong: [1],
};
const GEO_OPTIONS: Readonly<Record<string, readonly unknown[]>> = {
  place: list(
    '"1,1", [1,1], [[1,1],[2,2]], {"lat":1,"lon":1}, ["1,1","2,2"], "s00", "x", [91,200], 7, [], null, "POINT (1 1)"',
  ),
  order: ['asc', 'desc', 'up'],
  unit: list('"km","m","mi","yd","x"'),
  mode: list('"min","max","avg","median","sum","x"'),
  distance_type: ['arc', 'plane', 'x'],
  ignore_unmapped: [true, false, 'x'],
  validation_method: list('"STRICT","COERCE","IGNORE_MALFORMED","x"'),
  nested: list('{"path":"parts"}, {"path":"nobody"}'),
  nobody: ['1,1'],
  wrong: [1, 'x'],
};

const some = ({ random }: Choice, options: Readonly<Record<string, readonly unknown[]>>, most: number): object => {
  const names = Object.keys(options);
  return Object.fromEntries(
    Array.from({ length: random.int(most + 1) }, () => random.pick(names)).map((name) => [
      name,
      random.pick(options[name]!),
    ]),
  );
};

function randomSort(choice: Choice): unknown {
  const { random } = choice;
  if (random.once(8))
    return { _geo_distance: { ...(random.once(6) ? {} : { place: '1,1' }), ...some(choice, GEO_OPTIONS, 2) } };
  if (random.once(20)) return { _score: some(choice, SORT_OPTIONS, 1) };
  if (random.once(20))
    return random.pick(
      list(
        '7, null, [], {}, "", true, {"n":7}, {"n":null}, {"n":[]}, {"n":"asc","tag":"desc"}, {"_script":{"type":"number","script":"1"}}, {"n":{"order":"asc"},"tag":{}}',
      ),
    );
  const field = random.pick(FIELDS);
  if (random.once(6)) return field;
  if (random.once(6)) return { [field]: random.pick(['asc', 'desc', 'DESC', 'up']) };
  return { [field]: some(choice, SORT_OPTIONS, 2) };
}

const INNER =
  list(String.raw`{}, {"name":"i","size":2,"sort":[{"n":"desc"}]}, [{"name":"a"},{"name":"b","from":1}], {"name":"i","_source":false,"version":true,"docvalue_fields":["n"]}, {"name":"i","collapse":{"field":"flag"}}, {"name":"i","collapse":{"field":"n"}}, {"size":-1}, {"wrong":1}, 7, [{},{}], [],
  {"name":"i","explain":true,"size":1}, {"name":"i","seq_no_primary_term":true,"track_scores":true,"sort":["tag"]}, {"name":"i","highlight":{"fields":{"body":{}}}}, {"name":"i","stored_fields":"_none_"}, {"name":"i","fields":["n"]}, null, {"name":"i","script_fields":{}}, {"from":2,"size":1,"sort":"n"}`);
const QUERIES = list(
  String.raw`{"match":{"body":"fox dog"}}, {"match_all":{}}, {"term":{"tag":"x"}}, {"match":{"text":"red"}}, {"match_none":{}}, {"constant_score":{"filter":{"exists":{"field":"n"}},"boost":3}},
  {"match":{"body":{"query":"fox dog","boost":0}}}, {"match":{"body":{"query":"fox","lenient":""}}}, {"match":{"body":{"query":"fox","operator":null}}}, {"multi_match":{"query":"!","fields":["text","body"],"type":"most_fields","zero_terms_query":"all"}}, {"multi_match":{"query":"fox","fields":["body"],"slop":{}}}, {"range":{"span":{"gt":3,"lt":3}}}, {"range":{"when":{"lte":"2026"}}}, {"intervals":{"body":{"match":{"query":"fox dog","max_gaps":1,"filter":{"not_containing":{"match":{"query":"red"}}}}}}}, {"intervals":{"nobody":{"match":{"query":5}}}}, {"ids":{"values":["1"],"type":"x"}}, {"geo_distance":{"distance":"300km","place":"1,1","validation_method":"COERCE"}}, {"regexp":{"tag":{"value":"z.*","flags_value":1}}}`,
);

const BODY: Readonly<Record<string, (choice: Choice) => unknown>> = Object.fromEntries(
  Object.entries({
    size: list('0,1,2,5,100,10001,-1,"3","x",null,2.5,true,[]'),
    from: list('0,1,3,9999,-1,"2","x",null,1.5'),
    min_score: list('0.2,0.5,1,10,-1,"0.3","x",null,[]'),
    track_total_hits: list('true,false,1,2,0,-1,-5,"true","2","x",null,1.5,[]'),
    track_scores: list('true,false,"true","x",null,1'),
    terminate_after: list('1,2,5,0,-1,"2","x",null,1e10'),
    timeout: list('"1s","10ms","0ms","soon",1,-1,"-1",null,"1"'),
    version: list('true,false,"true",1,null'),
    seq_no_primary_term: list('true,false,"x",null'),
    explain: list('true,false,"x"'),
    profile: list('"x"'),
    stored_fields: list(
      '"_none_","_source","tag",["n"],["_none_"],["_none_","n"],[],"*",{},null,7,["_source","_id"],["_routing"]',
    ),
    docvalue_fields: list(
      '["n"],[{"field":"when","format":"epoch_second"}],"n",["p*"],[{"field":"n","format":"0.0"}],[{"field":"n","wrong":1}],[{}],{},null,[7],["_id"],["_seq_no"],["nobody"]',
    ),
    fields: list('["n"],["*"],[{"field":"when","format":"yyyy"}],"n",[{"field":"n"}],[],{},null,["_id"],["_source"]'),
    _source: list(
      'false,true,"tag",["n","t*"],{"includes":"n"},{"excludes":["n"]},{"include":["n"]},{"exclude":"n"},{"wrong":1},7,null,[],{},[null],[7],{"includes":["poster.*"],"excludes":["*.login"]}',
    ),
    script_fields: list('{}, 7, {"a":{}}, {"a":7}, []'),
    indices_boost: list(
      '[{"differ":2}],[{"d*":3},{"differ":2}],{"differ":2},[{"nobody":1}],[{"differ":"x"}],[],7,[{"other":0.5}],[{"differ":-1}],[{"differ":1,"other":2}],["differ"],null,{}',
    ),
    post_filter: [...QUERIES, ...list('{},null,7,[],{"nobody":{}}')],
    stats: list('["a"],"a",[],7,[1],null'),
    search_after: list(
      '[1],["x"],[null],[1,2],[],"x",7,{},["2026-01-01"],[true],["10.0.0.1"],[2.5],[{}],[[1]],["_id"],["5"],[-1]',
    ),
    slice: list('{"id":3,"max":2},{"id":0,"max":2},7,{"id":-1,"max":2},{"id":0,"max":1}'),
    rescore:
      list(String.raw`{"query":{"rescore_query":{"match":{"text":"red"}}}}, {"window_size":2,"query":{"rescore_query":{"match":{"body":"fox"}},"query_weight":0.5,"rescore_query_weight":2}}, {"query":{"rescore_query":{"match_all":{}},"score_mode":"multiply"}},
      [{"query":{"rescore_query":{"term":{"tag":"x"}},"score_mode":"max"}},{"window_size":1,"query":{"rescore_query":{"match_all":{}},"score_mode":"min"}}], {"query":{"rescore_query":{"match_all":{}},"score_mode":"avg"}}, {"query":{"rescore_query":{"match_all":{}},"score_mode":"x"}}, {"query":{}}, {}, {"window_size":5}, 7, [],
      {"window_size":0,"query":{"rescore_query":{"match_all":{}}}}, {"window_size":10001,"query":{"rescore_query":{"match_all":{}}}}, {"window_size":"x","query":{"rescore_query":{"match_all":{}}}}, {"query":{"rescore_query":{"match_all":{}},"wrong":1}}, {"query":{"rescore_query":{"match_all":{}}},"wrong":1}, {"wrong":{"rescore_query":{"match_all":{}}}},
      {"window_size":-1,"query":{"rescore_query":{"match_all":{}}}}, {"query":{"rescore_query":{"nobody":{}}}}, {"query":{"rescore_query":{"match_all":{}},"rescore_query_weight":"2"}}, {"query":{"rescore_query":{"match_all":{}},"query_weight":-1}}, {"window_size":2}, [{}], {"query":7}, null`),
    suggest: list('{}'),
    ext: list('{}, {"a":1}'),
    wrong: list('1,{},"x"'),
    sorts: list('["n"]'),
  }).map(([name, values]) => [name, ({ random }: Choice) => random.pick(values)]),
);

const FULL: typeof BODY = {
  ...BODY,
  sort: (choice) => {
    const keys = Array.from({ length: 1 + choice.random.int(2) }, () => randomSort(choice));
    return keys.length === 1 && choice.random.once(3) ? keys[0] : keys;
  },
  collapse: ({ random }) => ({
    field: random.pick([
      'tag',
      'n',
      'poster.login',
      'text.keyword',
      'scaled',
      'label',
      'tag',
      'when',
      'flag',
      'text',
      'nobody',
      'parts.v',
      '_id',
      'address',
      'span',
      7,
      null,
    ]),
    ...(random.once(2) ? { inner_hits: random.pick(INNER) } : {}),
    ...(random.once(12) ? { max_concurrent_group_searches: random.pick<unknown>([1, 4, 0, -1, 'x']) } : {}),
    ...(random.once(20) ? { wrong: 1 } : {}),
  }),
};

const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  typed_keys: ['', 'true', 'x'],
  rest_total_hits_as_int: ['true', 'false', '', 'x'],
  track_total_hits: ['true', 'false', '2', 'x', '-1'],
  preference: ['_local', 'abc', '_only_local', '_nobody', '_shards:0', '_shards:1', '_prefer_nodes:x', '_shards:x'],
  search_type: ['query_then_fetch', 'dfs_query_then_fetch', 'query_and_fetch', 'x', 'scan'],
  request_cache: ['true', 'false', 'x'],
  batched_reduce_size: ['2', '512', '1', '0', 'x'],
  pre_filter_shard_size: ['1', '128', '0', 'x'],
  max_concurrent_shard_requests: ['1', '5', '0', 'x'],
  allow_partial_search_results: ['true', 'false', 'x'],
  allow_no_indices: ['true', 'false'],
  expand_wildcards: ['open', 'all', 'none', 'x', 'open,closed'],
  ignore_unavailable: ['true', 'x'],
  ignore_throttled: ['true', 'false'],
  ccs_minimize_roundtrips: ['true', 'false'],
  sort: ['n', 'n:desc', 'n:asc,tag:desc', 'nobody', 'n:up', '_score', '_doc', '', 'n:'],
  size: ['1', '0', '-1', 'x', '10001'],
  from: ['1', '-1', 'x'],
  terminate_after: ['1', '0', '-1', 'x'],
  timeout: ['1s', 'x', '1'],
  track_scores: ['true', 'x'],
  version: ['true', '', 'x'],
  seq_no_primary_term: ['true', 'x'],
  explain: ['true'],
  stored_fields: ['_none_', 'tag', '_source', ''],
  docvalue_fields: ['n', 'n,when', 'nobody', 'text'],
  _source: ['false', 'true', 'tag,n', 'x', ''],
  _source_includes: ['tag', 't*,n'],
  _source_excludes: ['tag', '*'],
  stats: ['a,b'],
  q: ['fox', 'tag:x', 'n:[1 TO 5]', '(', ''],
  df: ['body', 'nobody'],
  default_operator: ['AND', 'and', 'x'],
  analyzer: ['standard', 'nobody'],
  lenient: ['true', 'x'],
  analyze_wildcard: ['true'],
  suggest_text: ['fxo'],
  suggest_mode: ['always', 'x'],
  suggest_size: ['2'],
  scroll: ['1m', 'x', '0s', '2d'],
  routing: ['a', 'a,b'],
  wrong: ['1'],
  human: ['true'],
};

/** Makes a search by its body and parameters. */
export function randomBody(choice: Choice): { readonly target: string; readonly body: unknown } {
  const { random, surface } = choice;
  const body: Record<string, unknown> = random.once(6) ? {} : { query: random.pick(QUERIES) };
  const names = [...Object.keys(FULL), 'sort', 'sort', 'sort', 'sort', 'collapse', 'collapse', 'rescore', 'rescore'];
  for (let left = random.pick([0, 1, 1, 2, 2, 3]); left > 0; left--) {
    const name = random.pick(names);
    body[name] = FULL[name]!(choice);
    if (name === 'search_after' && !random.once(4)) body['sort'] = [randomSort(choice)];
  }
  const all = Object.keys(PARAMETERS);
  const count = random.pick([0, 0, 0, 0, 1, 1, 2]);
  const parameters = Array.from({ length: count }, () => random.pick(all)).map(
    (name) => `${name}=${encodeURIComponent(random.pick(PARAMETERS[name]!))}`,
  );
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return { target: `POST /${surface.indexes[0]!.name}/_search${query}`, body: { ...body } };
}
