// The documented options of every query that the free build of Elasticsearch 7.10 has, with typical values.
import { type Choice, fieldOf, list } from './choice.ts';

/** Values to choose from, or what makes one. */
export type Make = readonly unknown[] | ((choice: Choice) => unknown);
type Options = Readonly<Record<string, Make>>;

/** What a query needs and takes. A query of a field has its options inside of a member with the field's name. */
export interface QueryOptions {
  readonly field?: (choice: Choice) => string;
  readonly needs?: Options;
  readonly takes?: Options;
}

const TEXTS = fieldOf('body', 'text', 'body', 'text', 'parts.note', 'poster.name', 'typed');
const WORDS = fieldOf('tag', 'text.keyword', 'poster.login', 'label', 'body', 'text');
const ANY = fieldOf('tag', 'n', 'when', 'body', 'flag', 'address', 'scaled', 'fine', 'span', '_id', '_index');

const TEXT = list(
  '"red fox","fox","the dog","foxes running red","New York","café","FOX","red  red","","x",5,true,"a b c","fxo"',
);
const BOOST = list('2,0.5,0,"3",-1,1.5');
const NAME = ['q', 'r', ''];
const FUZZINESS = list('"AUTO",1,2,0,"1","AUTO:2,4","AUTO:4","3",3,"x",1.5,"auto"');
const REWRITE = list(
  '"constant_score","scoring_boolean","constant_score_boolean","top_terms_2","top_terms_boost_2","top_terms_blended_freqs_2","top_terms_x","x"',
);
const OPERATOR = list('"and","or","AND","OR","And","x"');
const ANALYZER = list('"standard","whitespace","keyword","simple","stop","english","nobody"');
const MINIMUM = list('1,2,"2","75%","-1","-25%","2<75%","3<-25% 9<-3",0,5,"x","1<",-2,"100%"');
const FLAG = [true, false, 'true', 'false'];
const SMALL = list('0,1,2,3,"1",50,-1');
const ZERO_TERMS = list('"none","all","ALL","x"');
const QUERY = list(
  '{"term":{"tag":"x"}},{"match":{"body":"fox"}},{"match_all":{}},{"range":{"n":{"gte":3}}},{"exists":{"field":"n"}},{"match":{"text":"red dog"}},{"match_none":{}},{"prefix":{"body":"r"}},{"bool":{}},{"match_all":{"boost":3}}',
);
const CLAUSES = list(
  '[{"match":{"body":"fox"}},{"match":{"text":"red"}}],{"match":{"body":"dog"}},[],[{"match_all":{"boost":2}},{"term":{"tag":{"value":"x","boost":3}}}],[{"term":{"n":1}}]',
);
const FIELDS = list(
  '["body","text"],["body^3","text"],["*"],["b*","t*"],["body^2","body"],["nobody"],["body","n"],["*.keyword","tag"],[],["text^0.5"],"body",["poster.*"],["body","parts.note"],["typed","typed._2gram"]',
);
const COMMON: Options = { boost: BOOST, _name: NAME };
const WORDS_TAKE: Options = {
  ...COMMON,
  operator: OPERATOR,
  analyzer: ANALYZER,
  fuzziness: FUZZINESS,
  prefix_length: SMALL,
  max_expansions: list('1,2,50,0,"3"'),
  fuzzy_transpositions: FLAG,
  fuzzy_rewrite: REWRITE,
  lenient: FLAG,
  minimum_should_match: MINIMUM,
  zero_terms_query: ZERO_TERMS,
  auto_generate_synonyms_phrase_query: FLAG,
};
const SYNTAX = list(
  String.raw`"red AND fox","red OR dog","body:fox","text:(red dog)","fox~","fox~1","\"red fox\"~2","re*","r?d","/re.*/","n:[1 TO 5]","n:{1 TO 5}","n:>=3","when:[2026-01-01 TO *]","+red -dog","_exists_:n","NOT fox","(red OR fox) AND dog","fox^3 red","*","body:*","tag:x","*:*","red && fox","red || fox","!dog","\\(x\\)","tag:(x y)","text.\\*:red","poster.*:ann","fo* AND re*","café","(","\"red","a AND","[1 TO","New York","red fox dog","","   ","when:\"2026-01-01\"","address:10.0.0.1","flag:true","n:1.5","nobody:x","_id:1","red AND OR fox","the fox"`,
);
const SIMPLE = list(
  String.raw`"red + fox","red | dog","-dog","\"red fox\"~2","fo*","fox~1","(red | fox) + dog","red fox","\"red","(","+","*","","red -(fox | dog)","foxes~","\\*","the fox","re* | fo*","\"New York\"","x"`,
);
const SPAN = list(
  '{"span_term":{"body":"fox"}},{"span_term":{"body":{"value":"red","boost":2}}},{"span_multi":{"match":{"prefix":{"body":"r"}}}},{"span_or":{"clauses":[{"span_term":{"body":"fox"}},{"span_term":{"body":"dog"}}]}},{"span_near":{"clauses":[{"span_term":{"body":"red"}},{"span_term":{"body":"fox"}}],"slop":3}},{"span_first":{"match":{"span_term":{"body":"the"}},"end":2}},{"field_masking_span":{"query":{"span_term":{"text":"red"}},"field":"body"}},{"span_term":{"text":"fox"}},{"match":{"body":"x"}}',
);
const SPANS = (choice: Choice): unknown =>
  Array.from({ length: 1 + choice.random.int(3) }, () => choice.random.pick(SPAN));
const RULES = list(
  '{"match":{"query":"red fox"}},{"match":{"query":"red fox","max_gaps":2,"ordered":true}},{"prefix":{"prefix":"fo"}},{"wildcard":{"pattern":"f*x"}},{"fuzzy":{"term":"fxo"}},{"fuzzy":{"term":"foz","fuzziness":1,"prefix_length":1,"transpositions":false}},{"all_of":{"intervals":[{"match":{"query":"red"}},{"match":{"query":"dog"}}],"max_gaps":5}},{"any_of":{"intervals":[{"match":{"query":"fox"}},{"match":{"query":"dog"}}]}},{"match":{"query":"dog","filter":{"not_contained_by":{"match":{"query":"red x"}}}}},{"match":{"query":"fox","analyzer":"whitespace","use_field":"text"}},{"match":{"query":"red","filter":{"before":{"match":{"query":"fox"}}}}},{"match":{"query":"red","filter":{"after":{"match":{"query":"fox"}}}}},{"match":{"query":"red","filter":{"overlapping":{"match":{"query":"red fox"}}}}},{"match":{"query":"fox red","ordered":true,"filter":{"containing":{"match":{"query":"dog"}}}}}',
);
const rule = ({ random }: Choice): unknown => random.pick(RULES);
const DATES = list(
  '"2026-01-01","2026-01-02||/d","now","now-1y/d","2026","2026-01-01T00:00:00Z",1767225600000,"x","2025-12-31T23:59:59.999Z","01/01/2026"',
);
const BOUND = (choice: Choice): unknown =>
  choice.random.pick(choice.random.once(2) ? DATES : list('1,3,5.5,"2",null,-1,"a","x","10.0.0.5",1e10'));
const POINT = list('"1,1",[1,1],{"lat":1,"lon":2},"s00","POINT (1 1)",{"lat":"1","lon":"2"},[181,2],"x"');
const VALIDATION = list('"STRICT","COERCE","IGNORE_MALFORMED"');
const FUNCTION = list(
  '{"weight":2},{"field_value_factor":{"field":"scaled","missing":1}},{"field_value_factor":{"field":"scaled","factor":1.5,"modifier":"log1p","missing":0}},{"gauss":{"scaled":{"origin":2,"scale":1}}},{"exp":{"when":{"origin":"2026-01-01","scale":"2d","offset":"1d","decay":0.3}}},{"linear":{"place":{"origin":"1,1","scale":"100km","offset":"10km"}}},{"gauss":{"scaled":{"origin":2,"scale":1},"multi_value_mode":"max"},"weight":3},{"filter":{"term":{"tag":"x"}},"weight":5},{"random_score":{"seed":7,"field":"n"}},{"random_score":{"seed":"a","field":"_seq_no"}},{"filter":{"match":{"body":"fox"}},"field_value_factor":{"field":"scaled","modifier":"sqrt","missing":4}},{"exp":{"scaled":{"scale":1}}},{"gauss":{"scaled":{"origin":2,"scale":0}}},{"weight":0},{"field_value_factor":{"field":"n","modifier":"reciprocal","missing":2}},{"field_value_factor":{"field":"n","modifier":"square","missing":2}},{"field_value_factor":{"field":"n","modifier":"ln2p","missing":2}}',
);

/** By kind. */
export const QUERIES: Readonly<Record<string, QueryOptions>> = {
  match: {
    field: (c) => (c.random.once(4) ? ANY(c) : TEXTS(c)),
    needs: { query: TEXT },
    takes: { ...WORDS_TAKE, cutoff_frequency: list('0.1,2,"x"') },
  },
  match_phrase: {
    field: TEXTS,
    needs: { query: TEXT },
    takes: { ...COMMON, slop: SMALL, analyzer: ANALYZER, zero_terms_query: ZERO_TERMS },
  },
  match_phrase_prefix: {
    field: TEXTS,
    needs: { query: list('"red f","fox","the d","New Y","","x",5') },
    takes: {
      ...COMMON,
      slop: SMALL,
      analyzer: ANALYZER,
      max_expansions: list('1,2,50,0,-1'),
      zero_terms_query: ZERO_TERMS,
    },
  },
  match_bool_prefix: {
    field: TEXTS,
    needs: { query: list('"red f","fox","the d","New York r","","x",5') },
    takes: {
      ...COMMON,
      operator: OPERATOR,
      analyzer: ANALYZER,
      minimum_should_match: MINIMUM,
      fuzziness: FUZZINESS,
      prefix_length: SMALL,
      max_expansions: SMALL,
      fuzzy_transpositions: FLAG,
      fuzzy_rewrite: REWRITE,
    },
  },
  multi_match: {
    needs: { query: TEXT, fields: FIELDS },
    takes: {
      ...WORDS_TAKE,
      type: list('"best_fields","most_fields","cross_fields","phrase","phrase_prefix","bool_prefix","phrase","x"'),
      tie_breaker: list('0,0.3,1,"0.5",-1'),
      slop: SMALL,
      cutoff_frequency: list('0.1,2'),
    },
  },
  query_string: {
    needs: { query: SYNTAX },
    takes: {
      ...COMMON,
      default_field: ['body', 'text', '*', 'nobody', 'n', 'b*'],
      fields: FIELDS,
      default_operator: OPERATOR,
      allow_leading_wildcard: FLAG,
      analyze_wildcard: FLAG,
      analyzer: ANALYZER,
      quote_analyzer: ANALYZER,
      auto_generate_synonyms_phrase_query: FLAG,
      enable_position_increments: [true],
      fuzziness: FUZZINESS,
      fuzzy_max_expansions: list('1,50,0'),
      fuzzy_prefix_length: SMALL,
      fuzzy_transpositions: FLAG,
      fuzzy_rewrite: REWRITE,
      lenient: [true, true, true, false],
      max_determinized_states: list('10,10000,1,0'),
      minimum_should_match: MINIMUM,
      phrase_slop: SMALL,
      quote_field_suffix: ['.keyword', '.x', ''],
      rewrite: REWRITE,
      tie_breaker: list('0,0.3,1'),
      time_zone: list('"UTC","+01:00","Europe/Berlin","Mars"'),
      type: list('"best_fields","most_fields","cross_fields","phrase","phrase_prefix","bool_prefix"'),
      escape: FLAG,
    },
  },
  simple_query_string: {
    needs: { query: SIMPLE },
    takes: {
      ...COMMON,
      fields: FIELDS,
      default_operator: OPERATOR,
      all_fields: FLAG,
      analyze_wildcard: FLAG,
      analyzer: ANALYZER,
      auto_generate_synonyms_phrase_query: FLAG,
      flags: list(
        '"ALL","NONE","OR|AND|PREFIX","AND","FUZZY|SLOP","NEAR","x","or|and","",-1,3,"ESCAPE|WHITESPACE|PHRASE|PRECEDENCE|NOT"',
      ),
      fuzzy_max_expansions: list('1,50,0'),
      fuzzy_prefix_length: SMALL,
      fuzzy_transpositions: FLAG,
      lenient: FLAG,
      minimum_should_match: MINIMUM,
      quote_field_suffix: ['.keyword', '.x', ''],
    },
  },
  term: {
    field: ANY,
    needs: {
      value: (c) =>
        c.random.pick([
          ...list('"x","fox",1,5,true,"10.0.0.1","2026-01-01","10.0.0.0/24","zed",2.5,"X","differ","1"'),
          c.random.pick(DATES),
        ]),
    },
    takes: { ...COMMON, case_insensitive: FLAG },
  },
  fuzzy: {
    field: WORDS,
    needs: { value: list('"fxo","fox","rde","blu","x","foxe","",5') },
    takes: {
      ...COMMON,
      fuzziness: FUZZINESS,
      max_expansions: list('1,2,50,0'),
      prefix_length: SMALL,
      rewrite: REWRITE,
      transpositions: FLAG,
    },
  },
  wildcard: {
    field: WORDS,
    needs: { value: list(String.raw`"f*","*o*","?ox","x","*","","F*","r\\*","re?"`) },
    takes: { ...COMMON, case_insensitive: FLAG, rewrite: REWRITE, wildcard: ['f*'] },
  },
  prefix: {
    field: WORDS,
    needs: { value: list('"f","re","X","","zed","F"') },
    takes: { ...COMMON, case_insensitive: FLAG, rewrite: REWRITE, prefix: ['r'] },
  },
  regexp: {
    field: WORDS,
    needs: { value: list(String.raw`"f.*","r[ae]d","x|y","(","F.X","<1-3>","@","a&~b","re+d?","","f.x~","\\w+"`) },
    takes: {
      ...COMMON,
      flags: list('"ALL","NONE","COMPLEMENT|INTERVAL","INTERSECTION","ANYSTRING","x","EMPTY",""'),
      case_insensitive: FLAG,
      max_determinized_states: list('10,10000,1'),
      rewrite: REWRITE,
    },
  },
  range: {
    field: fieldOf('n', 'scaled', 'when', 'fine', 'tag', 'address', 'span', 'when', 'when', '_id', 'flag', '_seq_no'),
    needs: { gte: BOUND },
    takes: {
      ...COMMON,
      gt: BOUND,
      lt: BOUND,
      lte: BOUND,
      from: BOUND,
      to: BOUND,
      include_lower: FLAG,
      include_upper: FLAG,
      format: list('"yyyy-MM-dd","dd/MM/yyyy||yyyy","epoch_millis","no {","strict_date_optional_time"'),
      relation: list('"INTERSECTS","CONTAINS","WITHIN","within","x","DISJOINT"'),
      time_zone: list('"+01:00","UTC","Europe/Berlin","Mars"'),
    },
  },
  terms: {
    takes: {
      ...COMMON,
      tag: list(
        '["x","y"],[],["x",null],"x",{"index":"differ","id":"1","path":"tag"},{"index":"differ","id":"nobody","path":"tag"},{"index":"nobody","id":"1","path":"tag"},{"id":"1"},{"index":"differ","id":"1","path":"tag","routing":"a"}',
      ),
      n: list('[1,5],["1"],[1.5],["x"],[]'),
      when: list('["2026-01-01"],["now"],["x"]'),
      address: list('["10.0.0.1"],["10.0.0.0/24","fe80::1"]'),
      _id: list('["1","2"],[1],[]'),
      body: list('["fox"],["fox","red"]'),
    },
  },
  terms_set: {
    field: WORDS,
    needs: {
      terms: list('["x","y"],["fox","red"],["x"],[],"x",[1]'),
      minimum_should_match_field: ['n', 'n', 'scaled', 'tag', 'nobody'],
    },
    takes: {
      ...COMMON,
      minimum_should_match_script: list(
        '{"source":"1"},{"source":"Math.min(params.num_terms, 1)"},{"source":"params.num_terms"}',
      ),
    },
  },
  exists: { needs: { field: ANY }, takes: COMMON },
  ids: { needs: { values: list('["1","2"],[1],"1",[],["nobody"],7') }, takes: { ...COMMON, type: ['_doc', 'x'] } },
  bool: {
    takes: {
      ...COMMON,
      must: CLAUSES,
      should: CLAUSES,
      filter: CLAUSES,
      must_not: CLAUSES,
      minimum_should_match: MINIMUM,
      adjust_pure_negative: FLAG,
    },
  },
  boosting: { needs: { positive: QUERY, negative: QUERY, negative_boost: list('0.5,0,1,-1,2,"0.3"') }, takes: COMMON },
  constant_score: { needs: { filter: QUERY }, takes: COMMON },
  dis_max: { needs: { queries: CLAUSES }, takes: { ...COMMON, tie_breaker: list('0,0.3,1,"0.5"') } },
  function_score: {
    takes: {
      ...COMMON,
      query: QUERY,
      functions: (c) => Array.from({ length: c.random.int(4) }, () => c.random.pick(FUNCTION)),
      score_mode: list('"multiply","sum","avg","first","max","min","x"'),
      boost_mode: list('"multiply","replace","sum","avg","max","min","x"'),
      max_boost: list('0.5,2,0,-1'),
      min_score: list('0.1,1,3,-1'),
      weight: [2, 0.5],
      field_value_factor: list(
        '{"field":"scaled","missing":1},{"field":"tag"},{"field":"nobody"},{"field":"nobody","missing":2},{"field":"scaled","modifier":"x"}',
      ),
      random_score: list('{"seed":10,"field":"_seq_no"},{"seed":3,"field":"tag"},{"field":"n"}'),
    },
  },
  nested: {
    needs: {
      path: list('"parts","parts","parts","poster","nobody"'),
      query: list(
        '{"term":{"parts.kind":"x"}},{"match":{"parts.note":"fox"}},{"range":{"parts.v":{"gte":1}}},{"match_all":{}},{"exists":{"field":"parts"}}',
      ),
    },
    takes: {
      ...COMMON,
      score_mode: list('"avg","max","min","none","sum","total","x"'),
      ignore_unmapped: FLAG,
      inner_hits: list(
        '{},{"size":1,"name":"i"},{"sort":[{"parts.v":"desc"}],"_source":["parts.v"]},{"highlight":{"fields":{"parts.note":{}}}},{"docvalue_fields":["parts.v"],"from":1},{"explain":true,"version":true},{"fields":["parts.kind"]},{"ignore_unmapped":true}',
      ),
    },
  },
  distance_feature: {
    needs: {
      field: fieldOf('when', 'fine', 'place'),
      origin: (c) => c.random.pick([...DATES, ...POINT]),
      pivot: list('"1d","2h","100km","1m",5,"x"'),
    },
    takes: COMMON,
  },
  rank_feature: {
    needs: { field: fieldOf('rank', 'ranks.pages', 'rank', 'ranks.links') },
    takes: {
      ...COMMON,
      saturation: list('{},{"pivot":5},{"pivot":-1},{"x":1}'),
      log: list('{"scaling_factor":4},{},{"scaling_factor":0}'),
      sigmoid: list('{"pivot":5,"exponent":0.6},{"pivot":5}'),
    },
  },
  more_like_this: {
    needs: {
      like: list(
        '"red fox dog",[{"_id":"1"}],["the fox",{"_id":"2"}],[{"_index":"differ","_id":"nobody"}],[{"doc":{"body":"red fox red"}}],{"_id":"3"},[],7',
      ),
    },
    takes: {
      ...COMMON,
      fields: FIELDS,
      unlike: list('"red",[{"_id":"1"}]'),
      max_query_terms: list('1,2,25,0'),
      min_term_freq: list('1,1,1,2'),
      min_doc_freq: list('1,1,1,2,5'),
      max_doc_freq: list('3,0'),
      min_word_length: list('0,4'),
      max_word_length: list('3,0'),
      stop_words: list('["the","a"],[],"the"'),
      analyzer: ANALYZER,
      minimum_should_match: MINIMUM,
      fail_on_unsupported_field: FLAG,
      boost_terms: list('1,2.5,0'),
      include: FLAG,
    },
  },
  geo_distance: {
    needs: { distance: list('"100km","300km","1km",200000,"50mi","2nmi","x",-1,"0m"'), place: POINT },
    takes: {
      ...COMMON,
      unit: list('"km","m","x"'),
      distance_type: ['arc', 'plane', 'x'],
      validation_method: VALIDATION,
      ignore_unmapped: FLAG,
    },
  },
  geo_bounding_box: {
    needs: {
      place: list(
        '{"top_left":"3,0","bottom_right":"0,3"},{"top_left":{"lat":3,"lon":0},"bottom_right":{"lat":0,"lon":3}},{"top_right":[3,3],"bottom_left":[0,0]},{"top":3,"left":0,"bottom":0,"right":3},{"wkt":"BBOX (0, 3, 3, 0)"},{"top_left":"s","bottom_right":"s"},{"top_left":"0,3","bottom_right":"3,0"},{"top":3},{"top_left":"3,170","bottom_right":"0,1"},{}',
      ),
    },
    takes: { ...COMMON, type: ['memory', 'indexed', 'x'], validation_method: VALIDATION, ignore_unmapped: FLAG },
  },
  geo_polygon: {
    needs: {
      place: list(
        '{"points":["0,0","3,0","3,3","0,3"]},{"points":[[0,0],[3,0],[3,3]]},{"points":[{"lat":0,"lon":0},{"lat":2,"lon":0},{"lat":2,"lon":2}]},{"points":["0,0","1,1"]},{"points":[]},{"points":["s","t","u"]},{}',
      ),
    },
    takes: { ...COMMON, validation_method: VALIDATION, ignore_unmapped: FLAG },
  },
  span_term: { field: fieldOf('body', 'text', 'tag'), needs: { value: ['fox', 'red', 'x', 5] }, takes: COMMON },
  span_near: { needs: { clauses: SPANS }, takes: { ...COMMON, slop: SMALL, in_order: FLAG } },
  span_or: { needs: { clauses: SPANS }, takes: COMMON },
  span_not: { needs: { include: SPAN, exclude: SPAN }, takes: { ...COMMON, pre: SMALL, post: SMALL, dist: SMALL } },
  span_first: { needs: { match: SPAN, end: SMALL }, takes: COMMON },
  span_containing: { needs: { big: SPAN, little: SPAN }, takes: COMMON },
  span_within: { needs: { big: SPAN, little: SPAN }, takes: COMMON },
  span_multi: {
    needs: {
      match: list(
        '{"prefix":{"body":"r"}},{"wildcard":{"body":"f*"}},{"fuzzy":{"body":"fxo"}},{"regexp":{"body":"r.*"}},{"range":{"body":{"gte":"r"}}},{"term":{"body":"x"}},{"prefix":{"body":{"value":"r","rewrite":"top_terms_2"}}}',
      ),
    },
    takes: COMMON,
  },
  field_masking_span: { needs: { query: SPAN, field: fieldOf('body', 'text') }, takes: COMMON },
  intervals: {
    field: TEXTS,
    takes: {
      ...COMMON,
      all_of: (c) => ({
        intervals: [rule(c), rule(c)],
        ...(c.random.once(2) ? { ordered: c.random.once(2) } : {}),
        ...(c.random.once(2) ? { max_gaps: c.random.int(5) - 1 } : {}),
        ...(c.random.once(4) ? { mode: 'ordered' } : {}),
      }),
      any_of: (c) => ({
        intervals: [rule(c), rule(c)],
        ...(c.random.once(3)
          ? {
              filter: {
                [c.random.pick([
                  'containing',
                  'contained_by',
                  'not_containing',
                  'not_overlapping',
                  'overlapping',
                  'before',
                  'after',
                  'not_contained_by',
                ])]: rule(c),
              },
            }
          : {}),
      }),
      match: list(
        '{"query":"red fox"},{"query":"the dog","max_gaps":0},{"query":"fox red","ordered":true},{"query":"dog","use_field":"text"},{"query":""}',
      ),
      prefix: list('{"prefix":"f"},{"prefix":"r","analyzer":"keyword"},{"prefix":"d","use_field":"text"}'),
      wildcard: list('{"pattern":"?o*"},{"pattern":"*"}'),
      fuzzy: list(
        '{"term":"fxo"},{"term":"foz","fuzziness":2},{"term":"fox","transpositions":false,"prefix_length":1}',
      ),
    },
  },
  match_all: { takes: COMMON },
  match_none: { takes: COMMON },
  wrapper: { needs: { query: ['eyJ0ZXJtIjp7InRhZyI6IngifX0=', 'x', ''] } },
  type: { needs: { value: ['_doc', 'x'] }, takes: COMMON },
  common: {
    field: TEXTS,
    needs: { query: TEXT },
    takes: {
      ...COMMON,
      cutoff_frequency: list('0.1,0.001,2,1'),
      low_freq_operator: OPERATOR,
      high_freq_operator: OPERATOR,
      minimum_should_match: list('1,2,{"low_freq":2,"high_freq":1},{"low_freq":"50%"}'),
      analyzer: ANALYZER,
    },
  },
  script: { needs: { script: list('{"source":"true"},"false"') } },
  script_score: {
    needs: { query: QUERY, script: list('{"source":"1"},{"source":"_score * 2"}') },
    takes: { ...COMMON, min_score: [1] },
  },
};

/** Makes a query that has some options of its kind. @param most members besides those that it needs */
export function randomQueryOf(choice: Choice, kind: string, wrong: readonly unknown[], most = 2): object {
  const { random } = choice;
  const { field, needs = {}, takes = {} } = QUERIES[kind]!;
  const options: Record<string, unknown> = {};
  const add = (name: string, make: Make): void => {
    options[name] = random.once(30)
      ? random.pick(wrong)
      : Array.isArray(make)
        ? random.pick(make as readonly unknown[])
        : (make as (c: Choice) => unknown)(choice);
  };
  for (const [name, make] of Object.entries(needs)) if (!random.once(50)) add(name, make);
  const names = Object.keys(takes);
  for (let left = names.length === 0 ? 0 : random.int(most + 1); left > 0; left--) {
    const name = random.pick(names);
    add(name, takes[name]!);
  }
  if (random.once(60)) options['wrong'] = random.pick(wrong);
  if (field === undefined) return { [kind]: options };
  const [short = ''] = Object.keys(needs);
  const name = field(choice);
  return { [kind]: { [name]: random.once(8) && short in options ? options[short] : options } };
}
